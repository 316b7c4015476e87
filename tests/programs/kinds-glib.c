/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls on GLib's locks, and in waits for what another thread is to do. “recorded-” ones have a holder only for the
 * library that `jankwatch run` preloads; “awaited-” ones have another name than the futex that they take. */

#include "kinds.h"

#include <gio/gio.h>
#include <semaphore.h>
#include <unistd.h>

static GMutex mutex, other;
static GRWLock rw_lock;
static GCond cond;
static gboolean is_done; /* under the mutex */
static sem_t semaphore;
static GAsyncQueue *queue;

static void
take_semaphore (void)
{
  while (sem_wait (&semaphore) != 0)
    continue;
}

/* On the holder's thread. */
DOES (take_mutex, g_mutex_lock (&mutex))
DOES (give_mutex, g_mutex_unlock (&mutex))
DOES (take_other, g_mutex_lock (&other))
DOES (take_to_read, g_rw_lock_reader_lock (&rw_lock))
DOES (give_to_read, g_rw_lock_reader_unlock (&rw_lock))
DOES (give_semaphore, sem_post (&semaphore))
DOES (end_program, _exit (0))
PREPARES (wants_mutex, g_mutex_lock (&mutex))
PREPARES (sleeps_for_four, holder_sleeps (4 * length_ns))

/* Who once gave back what he took himself uses it as a lock. */
static void
take_as_lock (void)
{
  take_semaphore ();
  sem_post (&semaphore);
  take_semaphore ();
}

static const HeldLock held_mutex = { "GMutex", &mutex, FALSE, { take_mutex, holder_sleeps, give_mutex } };
static const HeldLock held_other = { "GMutex", &other, FALSE, { take_other, wants_mutex, NULL } };
static const HeldLock held_to_read = { "GRWLock", NULL, FALSE, { take_to_read, holder_sleeps, give_to_read } };
static const HeldLock held_as_lock = { "sem", NULL, FALSE, { take_as_lock, holder_sleeps, give_semaphore } };
static const HeldLock taken = { "sem", NULL, FALSE, { take_semaphore, holder_sleeps, NULL } };
static const HeldLock taken_once_as_lock = { "sem", NULL, FALSE, { take_as_lock, holder_sleeps, NULL } };
static const HeldLock held_until_other = { "GMutex", &mutex, FALSE, { take_mutex, holder_sleeps, take_other } };
static const HeldLock ends_program = { "GMutex", &mutex, FALSE, { NULL, holder_sleeps, end_program } };

PREPARES (prepare_semaphore, sem_init (&semaphore, 0, 1))
PREPARES (prepare_mutex, g_mutex_lock (&mutex))

/* The holder comes to want a lock of the main thread's, when it has slept. */
static void
prepare_later (gint64 length_ns)
{
  const HolderJob end = { NULL, sleeps_for_four, end_program };

  g_mutex_lock (&other);
  holder_start_thread ("end", &end, length_ns);
}

/* A semaphore that counts things, of which there is one: whoever takes it holds nothing, and another thread makes the
 * next. */
static void
prepare_counter (gint64 length_ns)
{
  const HolderJob producer = { NULL, holder_sleeps, give_semaphore };

  prepare_semaphore (length_ns);
  holder_start_thread ("producer", &producer, length_ns);
}

STALL (stall_in_gmutex)
{
  g_mutex_lock (&mutex);
  staller_sink++;
  g_mutex_unlock (&mutex);
  staller_sink++;
}

STALL (stall_in_other)
{
  g_mutex_lock (&other);
  staller_sink++;
}

STALL (stall_in_writer_lock)
{
  g_rw_lock_writer_lock (&rw_lock);
  staller_sink++;
}

STALL (stall_in_semaphore)
{
  while (sem_wait (&semaphore) != 0)
    continue;
  staller_sink++;
}

/* On the holder's thread. */
static void
tell_done (void)
{
  g_mutex_lock (&mutex);
  is_done = TRUE;
  g_cond_signal (&cond);
  g_mutex_unlock (&mutex);
}

DOES (put_item, g_async_queue_push (queue, &queue))

static const HeldLock held_cond = { "GCond", NULL, FALSE, { NULL, holder_sleeps, tell_done } };
static const HeldLock held_queue = { "queue", NULL, FALSE, { NULL, holder_sleeps, put_item } };

PREPARES (prepare_queue, queue = g_async_queue_new ())

STALL (stall_in_gcond)
{
  g_mutex_lock (&mutex);
  while (!is_done)
    g_cond_wait (&cond, &mutex);
  g_mutex_unlock (&mutex);
}

STALL (stall_in_queue)
{
  g_async_queue_pop (queue);
  staller_sink++;
}

static void
work_cb (gpointer data, gpointer user_data)
{
  holder_sleeps (*(gint64 *) data);
}

STALL (stall_in_pool)
{
  GThreadPool *pool = g_thread_pool_new (work_cb, NULL, 1, TRUE, NULL);

  g_thread_pool_push (pool, &length_ns, NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
}

static void
task_cb (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  holder_sleeps (*(gint64 *) data);
  g_task_return_boolean (task, TRUE);
}

STALL (stall_in_task)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

  g_task_set_task_data (task, &length_ns, NULL);
  g_task_run_in_thread_sync (task, task_cb);
}

const Kind kinds_glib[] = {
  KIND_OF_LOCK ("recorded-mutex", stall_in_gmutex, NULL, &held_mutex),
  KIND_OF_LOCK ("recorded-abba", stall_in_other, prepare_mutex, &held_other),
  KIND_OF_LOCK ("recorded-again", stall_in_gmutex, prepare_mutex, &ends_program),
  KIND_OF_LOCK ("recorded-later", stall_in_gmutex, prepare_later, &held_until_other),
  KIND_OF_LOCK ("recorded-reader", stall_in_writer_lock, NULL, &held_to_read),
  KIND_OF_LOCK ("recorded-semaphore", stall_in_semaphore, prepare_semaphore, &held_as_lock),
  KIND_OF_LOCK ("recorded-counter", stall_in_semaphore, prepare_counter, &taken),
  KIND_OF_LOCK ("recorded-counter-once-a-lock", stall_in_semaphore, prepare_counter, &taken_once_as_lock),
  KIND_OF_LOCK ("awaited-queue", stall_in_queue, prepare_queue, &held_queue),
  KIND_OF_LOCK ("awaited-cond", stall_in_gcond, NULL, &held_cond),
  KIND_OF_LOCK ("awaited-pool", stall_in_pool, NULL, NULL),
  KIND_OF_LOCK ("awaited-task", stall_in_task, NULL, NULL),
};
const guint n_kinds_glib = G_N_ELEMENTS (kinds_glib);
