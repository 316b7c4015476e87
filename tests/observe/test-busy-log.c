/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#include "observe/jank-busy-log-private.h"
#include "test.h"

#define N_PERIODS 1000
#define N_QUESTIONS 20000

TEST (open_period)
{
  JankBusyLog log = { 0 };

  jank_busy_log_begin (&log, 100);
  g_assert_cmpint (jank_busy_log_get (&log, 0, 100), ==, 0);
  g_assert_cmpint (jank_busy_log_get (&log, 0, 150), ==, 50);
  g_assert_cmpint (jank_busy_log_get (&log, 120, 150), ==, 30);
  g_assert_cmpint (jank_busy_log_get (&log, 150, 120), ==, 0);
  jank_busy_log_end (&log, 160);
  g_assert_cmpint (jank_busy_log_get (&log, 0, 1000), ==, 60);
}

/* Against a direct sum over the periods that the log still holds. */
TEST (truth)
{
  g_autofree JankBusyLog *log = g_new0 (JankBusyLog, 1);
  gint64 began[N_PERIODS], ended[N_PERIODS], now = 1000;
  gint64 oldest;

  for (guint i = 0; i < N_PERIODS; i++)
    {
      began[i] = now += g_test_rand_int_range (0, 50);
      jank_busy_log_begin (log, now);
      ended[i] = now += g_test_rand_int_range (0, 50);
      jank_busy_log_end (log, now);
    }
  oldest = began[N_PERIODS - JANK_BUSY_LOG_SIZE];

  for (guint k = 0; k < N_QUESTIONS; k++)
    {
      gint64 from = g_test_rand_int_range ((gint32) oldest, (gint32) now + 100);
      gint64 to = g_test_rand_int_range ((gint32) from, (gint32) now + 200);
      gint64 sum = 0;

      for (guint i = 0; i < N_PERIODS; i++)
        sum += MAX (MIN (ended[i], to) - MAX (began[i], from), 0);
      g_assert_cmpint (jank_busy_log_get (log, from, to), ==, sum);
    }
  g_assert_cmpint (jank_busy_log_get (log, 0, oldest), ==, 0);
}

/* A starved frame has thousands of turns before it: what is older than the ring of turns comes from the sparse one. */
TEST (sparse)
{
  g_autofree JankBusyLog *log = g_new0 (JankBusyLog, 1);
  const gint64 ms = 1000000;
  gint64 now = 1000 * ms, began = now, busy = 0;

  for (guint i = 0; i < 40 * JANK_BUSY_LOG_SIZE; i++)
    {
      jank_busy_log_begin (log, now);
      jank_busy_log_end (log, now + ms / 4 * 3);
      busy += ms / 4 * 3;
      now += ms;
    }
  g_assert_cmpint (jank_busy_log_get (log, began, now), ==, busy);
  g_assert_cmpint (ABS (jank_busy_log_get (log, began + 5555 * ms, now) - (busy - 5555 * ms / 4 * 3)), <=,
                   JANK_BUSY_LOG_SPARSE_NS);
  /* What is older than both waits. */
  for (guint i = 0; i < 2 * JANK_BUSY_LOG_SPARSE; i++)
    {
      jank_busy_log_begin (log, now);
      now += JANK_BUSY_LOG_SPARSE_NS;
      jank_busy_log_end (log, now);
    }
  g_assert_cmpint (jank_busy_log_get (log, 0, now), ==, JANK_BUSY_LOG_SPARSE * JANK_BUSY_LOG_SPARSE_NS);
}

TESTS ("/observe/busy-log")
