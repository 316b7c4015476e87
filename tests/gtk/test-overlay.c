/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Is the overlay drawn, where it should be, in every kind of window, and is the program otherwise as it
 * was? The screen of the X server is what counts. */

#include "scene.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "overlay-check.h"
#include "pixels.h"

/* A toplevel that draws itself, and one that does so after its parent, which it calls. */
typedef GtkWindow PaintedWindow;
typedef GtkWindowClass PaintedWindowClass;
typedef PaintedWindow FramedWindow;
typedef PaintedWindowClass FramedWindowClass;

static GType painted_window_get_type (void);
static GType framed_window_get_type (void);
G_DEFINE_TYPE (PaintedWindow, painted_window, GTK_TYPE_WINDOW)
G_DEFINE_TYPE (FramedWindow, framed_window, painted_window_get_type ())

static guint n_painted, n_framed;

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
painted_window_init (PaintedWindow *self)
{
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

static void
framed_window_init (FramedWindow *self)
{
}

static void
test_pixels (void)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);

  check_shown_and_gone (scene);
  scene_free (scene);
}

static void
test_subclass (void)
{
  Scene *plain = scene_new (GTK_TYPE_WINDOW), *scene;

  plugin->set_overlay (TRUE);
  run_ms (100);
  plugin->set_overlay (FALSE);
  scene_free (plain);

  /* Made after its parent was wrapped. */
  scene = scene_new (framed_window_get_type ());
  check_shown_and_gone (scene);
  scene_animate (scene);
  plugin->set_overlay (TRUE);
  run_ms (100);
  n_painted = n_framed = 0;
  scene_run_frames (scene, 10);
  g_assert_cmpuint (n_framed, >=, 5);
  g_assert_cmpuint (n_framed, ==, n_painted);
  plugin->set_overlay (FALSE);
  scene_free (scene);

  scene = scene_new (painted_window_get_type ());
  check_shown_and_gone (scene);
  scene_free (scene);
}

/* The program gives its window other contents while the overlay is on: it stays on top of each. */
static void
test_child_replaced (void)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);

  plugin->set_overlay (TRUE);
  for (int i = 0; i < 20; i++)
    {
      gtk_window_set_child (scene->window, i % 2 == 0 ? gtk_label_new ("Another child") : gtk_entry_new ());
      run_ms (30);
    }
  check_shown (scene);
  gtk_window_set_child (scene->window, NULL);
  check_shown (scene);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

static void
test_right_to_left (void)
{
  g_autoptr (Pixels) before = NULL, shown = NULL;
  int left, top, right, bottom;
  Scene *scene;

  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  scene = scene_new (GTK_TYPE_WINDOW);
  before = pixels_grab ();
  plugin->set_overlay (TRUE);
  run_ms (300);
  shown = pixels_grab ();
  pixels_count (before, shown, &left, &top, &right, &bottom);
  g_assert_cmpint (left, <, 60);
  plugin->set_overlay (FALSE);
  scene_free (scene);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

static void
test_small_window (void)
{
  g_autoptr (Pixels) before = NULL, shown = NULL;
  int left, top, right, bottom;
  Scene *scene = scene_new (GTK_TYPE_WINDOW);

  gtk_window_set_default_size (scene->window, 120, 60);
  run_ms (200);
  before = pixels_grab ();
  plugin->set_overlay (TRUE);
  run_ms (300);
  shown = pixels_grab ();
  g_assert_cmpuint (pixels_count (before, shown, &left, &top, &right, &bottom), ==, 0);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

static guint
count_items (GListModel *model)
{
  guint n = g_list_model_get_n_items (model);

  g_object_unref (model);
  return n;
}

/* What another look at the window finds, as text. */
static char *
describe (GtkWidget *widget)
{
  int minimum, natural;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (widget));

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  return g_strdup_printf ("%u children, %u controllers, %d×%d, at least %d, focus on %s",
                          count_items (gtk_widget_observe_children (widget)),
                          count_items (gtk_widget_observe_controllers (widget)), gtk_widget_get_width (widget),
                          gtk_widget_get_height (widget), minimum, focus != NULL ? G_OBJECT_TYPE_NAME (focus) : "none");
}

static void
test_untouched (void)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
  GtkWidget *entry = gtk_entry_new ();
  g_autofree char *before = NULL, *shown = NULL, *after = NULL;
  GtkWidget *picked;

  gtk_window_set_child (scene->window, entry);
  gtk_widget_grab_focus (entry);
  run_ms (200);
  before = describe (GTK_WIDGET (scene->window));
  picked = gtk_widget_pick (GTK_WIDGET (scene->window), 480, 100, GTK_PICK_DEFAULT);
  plugin->set_overlay (TRUE);
  run_ms (300);
  shown = describe (GTK_WIDGET (scene->window));
  g_assert_true (gtk_widget_pick (GTK_WIDGET (scene->window), 480, 100, GTK_PICK_DEFAULT) == picked);
  plugin->set_overlay (FALSE);
  run_ms (100);
  after = describe (GTK_WIDGET (scene->window));
  g_test_message ("%s", before);
  g_assert_cmpstr (before, ==, shown);
  g_assert_cmpstr (before, ==, after);
  scene_free (scene);
}

