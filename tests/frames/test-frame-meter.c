/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#include "frame-generator.h"
#include "test.h"
#include "frames/jank-frame-summary-private.h"

#define HZ_60  INT64_C (16666667)
#define HZ_144 INT64_C (6944444)

typedef struct
{
  JankFrameMeter   stats;
  Generator        generator;
  JankFrameNumbers numbers;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  generator_init (&fixture->generator, &fixture->stats, HZ_60, 21);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  generator_clear (&fixture->generator);
}

static void
update_numbers (Fixture *fixture)
{
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);

  g_assert_true (jank_frame_meter_snapshot (&fixture->stats, snapshot));
  jank_frame_numbers_from (snapshot, &fixture->numbers);
}

static void
assert_nothing_late (Fixture *fixture)
{
  const JankFrameNumbers *numbers = &fixture->numbers;

  update_numbers (fixture);
  g_assert_cmpuint (numbers->late, ==, 0);
  g_assert_cmpuint (numbers->dropped, ==, 0);
  g_assert_cmpuint (numbers->slow, ==, 0);
  g_assert_cmpuint (numbers->frozen, ==, 0);
  g_assert_cmpuint (numbers->jank, ==, 0);
  g_assert_cmpfloat (numbers->hitch_ms_per_s, ==, 0);
  g_assert_cmpfloat (numbers->hitch_compositor_ms_per_s, ==, 0);
}

/* A click a second, each with its work and its one frame. */
TEST_WITH (Fixture, set_up, tear_down, fixture, idle_clicks)
{
  for (guint i = 0; i < 100; i++)
    {
      generator_frame (&fixture->generator, (i % 10) * 40 * MS, i % (JANK_FRAME_BETWEEN + 1));
      generator_idle (&fixture->generator, JANK_NS_PER_S);
    }
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.frames, ==, 100);
  g_assert_cmpint (fixture->numbers.active_ns, ==, 0);
  g_assert_cmpfloat (fixture->numbers.fps, ==, JANK_FRAME_NO_FPS);
  g_assert_cmpfloat (fixture->numbers.fps_now, ==, JANK_FRAME_NO_FPS);
  g_assert_cmpfloat (fixture->numbers.fps_low, ==, JANK_FRAME_NO_FPS);
}

/* Short animations between long gaps: only they are active time. */
TEST_WITH (Fixture, set_up, tear_down, fixture, idle_between)
{
  Generator *generator = &fixture->generator;

  for (guint i = 0; i < 50; i++)
    {
      generator_frames (generator, 30);
      generator_frame (generator, 50 * MS, JANK_FRAME_UPDATE);
      generator_frames (generator, 1);
      generator_idle (generator, (1 + i % 7) * JANK_NS_PER_S);
    }
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.late_program, ==, 50);
  g_assert_cmpuint (fixture->numbers.late, ==, 50);
  g_assert_cmpuint (fixture->numbers.dropped, ==, generator->n_dropped);
  g_assert_cmpint (fixture->numbers.active_ns, ==, generator->active_ns);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps,
                                  generator->n_intervals * 1e9 / (double) generator->active_ns, 0.001);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, fps_needs_a_second)
{
  generator_frames (&fixture->generator, 58);
  update_numbers (fixture);
  g_assert_cmpfloat (fixture->numbers.fps, ==, JANK_FRAME_NO_FPS);
  generator_frames (&fixture->generator, 5);
  update_numbers (fixture);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps, 60, 0.5);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps_now, 60, 0.5);
}

/* The last second is no longer than it has to be, also of a display for which the ring is just long enough. */
TEST_WITH (Fixture, set_up, tear_down, fixture, fps_window)
{
  static const double rates[] = { 24, 60, 144, 540, 1000 };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    {
      generator_set_hz (&fixture->generator, rates[i]);
      generator_frames (&fixture->generator, (guint) (1.1 * rates[i]));
      update_numbers (fixture);
      g_assert_cmpfloat_with_epsilon (fixture->numbers.fps_now, rates[i], 0.01 * rates[i]);
    }
}

TEST_WITH (Fixture, set_up, tear_down, fixture, startup)
{
  fixture->generator.flags = JANK_FRAME_STARTUP;
  generator_frame (&fixture->generator, 900 * MS, JANK_FRAME_LAYOUT);
  generator_frame (&fixture->generator, 90 * MS, JANK_FRAME_PAINT);
  fixture->generator.flags = 0;
  generator_frames (&fixture->generator, 100);
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.frames, ==, 102);
  g_assert_cmpuint (fixture->numbers.startup_frames, ==, 2);
  g_assert_cmpint (fixture->numbers.longest_ns, <, 20 * MS);
}

