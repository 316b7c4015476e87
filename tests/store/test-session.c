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

static void
set_inputs (JankSession *session, guint64 n, gint64 p98_ms, gint64 longest_ms, const char *label)
{
  JankInputFigures figures = {
    .answered = { .n = n, .p98_ns = p98_ms * JANK_NS_PER_MS, .longest_ns = longest_ms * JANK_NS_PER_MS },
    .presented = { .n = n / 2, .p98_ns = p98_ms * JANK_NS_PER_MS },
    .n_of = { [JANK_INTERACTION_KEY] = n },
    .n_motion = 100,
    .longest = { .kind = JANK_INTERACTION_PRESS, .stamp_ns = 1000 * JANK_NS_PER_MS, .handled_ns = 1007 * JANK_NS_PER_MS,
                 .answered_ns = (1000 + longest_ms) * JANK_NS_PER_MS, .widget = "GtkButton" },
  };

  g_strlcpy (figures.longest.label, label, sizeof figures.longest.label);
  jank_report_inputs_set (&jank_session_get_file (session)->inputs, &figures);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, merges_inputs)
{
  g_autoptr (JankSession) first = new_session (fixture, getpid ()), second = new_session (fixture, 2147483647);
  g_autoptr (JankSession) third = new_session (fixture, 2147483646);
  g_autoptr (JankSessionSummary) summary = NULL;
  const JankReportInputs *inputs;

  set_inputs (first, 41, 430, 612, "Open");
  set_inputs (first, 42, 430, 612, "Open");
  set_inputs (second, 3, 900, 800, "Save");
  save (first);
  save (second);
  save (third); /* without any */

  summary = load (fixture);
  inputs = &summary->inputs;
  g_assert_cmpuint (inputs->answered.n, ==, 45);
  g_assert_cmpuint (inputs->presented.n, ==, 22);
  g_assert_cmpuint (inputs->n_of[JANK_INTERACTION_KEY], ==, 45);
  g_assert_cmpuint (inputs->n_motion, ==, 200);
  g_assert_cmpint (inputs->answered.p98_ns, ==, 430 * JANK_NS_PER_MS);
  g_assert_cmpint (inputs->answered.longest_ns, ==, 800 * JANK_NS_PER_MS);
  g_assert_cmpint (inputs->band, ==, JANK_INPUT_FAIR);
  g_assert_cmpint (inputs->longest.kind, ==, JANK_INTERACTION_PRESS);
  g_assert_cmpint (inputs->longest.waited_ns, ==, 800 * JANK_NS_PER_MS);
  g_assert_cmpint (inputs->longest.delay_ns, ==, 7 * JANK_NS_PER_MS);
  g_assert_cmpstr (inputs->longest.label, ==, "Save");
  jank_table_redact (&jank_session_summary_table, summary);
  g_assert_null (inputs->longest.label);
  g_assert_cmpstr (inputs->longest.widget, ==, "GtkButton");
}

static void
set_frames (JankSession *session, guint64 n_frames, gint64 active_ms, double hitch_ms_per_s, gint64 p50_ms)
{
  g_autofree JankFrameSummary *summary = g_new0 (JankFrameSummary, 1);

  summary->total = (JankFrameNumbers) {
    .frames = n_frames, .active_ns = active_ms * JANK_NS_PER_MS, .fps = JANK_FRAME_NO_FPS,
    .fps_low = JANK_FRAME_NO_FPS, .refresh_ns = p50_ms * JANK_NS_PER_MS, .late = 2, .late_program = 1,
    .late_compositor = 1, .dropped = 5, .stutter = 0.5, .hitch_ms_per_s = hitch_ms_per_s,
    .p50_ns = p50_ms * JANK_NS_PER_MS, .buckets = { { n_frames, 5 } },
  };
  summary->n_windows = 1;
  g_strlcpy (summary->windows[0].name, "window", JANK_FRAME_NAME_N_BYTES);
  summary->windows[0].numbers = summary->total;
  jank_session_set_frames (session, jank_report_frame_clock_from (summary, NULL, TRUE));
}

static void
set_sources (JankSession *session, gint64 total_ns, gint64 longest_ns)
{
  JankSessionSource *source = jank_session_source_new ();
  GPtrArray *sources = g_ptr_array_new_with_free_func (jank_session_source_free);
  JankSessionHangs hangs = { .n_hangs = 1, .hung_ns = total_ns, .watched_ns = 10 * total_ns };

  source->name = g_strdup ("timer");
  source->function = g_strdup ("tick_cb");
  source->priority = -5;
  source->count = 7;
  source->total_ns = total_ns;
  source->longest_ns = longest_ns;
  g_ptr_array_add (sources, source);
  jank_session_set_sources (session, sources);
  jank_session_get_file (session)->hangs = hangs;
}

