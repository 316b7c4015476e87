/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GTK program that links the library, and listens to the frames of the monitor that its user has asked for. Prints
 * how many frames it drew, and of how many it heard. */

#include <gtk/gtk.h>
#include <jankwatch.h>

#define N_FRAMES 30

static guint n_drawn, n_heard;

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (widget);
  if (++*(guint *) data < N_FRAMES)
    return G_SOURCE_CONTINUE;
  g_timeout_add_once (300, (GSourceOnceFunc) gtk_window_destroy, widget);
  return G_SOURCE_REMOVE;
}

static void
count_cb (gpointer data)
{
  ++*(guint *) data;
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  JankMonitor *monitor = jank_monitor_get_default ();
  GtkWidget *window = gtk_application_window_new (application);
  static guint n_ticks;

  if (monitor != NULL)
    g_signal_connect_swapped (monitor, "frame", G_CALLBACK (count_cb), &n_heard);
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect_swapped (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (count_cb), &n_drawn);
  gtk_widget_add_tick_callback (window, tick_cb, &n_ticks, NULL);
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = gtk_application_new (NULL, G_APPLICATION_DEFAULT_FLAGS);
  int status;

  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  g_print ("{\"drawn\": %u, \"heard\": %u}\n", n_drawn, n_heard);
  return status;
}
