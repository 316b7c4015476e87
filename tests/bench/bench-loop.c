/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What watching adds to one turn of a loop: an idle source that does nothing, without and with a running
 * monitor in turns, in one process. It has a second thread that sleeps, as every GTK program has several:
 * with the first one glibc makes poll() a cancellation point in earnest, whoever starts it. Prints JSON. */

#include "config.h"

#include <glib.h>

#include "base/jank-clock-private.h"
#include "monitor/jank-monitor.h"

#define N_TURNS  500000
#define N_ROUNDS 15

typedef struct
{
  GMainLoop *loop;
  guint      n_left;
} Bench;

static gboolean
idle_cb (gpointer data)
{
  Bench *bench = data;

  if (--bench->n_left == 0)
    g_main_loop_quit (bench->loop);
  return G_SOURCE_CONTINUE;
}

static gpointer
sleep_thread (gpointer data)
{
  for (;;)
    g_usleep (G_USEC_PER_SEC * 60);
  return NULL;
}

static double
measure (Bench *bench)
{
  gint64 began_ns = jank_clock_now_ns ();

  bench->n_left = N_TURNS;
  g_main_loop_run (bench->loop);
  return (double) (jank_clock_now_ns () - began_ns) / N_TURNS;
}

static int
compare_cb (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

int
main (void)
{
  Bench bench = { .loop = g_main_loop_new (NULL, FALSE) };
  double off[N_ROUNDS], on[N_ROUNDS], added[N_ROUNDS];

  g_thread_unref (g_thread_new ("sleeps", sleep_thread, NULL));
  g_idle_add (idle_cb, &bench);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (JankMonitor) monitor = jank_monitor_new ();
      g_autoptr (GError) error = NULL;

      off[i] = measure (&bench);
      if (!jank_monitor_start (monitor, &error))
        g_error ("%s", error->message);
      on[i] = measure (&bench);
      jank_monitor_stop (monitor);
      added[i] = on[i] - off[i];
    }
  qsort (off, N_ROUNDS, sizeof (double), compare_cb);
  qsort (on, N_ROUNDS, sizeof (double), compare_cb);
  qsort (added, N_ROUNDS, sizeof (double), compare_cb);
  g_print ("{\"turn_off_ns\": %.1f, \"turn_on_ns\": %.1f, \"added_ns\": {\"min\": %.1f, \"median\": %.1f, \"max\": %.1f}}\n",
           off[N_ROUNDS / 2], on[N_ROUNDS / 2], added[0], added[N_ROUNDS / 2], added[N_ROUNDS - 1]);
  g_main_loop_unref (bench.loop);
  return 0;
}
