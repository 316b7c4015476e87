/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "base/jank-clock-private.h"
#include "input/jank-input-clock-private.h"

/* Behind 2^32 ms. */
#define NOW_MS ((G_GINT64_CONSTANT (1) << 32) + 500000)

static gint64 busy_ms; /* until now */

static int64_t
get_busy_ns (int64_t from_ns, int64_t to_ns)
{
  return MIN (to_ns - from_ns, busy_ms * JANK_NS_PER_MS);
}

/* An event that arrives at now_ms, age_ms old. Returns: its age by the clock, -1: unknown */
static gint64
read_at (JankInputClock *clock, gint64 now_ms, gint64 age_ms)
{
  gint64 stamp_ns, now_ns = now_ms * JANK_NS_PER_MS + 999999;

  if (!jank_input_clock_read (clock, (guint32) (now_ms - age_ms), now_ns, get_busy_ns, &stamp_ns))
    return -1;
  g_assert_cmpint (stamp_ns % JANK_NS_PER_MS, ==, 0);
  return (now_ns - stamp_ns) / JANK_NS_PER_MS;
}

TEST (age)
{
  JankInputClock clock = { 0 };

  g_assert_cmpint (read_at (&clock, NOW_MS, 1), ==, 1);
  for (int age_ms = 0; age_ms <= 800; age_ms += 7)
    g_assert_cmpint (read_at (&clock, NOW_MS + 1000 + age_ms, age_ms), ==, age_ms);
  /* The stamp of a coarse clock, and of one that rounds up. */
  g_assert_cmpint (read_at (&clock, NOW_MS + 2000, 4), ==, 4);
  g_assert_cmpint (read_at (&clock, NOW_MS + 2000, -1), ==, 0);
}

/* 32 bits of milliseconds are 49.7 days. */
TEST (wraps)
{
  JankInputClock clock = { 0 };
  gint64 wrap_ms = G_GINT64_CONSTANT (3) << 32;

  g_assert_cmpint (read_at (&clock, wrap_ms - 300, 0), ==, 0);
  g_assert_cmpint (read_at (&clock, wrap_ms + 150, 400), ==, 400);
  g_assert_cmpint (read_at (&clock, wrap_ms + 300, 200), ==, 200);
}

TEST (without_stamp)
{
  JankInputClock clock = { 0 };
  gint64 stamp_ns;

  g_assert_cmpint (read_at (&clock, NOW_MS, 1), ==, 1);
  g_assert_false (jank_input_clock_read (&clock, 0, (gint64) 3 * JANK_NS_PER_MS, NULL, &stamp_ns));
  g_assert_false (jank_input_clock_read (&clock, 0, NOW_MS * JANK_NS_PER_MS, NULL, &stamp_ns));
}

/* Another machine's, or a browser's: every event is as far off. */
TEST (other_clocks)
{
  const gint64 off_ms[] = { 50, 3000, 86400000, 2000000000, -3, -50, -3000, -2000000000 };

  for (guint i = 0; i < G_N_ELEMENTS (off_ms); i++)
    {
      JankInputClock clock = { 0 };

      for (int k = 0; k < 1000; k++)
        g_assert_cmpint (read_at (&clock, NOW_MS + 10 * k, off_ms[i] + k % 2), ==, -1);
    }
}

/* One that runs behind ours looks right when its events have waited for just so long. */
TEST (other_clock_by_chance)
{
  JankInputClock clock = { 0 };
  guint n_known = 0;

  for (int k = 0; k < 1000; k++)
    n_known += read_at (&clock, NOW_MS + 10 * k, k % 10 == 0 ? 5 : -50) >= 0;
  g_assert_cmpuint (n_known, <=, 1);
}

/* A program that sends an event again gives it its old time, or any. */
TEST (sent_again)
{
  JankInputClock clock = { 0 };

  g_assert_cmpint (read_at (&clock, NOW_MS, 0), ==, 0);
  g_assert_cmpint (read_at (&clock, NOW_MS + 4000, 2), ==, 2);
  g_assert_cmpint (read_at (&clock, NOW_MS + 5000, 5000), ==, -1);
  g_assert_cmpint (read_at (&clock, NOW_MS + 5000, 1000), ==, 1000);
  g_assert_cmpint (read_at (&clock, NOW_MS + 5001, 1500000), ==, -1);
}

TEST (nothing_is_known_at_first)
{
  JankInputClock clock = { 0 };

  g_assert_cmpint (read_at (&clock, NOW_MS, 400), ==, -1);
  g_assert_cmpint (read_at (&clock, NOW_MS + 1, 3), ==, 3);
  g_assert_cmpint (read_at (&clock, NOW_MS + 500, 400), ==, 400);
}

/* The first event of a display comes behind a stall. It says nothing about the next ones. */
TEST (waits_behind_a_stall)
{
  JankInputClock clock = { 0 };

  busy_ms = 900;
  g_assert_cmpint (read_at (&clock, NOW_MS, 1000), ==, -1);
  g_assert_cmpint (read_at (&clock, NOW_MS, 800), ==, 800);
  busy_ms = 0;
  g_assert_cmpint (read_at (&clock, NOW_MS + 1000, 800), ==, -1);
  busy_ms = 900;
  g_assert_cmpint (read_at (&clock, NOW_MS + 1000, -100), ==, -1);
  g_assert_cmpint (read_at (&clock, NOW_MS + 1000, 800), ==, -1);
  busy_ms = 0;
}

TESTS ("/input/input-clock")
