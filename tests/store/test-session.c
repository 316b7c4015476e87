/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sessions of several processes, merged from their files. */

#include <string.h>
#include <unistd.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "folder.h"
#include "report-fixture.h"
#include "test.h"
#include "store/jank-folder-private.h"
#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"
#include "store/jank-session-private.h"

#define SESSION "20261121-153000-4200"

typedef struct
{
  char *store;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->store = folder_new ("jank-session");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (fixture->store, "sessions", NULL);

  folder_clear (folder);
  g_rmdir (folder);
  g_assert_cmpint (g_rmdir (fixture->store), ==, 0);
  g_free (fixture->store);
}

static JankSession *
new_session (Fixture *fixture, gint pid)
{
  JankSessionApp app = { .name = (char *) "program", .exe = (char *) "/usr/bin/program", .pid = pid };

  return jank_session_new (fixture->store, SESSION, &app, TRUE);
}

static void
add_kind (JankSession *session, JankReportKind kind, const char *id, gint64 duration_ms, JankOutcome outcome)
{
  g_autoptr (JankReport) report = report_fixture_new (id);

  report->kind = kind;
  report->stall.began_monotonic_ns = g_str_hash (id);
  report->stall.duration_ns = duration_ms * JANK_NS_PER_MS;
  report->stall.severity = jank_severity_of (report->stall.duration_ns);
  report->stall.outcome = outcome;
  jank_session_add (session, report);
}

