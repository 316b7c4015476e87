/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The setting “log”, as a program's own log writer gets it. */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "store/jank-live-private.h"
#include "text/jank-text-report-private.h"

/* What came, written by the errands before the stall's report comes. */
static GMutex mutex;
static GThread *thread;
static GHashTable *fields; /* (owned) */
static guint n_messages;

static GLogWriterOutput
write_cb (GLogLevelFlags level, const GLogField *log_fields, gsize n_fields, gpointer data)
{
  g_mutex_lock (&mutex);
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (log_fields[i].key, "JANKWATCH_REPORT") == 0)
      {
        n_messages++;
        thread = g_thread_self ();
        g_hash_table_remove_all (fields);
        for (gsize k = 0; k < n_fields; k++)
          if (log_fields[k].length < 0)
            g_hash_table_insert (fields, g_strdup (log_fields[k].key), g_strdup (log_fields[k].value));
      }
  g_mutex_unlock (&mutex);
  return G_LOG_WRITER_HANDLED;
}

static const char *
get (const char *key)
{
  const char *value = g_hash_table_lookup (fields, key);

  return value != NULL ? value : "";
}

/* Once a stall, however often it is due again, and not by the thread that hangs. */
static void
test_log (Fixture *fixture, gconstpointer data)
{
  Work work = { .func = monitor_sleep, .duration_ns = 2500 * MS };

  if (!fixture_enter_subprocess ())
    return;
  fields = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_log_set_writer_func (write_cb, NULL, NULL);
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  fixture_await (fixture, 0);

  g_mutex_lock (&mutex);
  g_assert_cmpuint (n_messages, ==, 1);
  g_assert_true (thread != g_thread_self ());
  g_assert_cmpstr (get ("JANKWATCH_KIND"), ==, "stall");
  g_assert_cmpstr (get ("JANKWATCH_REPORT"), ==, jank_report_get_id (g_ptr_array_index (fixture->reports, 0)));
  g_assert_cmpstr (get ("JANKWATCH_CULPRIT"), !=, "");
  g_assert_cmpstr (get ("JANKWATCH_FINGERPRINT"), !=, "");
  g_assert_cmpstr (get ("MESSAGE_ID"), !=, "");
  g_assert_cmpint (g_ascii_strtoll (get ("JANKWATCH_DURATION_NS"), NULL, 10), >=, 80 * MS);
  g_assert_nonnull (strstr (get ("MESSAGE"), "so far"));
  g_mutex_unlock (&mutex);
}

/* Of a report with more than fits into a line. */
static JankReport *
make_gist (void)
{
  g_autoptr (JankReport) report = jank_report_new ();

  report->id = g_strdup ("20260101-000000-1-1");
  report->kind = JANK_REPORT_STALL;
  report->app.pid = 42;
  report->stall.began_monotonic_ns = 7;
  report->stall.duration_ns = 9;
  report->culprit.function = g_strnfill (5000, 'x');
  for (guint i = 0; i < 100; i++)
    {
      JankReportSample *sample = jank_report_sample_new ();

      sample->state = JANK_STATE_BLOCKED;
      sample->weight_ns = 1;
      sample->wait = jank_report_wait_new ();
      sample->wait->kind = g_strdup ("file");
      sample->wait->target = g_strdup_printf ("a\tb\n%u", i);
      g_ptr_array_add (report->samples, sample);
    }
  return jank_text_gist (report);
}

/* A line has the facts of the report, as many as fit; without a reader nothing waits. */
static void
test_lines (void)
{
  static const char *const bad[] = { "", "0", "0 ", "0 {}", "0 {\"schema\":\"jankwatch-report-1\"}", "9 {}", "x" };
  g_autofree char *folder = folder_new ("jank-live");
  g_autofree char *sessions = g_build_filename (folder, "sessions", NULL);
  g_autofree char *path = NULL, *again = NULL;
  g_autoptr (JankReport) gist = make_gist ();
  g_autoptr (JankLive) parsed = NULL;
  char line[8192];
  gssize n;
  int fd, other_fd;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_null (jank_live_parse (bad[i]));
  g_assert_false (jank_live_send (folder, "s", JANK_LIVE_ENDED, gist));
  g_assert_cmpint (g_mkdir_with_parents (sessions, 0700), ==, 0);
  path = jank_live_open (folder, "s", &fd);
  g_assert_nonnull (path);
  again = jank_live_open (folder, "s", &other_fd);
  g_assert_null (again);
  g_assert_true (jank_live_send (folder, "s", JANK_LIVE_ENDED, gist));
  n = read (fd, line, sizeof line);
  g_assert_cmpint (n, >, 0);
  g_assert_true (memchr (line, '\n', (gsize) n) == line + n - 1);
  line[n - 1] = '\0';
  parsed = jank_live_parse (line);
  g_assert_nonnull (parsed);
  g_assert_cmpint (parsed->state, ==, JANK_LIVE_ENDED);
  g_assert_cmpint (parsed->report->app.pid, ==, 42);
  g_assert_cmpint (parsed->report->stall.began_monotonic_ns, ==, 7);
  g_assert_cmpint (parsed->report->stall.duration_ns, ==, 9);
  g_assert_cmpstr (jank_report_get_id (parsed->report), ==, "20260101-000000-1-1");
  g_assert_true (g_str_has_prefix (parsed->report->culprit.function, "xxx"));

  /* A reader that does not read: the lines that do not fit are lost. */
  for (guint i = 0; i < 200; i++)
    jank_live_send (folder, "s", JANK_LIVE_ENDED, gist);
  g_assert_false (jank_live_send (folder, "s", JANK_LIVE_ENDED, gist));
  close (fd);
  folder_remove (folder);
}

int
main (int argc, char **argv)
{
  home_isolate ();
  g_setenv ("JANKWATCH_CONFIG", "log", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/monitor/log/message", Fixture, NULL, fixture_set_up, test_log, fixture_tear_down);
  g_test_add_func ("/monitor/log/lines", test_lines);
  return home_run ();
}
