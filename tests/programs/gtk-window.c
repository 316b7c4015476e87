/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* gtk-window MODE SECONDS: a GTK 4 program that never stalls, with a window that draws nothing, or all the time.
 *
 *     idle       a window with a label
 *     hidden     the same, hidden after a moment
 *     minimised  the same, minimised after a moment
 *     animated   a window that is drawn all the time
 *     gap        the same, which then sleeps once between two frames, so many milliseconds
 *
 * Prints one JSON line: the frames drawn in the time that counts. Not linked with jankwatch. */

#include <gtk/gtk.h>
#include <stdio.h>
#include <string.h>

#define SETTLE_MS 1000
#define AFTER_MS  2500

extern void sleep_between_frames (gint64 ms);

static const char *mode;
static gint64 length;
static gboolean is_counting;
static guint n_frames;
static gint64 began_us;

/* Not static, and not left before it wakes: it is to be seen on stacks. */
G_NO_INLINE void
sleep_between_frames (gint64 ms)
{
  g_usleep ((gulong) ms * 1000);
  is_counting = TRUE;
}

static void
after_paint_cb (GdkFrameClock *clock, gpointer data)
{
  n_frames += is_counting;
}

static void
over_cb (gpointer window)
{
  printf ("{\"mode\": \"%s\", \"frames\": %u, \"elapsed_ns\": %" G_GINT64_FORMAT "}\n", mode, n_frames,
          (g_get_monotonic_time () - began_us) * 1000);
  fflush (stdout);
  gtk_window_destroy (window);
}

static void
settled_cb (gpointer window)
{
  began_us = g_get_monotonic_time ();
  is_counting = TRUE;
  if (strcmp (mode, "gap") == 0)
    sleep_between_frames (length);
  g_timeout_add_once (strcmp (mode, "gap") == 0 ? AFTER_MS : (guint) length * 1000, over_cb, window);
}

static void
first_frame_seen_cb (gpointer window)
{
  if (strcmp (mode, "hidden") == 0)
    gtk_widget_set_visible (window, FALSE);
  if (strcmp (mode, "minimised") == 0)
    gtk_window_minimize (window);
  g_timeout_add_once (SETTLE_MS, settled_cb, window);
}

static void
draw_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  cairo_rectangle (cr, 0, 0, g_random_double_range (1, width), height);
  cairo_fill (cr);
}

static gboolean
tick_cb (GtkWidget *area, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (area);
  return G_SOURCE_CONTINUE;
}

static GtkWidget *
create_content (void)
{
  GtkWidget *area;

  if (strcmp (mode, "animated") != 0 && strcmp (mode, "gap") != 0)
    return gtk_label_new ("Nothing moves here.");
  area = gtk_drawing_area_new ();
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_cb, NULL, NULL);
  gtk_widget_add_tick_callback (area, tick_cb, NULL, NULL);
  return area;
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  GtkWidget *window = gtk_application_window_new (application);

  gtk_window_set_default_size (GTK_WINDOW (window), 300, 200);
  gtk_window_set_child (GTK_WINDOW (window), create_content ());
  gtk_window_present (GTK_WINDOW (window));
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (after_paint_cb), NULL);
  g_timeout_add_once (SETTLE_MS, first_frame_seen_cb, window);
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = gtk_application_new ("org.jankwatch.Window", G_APPLICATION_NON_UNIQUE);

  g_assert_cmpint (argc, ==, 3);
  mode = argv[1];
  length = g_ascii_strtoll (argv[2], NULL, 10);
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  return g_application_run (G_APPLICATION (application), 1, argv);
}