static void
test_excluded (Fixture *fixture, gconstpointer data)
{
  JankFrameFlags excluded = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < 10; i++)
    {
      fixture->generator.flags = 0;
      generator_frames (&fixture->generator, 20);
      fixture->generator.flags = excluded;
      generator_frame (&fixture->generator, 300 * MS, JANK_FRAME_PAINT);
    }
  fixture->generator.flags = 0;
  generator_frames (&fixture->generator, 20);
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.frames, ==, 220);
  g_assert_cmpuint (fixture->numbers.excluded_frames, ==, 10);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, compositor_late)
{
  for (guint i = 0; i < 30; i++)
    {
      generator_frames (&fixture->generator, 20);
      generator_wait (&fixture->generator, 40 * MS);
    }
  generator_frames (&fixture->generator, 20);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.late, ==, 30);
  g_assert_cmpuint (fixture->numbers.late_program, ==, 0);
  g_assert_cmpuint (fixture->numbers.late_compositor, ==, 30);
  g_assert_cmpuint (fixture->numbers.dropped, ==, 60);
  g_assert_cmpuint (fixture->numbers.dropped_program, ==, 0);
  g_assert_cmpuint (fixture->numbers.slow, ==, 0);
  g_assert_cmpfloat (fixture->numbers.hitch_ms_per_s, ==, 0);
  g_assert_cmpfloat (fixture->numbers.hitch_compositor_ms_per_s, >, 50);
  g_assert_cmpint (fixture->numbers.hitch_band, ==, JANK_HITCH_GOOD);
}

/* The GPU makes half the rate, for good: its doing, and no throttling. */
TEST_WITH (Fixture, set_up, tear_down, fixture, compositor_always_late)
{
  for (guint i = 0; i < 300; i++)
    generator_wait (&fixture->generator, HZ_60);
  /* An idle clock will not take it back. */
  generator_idle (&fixture->generator, JANK_NS_PER_S);
  generator_frames (&fixture->generator, 1);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.late_compositor, ==, 299);
  g_assert_cmpuint (fixture->numbers.late_program, ==, 0);
  g_assert_cmpuint (fixture->numbers.throttled, ==, 0);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps, 30, 0.1);
}

/* Ready after two refreshes, shown after four: each has its part. */
TEST_WITH (Fixture, set_up, tear_down, fixture, both_late)
{
  JankFrameEvent first = { .begin_ns = JANK_NS_PER_S, .end_ns = JANK_NS_PER_S + 20 * MS, .refresh_ns = HZ_60 };
  JankFrameEvent second = first;
  JankFrameVerdict verdict;

  second.begin_ns += 4 * HZ_60;
  g_assert_true (jank_frame_judge (&first, &second, 0, &verdict));
  g_assert_cmpint (verdict.program_ns, ==, HZ_60);
  g_assert_cmpint (verdict.compositor_ns, ==, 2 * HZ_60);
  g_assert_cmpint (verdict.who, ==, JANK_FRAME_LATE_COMPOSITOR);
  g_assert_cmpint (verdict.n_dropped, ==, 3);
}

/* Broadway without a browser: said to be 30 Hz, ticks once a second, from the first tick on. */
TEST_WITH (Fixture, set_up, tear_down, fixture, broadway)
{
  Generator *generator = &fixture->generator;

  generator->refresh_ns = 2 * HZ_60;
  for (guint i = 0; i < 60; i++)
    {
      generator_wait (generator, 990 * MS);
      assert_nothing_late (fixture);
    }
  g_assert_cmpuint (fixture->numbers.frames, ==, 60);
  g_assert_cmpuint (fixture->numbers.throttled, ==, 59);
  g_assert_cmpint (fixture->numbers.active_ns, ==, 0);
  g_assert_cmpfloat (fixture->numbers.fps, ==, JANK_FRAME_NO_FPS);

  /* A program that does some work in such a window is late for nobody. */
  for (guint i = 0; i < 10; i++)
    {
      generator->gap_busy_ns = 600 * MS;
      generator_wait (generator, 990 * MS);
    }
  assert_nothing_late (fixture);
}

