/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls on GLib's locks, held by a thread named "holder". */

#include "kinds.h"

extern void stall_in_g_mutex (gint64 length_ns);
extern void stall_in_g_rec_mutex (gint64 length_ns);
extern void stall_in_g_rw_lock (gint64 length_ns);
extern void stall_in_g_cond (gint64 length_ns);
extern void stall_in_g_once (gint64 length_ns);
extern void stall_in_g_async_queue (gint64 length_ns);

static GMutex mutex;
static GRecMutex rec_mutex;
static GRWLock rw_lock;
static GCond cond;
static gsize once;
static GAsyncQueue *queue;
static gboolean is_ready; /* under the mutex */

static void
start_holder (const char *lock, const void *address, gboolean names_owner, const HolderJob *job, gint64 length_ns)
{
  truth.lock = lock;
  truth.lock_address = address;
  truth.holder = holder_start_thread ("holder", job, length_ns);
  truth.holder_function = "holder_sleeps";
  truth.lock_owner = names_owner ? truth.holder : 0;
}

/* On the holder's thread. */
static void
take_mutex (void)
{
  g_mutex_lock (&mutex);
}

static void
give_mutex (void)
{
  g_mutex_unlock (&mutex);
}

static void
prepare_mutex (gint64 length_ns)
{
  const HolderJob job = { take_mutex, holder_sleeps, give_mutex };

  start_holder ("GMutex", &mutex, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_g_mutex (gint64 length_ns)
{
  g_mutex_lock (&mutex);
  kinds_sink++;
  g_mutex_unlock (&mutex);
  kinds_sink++;
}

/* On the holder's thread. */
static void
take_rec_mutex (void)
{
  g_rec_mutex_lock (&rec_mutex);
}

static void
give_rec_mutex (void)
{
  g_rec_mutex_unlock (&rec_mutex);
}

/* GLib makes it of a recursive pthread mutex, which knows its owner. */
static void
prepare_rec_mutex (gint64 length_ns)
{
  const HolderJob job = { take_rec_mutex, holder_sleeps, give_rec_mutex };

  start_holder ("mutex", NULL, TRUE, &job, length_ns);
  truth.lock_address = rec_mutex.p;
}

G_NO_INLINE void
stall_in_g_rec_mutex (gint64 length_ns)
{
  g_rec_mutex_lock (&rec_mutex);
  kinds_sink++;
  g_rec_mutex_unlock (&rec_mutex);
  kinds_sink++;
}

/* On the holder's thread. */
static void
take_rw_lock (void)
{
  g_rw_lock_writer_lock (&rw_lock);
}

static void
give_rw_lock (void)
{
  g_rw_lock_writer_unlock (&rw_lock);
}

/* GLib makes it of a pthread rwlock, which knows who writes. */
static void
prepare_rw_lock (gint64 length_ns)
{
  const HolderJob job = { take_rw_lock, holder_sleeps, give_rw_lock };

  start_holder ("GRWLock", NULL, TRUE, &job, length_ns);
  truth.lock_address = rw_lock.p;
}

G_NO_INLINE void
stall_in_g_rw_lock (gint64 length_ns)
{
  g_rw_lock_reader_lock (&rw_lock);
  kinds_sink++;
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

static void
prepare_cond (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, signal_cond };

  start_holder ("GCond", &cond, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_g_cond (gint64 length_ns)
{
  g_mutex_lock (&mutex);
  while (!is_ready)
    g_cond_wait (&cond, &mutex);
  g_mutex_unlock (&mutex);
  kinds_sink++;
}

/* On the holder's thread. */
static void
enter_once (void)
{
  if (!g_once_init_enter (&once))
    g_assert_not_reached ();
}

static void
leave_once (void)
{
  g_once_init_leave (&once, 1);
}

static void
prepare_once (gint64 length_ns)
{
  const HolderJob job = { enter_once, holder_sleeps, leave_once };

  start_holder ("once", NULL, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_g_once (gint64 length_ns)
{
  kinds_sink += g_once_init_enter (&once);
}

/* On the holder's thread. */
static void
push_answer (void)
{
  g_async_queue_push (queue, queue);
}

static void
prepare_queue (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, push_answer };

  queue = g_async_queue_new ();
  start_holder ("GCond", NULL, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_g_async_queue (gint64 length_ns)
{
  kinds_sink += g_async_queue_pop (queue) != NULL;
}

#define LOCK(name, stall, prepare) { name, KIND (stall), "blocked", "lock", "futex", prepare }

const Kind kinds_glock[] = {
  LOCK ("g-mutex", stall_in_g_mutex, prepare_mutex),
  LOCK ("g-rec-mutex", stall_in_g_rec_mutex, prepare_rec_mutex),
  LOCK ("g-rw-lock", stall_in_g_rw_lock, prepare_rw_lock),
  LOCK ("g-cond", stall_in_g_cond, prepare_cond),
  LOCK ("g-once", stall_in_g_once, prepare_once),
  LOCK ("g-async-queue", stall_in_g_async_queue, prepare_queue),
};
const guint n_kinds_glock = G_N_ELEMENTS (kinds_glock);
