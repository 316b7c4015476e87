/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs in which the main thread never stalls: nested loops, nothing to do, short busy periods, a loop of another
 * thread. */

#include "staller.h"

#include <string.h>

#define TICK_MS 10
#define BUSY_NS (20 * NS_PER_MS)
#define WORKER_STALL_NS (300 * NS_PER_MS)

typedef struct
{
  GMainLoop *loop;
  gint64 last_ns;
  gint64 longest_gap_ns;
  guint n_ticks;
} Ticks;

typedef struct
{
  gint64 duration_ns;
  gint64 began_ns, ended_ns;
  Ticks ticks;
  guint depth;
} Nested;

static gboolean
tick_cb (gpointer data)
{
  Ticks *ticks = data;
  gint64 tick_ns = now_ns ();

  if (ticks->last_ns != 0)
    ticks->longest_gap_ns = MAX (ticks->longest_gap_ns, tick_ns - ticks->last_ns);
  ticks->last_ns = tick_ns;
  ticks->n_ticks++;
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
  g_timeout_add (third_ms * (n_deeper + 1), staller_quit_cb, loop);
  g_main_loop_run (loop);
  return G_SOURCE_REMOVE;
}

static void
nested_cb (gpointer data)
{
  Nested *nested = data;
  guint tick_id = g_timeout_add (TICK_MS, tick_cb, &nested->ticks);

  nested->began_ns = now_ns ();
  nest_cb (nested);
  nested->ended_ns = now_ns ();
  g_source_remove (tick_id);
}

int
command_nested (const StallerArgs *args)
{
  Nested nested = { .duration_ns = staller_arg (args, 0, 1000) * NS_PER_MS };

  staller_run (nested_cb, &nested);
  staller_print ("{\"command\": \"nested\", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT ", \"ticks\": %u"
                 ", \"longest_gap_ns\": %" G_GINT64_FORMAT "}",
                 nested.began_ns, nested.ended_ns, nested.ticks.n_ticks, nested.ticks.longest_gap_ns);
  return 0;
}

/* Voluntary and involuntary switches of one thread so far. */
static guint64
context_switches (const char *tid)
{
  g_autofree char *path = g_build_filename ("/proc/self/task", tid, "status", NULL);
  g_autofree char *text = NULL;
  guint64 n_switches = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  for (const char *at = text; (at = strstr (at, "ctxt_switches:")) != NULL;)
    {
      at += strlen ("ctxt_switches:");
      n_switches += g_ascii_strtoull (at, NULL, 10);
    }
  return n_switches;
}

/* (transfer container): the number of switches by thread id. */
static GHashTable *
all_context_switches (void)
{
  GHashTable *switches = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/task", 0, NULL);
  const char *tid;

  while ((tid = g_dir_read_name (folder)) != NULL)
    {
      guint64 n_switches = context_switches (tid);

      g_hash_table_insert (switches, g_strdup (tid), g_memdup2 (&n_switches, sizeof n_switches));
    }
  return switches;
}

static void
append_threads (GString *line, GHashTable *before, GHashTable *after)
{
  GHashTableIter iter;
  const char *tid;
  const guint64 *n_after;

  g_hash_table_iter_init (&iter, after);
  while (g_hash_table_iter_next (&iter, (gpointer *) &tid, (gpointer *) &n_after))
    {
      const guint64 *n_before = g_hash_table_lookup (before, tid);
      g_autofree char *path = g_build_filename ("/proc/self/task", tid, "comm", NULL);
      g_autofree char *name = NULL;

      if (g_file_get_contents (path, &name, NULL, NULL))
        g_strchomp (name);
      g_string_append_printf (line, "%s{\"tid\": %s, \"name\": \"%s\", \"context_switches\": %" G_GUINT64_FORMAT "}",
                              line->len > 0 ? ", " : "", tid, name, *n_after - (n_before != NULL ? *n_before : 0));
    }
}

/* After a second to settle, counts what every thread of the process, a watcher's too, does in an idle program. */
int
command_idle (const StallerArgs *args)
{
  g_autoptr (GHashTable) before = NULL;
  g_autoptr (GHashTable) after = NULL;
  g_autoptr (GString) threads = g_string_new (NULL);
  gint64 began_ns;

  staller_run_idle (NS_PER_S);
  before = all_context_switches ();
  began_ns = now_ns ();
  staller_run_idle (staller_arg (args, 0, 10) * NS_PER_S);
  after = all_context_switches ();

  append_threads (threads, before, after);
  staller_print ("{\"command\": \"idle\", \"elapsed_ns\": %" G_GINT64_FORMAT ", \"threads\": [%s]}",
                 now_ns () - began_ns, threads->str);
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
  staller_print ("{\"command\": \"busy-short\", \"busy_periods\": %" G_GINT64_FORMAT
                 ", \"longest_ns\": %" G_GINT64_FORMAT "}",
                 n_times, longest_ns);
  return 0;
}

static gboolean
worker_stall_cb (gpointer data)
{
  stall_compute (WORKER_STALL_NS);
  (*(guint *) data)++;
  return G_SOURCE_CONTINUE;
}

/* [0]: the worker's loop; [1]: the main thread's, which is not to wait outside of it */
static gpointer
worker_thread (gpointer data)
{
  GMainLoop **loops = data;

  g_main_context_push_thread_default (g_main_loop_get_context (loops[0]));
  g_main_loop_run (loops[0]);
  g_idle_add (staller_quit_cb, loops[1]);
  return NULL;
}

int
command_threads (const StallerArgs *args)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  g_autoptr (GMainLoop) main_loop = g_main_loop_new (NULL, FALSE);
  GMainLoop *loops[] = { loop, main_loop };
  guint n_stalls = 0;
  GThread *worker;

  staller_attach_timeout (context, 100, worker_stall_cb, &n_stalls);
  worker = g_thread_new ("worker", worker_thread, loops);
  g_timeout_add ((guint) staller_arg (args, 0, 3) * 1000, staller_quit_cb, loop);
  g_main_loop_run (main_loop);
  g_thread_join (worker);
  staller_print ("{\"command\": \"threads\", \"worker_stalls\": %u}", n_stalls);
  return 0;
}