/* Slower than one that shows anything, not as slow as one that hides it. */
TEST_WITH (Fixture, set_up, tear_down, fixture, throttled_by_persisting)
{
  for (guint i = 0; i < 40; i++)
    generator_wait (&fixture->generator, 180 * MS);
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.throttled, ==, 39);

  /* Shown again. */
  generator_frames (&fixture->generator, 100);
  generator_wait (&fixture->generator, 180 * MS);
  generator_frames (&fixture->generator, 100);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.throttled, ==, 40);
  g_assert_cmpuint (fixture->numbers.late_compositor, ==, 1);
  g_assert_cmpuint (fixture->numbers.late_program, ==, 0);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, hidden)
{
  for (guint i = 0; i < 10; i++)
    {
      generator_frames (&fixture->generator, 100);
      generator_wait (&fixture->generator, (i + 1) * 60 * JANK_NS_PER_S);
    }
  generator_frames (&fixture->generator, 100);
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.throttled, ==, 10);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps, 60, 0.1);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, stopped)
{
  generator_frames (&fixture->generator, 100);
  fixture->generator.tick_ns += 400 * MS;
  fixture->generator.begin_ns += 400 * MS;
  fixture->generator.gap_idle_ns = 400 * MS;
  generator_frames (&fixture->generator, 100);
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.throttled, ==, 0);
  g_assert_cmpint (fixture->numbers.longest_ns, <, 20 * MS);
}

/* Frames that change nothing: no display paces them, the toolkit's timer does, at 60 Hz. */
TEST_WITH (Fixture, set_up, tear_down, fixture, unpaced)
{
  Generator *generator = &fixture->generator;

  generator->told_ns = HZ_144;
  generator->flags = JANK_FRAME_UNPACED;
  generator_frames (generator, 300);
  assert_nothing_late (fixture);

  generator_frame (generator, 120 * MS, JANK_FRAME_UPDATE);
  generator_frames (generator, 2);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.late_program, ==, 1);
  g_assert_cmpuint (fixture->numbers.late, ==, 1);
}

/* The clock of a film of 20 pictures per second runs 60 times. */
TEST_WITH (Fixture, set_up, tear_down, fixture, undrawn)
{
  Generator *generator = &fixture->generator;

  for (guint i = 0; i < 100; i++)
    {
      generator->flags = 0;
      generator_frame (generator, 0, JANK_FRAME_BETWEEN);
      generator->flags = JANK_FRAME_UNDRAWN;
      generator_frames (generator, 2);
    }
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.frames, ==, 100);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps, 20, 0.5);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps_now, 20, 0.5);

  /* Nothing is painted for long: neither frames, nor late, nor slower frames. */
  generator_frames (generator, 300);
  generator_frame (generator, 120 * MS, JANK_FRAME_UPDATE);
  generator_frames (generator, 10);
  generator->flags = 0;
  generator_frames (generator, 2);
  assert_nothing_late (fixture);
  g_assert_cmpuint (fixture->numbers.frames, ==, 102);
  g_assert_cmpfloat_with_epsilon (fixture->numbers.fps, 20, 0.5);

  /* What such a cycle does delays the next frame all the same. */
  generator->flags = JANK_FRAME_UNDRAWN;
  generator_frame (generator, 120 * MS, JANK_FRAME_UPDATE);
  generator->flags = 0;
  generator_frames (generator, 2);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.late_program, ==, 1);
  g_assert_cmpuint (fixture->numbers.late, ==, 1);
}

/* The clock is on time, the display shows one frame a refresh too late. */
TEST_WITH (Fixture, set_up, tear_down, fixture, display_late)
{
  Generator *generator = &fixture->generator;

  generator->presents = TRUE;
  for (guint i = 0; i < 10; i++)
    {
      generator_frames (generator, 30);
      generator->presented_ns += HZ_60;
      generator_frames (generator, 1);
      generator->presented_ns += HZ_60;
      generator_frames (generator, 30);
      /* Unknown for once: nothing to tell. */
      generator->presented_ns = 0;
      generator_frames (generator, 1);
    }
  generator_frames (generator, 30);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.late, ==, 10);
  g_assert_cmpuint (fixture->numbers.late_compositor, ==, 10);
  g_assert_cmpuint (fixture->numbers.dropped, ==, 10);
  g_assert_cmpuint (fixture->numbers.animated, ==, fixture->numbers.frames - 2 - 3 * 10);
  /* That one, and the next on time. */
  g_assert_cmpuint (fixture->numbers.unseen, ==, 10);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, refresh_unknown)
{
  fixture->generator.told_ns = -1;
  generator_frames (&fixture->generator, 100);
  assert_nothing_late (fixture);
  g_assert_cmpint (fixture->numbers.refresh_ns, ==, JANK_FRAME_ASSUMED_REFRESH_NS);
  g_assert_true (fixture->numbers.refresh_assumed);
  g_assert_cmpuint (fixture->numbers.animated, ==, 0);

  fixture->generator.told_ns = 0;
  generator_frames (&fixture->generator, 1);
  update_numbers (fixture);
  g_assert_false (fixture->numbers.refresh_assumed);

  fixture->generator.flags = JANK_FRAME_REFRESH_ASSUMED;
  generator_frames (&fixture->generator, 1);
  update_numbers (fixture);
  g_assert_true (fixture->numbers.refresh_assumed);
}

