/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nobody looks: Broadway without a browser draws one frame a second. That is a throttled clock, and nothing is
 * late. Nor is there a presentation time: what GDK gives for one is when the server answered. */

#include "scene.h"

#include "base/jank-clock-private.h"

TEST (nothing_late)
{
  const JankFrameSummary *summary;
  Scene *scene;
  guint own;
  gint64 took_ns;

  /* There GTK 4.24 tells twice that a frame was submitted, watched or not, and warns of it. */
  if (gtk_get_minor_version () >= 24)
    g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  scene = scene_new_started (GTK_TYPE_WINDOW);
  plugin->set_overlay (TRUE);
  scene_animate (scene);
  run_ms (1500);
  own = scene->n_frames;
  took_ns = jank_clock_now_ns ();
  run_ms (4000);
  took_ns = jank_clock_now_ns () - took_ns;
  own = scene->n_frames - own;
  summary = read_summary ();
  g_test_message ("%u frames in 4 s; %u late, %u throttled, fps %.1f", own, (guint) summary->total.counts.late,
                  (guint) summary->total.counts.throttled, summary->total.fps_now);
  g_assert_cmpuint (own, >=, 2);
  g_assert_cmpint (own, <=, took_ns / JANK_NS_PER_S + 2);
  g_assert_cmpuint (summary->total.counts.late, ==, 0);
  g_assert_cmpuint (summary->total.counts.dropped, ==, 0);
  g_assert_cmpuint (summary->total.counts.frozen, ==, 0);
  g_assert_cmpfloat (summary->total.hitch_ms_per_s, ==, 0);
  g_assert_cmpuint (summary->total.counts.animated, ==, 0);
  g_assert_cmpuint (summary->total.counts.throttled, >=, own - 2);
  plugin->set_overlay (FALSE);
  scene_free (scene);
}

SCENE_TESTS ("/gtk/unseen")
