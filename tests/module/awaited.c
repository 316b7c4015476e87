/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for what another thread is to do. Argument: what is awaited. */

#include <gio/gio.h>

#include <string.h>

#define LONG_US (800 * G_TIME_SPAN_MILLISECOND)

static GAsyncQueue *queue;
static GMutex mutex;
static GCond cond;
static gboolean is_done; /* under the mutex */

static gpointer
put_later_cb (gpointer data)
{
  g_usleep (LONG_US);
  g_async_queue_push (queue, data);
  return NULL;
}

static gpointer
tell_later_cb (gpointer data)
{
  g_usleep (LONG_US);
  g_mutex_lock (&mutex);
  is_done = TRUE;
  g_cond_signal (&cond);
  g_mutex_unlock (&mutex);
  return NULL;
}

static void
work_cb (gpointer data, gpointer user_data)
{
  g_usleep (LONG_US);
}

static void
task_cb (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_usleep (LONG_US);
  g_task_return_boolean (task, TRUE);
}

static void
wait_for_queue (void)
{
  g_autoptr (GThread) thread = g_thread_new ("later", put_later_cb, &queue);

  g_async_queue_pop (queue);
}

static void
wait_for_cond (void)
{
  g_autoptr (GThread) thread = g_thread_new ("later", tell_later_cb, NULL);

  g_mutex_lock (&mutex);
  while (!is_done)
    g_cond_wait (&cond, &mutex);
  g_mutex_unlock (&mutex);
}

static void
wait_for_pool (void)
{
  GThreadPool *pool = g_thread_pool_new (work_cb, NULL, 1, TRUE, NULL);

  g_thread_pool_push (pool, &queue, NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
}

static void
wait_for_task (void)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

  g_task_run_in_thread_sync (task, task_cb);
}

static gboolean
act_cb (gpointer data)
{
  static const struct { const char *name; void (*wait) (void); } acts[] = {
    { "queue", wait_for_queue }, { "cond", wait_for_cond }, { "pool", wait_for_pool }, { "task", wait_for_task },
  };

  for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
    if (strcmp (acts[i].name, data) == 0)
      acts[i].wait ();
  return G_SOURCE_REMOVE;
}

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GFile) file = g_file_new_for_path ("/"); /* loads GIO's modules */

  queue = g_async_queue_new ();
  g_timeout_add (300, act_cb, argv[1]);
  g_timeout_add (600, quit_cb, loop);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  g_async_queue_unref (queue);
  return 0;
}
