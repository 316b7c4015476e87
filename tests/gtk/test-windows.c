/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Windows that come, go, hide and change while frames are counted and the overlay is on. */

#include "scene.h"

#include "inspector/inspector.h"
#include "base/jank-clock-private.h"

TEST (several)
{
  Scene *first = scene_new (GTK_TYPE_WINDOW), *second = scene_new (GTK_TYPE_WINDOW);
  guint64 frames = read_summary ()->total.counts.frames;
  guint own = first->n_frames + second->n_frames;

  scene_animate (first);
  scene_animate (second);
  scene_run_frames (first, 20);
  scene_run_frames (second, 20);
  scene_rest (second);
  scene_rest (first);
  g_assert_cmpuint (read_summary ()->total.counts.frames - frames, ==, first->n_frames + second->n_frames - own);
  scene_free (first);
  scene_free (second);
}

static guint
count_open (void)
{
  const JankFrameSummary *summary = read_summary ();
  guint n = 0;

  for (guint i = 0; i < summary->n_windows; i++)
    n += summary->windows[i].is_open;
  return n;
}

/* Nothing of ours keeps the window or its clock alive. (GTK 4.8 itself keeps the surface on X11.) */
TEST (closed_while_animating)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  guint n_open = count_open ();
  GdkFrameClock *clock = scene->clock;
  guint64 frames;

  g_object_add_weak_pointer (G_OBJECT (clock), (gpointer *) &clock);
  scene_animate (scene);
  run_ms (500);
  frames = read_summary ()->total.counts.frames;
  gtk_window_destroy (scene->window);
  AWAIT (clock == NULL, run_ms (10));
  g_assert_null (scene->window);
  g_assert_cmpuint (count_open (), ==, n_open - 1);
  g_assert_cmpuint (read_summary ()->total.counts.frames, ==, frames);
}

/* Not on screen for a time, by what away does to it: the frame after that was not late. Where nothing tells
 * that a window is not shown (minimised on Wayland, before GTK 4.12), it takes half a second to guess. */
static void
check_not_late (void (*away) (GtkWindow *window), void (*back) (GtkWindow *window))
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  gint64 longest_ns = 0, away_ns;

  scene_animate (scene);
  scene_run_frames (scene, 5);
  away (scene->window);
  away_ns = jank_clock_now_ns ();
  run_ms (700);
  away_ns = jank_clock_now_ns () - away_ns;
  back (scene->window);
  run_ms (300);
  for (guint i = 0; i < read_merged ()->n_bars; i++)
    longest_ns = MAX (longest_ns, read_merged ()->bars[i].interval_ns);
  g_test_message ("away for 700 ms, longest frame time %d ms", (int) (longest_ns / JANK_NS_PER_MS));
  g_assert_cmpint (longest_ns, >, 0);
  g_assert_cmpint (longest_ns, <, away_ns);
}

static void
hide (GtkWindow *window)
{
  gtk_widget_set_visible (GTK_WIDGET (window), FALSE);
}

TEST (hidden)
{
  check_not_late (hide, gtk_window_present);
}

TEST (minimised)
{
  check_not_late (gtk_window_minimize, gtk_window_unminimize);
}

/* A popover is drawn at its window's pace: one clock. */
TEST (popover)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GtkWidget *button = gtk_button_new_with_label ("Button"), *popover = gtk_popover_new ();
  guint n_open = count_open ();
  GLogLevelFlags fatal = G_LOG_FATAL_MASK;
  guint64 frames;
  guint own;

  /* On an X server without a compositor GTK 4.24 warns of each popover, watched or not. */
  if (gtk_get_minor_version () >= 24)
    fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  gtk_popover_set_child (GTK_POPOVER (popover), gtk_label_new ("Popover"));
  gtk_window_set_child (scene->window, button);
  gtk_widget_set_parent (popover, button);
  gtk_widget_grab_focus (button);
  run_ms (200);
  plugin->set_overlay (TRUE);
  run_ms (200);
  frames = read_summary ()->total.counts.frames;
  own = scene->n_frames;
  gtk_popover_popup (GTK_POPOVER (popover));
  run_ms (500);
  gtk_popover_popdown (GTK_POPOVER (popover));
  run_ms (500);
  plugin->set_overlay (FALSE);
  g_assert_cmpuint (count_open (), ==, n_open);
  gtk_widget_unparent (popover);
  g_assert_cmpuint (scene->n_frames, >, own);
  g_assert_cmpuint (read_summary ()->total.counts.frames - frames, ==, scene->n_frames - own);
  g_clear_pointer (&scene, scene_free);
  if (gtk_get_minor_version () >= 24)
    g_log_set_always_fatal (fatal);
}

TEST (dialog)
{
  Scene *scene = scene_new (GTK_TYPE_WINDOW), *dialog;
  guint n_open = count_open ();

  plugin->set_overlay (TRUE);
  dialog = scene_new (GTK_TYPE_DIALOG);
  gtk_window_set_transient_for (dialog->window, scene->window);
  g_assert_cmpuint (count_open (), ==, n_open + 1);
  scene_animate (dialog);
  scene_run_frames (dialog, 6);
  plugin->set_overlay (FALSE);
  scene_free (dialog);
  scene_free (scene);
}