/* Whatever a caller gets wrong: no crash, nothing invented. */
TEST_WITH (Fixture, set_up, tear_down, fixture, senseless)
{
  JankFrameEvent event = { .begin_ns = 5 * JANK_NS_PER_S, .flags = JANK_FRAME_ANIMATING };

  event.end_ns = event.begin_ns - MS;
  jank_frame_meter_add (&fixture->stats, &event);
  jank_frame_meter_add (&fixture->stats, &event);
  event.begin_ns -= JANK_NS_PER_S;
  jank_frame_meter_add (&fixture->stats, &event);
  event.begin_ns += 10 * MS;
  event.gap_busy_ns = -JANK_NS_PER_S;
  event.gap_idle_ns = -JANK_NS_PER_S;
  jank_frame_meter_add (&fixture->stats, &event);
  event.begin_ns += 10 * MS;
  event.gap_busy_ns = JANK_NS_PER_S;
  event.gap_idle_ns = JANK_NS_PER_S;
  jank_frame_meter_add (&fixture->stats, &event);
  update_numbers (fixture);
  g_assert_cmpuint (fixture->numbers.frames, ==, 5);
  g_assert_cmpuint (fixture->numbers.late, ==, 0);
}

/* The phase, or the time between frames, that took longest is the one that is named. */
TEST_WITH (Fixture, set_up, tear_down, fixture, busiest)
{
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);

  for (guint phase = 0; phase <= JANK_FRAME_BETWEEN; phase++)
    {
      generator_frames (&fixture->generator, 5);
      generator_frame (&fixture->generator, 60 * MS, phase);
    }
  generator_frames (&fixture->generator, 1);
  g_assert_true (jank_frame_meter_snapshot (&fixture->stats, snapshot));
  g_assert_cmpuint (snapshot->n_late, ==, JANK_FRAME_BETWEEN + 1);
  for (guint phase = 0; phase <= JANK_FRAME_BETWEEN; phase++)
    {
      const JankLateFrame *late = &snapshot->late[phase];

      g_assert_cmpint (late->verdict.busiest, ==, phase);
      g_assert_cmpint (late->verdict.busiest_ns, >=, 60 * MS);
      g_assert_cmpint (late->verdict.busiest_ns, <, 65 * MS);
      g_assert_cmpuint (late->number, ==, 6 * (phase + 1) + 1);
    }
}

TEST_WITH (Fixture, set_up, tear_down, fixture, bars)
{
  static const gint64 lengths_ms[] = { 0, 20, 90, 720 };
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);
  const JankFrameBar *newest;

  for (guint i = 0; i < G_N_ELEMENTS (lengths_ms); i++)
    generator_frame (&fixture->generator, lengths_ms[i] * MS, JANK_FRAME_PAINT);
  generator_wait (&fixture->generator, 40 * MS);
  generator_frames (&fixture->generator, 2);
  g_assert_true (jank_frame_meter_snapshot (&fixture->stats, snapshot));
  g_assert_cmpuint (snapshot->n_bars, ==, 6);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (snapshot->bars[i].band, ==, JANK_FRAME_BAND_ON_TIME + i);
  g_assert_cmpint (snapshot->bars[5].band, ==, JANK_FRAME_BAND_ON_TIME);
  g_assert_cmpint (snapshot->bars[3].interval_ns, >, 720 * MS);

  generator_frames (&fixture->generator, 3 * JANK_FRAME_N_INTERVALS);
  generator_frame (&fixture->generator, 30 * MS, JANK_FRAME_PAINT);
  generator_frames (&fixture->generator, 1);
  g_assert_true (jank_frame_meter_snapshot (&fixture->stats, snapshot));
  g_assert_cmpuint (snapshot->n_bars, ==, JANK_FRAME_N_BARS);
  newest = &snapshot->bars[JANK_FRAME_N_BARS - 1];
  g_assert_cmpint (newest->band, ==, JANK_FRAME_BAND_LATE);
  g_assert_cmpint (newest[-1].band, ==, JANK_FRAME_BAND_ON_TIME);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/frames/meter");
  g_test_add ("/frames/meter/excluded/overlay", Fixture, GUINT_TO_POINTER (JANK_FRAME_OVERLAY_ONLY), set_up,
              test_excluded, tear_down);
  g_test_add ("/frames/meter/excluded/inspector", Fixture, GUINT_TO_POINTER (JANK_FRAME_INSPECTOR), set_up,
              test_excluded, tear_down);
  return g_test_run ();
}
