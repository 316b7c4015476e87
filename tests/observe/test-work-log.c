/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-clock-private.h"
#include "observe/jank-work-log-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

static JankWork works[JANK_MAX_WORKS];

/* Those with the most time first, of the time that is asked for. */
TEST (sum)
{
  g_autofree JankWorkLog *log = g_new0 (JankWorkLog, 1);

  g_assert_cmpuint (jank_work_log_sum (log, 0, 1000 * MS, false, works), ==, 0);
  for (guint i = 0; i < 10; i++)
    {
      jank_work_log_add (log, 7, (100 + i * 5) * MS, 4 * MS);
      jank_work_log_add (log, 3, (104 + i * 5) * MS, MS / 2);
    }
  g_assert_cmpuint (jank_work_log_sum (log, 0, 1000 * MS, false, works), ==, 2);
  g_assert_cmpuint (works[0].row, ==, 7);
  g_assert_cmpuint (works[0].count, ==, 10);
  g_assert_cmpint (works[0].total_ns, ==, 40 * MS);
  g_assert_cmpint (works[0].longest_ns, ==, 4 * MS);
  g_assert_cmpuint (works[1].count, ==, 10);
  g_assert_cmpint (works[1].total_ns, ==, 5 * MS);
  g_assert_cmpuint (jank_work_log_sum (log, 110 * MS, 121 * MS, false, works), ==, 2);
  g_assert_cmpuint (works[0].count, ==, 3);
  g_assert_cmpuint (jank_work_log_sum (log, 110 * MS, 121 * MS, true, works), ==, 2);
  g_assert_cmpuint (works[0].count, ==, 2);
}

/* A flood of short ones leaves room for others, and is counted whole. */
TEST (flood)
{
  g_autofree JankWorkLog *log = g_new0 (JankWorkLog, 1);

  jank_work_log_add (log, 1, 100 * MS, 50 * MS);
  for (guint i = 0; i < 100000; i++)
    jank_work_log_add (log, 2 + i % 3, 150 * MS + i * 10 * JANK_NS_PER_US, 10 * JANK_NS_PER_US);
  g_assert_cmpuint (jank_work_log_sum (log, 0, 2000 * MS, false, works), ==, 4);
  g_assert_cmpint (works[0].total_ns, >=, 333 * MS);
  g_assert_cmpint (works[3].total_ns, ==, 50 * MS);
}

/* What is older than the log is not told, and more kinds than there is room for do no harm. */
TEST (full)
{
  g_autofree JankWorkLog *log = g_new0 (JankWorkLog, 1);

  for (guint i = 0; i < 3 * JANK_WORK_LOG_SIZE; i++)
    jank_work_log_add (log, i % (2 * JANK_MAX_WORKS), i * 2 * MS, 2 * MS);
  g_assert_cmpuint (jank_work_log_sum (log, 0, 100 * MS, false, works), ==, 0);
  g_assert_cmpuint (jank_work_log_sum (log, 0, G_MAXINT64, false, works), ==, JANK_MAX_WORKS);
}

/* A sample belongs to the dispatch that it was taken in; of short ones that share an entry the other may be meant. */
TEST (find)
{
  g_autofree JankWorkLog *log = g_new0 (JankWorkLog, 1);
  uint32_t row = 0;

  jank_work_log_add (log, 7, 100 * MS, 4 * MS);
  jank_work_log_add (log, 9, 104 * MS, 4 * MS);
  g_assert_false (jank_work_log_find (log, 99 * MS, &row));
  g_assert_true (jank_work_log_find (log, 103 * MS, &row));
  g_assert_cmpuint (row, ==, 7);
  g_assert_true (jank_work_log_find (log, 104 * MS, &row));
  g_assert_cmpuint (row, ==, 9);
  g_assert_false (jank_work_log_find (log, 108 * MS, &row));
  for (guint i = 0; i < 6; i++)
    jank_work_log_add (log, 1 + i / 2 % 2, 200 * MS + i * MS / 2, MS / 2);
  g_assert_false (jank_work_log_find (log, 202 * MS, &row));
}

TESTS ("/observe/work-log")
