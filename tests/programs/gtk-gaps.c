/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* gtk-gaps BETWEEN_MS INSIDE_MS: a GTK 4 program that draws all the time, sleeps once between two frames, and once
 * while it draws the second of them. Not linked with jankwatch. */

#include <gtk/gtk.h>

#define BEFORE_MS 1500
#define AFTER_MS  2500

extern void sleep_between_frames (gint64 ms);
extern void sleep_inside_frame (gint64 ms);

static gint64 between_ms, inside_ms;
static gboolean is_next;

/* Not static, and not left before they wake: they are to be seen on stacks. */
G_NO_INLINE void
sleep_between_frames (gint64 ms)
{
  g_usleep ((gulong) ms * 1000);
  is_next = TRUE;
}

G_NO_INLINE void
sleep_inside_frame (gint64 ms)
{
  g_usleep ((gulong) ms * 1000);
  is_next = FALSE;
}

static void
draw_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  cairo_rectangle (cr, 0, 0, g_random_double_range (1, width), height);
  cairo_fill (cr);
  if (is_next)
    sleep_inside_frame (inside_ms);
}

static gboolean
stall_cb (gpointer window)
{
  sleep_between_frames (between_ms);
  g_timeout_add_once (AFTER_MS, (GSourceOnceFunc) gtk_window_destroy, window);
  return G_SOURCE_REMOVE;
}

static gboolean
tick_cb (GtkWidget *area, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw (area);
  return G_SOURCE_CONTINUE;
}

static void
activate_cb (GtkApplication *application, gpointer data)
{
  GtkWidget *window = gtk_application_window_new (application), *area = gtk_drawing_area_new ();

  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_cb, NULL, NULL);
  gtk_widget_add_tick_callback (area, tick_cb, NULL, NULL);
  gtk_window_set_default_size (GTK_WINDOW (window), 100, 100);
  gtk_window_set_child (GTK_WINDOW (window), area);
  gtk_window_present (GTK_WINDOW (window));
  g_timeout_add (BEFORE_MS, stall_cb, window);
}

int
main (int argc, char **argv)
{
  g_autoptr (GtkApplication) application = gtk_application_new ("org.jankwatch.Gaps", G_APPLICATION_NON_UNIQUE);

  g_assert_cmpint (argc, ==, 3);
  between_ms = g_ascii_strtoll (argv[1], NULL, 10);
  inside_ms = g_ascii_strtoll (argv[2], NULL, 10);
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), NULL);
  return g_application_run (G_APPLICATION (application), 1, argv);
}
