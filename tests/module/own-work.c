/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* own-work ACT: a window of GTK 4's in a program that slows down the plug-in, by functions of GTK's and Pango's that
 * only the plug-in finds here. ACT: "nothing"; "draw", a drawing that takes as long in the frame of the overlay's first
 * picture; "inspect", GTK's inspector is opened. Not linked with jankwatch. */

#include <dlfcn.h>
#include <gtk/gtk.h>
#include <string.h>

#define OPEN_MS  1200
#define REST_MS  1500
#define SLOW_US  300000

static gboolean is_slow_once, is_page_made, is_drawn;

/* Called for the text of the overlay. */
PangoAttribute *
pango_attr_font_features_new (const char *features)
{
  PangoAttribute *(*original) (const char *) = (PangoAttribute *(*) (const char *)) dlsym (RTLD_NEXT, __func__);

  if (!is_slow_once)
    g_usleep (SLOW_US);
  is_slow_once = TRUE;
  return original (features);
}

/* Called for the page in GTK's inspector. */
void
gtk_widget_init_template (GtkWidget *widget)
{
  void (*original) (GtkWidget *) = (void (*) (GtkWidget *)) dlsym (RTLD_NEXT, __func__);

  if (!is_page_made)
    g_usleep (SLOW_US);
  is_page_made = TRUE;
  original (widget);
}

static void
draw_slowly (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer act)
{
  if (!is_drawn && strcmp (act, "draw") == 0)
    g_usleep (SLOW_US);
  is_drawn = TRUE;
}

/* Once one of them was slow, and then as long for what comes of it. */
static gboolean
rest_cb (gpointer loop)
{
  static guint n_rests;

  n_rests += is_slow_once || is_page_made;
  if (n_rests > 1)
    g_main_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

static void
inspect_cb (gpointer data)
{
  gtk_window_set_interactive_debugging (TRUE);
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  GtkWidget *window, *area;

  g_assert_cmpint (argc, ==, 2);
  gtk_init ();
  /* The plug-in starts with the first turn. */
  g_timeout_add_once (100, (GSourceOnceFunc) g_main_loop_quit, loop);
  g_main_loop_run (loop);
  window = gtk_window_new ();
  area = gtk_drawing_area_new ();
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_slowly, argv[1], NULL);
  gtk_window_set_child (GTK_WINDOW (window), area);
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 400);
  gtk_window_present (GTK_WINDOW (window));
  if (strcmp (argv[1], "inspect") == 0)
    g_timeout_add_once (OPEN_MS, inspect_cb, NULL);
  g_timeout_add (REST_MS, rest_cb, loop);
  g_main_loop_run (loop);
  g_print ("{\"slow\": %s, \"page\": %s}\n", is_slow_once ? "true" : "false", is_page_made ? "true" : "false");
  return 0;
}
