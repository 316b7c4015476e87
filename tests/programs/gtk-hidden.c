/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* gtk-hidden MODE SECONDS: a GTK 4 program that never stalls, with a window that draws nothing, or all the time.
 *
 *     idle       a window with a label
 *     hidden     the same, hidden after a moment
 *     minimised  the same, minimised after a moment
 *     spinner    a window with a spinner that turns
 *
 * Prints one JSON line: the frames drawn in the time that counts. Not linked with jankwatch. */

#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>

#define SETTLE_MS 1000

static const char *mode;
static gint64 duration_ms;
static gboolean is_counting;
static guint n_frames;
static gint64 began_us;

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  n_frames += is_counting;
}

static gboolean
over_cb (gpointer data)
{
  gint64 elapsed_us = g_get_monotonic_time () - began_us;

  printf ("{\"mode\": \"%s\", \"frames\": %u, \"elapsed_ns\": %" G_GINT64_FORMAT "}\n", mode, n_frames,
          elapsed_us * 1000);
  fflush (stdout);
  gtk_window_destroy (data);
  return G_SOURCE_REMOVE;
}

static gboolean
settled_cb (gpointer data)
{
  is_counting = TRUE;
  began_us = g_get_monotonic_time ();
  g_timeout_add ((guint) duration_ms, over_cb, data);
  return G_SOURCE_REMOVE;
}

static gboolean
first_frame_seen_cb (gpointer data)
{
  if (strcmp (mode, "hidden") == 0)
    gtk_widget_set_visible (data, FALSE);
  if (strcmp (mode, "minimised") == 0)
    gtk_window_minimize (data);
  g_timeout_add (SETTLE_MS, settled_cb, data);
  return G_SOURCE_REMOVE;
}

static GtkWidget *
create_content (void)
{
  GtkWidget *spinner;

  if (strcmp (mode, "spinner") != 0)
    return gtk_label_new ("Nothing moves here.");
  spinner = gtk_spinner_new ();
  gtk_spinner_start (GTK_SPINNER (spinner));
  return spinner;
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  GtkWidget *window = gtk_application_window_new (application);

  gtk_window_set_title (GTK_WINDOW (window), "gtk-hidden");
  gtk_window_set_default_size (GTK_WINDOW (window), 300, 200);
  gtk_window_set_child (GTK_WINDOW (window), create_content ());
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (after_paint_cb), NULL);
  g_timeout_add (SETTLE_MS, first_frame_seen_cb, window);
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = gtk_application_new ("org.jankwatch.Hidden", G_APPLICATION_NON_UNIQUE);

  g_assert_cmpint (argc, ==, 3);
  mode = argv[1];
  duration_ms = g_ascii_strtoll (argv[2], NULL, 10) * 1000;
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  return g_application_run (G_APPLICATION (application), 1, argv);
}
