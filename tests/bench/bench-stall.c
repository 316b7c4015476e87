/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How exact a stall's length is, and how soon its report is on disk: stalls of known length, ground truth
 * taken inside the stalling handler, the report file watched from another thread. Prints JSON. */

#include "config.h"

#include <unistd.h>
#include <gio/gio.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "monitor/jank-monitor.h"

static const guint lengths_ms[] = { 100, 150, 250, 500, 1000, 1000, 1000, 1000, 1000, 2000, 5000 };

typedef struct
{
  JankMonitor *monitor;
  GMainLoop   *loop;
  char        *store;
  guint        at;
  gboolean     sleeping;
  gint64       began_ns, ended_ns;    /* inside the handler */
  gint64       on_disk_ns;            /* atomic: when the final report was first seen; 0 not yet */
  gint         stopping;
} Bench;

/* Whether a report of the stall that began at bench->began_ns is there and says that it recovered. */
static gboolean
is_on_disk (Bench *bench)
{
  g_autoptr (GDir) folder = g_dir_open (bench->store, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (bench->store, name, NULL);
      g_autofree char *text = NULL;

      if (g_str_has_suffix (name, ".json") && g_file_get_contents (path, &text, NULL, NULL) &&
          strstr (text, "\"recovered\"") != NULL)
        return TRUE;
    }
  return FALSE;
}

static gpointer
watch_thread (gpointer data)
{
  Bench *bench = data;

  while (!g_atomic_int_get (&bench->stopping))
    {
      if (bench->on_disk_ns == 0 && is_on_disk (bench))
        __atomic_store_n (&bench->on_disk_ns, jank_clock_now_ns (), __ATOMIC_RELEASE);
      g_usleep (200);
    }
  return NULL;
}

static gboolean
stall_cb (gpointer data)
{
  Bench *bench = data;
  gint64 length_ns = lengths_ms[bench->at] * JANK_NS_PER_MS;

  bench->began_ns = jank_clock_now_ns ();
  if (bench->sleeping)
    g_usleep ((gulong) (length_ns / 1000));
  else
    while (jank_clock_now_ns () - bench->began_ns < length_ns)
      ;
  bench->ended_ns = jank_clock_now_ns ();
  return G_SOURCE_REMOVE;
}

static void
empty_store (Bench *bench)
{
  g_autoptr (GDir) folder = g_dir_open (bench->store, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (bench->store, name, NULL);

      g_unlink (path);
    }
}

static gboolean
next_cb (gpointer data)
{
  Bench *bench = data;

  empty_store (bench);
  __atomic_store_n (&bench->on_disk_ns, 0, __ATOMIC_RELEASE);
  g_timeout_add (20, stall_cb, bench);
  return G_SOURCE_REMOVE;
}

static void
stall_seen_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  Bench *bench = data;
  gint64 truth_ns = bench->ended_ns - bench->began_ns;
  gint64 on_disk_ns;

  while ((on_disk_ns = __atomic_load_n (&bench->on_disk_ns, __ATOMIC_ACQUIRE)) == 0)
    g_usleep (1000);
  g_print ("%s{\"kind\": \"%s\", \"truth_ms\": %.3f, \"error_ms\": %.3f, \"on_disk_after_ms\": %.2f}",
           bench->at == 0 && !bench->sleeping ? "" : ", ", bench->sleeping ? "sleep" : "compute", truth_ns / 1e6,
           (jank_report_get_duration_ns (report) - truth_ns) / 1e6, (on_disk_ns - bench->ended_ns) / 1e6);

  if (++bench->at == G_N_ELEMENTS (lengths_ms))
    {
      bench->at = 0;
      if (bench->sleeping)
        {
          g_main_loop_quit (bench->loop);
          return;
        }
      bench->sleeping = TRUE;
    }
  g_timeout_add (300, next_cb, bench);
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  Bench bench = { .loop = g_main_loop_new (NULL, FALSE) };
  GThread *thread;

  bench.store = g_dir_make_tmp ("jankwatch-bench-XXXXXX", &error);
  bench.monitor = jank_monitor_new ();
  if (bench.store == NULL || !jank_monitor_set_setting (bench.monitor, "store", bench.store, &error) ||
      !jank_monitor_set_setting (bench.monitor, "threshold", "90ms", &error))
    g_error ("%s", error->message);
  g_signal_connect (bench.monitor, "stall", G_CALLBACK (stall_seen_cb), &bench);
  if (!jank_monitor_start (bench.monitor, &error))
    g_error ("%s", error->message);

  thread = g_thread_new ("disk", watch_thread, &bench);
  g_timeout_add (300, next_cb, &bench);
  g_print ("[");
  g_main_loop_run (bench.loop);
  g_print ("]\n");

  g_atomic_int_set (&bench.stopping, 1);
  g_thread_join (thread);
  jank_monitor_stop (bench.monitor);
  g_object_unref (bench.monitor);
  empty_store (&bench);
  g_rmdir (bench.store);
  g_free (bench.store);
  g_main_loop_unref (bench.loop);
  return 0;
}