/* Those of all processes, with the most time first. */
TEST_WITH (Fixture, set_up, tear_down, fixture, merges_sources)
{
  g_autoptr (JankSession) first = new_session (fixture, getpid ());
  g_autoptr (JankSession) second = new_session (fixture, 2147483647);
  g_autoptr (JankSession) without = new_session (fixture, 2147483646);
  g_autoptr (JankSessionSummary) summary = NULL;
  const JankSessionSource *source;

  set_sources (first, JANK_NS_PER_S, 300 * JANK_NS_PER_MS);
  save (first);
  set_sources (second, 3 * JANK_NS_PER_S, 600 * JANK_NS_PER_MS);
  save (second);
  save (without);

  summary = load (fixture);
  g_assert_cmpuint (summary->sources->len, ==, 2);
  source = summary->sources->pdata[0];
  g_assert_cmpstr (source->name, ==, "timer");
  g_assert_cmpstr (source->function, ==, "tick_cb");
  g_assert_cmpint (source->priority, ==, -5);
  g_assert_cmpint (source->count, ==, 7);
  g_assert_cmpint (source->total_ns, ==, 3 * JANK_NS_PER_S);
  g_assert_cmpint (source->longest_ns, ==, 600 * JANK_NS_PER_MS);
  g_assert_cmpint (((JankSessionSource *) summary->sources->pdata[1])->total_ns, ==, JANK_NS_PER_S);

  g_assert_cmpuint (summary->hangs.n_hangs, ==, 2);
  g_assert_cmpint (summary->hangs.hung_ns, ==, 4 * JANK_NS_PER_S);
  g_assert_cmpint (summary->hangs.watched_ns, ==, 40 * JANK_NS_PER_S);
  g_assert_cmpfloat_with_epsilon (jank_session_hang_rate (&summary->hangs), 360, 1e-9);
}

/* Counts add up, rates go by active time, percentiles are those of the process with more frames. */
TEST_WITH (Fixture, set_up, tear_down, fixture, merges_frames)
{
  g_autoptr (JankSession) first = new_session (fixture, getpid ());
  g_autoptr (JankSession) second = new_session (fixture, 2147483647);
  g_autoptr (JankSession) idle = new_session (fixture, 2147483646);
  g_autoptr (JankSessionSummary) summary = NULL;
  const JankFrameNumbers *numbers;

  set_frames (first, 30, 500, 20, 8);
  save (first);
  set_frames (second, 90, 1500, 4, 16);
  save (second);
  save (idle);

  summary = load (fixture);
  g_assert_nonnull (summary->frame_clock);
  numbers = &summary->frame_clock->numbers;
  g_assert_cmpuint (numbers->frames, ==, 120);
  g_assert_cmpint (numbers->active_ns, ==, 2 * JANK_NS_PER_S);
  g_assert_cmpfloat_with_epsilon (numbers->fps, 60.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (numbers->hitch_ms_per_s, 8.0, 1e-9);
  g_assert_cmpint (numbers->hitch_band, ==, JANK_HITCH_WARNING);
  g_assert_cmpfloat_with_epsilon (numbers->stutter, 0.5, 1e-9);
  g_assert_cmpuint (numbers->late, ==, 4);
  g_assert_cmpuint (numbers->dropped, ==, 10);
  g_assert_cmpuint (numbers->buckets[JANK_FRAME_BEST].frames, ==, 120);
  g_assert_cmpint (numbers->p50_ns, ==, 16 * JANK_NS_PER_MS);
  g_assert_cmpint (numbers->refresh_ns, ==, 16 * JANK_NS_PER_MS);
  g_assert_true (summary->frame_clock->has_presentation);
  g_assert_cmpuint (summary->frame_clock->windows->len, ==, 2);
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
    {
      g_autofree char *name = g_strdup_printf (SESSION "-%u", i);

      g_assert_true (jank_folder_write (fixture->store, JANK_SESSION_FOLDER, name, huge, strlen (huge), NULL));
    }
  summary = load (fixture);
  g_assert_cmpuint (summary->n_stalls, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpint (summary->total_ns, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->self.samples, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->stalls->len, ==, 0);
  g_assert_cmpuint (summary->frame_clock->numbers.frames, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpint (summary->frame_clock->numbers.active_ns, ==, JANK_JSON_MAX_COUNT);
  g_assert_cmpuint (summary->frame_clock->numbers.dropped, ==, JANK_JSON_MAX_COUNT);
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

TESTS ("/store/session")
