/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "overlay-cases.h"

#include <libintl.h>

#include "base/jank-clock-private.h"
#include "gtk/jank-gtk-names-private.h"
#include "overlay-check.h"
#include "pixels.h"

#define N_PRESETS 4
#define WINDOW_PX (500 * 400)
#define BAR_PX    60

void
check_subclass (GType type)
{
  g_autoptr (Scene) scene = scene_new (type);

  check_shown_and_gone (scene);
}

void
check_framed (void)
{
  g_autoptr (Scene) scene = scene_new (framed_window_get_type ());

  check_shown_and_gone (scene);
  scene_animate (scene);
  plugin->set_overlay (TRUE);
  run_ms (100);
  n_painted = n_framed = 0;
  scene_run_frames (scene, 10);
  g_assert_cmpuint (n_framed, >=, 5);
  g_assert_cmpuint (n_framed, ==, n_painted);
  plugin->set_overlay (FALSE);
}

TEST (pixels)
{
  check_subclass (GTK_TYPE_WINDOW);
}

/* The program gives its window other contents while the overlay is on, and opens another window. */
TEST (child_replaced)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);

  plugin->set_overlay (TRUE);
  for (int i = 0; i < 20; i++)
    {
      scene_set_child (scene, i % 2 == 0 ? gtk_label_new ("Another child") : gtk_entry_new ());
      run_ms (30);
    }
  check_shown (scene);
  scene_set_child (scene, NULL);
  check_shown (scene);
  scene_free (scene);

  scene = scene_new (GTK_TYPE_WINDOW);
  check_shown (scene);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

TEST (untouched)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GtkWidget *window = GTK_WIDGET (scene->window), *entry = gtk_entry_new ();
  g_autofree char *before = NULL, *shown = NULL, *after = NULL;

  scene_set_child (scene, entry);
  gtk_widget_grab_focus (entry);
  run_ms (200);
  before = describe_window (window);
  plugin->set_overlay (TRUE);
  run_ms (300);
  shown = describe_window (window);
  plugin->set_overlay (FALSE);
  run_ms (100);
  after = describe_window (window);
  g_test_message ("%s", before);
  g_assert_cmpstr (before, ==, shown);
  g_assert_cmpstr (before, ==, after);
}

TEST (idle)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  guint64 excluded = read_summary ()->total.counts.excluded_frames, frames = read_summary ()->total.counts.frames;
  guint n_frames;

  plugin->set_overlay (TRUE);
  AWAIT (read_summary ()->total.counts.excluded_frames > excluded, run_ms (10));
  run_ms (500);
  g_assert_cmpuint (read_summary ()->total.counts.excluded_frames - excluded, ==, 1);
  g_assert_cmpuint (read_summary ()->total.counts.frames, ==, frames);
  n_frames = scene->n_frames;
  run_ms (1200);
  g_test_message ("%u frames in 1.2 s of an idle program with the overlay on", scene->n_frames - n_frames);
  g_assert_cmpuint (scene->n_frames, ==, n_frames);
  plugin->set_overlay (FALSE);
}

/* Until it has come. */
static void
press (const char *keys, const guint *n_seen, guint n_wanted, gboolean overlay)
{
  g_autofree char *command = g_strconcat ("xdotool key ", keys, NULL);

  g_assert_true (g_spawn_command_line_async (command, NULL));
  AWAIT (*n_seen >= n_wanted && plugin->get_overlay () == overlay, run_ms (100));
  g_assert_cmpuint (*n_seen, ==, n_wanted);
}

/* Without a window manager nobody gives the window the keyboard. */
TEST (key)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  guint n_seen = 0;

  if (xdotool == NULL)
    g_test_skip ("xdotool is not installed");
  else
    {
      count_keys (scene->window, &n_seen);
      g_assert_true (g_spawn_command_line_sync ("xdotool mousemove 200 200 click 1", NULL, NULL, NULL, NULL));
      run_ms (500);
      press ("j", &n_seen, 1, FALSE);
      press ("ctrl+shift+j", &n_seen, 1, TRUE);
      press ("ctrl+shift+j", &n_seen, 1, FALSE);
      press ("j", &n_seen, 2, FALSE);
      press ("ctrl+j", &n_seen, 3, FALSE);
    }
}

static gboolean
get_stall (gpointer data, JankGtkStall *ret_stall)
{
  *ret_stall = (JankGtkStall) { 345 * JANK_NS_PER_MS, JANK_NS_PER_S, "14:03:07", "load_everything" };
  return TRUE;
}

