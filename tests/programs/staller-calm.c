/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs in which the main thread never stalls: nested loops, nothing to do, short busy periods, a loop of another
 * thread. */

#include "staller.h"

#define TICK_MS 10
#define BUSY_NS (20 * NS_PER_MS)
#define WORKER_STALL_NS (300 * NS_PER_MS)

typedef struct
{
  gint64 duration_ns;
  guint depth;
} Nested;

static gboolean
tick_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* A third of the time in a loop, a third in a loop inside a handler of that one, a third one deeper still. */
static gboolean
nest_cb (gpointer data)
{
  Nested *nested = data;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  guint third_ms = (guint) (nested->duration_ns / NS_PER_MS / 3);
  guint n_deeper = 3 - ++nested->depth;

  if (n_deeper > 0)
    g_timeout_add (third_ms, nest_cb, nested);
  g_timeout_add_once (third_ms * (n_deeper + 1), (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
  return G_SOURCE_REMOVE;
}

static void
nested_cb (gpointer data)
{
  guint tick_id = g_timeout_add (TICK_MS, tick_cb, NULL);

  nest_cb (data);
  g_source_remove (tick_id);
}

int
command_nested (const StallerArgs *args)
{
  Nested nested = { .duration_ns = staller_arg (args, 0, 1000) * NS_PER_MS };

  staller_run (nested_cb, &nested);
  staller_print ("{\"command\": \"nested\"}");
  return 0;
}

int
command_idle (const StallerArgs *args)
{
  staller_run_idle ((staller_arg (args, 0, 10) + 1) * NS_PER_S);
  staller_print ("{\"command\": \"idle\"}");
  return 0;
}

static void
busy_short_cb (gpointer data)
{
  gint64 began_ns = now_ns ();

  stall_compute (BUSY_NS);
  *(gint64 *) data = MAX (*(gint64 *) data, now_ns () - began_ns);
}

int
command_busy_short (const StallerArgs *args)
{
  gint64 n_times = MAX (staller_arg (args, 0, 5) * 1000 / 30, 1);
  gint64 longest_ns = 0;

  staller_run_times (busy_short_cb, &longest_ns, (guint) n_times, 10);
  staller_print ("{\"command\": \"busy-short\", \"longest_ns\": %" G_GINT64_FORMAT "}", longest_ns);
  return 0;
}

static gboolean
worker_stall_cb (gpointer data)
{
  stall_compute (WORKER_STALL_NS);
  return G_SOURCE_CONTINUE;
}

/* [0]: the worker's loop; [1]: the main thread's, which is not to wait outside of it */
static gpointer
worker_thread (gpointer data)
{
  GMainLoop **loops = data;

  g_main_context_push_thread_default (g_main_loop_get_context (loops[0]));
  g_main_loop_run (loops[0]);
  g_idle_add_once ((GSourceOnceFunc) g_main_loop_quit, loops[1]);
  return NULL;
}

int
command_threads (const StallerArgs *args)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  g_autoptr (GMainLoop) main_loop = g_main_loop_new (NULL, FALSE);
  GMainLoop *loops[] = { loop, main_loop };
  GThread *worker;

  staller_attach_timeout (context, 100, worker_stall_cb, NULL);
  worker = g_thread_new ("worker", worker_thread, loops);
  g_timeout_add_once ((guint) staller_arg (args, 0, 3) * 1000, (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (main_loop);
  g_thread_join (worker);
  staller_print ("{\"command\": \"threads\"}");
  return 0;
}
