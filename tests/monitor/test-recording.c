/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "fixture.h"
#include "test.h"
#include "report/jank-report-json-private.h"

/* The program runs on, and its handlers still hear of each stall. What is said of that: module/trouble. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, unwritable_store)
{
  /* Impossible for root, too: a file is no folder. */
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "store", "/proc/self/status/store", NULL));
  fixture_start (fixture->monitor);
  for (guint i = 0; i < 3; i++)
    {
      Work work = { monitor_sleep, 250 * MS };

      fixture_run_work (fixture, &work);
      fixture_await (fixture, i);
    }
}

/* What the store has of those that are like this one. */
static guint
read_count (Fixture *fixture, JankReport *like)
{
  g_autofree char *name = g_strconcat (jank_report_get_id (like), ".json", NULL);
  g_autofree char *path = g_build_filename (fixture->store, name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (JankReport) report = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  report = jank_report_from_json (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_cmpstr (report->fingerprint, ==, like->fingerprint);
  return report->repeats.count;
}

static guint
count_like (const GPtrArray *reports, const JankReport *like, gboolean *ret_is_first)
{
  guint n = 0, first = 0;

  for (guint i = reports->len; i > 0; i--)
    {
      JankReport *report = reports->pdata[i - 1];
      gboolean is_like = g_str_equal (report->fingerprint, like->fingerprint);

      g_assert_true (is_like == g_str_equal (report->id, like->id));
      n += is_like;
      first = is_like ? i - 1 : first;
    }
  *ret_is_first = reports->pdata[first] == like;
  return n;
}

/* As many equal stalls as there are take one file. All are, but for those in which a starved machine let the watcher
 * see nothing, or something else. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, equal_stalls)
{
  const guint n_stalls = 60;
  guint n_files = 0, most = 0;

  g_assert_true (jank_monitor_set_setting (fixture->monitor, "threshold", "20ms", NULL));
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "first-sample", "5ms", NULL));
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "interval", "5ms", NULL));
  fixture_start (fixture->monitor);
  for (guint i = 0; i < n_stalls; i++)
    {
      Work work = { monitor_sleep, 30 * MS };

      fixture_run_work (fixture, &work);
      fixture_await (fixture, i);
    }
  g_assert_cmpuint (fixture->reports->len, >=, n_stalls);
  jank_monitor_stop (fixture->monitor);

  for (guint i = 0; i < fixture->reports->len; i++)
    {
      gboolean is_first;
      guint n = count_like (fixture->reports, fixture->reports->pdata[i], &is_first);

      n_files += is_first;
      most = MAX (most, n);
      /* The store may have one more, which came when nobody turned the loop any more. */
      g_assert_cmpuint (read_count (fixture, fixture->reports->pdata[i]), >=, n);
      g_assert_cmpuint (read_count (fixture, fixture->reports->pdata[i]), <=, n + 1);
    }
  g_test_message ("%u of %u in one file", most, fixture->reports->len);
  g_assert_cmpuint (most, >, n_stalls / 2);
  g_assert_cmpuint (folder_clear (fixture->store), <=, n_files + 1);
}

TESTS_AT_HOME ("/monitor/recording")
