/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls without end: threads that wait for one another in a ring. The main thread has lock 0, its holders the
 * others; each then wants the next one's. */

#include "kinds.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t locks[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static guint wanted;

DOES (take_second, pthread_mutex_lock (&locks[1]))
DOES (take_third, pthread_mutex_lock (&locks[2]))

STALL (holder_wants_first)
{
  pthread_mutex_lock (&locks[0]);
  staller_sink++;
}

STALL (holder_wants_third)
{
  pthread_mutex_lock (&locks[2]);
  staller_sink += 2;
}

static void
prepare_ring (guint n_threads, gint64 length_ns)
{
  const HolderJob of_two = { take_second, holder_wants_first, NULL };
  const HolderJob second = { take_second, holder_wants_third, NULL };
  const HolderJob third = { take_third, holder_wants_first, NULL };

  pthread_mutex_lock (&locks[0]);
  wanted = n_threads > 1 ? 1 : 0;
  truth.lock = "mutex";
  truth.lock_address = &locks[wanted];
  truth.n_chain = n_threads;
  if (n_threads == 1)
    truth.holder = gettid ();
  if (n_threads == 2)
    truth.holder = holder_start_thread ("holder", &of_two, length_ns);
  if (n_threads == 3)
    {
      holder_start_thread ("third", &third, length_ns);
      truth.holder = holder_start_thread ("holder", &second, length_ns);
    }
  truth.lock_owner = truth.holder;
  truth.holder_function = n_threads == 1 ? "stall_in_deadlock"
                          : n_threads == 2 ? "holder_wants_first" : "holder_wants_third";
}

static void
prepare_join (gint64 length_ns)
{
  prepare_ring (2, length_ns);
  truth.lock = "join";
  truth.lock_address = NULL;
}

PREPARES (prepare_one, prepare_ring (1, length_ns))
PREPARES (prepare_two, prepare_ring (2, length_ns))
PREPARES (prepare_three, prepare_ring (3, length_ns))

STALL (stall_in_deadlock)
{
  pthread_mutex_lock (&locks[wanted]);
  staller_sink++;
}

/* The holder wants what we have, and we wait for its end. */
STALL (stall_in_join_of_waiter)
{
  pthread_join (holder_get_pthread (), NULL);
  staller_sink++;
}

const Kind kinds_deadlock[] = {
  KIND_OF_LOCK ("deadlock-1", stall_in_deadlock, prepare_one, NULL),
  KIND_OF_LOCK ("deadlock-2", stall_in_deadlock, prepare_two, NULL),
  KIND_OF_LOCK ("deadlock-3", stall_in_deadlock, prepare_three, NULL),
  KIND_OF_LOCK ("deadlock-join", stall_in_join_of_waiter, prepare_join, NULL),
};
const guint n_kinds_deadlock = G_N_ELEMENTS (kinds_deadlock);
