/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Is the overlay drawn in GTK 3's windows, also where only a part of a window is drawn again, and is the program
 * otherwise as it was? The screen of the X server is what counts. */

#include "scene.h"

#include "overlay-cases.h"
#include "overlay-check.h"
#include "pixels.h"

TOPLEVEL (PaintedWindow, painted_window, GTK_TYPE_WINDOW)
TOPLEVEL (FramedWindow, framed_window, painted_window_get_type ())

guint n_painted, n_framed;

/* Leaves a translation behind for the class that chains up. */
static gboolean
painted_window_draw (GtkWidget *widget, cairo_t *cr)
{
  gboolean is_drawn = GTK_WIDGET_CLASS (painted_window_parent_class)->draw (widget, cr);

  n_painted++;
  cairo_translate (cr, 5, 300);
  return is_drawn;
}

static void
painted_window_class_init (PaintedWindowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->draw = painted_window_draw;
}

static gboolean
framed_window_draw (GtkWidget *widget, cairo_t *cr)
{
  gboolean is_drawn = GTK_WIDGET_CLASS (framed_window_parent_class)->draw (widget, cr);
  double x = 0, y = 0;

  cairo_user_to_device (cr, &x, &y);
  cairo_set_source_rgb (cr, 0.8, 0.2, 0.2);
  cairo_rectangle (cr, 0, 0, 20, 20);
  cairo_fill (cr);
  n_framed += y >= 300;
  return is_drawn;
}

static void
framed_window_class_init (FramedWindowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->draw = framed_window_draw;
}

TEST (subclass)
{
  check_subclass (painted_window_get_type ());
  /* Now its parent is wrapped. */
  check_framed ();
}

/* A menu is a window as well, but not to people. */
TEST (popup)
{
  g_autoptr (Pixels) before = NULL, shown = NULL;
  int left, top, right, bottom;
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GtkWidget *popup = gtk_window_new (GTK_WINDOW_POPUP);

  gtk_window_resize (GTK_WINDOW (popup), 500, 400);
  gtk_widget_show (popup);
  run_ms (200);
  before = pixels_grab ();
  plugin->set_overlay (TRUE);
  run_ms (200);
  gtk_widget_queue_draw (popup);
  run_ms (200);
  shown = pixels_grab ();
  g_assert_cmpuint (pixels_count (before, shown, &left, &top, &right, &bottom), ==, 0);
  plugin->set_overlay (FALSE);
  gtk_widget_destroy (popup);
}

static void
count_cb (GtkWidget *widget, gpointer data)
{
  (*(guint *) data)++;
}

char *
describe_window (GtkWidget *widget)
{
  int minimum;
  guint n_children = 0;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (widget));

  gtk_container_forall (GTK_CONTAINER (widget), count_cb, &n_children);
  gtk_widget_get_preferred_width (widget, &minimum, NULL);
  return g_strdup_printf ("%u children, %d×%d, at least %d, events %x, focus on %s", n_children,
                          gtk_widget_get_allocated_width (widget), gtk_widget_get_allocated_height (widget), minimum,
                          (guint) gdk_window_get_events (gtk_widget_get_window (widget)),
                          focus != NULL ? G_OBJECT_TYPE_NAME (focus) : "none");
}

/* Only a corner of the window is drawn again, far from the overlay. */
static gboolean
draw_part_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  gtk_widget_queue_draw_area (widget, 10, 350, 20, 20);
  return G_SOURCE_CONTINUE;
}

TEST (parts)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  guint n_frames = scene->n_frames;
  guint64 frames = read_summary ()->total.counts.frames, excluded = read_summary ()->total.counts.excluded_frames;
  guint id;

  plugin->set_overlay (TRUE);
  id = gtk_widget_add_tick_callback (scene->area, draw_part_cb, NULL, NULL);
  await_changes (6);
  check_shown (scene);
  gtk_widget_remove_tick_callback (scene->area, id);
  plugin->set_overlay (FALSE);
  scene_rest (scene);
  frames = read_summary ()->total.counts.frames - frames;
  excluded = read_summary ()->total.counts.excluded_frames - excluded;
  g_test_message ("%u frames, %u by its own count, %u more for the overlay alone", (guint) frames,
                  scene->n_frames - n_frames, (guint) excluded);
  g_assert_cmpuint ((guint) (frames + excluded), ==, scene->n_frames - n_frames);
}

static gboolean
key_cb (GtkWidget *window, GdkEventKey *event, gpointer data)
{
  if (event->keyval == GDK_KEY_j || event->keyval == GDK_KEY_J)
    (*(guint *) data)++;
  return GDK_EVENT_PROPAGATE;
}

void
count_keys (GtkWindow *window, guint *n_seen)
{
  g_signal_connect (window, "key-press-event", G_CALLBACK (key_cb), n_seen);
}

SCENE_TESTS ("/gtk3/overlay")
