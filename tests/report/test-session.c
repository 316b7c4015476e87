/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sessions of several processes, merged from their files. */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "report-fixture.h"
#include "report/jank-folder-private.h"
#include "report/jank-json-private.h"
#include "report/jank-session-private.h"

#define SESSION "20261121-153000-4200"

typedef struct
{
  char *store;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->store = g_dir_make_tmp ("jank-session-XXXXXX", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->store, "sessions", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_assert_cmpint (g_rmdir (fixture->store), ==, 0);
  g_free (fixture->store);
}

static JankSession *
new_session (Fixture *fixture, gint pid)
{
  JankSessionApp app = { .name = (char *) "program", .exe = (char *) "/usr/bin/program", .pid = pid };

  return jank_session_new (fixture->store, SESSION, &app);
}

static void
add (JankSession *session, const char *id, gint64 duration_ms, JankOutcome outcome)
{
  g_autoptr (JankReport) report = report_fixture_new (id);

  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS;
  report->stall.severity = jank_severity_of (report->stall.duration_ns);
  report->stall.outcome = outcome;
  jank_session_add (session, report);
}

static void
save (JankSession *session)
{
  g_autoptr (GError) error = NULL;

  jank_session_save (session, &error);
  g_assert_no_error (error);
}

static JankSessionSummary *
load (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  JankSessionSummary *summary = jank_session_load (fixture->store, SESSION, &error);

  g_assert_no_error (error);
  return summary;
}

static void
test_unwatched (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JankSessionSummary) summary = load (fixture);

  g_assert_cmpuint (summary->processes->len, ==, 0);
  g_assert_cmpuint (summary->n_stalls, ==, 0);
  g_assert_null (jank_session_summary_worst (summary));
}

static void
test_no_stall (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JankSession) session = new_session (fixture, getpid ());
  g_autoptr (JankSessionSummary) summary = NULL;

  save (session);
  summary = load (fixture);
  g_assert_cmpuint (summary->processes->len, ==, 1);
  g_assert_cmpuint (summary->n_stalls, ==, 0);
}

static void
test_replaces (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JankSession) session = new_session (fixture, getpid ());
  g_autoptr (JankSessionSummary) summary = NULL;
  const JankSessionStall *stall;

  add (session, "20261121-153012-1-1", 150, JANK_OUTCOME_ONGOING);
  add (session, "20261121-153012-1-1", 900, JANK_OUTCOME_RECOVERED);
  save (session);
  summary = load (fixture);
  g_assert_cmpuint (summary->n_stalls, ==, 1);
  g_assert_cmpint (summary->total_ns, ==, 900 * JANK_NS_PER_MS);
  stall = jank_session_summary_worst (summary);
  g_assert_cmpint (stall->outcome, ==, JANK_OUTCOME_RECOVERED);
  g_assert_cmpint (stall->severity, ==, JANK_SEVERITY_HANG);
  g_assert_cmpstr (stall->culprit, ==, "compute_primes");
}

static void
test_merges (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JankSession) first = new_session (fixture, getpid ());
  g_autoptr (JankSession) second = new_session (fixture, 2147483647);
  JankSessionSelf self = { .samples = 10, .signals_sent = 7, .no_answer = 1, .wakeups = 20, .cost_ns = 5000 };
  g_autoptr (JankSessionSummary) summary = NULL;

  add (first, "20261121-153012-1-1", 150, JANK_OUTCOME_RECOVERED);
  add (first, "20261121-153012-1-2", 300, JANK_OUTCOME_ONGOING);
  jank_session_set_self (first, &self);
  save (first);
  add (second, "20261121-153012-2-1", 6000, JANK_OUTCOME_ONGOING);
  jank_session_set_self (second, &self);
  save (second);

  summary = load (fixture);
  g_assert_cmpuint (summary->processes->len, ==, 2);
  g_assert_cmpuint (summary->n_stalls, ==, 3);
  g_assert_cmpint (summary->total_ns, ==, 6450 * JANK_NS_PER_MS);
  g_assert_cmpuint (summary->self.samples, ==, 20);
  g_assert_cmpuint (summary->self.no_answer, ==, 2);
  g_assert_cmpint (summary->self.cost_ns, ==, 10000);
  g_assert_cmpstr (jank_session_summary_worst (summary)->id, ==, "20261121-153012-2-1");
  g_assert_cmpint (jank_session_summary_worst (summary)->outcome, ==, JANK_OUTCOME_KILLED);
  g_assert_cmpint (((JankSessionStall *) summary->stalls->pdata[1])->outcome, ==, JANK_OUTCOME_ONGOING);
}

