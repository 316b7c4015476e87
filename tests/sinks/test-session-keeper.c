/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the session says of reports of each kind. */

#include "base/jank-clock-private.h"
#include "settings/jank-settings-private.h"
#include "fixture.h"
#include "sinks/jank-program-private.h"
#include "test.h"
#include "sinks/jank-sinks-private.h"
#include "report/jank-report-private.h"
#include "store/jank-session-private.h"

#define SESSION "20261121-153000-4200"

static void
add (JankSessionKeeper *keeper, JankRecord *record, JankReportKind kind, gint64 began_ns, gint64 duration_ms)
{
  g_autoptr (JankReport) report = jank_report_new ();

  report->id = g_strdup_printf ("20261121-153012-1-%d", (gint) began_ns);
  report->kind = kind;
  report->stall.began_monotonic_ns = began_ns;
  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS / 2;
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  jank_session_keeper_sink.ongoing (keeper, record, report);
  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS;
  report->stall.outcome = JANK_OUTCOME_RECOVERED;
  jank_session_keeper_sink.ended (keeper, record, NULL, report);
}

/* Only time in which the loop did not turn counts as hung. */
TEST (hang_rate)
{
  g_autofree char *store = folder_new ("jank-keeper");
  JankSessionKeeper *keeper = jank_session_keeper_new (store, SESSION, 0, NULL, NULL, NULL);
  g_autoptr (JankProgram) program = jank_program_new ();
  g_autoptr (JankSessionSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JankSettings) settings = jank_settings_new ();
  JankRecord record = { .program = program, .settings = settings };

  add (keeper, &record, JANK_REPORT_SPIN, 1, 60000);
  add (keeper, &record, JANK_REPORT_CPU, 1, 50000);
  add (keeper, &record, JANK_REPORT_FRAME, 1, 3000);
  add (keeper, &record, JANK_REPORT_STALL, 1, 400);
  add (keeper, &record, JANK_REPORT_STALL, 2, 200);
  add (keeper, &record, JANK_REPORT_STARTUP, 3, 300);
  jank_session_keeper_sink.exiting (keeper, &record);
  g_assert_no_error (record.error);

  summary = jank_session_load (store, SESSION, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (summary->hangs.n_hangs, ==, 2);
  g_assert_cmpint (summary->hangs.hung_ns, ==, 700 * JANK_NS_PER_MS);
  g_assert_cmpuint (summary->n_stalls, ==, 3);
  g_assert_cmpint (summary->total_ns, ==, 900 * JANK_NS_PER_MS);
  g_assert_cmpuint (summary->stalls->len, ==, 6);
  jank_session_keeper_sink.free (keeper);
  folder_remove (store);
}

static gboolean
has_files (const char *store)
{
  g_autofree char *path = g_build_filename (store, "sessions", NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Without `jankwatch run`, hours and hangs are kept in a session of its own. It asks for no look at an idle program,
 * and a short life without a stall leaves no file. */
TEST (own_session)
{
  g_autofree char *store = folder_new ("jank-keeper");
  gint64 now_ns = jank_clock_now_ns (), minutes_ns = 60 * JANK_NS_PER_S, due_ns = 0;
  JankSessionKeeper *keeper = jank_session_keeper_new (store, NULL, now_ns - 11 * minutes_ns, NULL, NULL, NULL);
  g_autofree char *name = g_strdup (jank_session_keeper_get_name (keeper));
  g_autoptr (JankProgram) program = jank_program_new ();
  g_autoptr (JankSessionSummary) calm = NULL, summary = NULL;
  g_autoptr (JankSettings) settings = jank_settings_new ();
  g_autoptr (GError) error = NULL;
  JankRecord record = { .program = program, .settings = settings };

  g_assert_true (jank_session_is_name (name));
  jank_session_keeper_sink.started (keeper, &record);
  g_assert_false (has_files (store));
  jank_session_keeper_sink.tick (keeper, &record, now_ns - 2 * minutes_ns, &due_ns);
  g_assert_false (has_files (store));
  jank_session_keeper_sink.tick (keeper, &record, now_ns, &due_ns);
  g_assert_cmpint (due_ns, ==, 0);
  calm = jank_session_load (store, name, &error);
  g_assert_no_error (error);
  g_assert_cmpint (calm->hangs.watched_ns, >=, 11 * minutes_ns);
  g_assert_cmpuint (calm->hangs.n_hangs, ==, 0);

  add (keeper, &record, JANK_REPORT_STALL, 1, 400);
  add (keeper, &record, JANK_REPORT_STALL, 2, 200);
  jank_session_keeper_sink.exiting (keeper, &record);
  g_assert_no_error (record.error);
  summary = jank_session_load (store, name, &error);
  g_assert_no_error (error);
  g_assert_cmpint (summary->hangs.hung_ns, ==, 400 * JANK_NS_PER_MS);
  g_assert_cmpuint (summary->n_stalls, ==, 2);
  g_assert_cmpuint (summary->stalls->len, ==, 0);
  jank_session_keeper_sink.free (keeper);
  folder_remove (store);

  keeper = jank_session_keeper_new (store, NULL, jank_clock_now_ns (), NULL, NULL, NULL);
  jank_session_keeper_sink.started (keeper, &record);
  jank_session_keeper_sink.exiting (keeper, &record);
  g_assert_false (has_files (store));
  jank_session_keeper_sink.free (keeper);
}

/* A store that cannot be written is said at the first report, not at the end of a program that had none. */
TEST (own_session_nowhere)
{
  JankSessionKeeper *keeper = jank_session_keeper_new ("/proc/no/store", NULL, 1, NULL, NULL, NULL);
  g_autoptr (JankProgram) program = jank_program_new ();
  g_autoptr (JankSettings) settings = jank_settings_new ();
  JankRecord record = { .program = program, .settings = settings };

  jank_session_keeper_sink.started (keeper, &record);
  jank_session_keeper_sink.exiting (keeper, &record);
  g_assert_no_error (record.error);
  jank_session_keeper_sink.free (keeper);
}

TESTS_AT_HOME ("/sinks/session-keeper")