static void
test_idle (void)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
  guint64 excluded = read_summary ()->total.excluded_frames, frames = read_summary ()->total.frames;
  guint n_frames;

  plugin->set_overlay (TRUE);
  run_ms (500);
  g_assert_cmpuint (read_summary ()->total.excluded_frames - excluded, ==, 1);
  g_assert_cmpuint (read_summary ()->total.frames, ==, frames);
  n_frames = scene->n_frames;
  run_ms (4000);
  g_test_message ("%u frames in 4 s of an idle program with the overlay on", scene->n_frames - n_frames);
  g_assert_cmpuint (scene->n_frames, ==, n_frames);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

/* Only the overlay's own rectangle is looked at; half of it is moved over by nothing. */
static void
test_refreshes (void)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
  guint n_changes = 0, n_grabs = 0;
  gint64 until_us;
  Pixels *last;

  scene_animate (scene);
  plugin->set_overlay (TRUE);
  run_ms (500);
  last = pixels_grab ();
  until_us = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;
  while (g_get_monotonic_time () < until_us)
    {
      Pixels *now;
      gboolean has_changed = FALSE;

      run_ms (20);
      now = pixels_grab ();
      for (int y = 20; y < now->height && !has_changed; y++)
        has_changed = memcmp (&now->pixels[y * now->width + 300], &last->pixels[y * now->width + 300], 200 * 4) != 0;
      n_changes += has_changed;
      n_grabs++;
      pixels_free (last);
      last = now;
    }
  pixels_free (last);
  g_test_message ("changed %u times in 2 s, looked at %u times", n_changes, n_grabs);
  g_assert_cmpuint (n_changes, >=, 2);
  g_assert_cmpuint (n_changes, <=, 9);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

static gboolean
key_cb (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state, gpointer data)
{
  if (keyval == GDK_KEY_j || keyval == GDK_KEY_J)
    (*(guint *) data)++;
  return GDK_EVENT_PROPAGATE;
}

/* Without a window manager nobody gives the window the keyboard. */
static void
press (const char *keys)
{
  g_autofree char *command = g_strconcat ("xdotool key ", keys, NULL);

  g_assert_true (g_spawn_command_line_async (command, NULL));
  run_ms (500);
}

static void
test_key (void)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
  GtkEventController *controller = gtk_event_controller_key_new ();
  guint n_seen = 0;

  if (xdotool == NULL)
    {
      g_test_skip ("xdotool is not installed");
      scene_free (scene);
      return;
    }
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect (controller, "key-pressed", G_CALLBACK (key_cb), &n_seen);
  gtk_widget_add_controller (GTK_WIDGET (scene->window), controller);
  g_assert_true (g_spawn_command_line_async ("xdotool mousemove 200 200 click 1", NULL));
  run_ms (500);
  press ("j");
  g_assert_cmpuint (n_seen, ==, 1);
  press ("ctrl+shift+j");
  g_assert_true (plugin->get_overlay ());
  press ("ctrl+shift+j");
  g_assert_false (plugin->get_overlay ());
  g_assert_cmpuint (n_seen, ==, 1);
  press ("j");
  press ("ctrl+j");
  g_assert_cmpuint (n_seen, ==, 3);
  g_assert_false (plugin->get_overlay ());
  scene_free (scene);
}

static guint n_asked;

static double
fps_cb (gpointer data)
{
  n_asked++;
  return 12;
}

/* A rule that counts frames has a figure of its own, and an overlay that is drawn anew asks for it. */
static void
test_figure (void)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);

  plugin->stop ();
  host.get_fps = fps_cb;
  g_assert_true (plugin->start (&host, NULL));
  scene_animate (scene);
  plugin->set_overlay (TRUE);
  for (guint i = 0; i < 1000 && n_asked < 3; i++)
    run_ms (20);
  g_assert_cmpuint (n_asked, >=, 3);
  plugin->stop ();
  host.get_fps = NULL;
  g_assert_true (plugin->start (&host, NULL));
  scene_free (scene);
}

static void
add_tests (void)
{
  g_test_add_func ("/gtk/overlay/pixels", test_pixels);
  g_test_add_func ("/gtk/overlay/subclass", test_subclass);
  g_test_add_func ("/gtk/overlay/child-replaced", test_child_replaced);
  g_test_add_func ("/gtk/overlay/right-to-left", test_right_to_left);
  g_test_add_func ("/gtk/overlay/small-window", test_small_window);
  g_test_add_func ("/gtk/overlay/untouched", test_untouched);
  g_test_add_func ("/gtk/overlay/key", test_key);
  g_test_add_func ("/gtk/overlay/idle", test_idle);
  g_test_add_func ("/gtk/overlay/refreshes", test_refreshes);
  g_test_add_func ("/gtk/overlay/figure", test_figure);
}

int
main (int argc, char **argv)
{
  return scene_main (argc, argv, add_tests);
}
