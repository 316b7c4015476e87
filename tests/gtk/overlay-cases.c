/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "overlay-cases.h"

#include "overlay-check.h"

void
check_subclass (GType type)
{
  Scene *scene = scene_new (type);

  check_shown_and_gone (scene);
  scene_free (scene);
}

void
check_framed (void)
{
  Scene *scene = scene_new (framed_window_get_type ());

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
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
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
  scene_free (scene);
}

TEST (idle)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
  guint64 excluded = read_summary ()->total.excluded_frames, frames = read_summary ()->total.frames;
  guint n_frames;

  plugin->set_overlay (TRUE);
  run_ms (1000);
  g_assert_cmpuint (read_summary ()->total.excluded_frames - excluded, ==, 1);
  g_assert_cmpuint (read_summary ()->total.frames, ==, frames);
  n_frames = scene->n_frames;
  run_ms (4000);
  g_test_message ("%u frames in 4 s of an idle program with the overlay on", scene->n_frames - n_frames);
  g_assert_cmpuint (scene->n_frames, ==, n_frames);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

/* Until it has come, or ten seconds have passed. */
static void
press (const char *keys, const guint *n_seen, guint n_wanted, gboolean overlay)
{
  g_autofree char *command = g_strconcat ("xdotool key ", keys, NULL);

  g_assert_true (g_spawn_command_line_async (command, NULL));
  for (guint i = 0; i < 100 && (*n_seen < n_wanted || plugin->get_overlay () != overlay); i++)
    run_ms (100);
  g_assert_cmpuint (*n_seen, ==, n_wanted);
  g_assert_cmpint (plugin->get_overlay (), ==, overlay);
}

/* Without a window manager nobody gives the window the keyboard. */
TEST (key)
{
  g_autofree char *xdotool = g_find_program_in_path ("xdotool");
  Scene *scene = scene_new (GTK_TYPE_WINDOW);
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
  scene_free (scene);
}