static void
test_other_sessions (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->store, "sessions", NULL);
  const char *liar = "{\"schema\":\"jankwatch-session-1\",\"session\":\"other\",\"n_stalls\":9}";
  g_autoptr (JankSessionSummary) summary = NULL;

  g_assert_true (jank_folder_write (folder, SESSION "-1", liar, strlen (liar), NULL));
  g_assert_true (jank_folder_write (folder, SESSION "-2", "{", 1, NULL));
  g_assert_true (jank_folder_write (folder, SESSION "0-3", liar, strlen (liar), NULL));
  summary = load (fixture);
  g_assert_cmpuint (summary->processes->len, ==, 0);
}

/* Numbers beyond all reason add up to a bound, not past it. */
static void
test_saturates (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->store, "sessions", NULL);
  const char *huge = "{\"schema\":\"jankwatch-session-1\",\"session\":\"" SESSION "\",\"pid\":1,"
                     "\"n_stalls\":9223372036854775807,\"total_ns\":1e300,\"self\":{\"samples\":9223372036854775807},"
                     "\"stalls\":[{\"id\":\"x\"},7,null]}";
  g_autoptr (JankSessionSummary) summary = NULL;

  for (guint i = 1; i <= 3; i++)
    {
      g_autofree char *name = g_strdup_printf (SESSION "-%u", i);

      g_assert_true (jank_folder_write (folder, name, huge, strlen (huge), NULL));
    }
  summary = load (fixture);
  g_assert_cmpuint (summary->n_stalls, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpint (summary->total_ns, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->self.samples, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->stalls->len, ==, 0);
}

static void
test_many_stalls (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JankSession) session = new_session (fixture, getpid ());
  g_autoptr (JankSessionSummary) summary = NULL;

  for (guint i = 1; i <= 1500; i++)
    {
      g_autofree char *id = g_strdup_printf ("20261121-153012-1-%u", i);

      add (session, id, 100, JANK_OUTCOME_ONGOING);
      add (session, id, 200, JANK_OUTCOME_RECOVERED);
    }
  save (session);
  summary = load (fixture);
  g_assert_cmpuint (summary->n_stalls, ==, 1500);
  g_assert_cmpuint (summary->stalls->len, ==, JANK_SESSION_MAX_STALLS);
  g_assert_cmpint (summary->total_ns, ==, 1500 * 200 * JANK_NS_PER_MS);
}

static void
test_bounded_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->store, "sessions", NULL);
  g_autoptr (GPtrArray) entries = NULL;

  for (gint i = 1; i <= 70; i++)
    {
      g_autoptr (JankSession) session = new_session (fixture, i);

      save (session);
    }
  entries = jank_folder_scan (folder, jank_session_is_file_name, NULL, NULL);
  g_assert_cmpuint (entries->len, ==, 50);
}

static void
test_bad_name (Fixture *fixture, gconstpointer data)
{
  JankSessionApp app = { .pid = 1 };
  g_autoptr (JankSession) session = jank_session_new (fixture->store, "../../x", &app);
  g_autoptr (GError) error = NULL;

  g_assert_false (jank_session_save (session, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
  g_assert_true (jank_session_is_name (SESSION));
  g_assert_false (jank_session_is_name (""));
}

static void
test_summary_json (Fixture *fixture, gconstpointer data)
{
  const char *const command[] = { "pro\xffgram", "--option", NULL };
  g_autoptr (JankSession) session = new_session (fixture, getpid ());
  g_autoptr (JankSessionSummary) summary = NULL;
  g_autoptr (JsonNode) node = NULL;
  JsonObject *root;

  add (session, "20261121-153012-1-1", 900, JANK_OUTCOME_RECOVERED);
  save (session);
  summary = load (fixture);
  node = jank_session_summary_to_node (summary, command, 3);
  root = json_node_get_object (node);
  g_assert_cmpstr (jank_json_get_text (root, "schema"), ==, "jankwatch-session-1");
  g_assert_cmpint (jank_json_get_count (root, "exit_status"), ==, 3);
  g_assert_cmpint (jank_json_get_count (root, "total_ns"), ==, 900 * JANK_NS_PER_MS);
  g_assert_cmpuint (json_array_get_length (jank_json_get_array (root, "command")), ==, 2);
  g_assert_cmpuint (json_array_get_length (jank_json_get_array (root, "processes")), ==, 1);
}

int
main (int argc, char **argv)
{
  static const struct { const char *path; void (*run) (Fixture *fixture, gconstpointer data); } tests[] = {
    { "/report/session/unwatched", test_unwatched },
    { "/report/session/no-stall", test_no_stall },
    { "/report/session/replaces", test_replaces },
    { "/report/session/merges", test_merges },
    { "/report/session/other-sessions", test_other_sessions },
    { "/report/session/saturates", test_saturates },
    { "/report/session/many-stalls", test_many_stalls },
    { "/report/session/bounded-files", test_bounded_files },
    { "/report/session/bad-name", test_bad_name },
    { "/report/session/summary-json", test_summary_json },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
