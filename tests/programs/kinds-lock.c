/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls on locks, of whose holder much, little or nothing is known. Every kind of lock: wait/lock. */

#include "kinds.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static gboolean is_ready;   /* under the mutex */
static gint is_in_once;     /* (atomic) */
static gint64 once_ns;

/* On the holder's thread. */
DOES (take_mutex, pthread_mutex_lock (&mutex))
DOES (give_mutex, pthread_mutex_unlock (&mutex))

static const HeldLock held_mutex_computing = { "mutex", &mutex, TRUE, { take_mutex, holder_computes, give_mutex } };

STALL (stall_in_mutex)
{
  pthread_mutex_lock (&mutex);
  staller_sink++;
  pthread_mutex_unlock (&mutex);
  staller_sink++;
}

/* On the holder's thread. */
DOES (take_write_lock, pthread_rwlock_wrlock (&rwlock))
DOES (take_read_lock, pthread_rwlock_rdlock (&rwlock))
DOES (give_rwlock, pthread_rwlock_unlock (&rwlock))

static const HeldLock held_for_writing = { "rwlock", &rwlock, TRUE, { take_write_lock, holder_sleeps, give_rwlock } };
/* A lock does not know who reads. */
static const HeldLock held_for_reading = { "rwlock", &rwlock, FALSE, { take_read_lock, holder_sleeps, give_rwlock } };

STALL (stall_in_read_lock)
{
  pthread_rwlock_rdlock (&rwlock);
  staller_sink++;
}

STALL (stall_in_write_lock)
{
  pthread_rwlock_wrlock (&rwlock);
  staller_sink++;
}

/* On the holder's thread. */
static void
signal_cond (void)
{
  pthread_mutex_lock (&mutex);
  is_ready = TRUE;
  pthread_cond_signal (&cond);
  pthread_mutex_unlock (&mutex);
}

static const HeldLock held_cond = { "cond", &cond, FALSE, { NULL, holder_sleeps, signal_cond } };

STALL (stall_in_cond_wait)
{
  pthread_mutex_lock (&mutex);
  while (!is_ready)
    pthread_cond_wait (&cond, &mutex);
  pthread_mutex_unlock (&mutex);
  staller_sink++;
}

static const HeldLock held_join = { "join", NULL, TRUE, { NULL, holder_sleeps, NULL } };

STALL (stall_in_join)
{
  pthread_join (holder_get_pthread (), NULL);
  staller_sink++;
}

/* On the holder's thread. */
static void
once_routine (void)
{
  g_atomic_int_set (&is_in_once, 1);
  holder_sleeps (once_ns);
}

static void
keep_once (gint64 length_ns)
{
  once_ns = length_ns;
  pthread_once (&once, once_routine);
}

static const HeldLock held_once = { "once", &once, FALSE, { NULL, keep_once, NULL } };

STALL (stall_in_once)
{
  while (g_atomic_int_get (&is_in_once) == 0)
    g_thread_yield ();
  pthread_once (&once, once_routine);
  staller_sink++;
}

const Kind kinds_lock[] = {
  KIND_OF_LOCK ("mutex-normal", stall_in_mutex, NULL, &held_mutex_computing),
  KIND_OF_LOCK ("rwlock-read", stall_in_read_lock, NULL, &held_for_writing),
  KIND_OF_LOCK ("rwlock-write", stall_in_write_lock, NULL, &held_for_reading),
  KIND_OF_LOCK ("cond", stall_in_cond_wait, NULL, &held_cond),
  KIND_OF_LOCK ("join", stall_in_join, NULL, &held_join),
  KIND_OF_LOCK ("once", stall_in_once, NULL, &held_once),
};
const guint n_kinds_lock = G_N_ELEMENTS (kinds_lock);
