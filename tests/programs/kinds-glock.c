/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls on GLib's locks. */

#include "kinds.h"

static GMutex mutex;
static GRecMutex rec_mutex;
static GRWLock rw_lock;
static GCond cond;
static gsize once;
static GAsyncQueue *queue;
static gboolean is_ready; /* under the mutex */

/* On the holder's thread. */
DOES (take_mutex, g_mutex_lock (&mutex))
DOES (give_mutex, g_mutex_unlock (&mutex))

static const HeldLock held_mutex = { "GMutex", &mutex, FALSE, { take_mutex, holder_sleeps, give_mutex } };

STALL (stall_in_g_mutex)
{
  g_mutex_lock (&mutex);
  staller_sink++;
  g_mutex_unlock (&mutex);
  staller_sink++;
}

/* On the holder's thread. */
DOES (take_rec_mutex, g_rec_mutex_lock (&rec_mutex))
DOES (give_rec_mutex, g_rec_mutex_unlock (&rec_mutex))

/* GLib makes it of a recursive pthread mutex, which knows its owner. */
static void
prepare_rec_mutex (gint64 length_ns)
{
  g_rec_mutex_init (&rec_mutex);
  truth.lock_address = rec_mutex.p;
}

static const HeldLock held_rec_mutex = { "mutex", NULL, TRUE, { take_rec_mutex, holder_sleeps, give_rec_mutex } };

STALL (stall_in_g_rec_mutex)
{
  g_rec_mutex_lock (&rec_mutex);
  staller_sink++;
  g_rec_mutex_unlock (&rec_mutex);
  staller_sink++;
}

/* On the holder's thread. */
DOES (take_rw_lock, g_rw_lock_writer_lock (&rw_lock))
DOES (give_rw_lock, g_rw_lock_writer_unlock (&rw_lock))

/* GLib makes it of a pthread rwlock, which knows who writes. */
static void
prepare_rw_lock (gint64 length_ns)
{
  g_rw_lock_init (&rw_lock);
  truth.lock_address = rw_lock.p;
}

static const HeldLock held_rw_lock = { "GRWLock", NULL, TRUE, { take_rw_lock, holder_sleeps, give_rw_lock } };

STALL (stall_in_g_rw_lock)
{
  g_rw_lock_reader_lock (&rw_lock);
  staller_sink++;
}

/* On the holder's thread. */
static void
signal_cond (void)
{
  g_mutex_lock (&mutex);
  is_ready = TRUE;
  g_cond_signal (&cond);
  g_mutex_unlock (&mutex);
}

static const HeldLock held_cond = { "GCond", &cond, FALSE, { NULL, holder_sleeps, signal_cond } };

STALL (stall_in_g_cond)
{
  g_mutex_lock (&mutex);
  while (!is_ready)
    g_cond_wait (&cond, &mutex);
  g_mutex_unlock (&mutex);
  staller_sink++;
}

/* On the holder's thread. */
static void
enter_once (void)
{
  if (!g_once_init_enter (&once))
    g_assert_not_reached ();
}


DOES (leave_once, g_once_init_leave (&once, 1))

static const HeldLock held_once = { "once", NULL, FALSE, { enter_once, holder_sleeps, leave_once } };

STALL (stall_in_g_once)
{
  staller_sink += g_once_init_enter (&once);
}

/* On the holder's thread. */
DOES (push_answer, g_async_queue_push (queue, queue))
PREPARES (prepare_queue, queue = g_async_queue_new ())

static const HeldLock held_queue = { "GCond", NULL, FALSE, { NULL, holder_sleeps, push_answer } };

STALL (stall_in_g_async_queue)
{
  staller_sink += g_async_queue_pop (queue) != NULL;
}

const Kind kinds_glock[] = {
  KIND_OF_LOCK ("g-mutex", stall_in_g_mutex, NULL, &held_mutex),
  KIND_OF_LOCK ("g-rec-mutex", stall_in_g_rec_mutex, prepare_rec_mutex, &held_rec_mutex),
  KIND_OF_LOCK ("g-rw-lock", stall_in_g_rw_lock, prepare_rw_lock, &held_rw_lock),
  KIND_OF_LOCK ("g-cond", stall_in_g_cond, NULL, &held_cond),
  KIND_OF_LOCK ("g-once", stall_in_g_once, NULL, &held_once),
  KIND_OF_LOCK ("g-async-queue", stall_in_g_async_queue, prepare_queue, &held_queue),
};
const guint n_kinds_glock = G_N_ELEMENTS (kinds_glock);
