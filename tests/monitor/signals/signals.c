/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* See ../test-signals.py. */

#include <stdio.h>
#include <string.h>
#include <gtk/gtk.h>

#include "jankwatch.h"

static FILE *file;
static GMainLoop *loop;

static void
note (const char *name)
{
  g_print ("%s\n", name);
  g_printerr ("%s\n", name);
  fprintf (file, "%s\n", name);
  fflush (file);
}

static gboolean
compute_cb (gpointer ms)
{
  gint64 until = g_get_monotonic_time () + GPOINTER_TO_INT (ms) * 1000;

  while (g_get_monotonic_time () < until)
    ;
  return G_SOURCE_REMOVE;
}

static void
stall_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  g_autofree char *json = jank_report_to_json (report);

  note (strstr (json, "jankwatch: ") != NULL ? "own stall" : "stall");
  compute_cb (GINT_TO_POINTER (150));
}

static void
note_cb (JankMonitor *monitor, gpointer argument, gpointer name)
{
  note (name);
}

static void
ongoing_cb (JankReport *report, gpointer data)
{
  note ("ongoing");
}

static gboolean
animate_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

static gboolean
stop_cb (gpointer monitor)
{
  jank_monitor_set_threshold_ms (monitor, 90);
  jank_monitor_set_paused (monitor, TRUE);
  jank_monitor_set_paused (monitor, FALSE);
  jank_monitor_stop (monitor);
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "report", "report::stall", "notify::running", "notify::paused",
                                       "notify::threshold-ms" };
  g_autoptr (JankMonitor) monitor = jank_monitor_new ();
  GtkWidget *window;

  loop = g_main_loop_new (NULL, FALSE);
  file = fopen (argv[1], "w");
  gtk_init ();
  jank_monitor_set_threshold_ms (monitor, 100);
  g_signal_connect (monitor, "stall", G_CALLBACK (stall_cb), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_signal_connect (monitor, names[i], G_CALLBACK (note_cb), (gpointer) names[i]);
  jank_monitor_set_ongoing_func (monitor, ongoing_cb, NULL, NULL);
  jank_monitor_start (monitor, NULL);
  window = gtk_window_new ();
  gtk_widget_add_tick_callback (window, animate_cb, NULL, NULL);
  gtk_window_present (GTK_WINDOW (window));
  for (guint i = 0; i < 3; i++)
    g_timeout_add (300 + 600 * i, compute_cb, GINT_TO_POINTER (250));
  g_timeout_add (3500, stop_cb, monitor);
  g_main_loop_run (loop);
  note ("end");
  fclose (file);
  g_main_loop_unref (loop);
  return 0;
}
