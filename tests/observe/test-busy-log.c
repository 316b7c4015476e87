/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <glib.h>

#include "observe/jank-busy-log-private.h"
#include "test.h"

#define N_PERIODS 1000
#define N_QUESTIONS 20000

TEST (empty)
{
  JankBusyLog log = { 0 };

  g_assert_cmpint (jank_busy_log_get (&log, 0, 1000), ==, 0);
  jank_busy_log_end (&log, 10);
  g_assert_cmpint (jank_busy_log_get (&log, 0, 1000), ==, 0);
}

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

TESTS ("/observe/busy-log")