static void
add (JankSession *session, const char *id, gint64 duration_ms, JankOutcome outcome)
{
  add_kind (session, JANK_REPORT_STALL, id, duration_ms, outcome);
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

TEST_WITH (Fixture, set_up, tear_down, fixture, replaces)
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

/* Frames, spins and CPU use are no stalls, though they last longer and may begin when a stall does. */
TEST_WITH (Fixture, set_up, tear_down, fixture, kinds)
{
  g_autoptr (JankSession) session = new_session (fixture, getpid ());
  g_autoptr (JankSessionSummary) summary = NULL;
  g_autoptr (JankSessionSummary) only_others = NULL;

  add_kind (session, JANK_REPORT_SPIN, "20261121-153012-1-1", 9000, JANK_OUTCOME_ONGOING);
  add_kind (session, JANK_REPORT_FRAME, "20261121-153012-1-1", 3000, JANK_OUTCOME_RECOVERED);
  save (session);
  only_others = load (fixture);
  g_assert_cmpuint (only_others->n_stalls, ==, 0);
  g_assert_cmpint (only_others->total_ns, ==, 0);
  g_assert_null (jank_session_summary_worst (only_others));

  add_kind (session, JANK_REPORT_STALL, "20261121-153012-1-1", 200, JANK_OUTCOME_RECOVERED);
  add_kind (session, JANK_REPORT_STARTUP, "20261121-153012-1-2", 400, JANK_OUTCOME_RECOVERED);
  add_kind (session, JANK_REPORT_SPIN, "20261121-153012-1-1", 9900, JANK_OUTCOME_RECOVERED);
  add_kind (session, JANK_REPORT_FRAME, "20261121-153012-1-3", 5000, JANK_OUTCOME_RECOVERED);
  add_kind (session, JANK_REPORT_CPU, "20261121-153012-1-4", 30000, JANK_OUTCOME_RECOVERED);
  save (session);
  summary = load (fixture);
  g_assert_cmpuint (summary->n_stalls, ==, 2);
  g_assert_cmpint (summary->total_ns, ==, 600 * JANK_NS_PER_MS);
  g_assert_cmpuint (summary->stalls->len, ==, 6);
  g_assert_cmpuint (summary->n_reports[JANK_REPORT_STALL], ==, 1);
  g_assert_cmpuint (summary->n_reports[JANK_REPORT_STARTUP], ==, 1);
  g_assert_cmpuint (summary->n_reports[JANK_REPORT_FRAME], ==, 2);
  g_assert_cmpuint (summary->n_reports[JANK_REPORT_SPIN], ==, 1);
  g_assert_cmpuint (summary->n_reports[JANK_REPORT_CPU], ==, 1);
  g_assert_cmpint (jank_session_summary_worst (summary)->kind, ==, JANK_REPORT_STARTUP);
  g_assert_cmpint (jank_session_summary_longest (summary, JANK_REPORT_FRAME)->duration_ns, ==, 5 * JANK_NS_PER_S);
  g_assert_cmpint (jank_session_summary_longest (summary, JANK_REPORT_SPIN)->duration_ns, ==, 9900 * JANK_NS_PER_MS);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, merges)
{
  g_autoptr (JankSession) first = new_session (fixture, getpid ());
  g_autoptr (JankSession) second = new_session (fixture, 2147483647);
  JankSessionSelf self = { .samples = 10, .signals_sent = 7, .no_answer = 1, .wakeups = 20, .cost_ns = 5000 };
  g_autoptr (JankSessionSummary) summary = NULL;

  add (first, "20261121-153012-1-1", 150, JANK_OUTCOME_RECOVERED);
  add (first, "20261121-153012-1-2", 300, JANK_OUTCOME_ONGOING);
  jank_session_get_file (first)->self = self;
  save (first);
  add (second, "20261121-153012-2-1", 6000, JANK_OUTCOME_ONGOING);
  jank_session_get_file (second)->self = self;
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

#define SOURCE \
  "{'name':'timer','function':'tick_cb','priority':-5,'count':7,'total_ns':3000," \
  "'p50_ns':1,'p95_ns':2,'p99_ns':3,'longest_ns':600}"

/* What the files of three processes say, ' for ", and what the session has at each path, before and after redaction. */
typedef struct
{
  const char *name, *files[3], *expected, *redacted;
} Merge;

static const Merge merges[] = {
  { "merges_inputs",
    { "'interactions':{'count':42,'motions':100,'keys':42,'p98_ns':430000000,'longest_ns':612000000,'band':'fair',"
      "'presented':{'count':21,'p98_ns':430000000},'longest':{'kind':'press','waited_ns':612000000,'label':'Open'}}",
      "'interactions':{'count':3,'motions':100,'keys':3,'p98_ns':900000000,'longest_ns':800000000,'band':'poor',"
      "'presented':{'count':1,'p98_ns':900000000},'longest':{'kind':'press','delay_ns':7,'waited_ns':800000000,"
      "'widget':'GtkButton','label':'Save'}}", "" },
    "interactions.count=45; interactions.presented.count=22; interactions.keys=45; interactions.motions=200; "
    "interactions.p98_ns=430000000; interactions.longest_ns=800000000; interactions.band='fair'; "
    "interactions.longest.kind='press'; interactions.longest.waited_ns=800000000; interactions.longest.delay_ns=7; "
    "interactions.longest.label='Save'",
    "interactions.longest.label=; interactions.longest.widget='GtkButton'" },
  /* Those of all processes, with the most time first. */
  { "merges_sources",
    { "'hangs':{'count':1,'total_ns':1000,'watched_ns':10000},'sources':[{'name':'timer','total_ns':1000}]",
      "'hangs':{'count':1,'total_ns':3000,'watched_ns':30000},'sources':[" SOURCE "]", "" },
    "sources[0]=" SOURCE "; sources[1].total_ns=1000; "
    "hangs={'count':2,'total_ns':4000,'watched_ns':40000,'s_per_hour':360.0}", "" },
  /* Counts add up, rates go by active time, percentiles are those of the process with more frames. */
  { "merges_frames",
    { "'frame_clock':{'frames':30,'active_ns':500000000,'hitch_ms_per_s':20,'p50_ns':8,'refresh_ns':8,'late':2,"
      "'dropped':5,'stutter':0.5,'buckets':{'best':{'frames':30}},'presentation':true,'windows':[{}]}",
      "'frame_clock':{'frames':90,'active_ns':1500000000,'hitch_ms_per_s':4,'p50_ns':16,'refresh_ns':16,'late':2,"
      "'dropped':5,'stutter':0.5,'buckets':{'best':{'frames':90}},'presentation':true,'windows':[{}]}", "" },
    "frame_clock.frames=120; frame_clock.active_ns=2000000000; frame_clock.fps=60.0; frame_clock.hitch_ms_per_s=8.0; "
    "frame_clock.hitch_band='warning'; frame_clock.stutter=0.5; frame_clock.late=4; frame_clock.dropped=10; "
    "frame_clock.buckets.best.frames=120; frame_clock.p50_ns=16; frame_clock.refresh_ns=16; "
    "frame_clock.presentation=true; frame_clock.windows[1].frames=0", "" },
};

static void
check_json (const JankSessionSummary *summary, const char *expected)
{
  g_autoptr (JsonNode) root = jank_table_to_node (&jank_session_summary_table, summary);

  report_fixture_check_json (root, expected);
}

/* What is set again replaces what was set before. */
TEST_WITH (Fixture, set_up, tear_down, fixture, writes_inputs)
{
  g_autoptr (JankSession) session = new_session (fixture, getpid ());
  g_autoptr (JankSessionSummary) summary = NULL;
  JankInputFigures figures = {
    .answered = { .n = 41, .p98_ns = 430 * JANK_NS_PER_MS, .longest_ns = 612 * JANK_NS_PER_MS },
    .presented.n = 21, .n_of[JANK_INTERACTION_KEY] = 42, .n_motion = 100,
    .longest = { .kind = JANK_INTERACTION_PRESS, .stamp_ns = 1000, .handled_ns = 1007, .answered_ns = 1612,
                 .widget = "GtkButton", .label = "Open" },
  };

  jank_report_inputs_set (&jank_session_get_file (session)->inputs, &figures);
  figures.answered.n = 42;
  jank_report_inputs_set (&jank_session_get_file (session)->inputs, &figures);
  save (session);
  summary = load (fixture);
  check_json (summary,
              "interactions.count=42; interactions.keys=42; interactions.motions=100; interactions.presented.count=21; "
              "interactions.band='fair'; interactions.p98_ns=430000000; interactions.longest={'kind':'press',"
              "'began_monotonic_ns':1000,'delay_ns':7,'waited_ns':612,'widget':'GtkButton','label':'Open'}");
}

static void
save_text (Fixture *fixture, guint pid, const char *text)
{
  g_autofree char *name = g_strdup_printf (SESSION "-%u", pid);

  g_assert_true (jank_folder_write (fixture->store, JANK_SESSION_FOLDER, name, text, strlen (text), NULL));
}

static void
test_merge (gconstpointer data)
{
  const Merge *self = data;
  Fixture fixture;
  g_autoptr (JankSessionSummary) summary = NULL;

  set_up (&fixture, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (self->files); i++)
    {
      g_autofree char *text = g_strdup_printf ("{'schema':'jankwatch-session-1','session':'" SESSION "','pid':%u%s%s}",
                                               i + 1, *self->files[i] != '\0' ? "," : "", self->files[i]);

      save_text (&fixture, i + 1, g_strdelimit (text, "'", '"'));
    }
  summary = load (&fixture);
  g_assert_cmpuint (summary->processes->len, ==, 3);
  check_json (summary, self->expected);
  jank_table_redact (&jank_session_summary_table, summary);
  check_json (summary, self->redacted);
  tear_down (&fixture, NULL);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, other_sessions)
{
  const char *liar = "{\"schema\":\"jankwatch-session-1\",\"session\":\"other\",\"n_stalls\":9}";
  g_autoptr (JankSessionSummary) summary = NULL;

  g_assert_true (jank_folder_write (fixture->store, JANK_SESSION_FOLDER, SESSION "-1", liar, strlen (liar), NULL));
  g_assert_true (jank_folder_write (fixture->store, JANK_SESSION_FOLDER, SESSION "-2", "{", 1, NULL));
  g_assert_true (jank_folder_write (fixture->store, JANK_SESSION_FOLDER, SESSION "0-3", liar, strlen (liar), NULL));
  summary = load (fixture);
  g_assert_cmpuint (summary->processes->len, ==, 0);
}

/* Numbers beyond all reason add up to a bound, not past it. */
TEST_WITH (Fixture, set_up, tear_down, fixture, saturates)
{
  const char *huge = "{\"schema\":\"jankwatch-session-1\",\"session\":\"" SESSION "\",\"pid\":1,"
                     "\"n_stalls\":9223372036854775807,\"total_ns\":1e300,\"self\":{\"samples\":9223372036854775807},"
                     "\"frame_clock\":{\"frames\":9e18,\"active_ns\":9e18,\"dropped\":9e18,\"windows\":[{}]},"
                     "\"stalls\":[{\"id\":\"x\"},7,null]}";
  g_autoptr (JankSessionSummary) summary = NULL;

  for (guint i = 1; i <= 3; i++)
    save_text (fixture, i, huge);
  summary = load (fixture);
  g_assert_cmpuint (summary->n_stalls, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpint (summary->total_ns, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->self.samples, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->stalls->len, ==, 0);
  g_assert_cmpuint (summary->frame_clock->numbers.counts.frames, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpint (summary->frame_clock->numbers.counts.active_ns, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->frame_clock->numbers.counts.dropped, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->frame_clock->windows->len, ==, 3);
}

/* Files as old as that, so many of n_bytes each, and then a session. Returns: how many are left */
static guint
crowd (Fixture *fixture, guint n_files, gsize n_bytes)
{
  g_autofree char *folder = g_build_filename (fixture->store, "sessions", NULL);
  g_autofree char *oldest = g_build_filename (folder, "old-1.json", NULL);
  g_autoptr (JankSession) session = new_session (fixture, 1);
  g_autoptr (JankSessionSummary) summary = NULL;
  g_autoptr (GPtrArray) entries = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  for (guint i = 1; i <= n_files; i++)
    {
      struct utimbuf times = { 1000000 + i, 1000000 + i };
      g_autofree char *name = g_strdup_printf ("old-%u.json", i), *path = g_build_filename (folder, name, NULL);

      g_assert_true (g_file_set_contents (path, "", 0, NULL));
      g_assert_cmpint (truncate (path, (off_t) n_bytes), ==, 0);
      g_assert_cmpint (utime (path, &times), ==, 0);
    }
  save (session);
  summary = load (fixture);
  g_assert_cmpuint (summary->processes->len, ==, 1);
  g_assert_false (g_file_test (oldest, G_FILE_TEST_EXISTS));
  entries = jank_folder_scan (fixture->store, JANK_SESSION_FOLDER, jank_session_is_file_name, NULL, NULL);
  return entries->len;
}

/* The oldest go first; the new one stays. */
TEST_WITH (Fixture, set_up, tear_down, fixture, bounded_files)
{
  g_assert_cmpuint (crowd (fixture, 1005, 10), ==, 1000);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, bounded_bytes)
{
  g_assert_cmpuint (crowd (fixture, 40, 1 << 20), ==, 32);
}

TESTS_AND_ROWS ("/store/session", merges, test_merge)
