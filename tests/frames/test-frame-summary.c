/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The published definitions, on intervals written down by hand. */

#include <glib.h>

#include "frame-generator.h"
#include "frames/jank-hang-rate-private.h"
#include "test.h"

#define MS         JANK_NS_PER_MS
#define REFRESH_NS (10 * MS)

/* Frames at these intervals; in each the loop was busy until just before the next one. */
static void
play (const gint64 *intervals_ms, guint n, JankFrameNumbers *ret_numbers)
{
  g_autofree JankFrameMeter *stats = g_new0 (JankFrameMeter, 1);
  JankFrameEvent event = { .begin_ns = JANK_NS_PER_S, .refresh_ns = REFRESH_NS };

  for (guint i = 0; i <= n; i++)
    {
      gint64 interval_ns = i < n ? intervals_ms[i] * MS : REFRESH_NS;

      event.end_ns = event.begin_ns + interval_ns - 3 * MS;
      event.phase_ns[JANK_FRAME_PAINT] = interval_ns - 3 * MS;
      jank_frame_meter_add (stats, &event);
      event.flags = JANK_FRAME_ANIMATING;
      event.begin_ns += interval_ns;
    }
  read_figures (stats, ret_numbers);
}

TEST (levels)
{
  static const gint64 intervals_ms[] = { 10, 15, 16, 34, 35, 36, 94, 96, 244, 246, 424, 426, 699, 700, 2000, 10 };
  static const struct { guint frames, dropped; } wanted[] = {
    { 5, 0 + 0 + 1 + 2 + 0 }, { 3, 3 + 3 + 8 }, { 2, 9 + 23 }, { 2, 24 + 41 }, { 4, 42 + 69 + 69 + 199 },
  };
  JankFrameNumbers numbers;

  play (intervals_ms, G_N_ELEMENTS (intervals_ms), &numbers);
  for (guint level = 0; level < JANK_FRAME_N_LEVELS; level++)
    {
      g_assert_cmpuint (numbers.counts.buckets[level].frames, ==, wanted[level].frames);
      g_assert_cmpuint (numbers.counts.buckets[level].dropped, ==, wanted[level].dropped);
    }
  /* 15 ms is one and a half, not more. */
  g_assert_cmpuint (numbers.counts.late, ==, 13);
  g_assert_cmpuint (numbers.counts.frozen, ==, 2);
  g_assert_cmpint (numbers.longest_ns, ==, 2000 * MS);
}

TEST (perfdog)
{
  /* Above twice the mean of the three before it, and above 83.3 ms; big above 125 ms. */
  static const gint64 intervals_ms[] = {
    10, 10, 200,           /* too early to tell */
    10, 10, 10, 83,        /* not long enough */
    10, 10, 10, 84,        /* jank */
    10, 10, 10, 125,       /* jank, still not big */
    10, 10, 10, 126,       /* big */
    70, 70, 70, 140,       /* twice, not more */
    70, 70, 70, 141,       /* big */
    300, 300, 300, 300,    /* the first is: above twice the mean of 70, 70, 141 */
  };
  JankFrameNumbers numbers;

  play (intervals_ms, G_N_ELEMENTS (intervals_ms), &numbers);
  g_assert_cmpuint (numbers.counts.jank, ==, 5);
  g_assert_cmpuint (numbers.counts.big_jank, ==, 3);
  g_assert_cmpfloat_with_epsilon (numbers.stutter,
                                  (84 + 125 + 126 + 141 + 300) * 1e6 / (double) numbers.counts.active_ns, 1e-9);
}

TEST (hitch)
{
  gint64 intervals_ms[100];
  JankFrameNumbers numbers;

  for (guint i = 0; i < 100; i++)
    intervals_ms[i] = i % 50 == 7 ? 30 : 10;
  play (intervals_ms, 100, &numbers);
  /* 2 times 20 ms too late in 1.04 s. */
  g_assert_cmpint (numbers.counts.active_ns, ==, 1040 * MS);
  g_assert_cmpfloat_with_epsilon (numbers.hitch_ms_per_s, 40 / 1.04, 1e-9);
  g_assert_cmpuint (numbers.counts.slow, ==, 2);

  g_assert_cmpint (jank_hitch_band (0), ==, JANK_HITCH_GOOD);
  g_assert_cmpint (jank_hitch_band (5), ==, JANK_HITCH_GOOD);
  g_assert_cmpint (jank_hitch_band (5.1), ==, JANK_HITCH_WARNING);
  g_assert_cmpint (jank_hitch_band (10), ==, JANK_HITCH_WARNING);
  g_assert_cmpint (jank_hitch_band (10.1), ==, JANK_HITCH_CRITICAL);
}

TEST (percentiles)
{
  gint64 intervals_ms[400];
  JankFrameNumbers numbers;

  /* 320 of 10 ms, 60 of 20, 15 of 50, 5 of 100. */
  for (guint i = 0; i < 400; i++)
    intervals_ms[i] = i < 320 ? 10 : i < 380 ? 20 : i < 395 ? 50 : 100;
  play (intervals_ms, 400, &numbers);
  g_assert_cmpfloat_with_epsilon (numbers.p50_ns / 1e6, 10, 0.03 * 10);
  g_assert_cmpfloat_with_epsilon (numbers.p90_ns / 1e6, 20, 0.03 * 20);
  g_assert_cmpfloat_with_epsilon (numbers.p95_ns / 1e6, 20, 0.03 * 20);
  g_assert_cmpfloat_with_epsilon (numbers.p99_ns / 1e6, 100, 0.03 * 100);
  g_assert_cmpfloat_with_epsilon (numbers.fps_low, 10, 0.3);
  g_assert_cmpfloat_with_epsilon (numbers.fps, 400e9 / (double) numbers.counts.active_ns, 1e-6);
}

TEST (hang_rate)
{
  JankHangRate rate = { 0 };

  g_assert_cmpfloat (jank_hang_rate_get (&rate, 0), ==, 0);
  jank_hang_rate_add (&rate, 250 * MS);
  g_assert_cmpfloat (jank_hang_rate_get (&rate, 60 * JANK_NS_PER_S), ==, 0);
  jank_hang_rate_add (&rate, 251 * MS);
  jank_hang_rate_add (&rate, 1749 * MS);
  g_assert_cmpuint (rate.n_hangs, ==, 2);
  /* 2 s in 10 minutes. */
  g_assert_cmpfloat_with_epsilon (jank_hang_rate_get (&rate, 600 * JANK_NS_PER_S), 12, 1e-9);
}

TESTS ("/frames/frame-summary")