/* The overlay's own rectangle with these settings. */
static GdkRectangle
find_overlay (guint preset, JankOverlayCorner corner)
{
  g_autoptr (Pixels) without = NULL, with = NULL;
  GdkRectangle found;

  host.settings->overlay_preset = preset;
  host.settings->overlay_corner = corner;
  with = overlay_grab (TRUE);
  without = overlay_grab (FALSE);
  host.settings->overlay_preset = 3;
  host.settings->overlay_corner = JANK_OVERLAY_TOP_END;
  if (pixels_count (without, with, &found.x, &found.y, &found.width, &found.height) == 0)
    return (GdkRectangle) { 0 };
  found.width -= found.x - 1;
  found.height -= found.y - 1;
  g_test_message ("preset %u is drawn at %d,%d, %d×%d", preset, found.x, found.y, found.width, found.height);
  return found;
}

/* From one line to all there is, and never more than a sixth of the window, however large it is wanted. */
TEST (presets)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GdkRectangle found[N_PRESETS + 1] = { 0 };

  for (guint preset = 1; preset <= N_PRESETS; preset++)
    {
      found[preset] = find_overlay (preset, JANK_OVERLAY_TOP_END);
      g_assert_cmpint (found[preset].width * found[preset].height * 6, <=, WINDOW_PX);
      g_assert_cmpint (found[preset].height, >=, found[preset - 1].height + (preset == N_PRESETS ? 0 : 20));
    }
  g_assert_cmpint (found[1].height, <, 40);
  host.settings->overlay_scale = 4;
  found[0] = find_overlay (N_PRESETS, JANK_OVERLAY_BOTTOM_START);
  host.settings->overlay_scale = 1;
  g_assert_cmpint (found[0].width * found[0].height * 6, <=, WINDOW_PX);
  g_assert_cmpint (found[0].width * found[0].height, >, found[1].width * found[1].height);
}

/* The last stall is drawn with the frames that there are, and none is asked for so that its age grows. */
TEST (last_stall)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  gboolean (*former) (gpointer, JankGtkStall *) = host.get_last_stall;
  g_autoptr (Pixels) none = NULL, stalled = NULL, later = NULL;
  int left, top, right, bottom;
  guint n_frames;

  none = overlay_grab (TRUE);
  plugin->set_overlay (FALSE);
  host.get_last_stall = get_stall;
  stalled = overlay_grab (TRUE);
  g_assert_cmpuint (pixels_count (none, stalled, &left, &top, &right, &bottom), >, 100);
  n_frames = scene->n_frames;
  run_ms (1500);
  later = pixels_grab ();
  g_assert_cmpuint (scene->n_frames, ==, n_frames);
  g_assert_cmpuint (pixels_count (stalled, later, &left, &top, &right, &bottom), ==, 0);
  host.get_last_stall = former;
  plugin->set_overlay (FALSE);
}

/* Returns: a box with so many bars side by side */
static GtkWidget *
make_box (guint n, GtkWidget *(*make_bar) (void), GtkAlign align)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  for (guint i = 0; i < n; i++)
    {
      GtkWidget *bar = make_bar ();

      gtk_widget_set_hexpand (bar, TRUE);
      gtk_widget_set_valign (bar, align);
      gtk_widget_set_size_request (bar, -1, BAR_PX);
#if GTK_MAJOR_VERSION >= 4
      gtk_box_append (GTK_BOX (box), bar);
#else
      gtk_container_add (GTK_CONTAINER (box), bar);
#endif
    }
#if GTK_MAJOR_VERSION < 4
  gtk_widget_show_all (box);
#endif
  return box;
}

/* Three panes with a header bar each: none is as wide as half of the window, and their buttons stay visible. */
TEST (narrow_header_bars)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GdkRectangle without = find_overlay (1, JANK_OVERLAY_TOP_END), below;

  scene_set_child (scene, make_box (3, gtk_header_bar_new, GTK_ALIGN_START));
  run_ms (300);
  below = find_overlay (1, JANK_OVERLAY_TOP_END);
  g_assert_cmpint (below.y, >=, without.y + BAR_PX);
}

/* What a program has at its lower edge stays visible as well. */
TEST (bottom_bar)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GdkRectangle without = find_overlay (1, JANK_OVERLAY_BOTTOM_END), above;

  scene_set_child (scene, make_box (1, gtk_action_bar_new, GTK_ALIGN_END));
  run_ms (300);
  above = find_overlay (1, JANK_OVERLAY_BOTTOM_END);
  g_assert_cmpint (above.y, <=, without.y - BAR_PX);
}
