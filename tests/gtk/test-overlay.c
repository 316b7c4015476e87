/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Is the overlay drawn, where it should be, in every kind of window, and is the program otherwise as it
 * was? The screen of the X server is what counts. */

#include "scene.h"

#include "overlay-cases.h"
#include "overlay-check.h"
#include "pixels.h"

TOPLEVEL (PaintedWindow, painted_window, GTK_TYPE_WINDOW)
TOPLEVEL (FramedWindow, framed_window, painted_window_get_type ())

guint n_painted, n_framed;

static void
painted_window_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  n_painted++;
  gtk_snapshot_append_color (snapshot, &(GdkRGBA) { 0.8f, 0.2f, 0.2f, 1.f },
                             &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget), 30));
  GTK_WIDGET_CLASS (painted_window_parent_class)->snapshot (widget, snapshot);
}

static void
painted_window_class_init (PaintedWindowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->snapshot = painted_window_snapshot;
}

static void
framed_window_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  n_framed++;
  GTK_WIDGET_CLASS (framed_window_parent_class)->snapshot (widget, snapshot);
}

static void
framed_window_class_init (FramedWindowClass *klass)
{
  GTK_WIDGET_CLASS (klass)->snapshot = framed_window_snapshot;
}

TEST (subclass)
{
  Scene *plain = scene_new (GTK_TYPE_WINDOW);

  plugin->set_overlay (TRUE);
  run_ms (100);
  plugin->set_overlay (FALSE);
  scene_free (plain);

  /* Made after its parent was wrapped. */
  check_framed ();
  check_subclass (painted_window_get_type ());
}

TEST (right_to_left)
{
  g_autoptr (Pixels) before = NULL, shown = NULL;
  int left, top, right, bottom;
  Scene *scene;

  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  scene = scene_new (GTK_TYPE_WINDOW);
  /* Without a window manager newer versions of GTK put the window's right edge where the left one would be. */
  pixels_move_windows ();
  run_ms (200);
  before = pixels_grab ();
  shown = overlay_grab (TRUE);
  pixels_count (before, shown, &left, &top, &right, &bottom);
  g_assert_cmpint (left, <, 60);
  plugin->set_overlay (FALSE);
  scene_free (scene);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

TEST (small_window)
{
  g_autoptr (Pixels) before = NULL, shown = NULL;
  int left, top, right, bottom;
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);

  gtk_window_set_default_size (scene->window, 120, 60);
  run_ms (200);
  before = pixels_grab ();
  plugin->set_overlay (TRUE);
  run_ms (300);
  shown = pixels_grab ();
  g_assert_cmpuint (pixels_count (before, shown, &left, &top, &right, &bottom), ==, 0);
  plugin->set_overlay (FALSE);
}

static guint
count_items (GListModel *model)
{
  guint n = g_list_model_get_n_items (model);

  g_object_unref (model);
  return n;
}

char *
describe_window (GtkWidget *window)
{
  int minimum, natural;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));
  GtkWidget *picked = gtk_widget_pick (window, 480, 100, GTK_PICK_DEFAULT);

  gtk_widget_measure (window, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  return g_strdup_printf ("%u children, %u controllers, %d×%d, at least %d, focus on %s, %p picked",
                          count_items (gtk_widget_observe_children (window)),
                          count_items (gtk_widget_observe_controllers (window)), gtk_widget_get_width (window),
                          gtk_widget_get_height (window), minimum, focus != NULL ? G_OBJECT_TYPE_NAME (focus) : "none",
                          picked);
}

/* Four times a second. */
TEST (refreshes)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  gint64 began_us = g_get_monotonic_time ();

  scene_animate (scene);
  plugin->set_overlay (TRUE);
  /* The first one or two are its appearance. */
  await_changes (10);
  g_assert_cmpint (g_get_monotonic_time () - began_us, >=, 8 * 250000);
  plugin->set_overlay (FALSE);
}

static gboolean
key_cb (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, gpointer data)
{
  if (keyval == GDK_KEY_j || keyval == GDK_KEY_J)
    (*(guint *) data)++;
  return GDK_EVENT_PROPAGATE;
}

void
count_keys (GtkWindow *window, guint *n_seen)
{
  GtkEventController *controller = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect (controller, "key-pressed", G_CALLBACK (key_cb), n_seen);
  gtk_widget_add_controller (GTK_WIDGET (window), controller);
}

static guint n_asked;

static double
fps_cb (gpointer data)
{
  n_asked++;
  return 12;
}

/* A rule that counts frames has a figure of its own, and an overlay that is drawn anew asks for it. */
TEST (figure)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);

  plugin->stop ();
  host.get_fps = fps_cb;
  plugin->start (&host);
  scene_animate (scene);
  plugin->set_overlay (TRUE);
  AWAIT (n_asked >= 3, run_ms (20));
  plugin->stop ();
  host.get_fps = NULL;
  plugin->start (&host);
}

SCENE_TESTS ("/gtk/overlay")
