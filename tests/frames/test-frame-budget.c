/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a late frame should have saved: each is played again with that much less work, and then is on time; with half of
 * the saving most are late. And how far off animations were, by a clock that says so. */

#include <glib.h>

#include "frame-generator.h"
#include "test.h"

#define N_REPLAYS 1000

typedef struct
{
  JankFrameMeter meter;
  GRand         *random;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->random = g_rand_new_with_seed (17);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_rand_free (fixture->random);
}

/* Of the interval after a frame with so much work. */
static JankFrameVerdict
play (const JankFrameEvent *before, gint64 refresh_ns, gint64 offset_ns, gint64 work_ns, JankFramePhase phase,
      gboolean has_timer)
{
  const gint64 least_ns = refresh_ns / 5;
  JankFrameEvent first = *before, next = *before;
  gint64 in_cycle_ns = phase == JANK_FRAME_BETWEEN ? 0 : work_ns;
  gint64 deadline_ns, free_ns, tick_ns;
  JankFrameVerdict verdict;

  first.end_ns = first.begin_ns + least_ns + in_cycle_ns;
  if (phase != JANK_FRAME_BETWEEN)
    first.phase_ns[phase] = in_cycle_ns;
  deadline_ns = MAX (jank_frame_deadline_ns (first.begin_ns, refresh_ns), first.end_ns);
  free_ns = first.end_ns;
  next.gap_busy_ns = next.gap_over_ns = 0;
  if (phase == JANK_FRAME_BETWEEN && work_ns > 0)
    {
      free_ns = first.end_ns + offset_ns + work_ns;
      next.gap_busy_ns = work_ns;
      next.gap_over_ns = MAX (free_ns - MAX (deadline_ns, free_ns - work_ns), 0);
    }
  tick_ns = first.begin_ns + refresh_ns;
  while (!has_timer && tick_ns < free_ns)
    tick_ns += refresh_ns;
  next.begin_ns = MAX (tick_ns, free_ns);
  g_assert_true (jank_frame_judge (&first, &next, 0, &verdict));
  return verdict;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, replays)
{
  static const gint64 refreshes_ns[] = { 16666667, 6944444, 33333333 };
  guint n_on_time = 0, n_half_late = 0, n = 0;

  while (n < N_REPLAYS)
    {
      gint64 refresh_ns = refreshes_ns[n % G_N_ELEMENTS (refreshes_ns)];
      JankFrameEvent before = { .begin_ns = JANK_NS_PER_S, .refresh_ns = refresh_ns, .flags = JANK_FRAME_ANIMATING };
      JankFramePhase phase = (JankFramePhase) g_rand_int_range (fixture->random, 0, JANK_FRAME_BETWEEN + 1);
      gint64 offset_ns = (gint64) (0.75 * g_rand_double (fixture->random) * (double) refresh_ns);
      gint64 work_ns = (gint64) (8 * g_rand_double (fixture->random) * (double) refresh_ns);
      gboolean has_timer = g_rand_boolean (fixture->random);
      JankFrameVerdict late = play (&before, refresh_ns, offset_ns, work_ns, phase, has_timer), again;

      if (late.who != JANK_FRAME_LATE_PROGRAM)
        {
          g_assert_cmpint (late.over_ns, ==, 0);
          continue;
        }
      g_assert_cmpint (late.over_ns, >, 0);
      g_assert_cmpint (late.over_ns, <=, work_ns);
      again = play (&before, refresh_ns, offset_ns, work_ns - late.over_ns, phase, has_timer);
      n_on_time += again.who == JANK_FRAME_ON_TIME;
      again = play (&before, refresh_ns, offset_ns, work_ns - late.over_ns / 2, phase, has_timer);
      n_half_late += again.who != JANK_FRAME_ON_TIME;
      n++;
    }
  g_test_message ("of %u late frames on time without what they had too much: %u; with half of it late: %u", n,
                  n_on_time, n_half_late);
  g_assert_cmpuint (n_on_time, ==, n);
  g_assert_cmpuint (n_half_late, >=, n * 8 / 10);
}

static const JankFrameNumbers *
read_numbers (JankFrameMeter *meter)
{
  static JankFrameNumbers numbers;

  read_figures (meter, &numbers);
  return &numbers;
}

/* The display shows each frame some refreshes after the time that it was drawn for. */
TEST_WITH (Fixture, set_up, tear_down, fixture, animation_error)
{
  const gint64 refresh_ns = 16666667;
  gint64 drawn_ns = JANK_NS_PER_S, shown_ns = JANK_NS_PER_S + 2 * refresh_ns, sum_ns = 0;
  guint n = 0, n_unseen = 0;

  for (guint i = 0; i < 2000; i++)
    {
      JankFrameEvent event = {
        .begin_ns = JANK_NS_PER_S + (gint64) (i + 1) * refresh_ns, .end_ns = JANK_NS_PER_S +
            (gint64) (i + 1) * refresh_ns + MS,
        .refresh_ns = refresh_ns, .flags = JANK_FRAME_ANIMATING,
        .predecessor_presented_ns = shown_ns, .predecessor_drawn_for_ns = drawn_ns,
      };
      gint64 n_refreshes = i % 50 == 49 ? 0 : g_rand_int_range (fixture->random, 1, 4);
      gint64 step_ns = (gint64) (3 * g_rand_double (fixture->random) * (double) refresh_ns);

      jank_frame_meter_add (&fixture->meter, &event);
      drawn_ns += step_ns;
      shown_ns += n_refreshes * refresh_ns;
      if (i == 1999)
        break;
      if (n_refreshes == 0)
        n_unseen++;
      else
        {
          sum_ns += ABS (n_refreshes * refresh_ns - step_ns);
          n++;
        }
    }
  g_test_message ("%u frames: %" G_GINT64_FORMAT " ns of %" G_GINT64_FORMAT ", %u of %u never shown", n,
                  read_numbers (&fixture->meter)->animation_error_ns, sum_ns / n,
                  (guint) read_numbers (&fixture->meter)->counts.unseen, n_unseen);
  g_assert_cmpuint (read_numbers (&fixture->meter)->counts.animated, ==, n);
  g_assert_cmpint (read_numbers (&fixture->meter)->animation_error_ns, ==, sum_ns / n);
  g_assert_cmpuint (read_numbers (&fixture->meter)->counts.unseen, ==, n_unseen);
}

/* No presentation, no figure: neither where the display tells none, nor after a rest. */
TEST_WITH (Fixture, set_up, tear_down, fixture, no_presentation)
{
  Generator generator;

  generator_init (&generator, &fixture->meter, 16666667, 5);
  generator_frames (&generator, 200);
  g_assert_cmpuint (read_numbers (&fixture->meter)->counts.animated, ==, 0);
  g_assert_cmpint (read_numbers (&fixture->meter)->animation_error_ns, ==, 0);
  generator.presents = TRUE;
  generator_idle (&generator, 300 * MS);
  for (guint i = 0; i < 100; i++)
    {
      generator_frames (&generator, 2);
      generator_idle (&generator, 300 * MS);
    }
  g_assert_cmpuint (read_numbers (&fixture->meter)->counts.animated, ==, 0);
  generator_frames (&generator, 200);
  g_assert_cmpuint (read_numbers (&fixture->meter)->counts.animated, >, 190);
  g_assert_cmpint (read_numbers (&fixture->meter)->animation_error_ns, <, 1000);
  generator_clear (&generator);
}

TESTS ("/frames/frame-budget")
