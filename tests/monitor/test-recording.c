/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "test.h"
#include "report/jank-report-json-private.h"

static int said; /* the end of a pipe that stands for a terminal */

/* The program's log is not for us. */
static GLogWriterOutput
refuse_ours (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "GLIB_DOMAIN"))
      g_assert_cmpstr (fields[i].value, !=, "jankwatch");
  return g_log_writer_default (level, fields, n_fields, data);
}

static void
listen_to_stderr (void)
{
  gint ends[2];

  g_assert_no_errno (pipe2 (ends, O_CLOEXEC));
  g_assert_no_errno (dup2 (ends[1], STDERR_FILENO));
  close (ends[1]);
  said = ends[0];
  g_log_set_writer_func (refuse_ours, NULL, NULL);
}

static guint
count_lines (void)
{
  static const struct timespec at_once;
  struct pollfd end = { said, POLLIN, 0 };
  guint n_lines = 0;
  char c;

  while (ppoll (&end, 1, &at_once, NULL) == 1 && read (said, &c, 1) == 1)
    n_lines += c == '\n';
  return n_lines;
}

/* Said once; the program runs on, and its handlers still hear of each stall. */
TEST (unwritable_store)
{
  Fixture fixture = { 0 };
  g_autofree char *impossible = NULL;

  if (!fixture_enter_subprocess ())
    return;

  listen_to_stderr ();
  fixture_set_up (&fixture, NULL);
  /* Impossible for root, too: a file is no folder. */
  impossible = g_build_filename ("/proc/self/status", "store", NULL);
  g_assert_true (jank_monitor_set_setting (fixture.monitor, "store", impossible, NULL));
  fixture_start (fixture.monitor);
  for (guint i = 0; i < 3; i++)
    {
      Work work = { monitor_sleep, 250 * MS };

      fixture_run_work (&fixture, &work);
      fixture_await (&fixture, i);
    }
  g_assert_cmpuint (count_lines (), ==, 1);
  fixture_tear_down (&fixture, NULL);
}

/* Bad settings of the user: a message each, and the program's own way. */
TEST (bad_environment)
{
  Fixture fixture = { 0 };

  if (!fixture_enter_subprocess ())
    return;

  listen_to_stderr ();
  g_setenv ("JANKWATCH_CONFIG", "threshold=soon,colour=red", TRUE);
  fixture_set_up (&fixture, NULL);
  g_assert_cmpuint (count_lines (), ==, 2);
  fixture_start (fixture.monitor);
  fixture_tear_down (&fixture, NULL);
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
