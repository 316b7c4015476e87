/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A window goes from one monitor to another with a different rate, by filling each in turn: the only move that
 * a program on Wayland can ask for. */

#include "scene.h"

#include "base/jank-clock-private.h"

#define MOVE_MS 10000

static gint64
refresh_of_monitor (GdkMonitor *monitor)
{
  return 1000 * JANK_NS_PER_S / gdk_monitor_get_refresh_rate (monitor);
}

/* Of the newest intervals that the program saw itself. */
static guint
count_own_longer_than (Scene *scene, guint first, gint64 limit_ns)
{
  guint n = 0;

  for (guint i = first + 1; i < scene->begins_ns->len; i++)
    n += g_array_index (scene->begins_ns, gint64, i) - g_array_index (scene->begins_ns, gint64, i - 1) > limit_ns;
  return n;
}

static gboolean
is_near (gint64 refresh_ns)
{
  return ABS (read_merged ()->totals.refresh_ns - refresh_ns) < refresh_ns / 50;
}

/* The rate becomes the monitor's, what was planned is found, and nothing that the program did not see itself is
 * late. */
static void
check_on_monitor (Scene *scene, GdkMonitor *monitor)
{
  gint64 refresh_ns = refresh_of_monitor (monitor), limit_ns = refresh_ns * 3 / 2 - JANK_NS_PER_MS;
  JankFrameNumbers before;
  guint first, n_own, n_late, n_throttled;

  gtk_window_fullscreen_on_monitor (scene->window, monitor);
  for (int i = 0; i < MOVE_MS / 100 && !is_near (refresh_ns); i++)
    run_ms (100);
  scene_run_frames (scene, 10);
  before = read_summary ()->total;
  first = scene->begins_ns->len - 1;
  scene_plan (scene, 30, 60);
  scene_run_frames (scene, 60);
  n_own = count_own_longer_than (scene, first, limit_ns);
  n_late = (guint) (read_summary ()->total.counts.late_program - before.counts.late_program);
  n_throttled = (guint) (read_summary ()->total.counts.throttled - before.counts.throttled);
  g_test_message ("%s, %.1f Hz: %u frames, %u long intervals, %u late by the program, %.3f ms refresh",
                  gdk_monitor_get_connector (monitor), 1e9 / (double) refresh_ns, scene->begins_ns->len - first - 1,
                  n_own, n_late, (double) read_summary ()->total.refresh_ns / JANK_NS_PER_MS);
  g_assert_true (is_near (refresh_ns));
  g_assert_false (read_summary ()->total.refresh_assumed);
  g_assert_cmpuint (n_late + n_throttled, >=, 1);
  g_assert_cmpuint (n_late, <=, n_own);
}

TEST (moved)
{
  GListModel *monitors = gdk_display_get_monitors (gdk_display_get_default ());
  g_autoptr (GdkMonitor) first = g_list_model_get_item (monitors, 0);
  g_autoptr (GdkMonitor) second = g_list_model_get_item (monitors, 1);
  g_autoptr (Scene) scene = scene_new_started (GTK_TYPE_WINDOW);

  g_assert_cmpuint (g_list_model_get_n_items (monitors), ==, 2);
  g_assert_cmpint (gdk_monitor_get_refresh_rate (first), !=, gdk_monitor_get_refresh_rate (second));
  plugin->set_overlay (TRUE);
  scene_animate (scene);
  check_on_monitor (scene, first);
  check_on_monitor (scene, second);
  check_on_monitor (scene, first);
  plugin->set_overlay (FALSE);
}

SCENE_TESTS ("/gtk/monitors")