static guint n_inspector_frames;

static void
inspector_painted_cb (GdkFrameClock *clock, gpointer data)
{
  n_inspector_frames++;
}

/* GTK's own inspector draws, and animates as it opens: none of that counts as the program's. */
TEST (inspector)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  guint64 frames, excluded;
  GtkWindow *inspector;
  guint own;

  plugin->set_overlay (TRUE);
  scene_animate (scene);
  run_ms (200);
  scene_rest (scene);
  frames = read_summary ()->total.counts.frames;
  excluded = read_summary ()->total.counts.excluded_frames;
  own = scene->n_frames;
  inspector = inspector_open (scene->window);
  g_assert_nonnull (inspector);
  n_inspector_frames = 0;
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (inspector)), "after-paint",
                    G_CALLBACK (inspector_painted_cb), NULL);
  AWAIT (n_inspector_frames >= 10, run_ms (50), gtk_widget_queue_draw (GTK_WIDGET (inspector)));
  run_ms (200);
  g_test_message ("%u frames of the inspector, %u of the program", n_inspector_frames, scene->n_frames - own);
  g_assert_cmpuint (read_summary ()->total.counts.excluded_frames - excluded, >=, n_inspector_frames);
  g_assert_cmpuint (read_summary ()->total.counts.frames - frames, ==, scene->n_frames - own);
  inspector_close ();
  plugin->set_overlay (FALSE);
  run_ms (200);
}

#define INSPECTOR_BUSY_MS 80

/* Of the frame that waited longest for the inspector: a busy machine keeps others. */
static JankFrameEvent waited;
static gboolean was_busy;

static void
frame_cb (gpointer data, const JankFrameEvent *event, const JankFrameVerdict *verdict)
{
  if (event->gap_idle_ns > waited.gap_idle_ns)
    waited = *event;
}

static gboolean
busy_tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  be_busy_ms (INSPECTOR_BUSY_MS);
  was_busy = TRUE;
  return G_SOURCE_REMOVE;
}

/* A slow frame of the inspector keeps the program's next one waiting: time that counts for nobody. */
TEST (inspector_busy)
{
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);
  GtkWindow *inspector;

  plugin->stop ();
  host.on_frame = frame_cb;
  plugin->start (&host);
  /* The inspector must not cover it all: mutter 48 gives no frames to what nobody sees. */
  gtk_window_maximize (scene->window);
  run_ms (300);
  inspector = inspector_open (scene->window);
  g_assert_nonnull (inspector);
  run_ms (1000);
  scene_animate (scene);
  scene_run_frames (scene, 10);
  waited = (JankFrameEvent) { 0 };
  gtk_widget_add_tick_callback (GTK_WIDGET (inspector), busy_tick_cb, NULL, NULL);
  AWAIT (was_busy, run_ms (10));
  scene_run_frames (scene, 5);
  g_test_message ("busy for %.1f ms, not counted %.1f ms", waited.gap_busy_ns / 1e6, waited.gap_idle_ns / 1e6);
  g_assert_cmpint (waited.gap_idle_ns, >=, (INSPECTOR_BUSY_MS - 5) * JANK_NS_PER_MS);
  g_assert_cmpint (waited.gap_busy_ns, <, INSPECTOR_BUSY_MS * JANK_NS_PER_MS / 2);
  scene_rest (scene);
  inspector_close ();
  plugin->stop ();
  host.on_frame = NULL;
  plugin->start (&host);
}

static void
activate_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
}

TEST (tags)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  GtkWidget *button = gtk_button_new_with_label ("Press me");
  GSimpleAction *action = g_simple_action_new ("save", NULL);
  JankGtkTags tags;

  gtk_window_set_child (scene->window, button);
  g_signal_emit_by_name (button, "clicked");
  plugin->get_tags (&tags);
  g_assert_cmpstr (tags.action, ==, "GtkButton “Press me”");
  g_signal_connect (action, "activate", G_CALLBACK (activate_cb), NULL);
  g_action_activate (G_ACTION (action), NULL);
  plugin->get_tags (&tags);
  g_assert_cmpstr (tags.action, ==, "save");
  g_object_unref (action);
}

TEST (restarted)
{
  g_autoptr (Scene) scene = scene_new (GTK_TYPE_WINDOW);
  guint64 frames;
  guint own;

  scene_animate (scene);
  plugin->set_overlay (TRUE);
  run_ms (200);
  plugin->stop ();
  frames = read_summary ()->total.counts.frames;
  run_ms (200);
  g_assert_cmpuint (read_summary ()->total.counts.frames, ==, frames);
  plugin->start (&host);
  own = scene->n_frames;
  run_ms (300);
  g_assert_cmpuint (read_summary ()->total.counts.frames - frames, ==, scene->n_frames - own);
  g_assert_false (plugin->get_overlay ());
}

SCENE_TESTS ("/gtk/windows")
