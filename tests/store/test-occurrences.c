/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of many stalls reach the disk: on the real store, fed with reports made by hand. */

#include <unistd.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "folder.h"
#include "report-fixture.h"
#include "test.h"
#include "store/jank-occurrences-private.h"
#include "store-list.h"

#define MS JANK_NS_PER_MS
#define N_STALLS 10000

typedef struct
{
  char            *folder;
  JankSettings    *settings;
  JankStore       *store;
  JankOccurrences *occurrences;
  gint64           now_ns;
  gint64           real_us; /* when now_ns was 0 */
} Fixture;

/* In memory where there is such a folder: of tens of thousands of files a disk makes a minute. */
static char *
make_folder (void)
{
  const char *parent = g_access ("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : g_get_tmp_dir ();
  char *folder = g_build_filename (parent, "jank-occurrences-XXXXXX", NULL);

  g_assert_nonnull (g_mkdtemp (folder));
  return folder;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = make_folder ();
  fixture->settings = jank_settings_new ();
  fixture->settings->max_per_session = 100000;
  fixture->store = jank_store_new (fixture->folder, fixture->settings->max_reports, fixture->settings->max_bytes);
  fixture->occurrences = jank_occurrences_new (fixture->store, fixture->settings);
  fixture->now_ns = 5000 * JANK_NS_PER_S;
  fixture->real_us = g_get_real_time ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  jank_occurrences_free (fixture->occurrences);
  jank_store_free (fixture->store);
  jank_settings_free (fixture->settings);
  folder_remove (fixture->folder);
  g_free (fixture->folder);
}

/* A process of its own on the same store. */
static void
begin_again (Fixture *fixture)
{
  jank_occurrences_free (fixture->occurrences);
  fixture->occurrences = jank_occurrences_new (fixture->store, fixture->settings);
}

/* Its culprit is function; it began when the fixture's clock said so less its duration. */
static JankReport *
new_report (Fixture *fixture, const char *function, gint64 duration_ms)
{
  JankReport *report = report_fixture_new (NULL);
  JankReportCall *frame = g_ptr_array_index (report->calls, 10);

  g_clear_pointer (&report->limit.reached, g_free);
  report->limit.count = 0;
  report->repeats.count = 1;
  report->app.pid = getpid ();
  jank_set_text (&frame->symbol, function);
  jank_set_text (&report->culprit.function, function);
  report->stall.duration_ns = duration_ms * MS;
  report->stall.began_monotonic_ns = fixture->now_ns - report->stall.duration_ns;
  report->stall.began_real_us = fixture->real_us + fixture->now_ns / 1000;
  return report;
}

static JankOccurrence
end (Fixture *fixture, const char *function, gint64 duration_ms)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankReport) report = NULL;
  JankOccurrence occurrence;

  fixture->now_ns += duration_ms * MS + 10 * MS;
  report = new_report (fixture, function, duration_ms);
  occurrence = jank_occurrences_ended (fixture->occurrences, report, fixture->now_ns, &error);
  g_assert_no_error (error);
  g_assert_nonnull (report->id);
  return occurrence;
}

/* At duration_ms of a stall that began at began_ns. */
static char *
go_on (Fixture *fixture, const char *function, gint64 began_ns, gint64 duration_ms)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JankReport) report = NULL;

  fixture->now_ns = began_ns + duration_ms * MS;
  report = new_report (fixture, function, duration_ms);
  report->stall.outcome = JANK_OUTCOME_ONGOING;
  jank_occurrences_ongoing (fixture->occurrences, report, &error);
  g_assert_no_error (error);
  return g_strdup (report->id);
}

static void
flush (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  jank_occurrences_flush (fixture->occurrences, &error);
  g_assert_no_error (error);
}

static GPtrArray *
list (Fixture *fixture)
{
  guint n_skipped = 0;
  GPtrArray *reports = store_list (fixture->store, &n_skipped, NULL);

  g_assert_nonnull (reports);
  g_assert_cmpuint (n_skipped, ==, 0);
  return reports;
}

/* Stalls in [from_ns, to_ns). */
static guint
count_lengths (const JankReport *report, gint64 from_ns, gint64 to_ns)
{
  guint n = 0;

  for (guint i = 0; i < report->repeats.lengths->len; i++)
    {
      const JankReportLength *length = &g_array_index (report->repeats.lengths, JankReportLength, i);

      n += length->ns >= from_ns && length->ns < to_ns ? length->count : 0;
    }
  return n;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, same)
{
  g_autoptr (GPtrArray) reports = NULL;
  const JankReport *report;

  for (guint i = 0; i < N_STALLS; i++)
    g_assert_cmpint (end (fixture, "compute_primes", 100 + i % 100), ==,
                     i == 0 ? JANK_OCCURRENCE_NEW : JANK_OCCURRENCE_AGAIN);
  flush (fixture);

  g_assert_cmpuint (jank_occurrences_get_n_writes (fixture->occurrences), <=, 40);
  reports = list (fixture);
  g_assert_cmpuint (reports->len, ==, 1);
  report = g_ptr_array_index (reports, 0);
  g_assert_cmpuint (report->repeats.count, ==, N_STALLS);
  g_assert_cmpint (report->repeats.total_ns, ==, (gint64) N_STALLS / 100 * (100 * 100 + 99 * 100 / 2) * MS);
  g_assert_cmpint (report->repeats.longest_ns, ==, 199 * MS);
  g_assert_cmpint (report->repeats.p95_ns, >=, 191 * MS);
  g_assert_cmpint (report->repeats.p95_ns, <=, 198 * MS);
  g_assert_cmpuint (count_lengths (report, 0, G_MAXINT64), ==, N_STALLS);
  g_assert_cmpuint (count_lengths (report, 100 * MS, 150 * MS), >=, N_STALLS * 48 / 100);
  g_assert_cmpuint (count_lengths (report, 100 * MS, 150 * MS), <=, N_STALLS * 52 / 100);
  g_assert_cmpint (report->repeats.first_real_us, <, report->repeats.last_real_us);
  /* What is kept is the longest. */
  g_assert_cmpint (report->stall.duration_ns, ==, 199 * MS);
}

/* At a power of two, on a new longest stall, and not twice a second; what had to wait comes with the next one, or with
 * the end. */
TEST_WITH (Fixture, set_up, tear_down, fixture, pace)
{
  static const struct { gint64 pause_ms, duration_ms; guint count; gint64 kept_ms; } steps[] = {
    { 0, 100, 1, 100 },      /* new */
    { 2000, 100, 2, 100 },   /* a power of two */
    { 2000, 100, 2, 100 },   /* neither */
    { 100, 300, 4, 300 },    /* longest, and a power of two */
    { 0, 400, 4, 300 },      /* longest, too soon */
    { 0, 200, 4, 300 },      /* too soon */
    { 2000, 200, 7, 400 },   /* the longest that waited */
    { 0, 500, 7, 400 },      /* too soon; at the end */
  };
  g_autoptr (JankReport) last = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (GPtrArray) reports = NULL;
      JankReport *report;

      fixture->now_ns += steps[i].pause_ms * MS;
      end (fixture, "same", steps[i].duration_ms);
      reports = list (fixture);
      g_assert_cmpuint (reports->len, ==, 1);
      report = g_ptr_array_index (reports, 0);
      g_test_message ("step %u", i);
      g_assert_cmpuint (report->repeats.count, ==, steps[i].count);
      g_assert_cmpint (report->stall.duration_ns, ==, steps[i].kept_ms * MS);
    }
  flush (fixture);
  last = jank_store_load (fixture->store, "latest", NULL);
  g_assert_cmpuint (last->repeats.count, ==, G_N_ELEMENTS (steps));
  g_assert_cmpint (last->repeats.longest_ns, ==, 500 * MS);
  g_assert_cmpint (last->stall.duration_ns, ==, 500 * MS);
}

/* Without annealing each has a file, also one that was ongoing, up to the limits. */
TEST_WITH (Fixture, set_up, tear_down, fixture, alone)
{
  g_autofree char *ongoing_id = NULL;
  g_autoptr (GPtrArray) reports = NULL;
  gint64 began_ns;

  fixture->settings->annealing = FALSE;
  fixture->settings->max_per_session = 5;
  begin_again (fixture);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (end (fixture, "same", 100 + i), ==, JANK_OCCURRENCE_NEW);
  began_ns = fixture->now_ns + MS;
  ongoing_id = go_on (fixture, "same", began_ns, 3000);
  fixture->now_ns = began_ns + 4000 * MS - (4000 * MS + 10 * MS);
  g_assert_cmpint (end (fixture, "same", 4000), ==, JANK_OCCURRENCE_NEW);
  g_assert_cmpint (end (fixture, "same", 100), ==, JANK_OCCURRENCE_LIMITED);
  flush (fixture);

  reports = list (fixture);
  g_assert_cmpuint (reports->len, ==, 5);
  for (guint i = 0; i < reports->len; i++)
    g_assert_cmpuint (((JankReport *) reports->pdata[i])->repeats.count, ==, 1);
  g_assert_cmpstr (((JankReport *) reports->pdata[0])->id, ==, ongoing_id);
  g_assert_cmpint (((JankReport *) reports->pdata[0])->stall.duration_ns, ==, 4000 * MS);
}

/* Every time, into one file, which is then the fingerprint's: also when the heaviest stack has become another. */
TEST_WITH (Fixture, set_up, tear_down, fixture, ongoing)
{
  gint64 began_ns = fixture->now_ns;
  g_autofree char *id = go_on (fixture, "first", began_ns, 100);
  g_autofree char *again = go_on (fixture, "second", began_ns, 30200);
  g_autoptr (GPtrArray) under_way = list (fixture), reports = NULL;

  g_assert_cmpstr (again, ==, id);
  g_assert_cmpuint (jank_occurrences_get_n_writes (fixture->occurrences), ==, 2);
  g_assert_cmpuint (under_way->len, ==, 1);
  g_assert_cmpint (((JankReport *) under_way->pdata[0])->stall.duration_ns, ==, 30200 * MS);
  fixture->now_ns = began_ns - 10 * MS;
  end (fixture, "second", 31000);

  reports = list (fixture);
  g_assert_cmpuint (reports->len, ==, 1);
  g_assert_cmpstr (jank_report_get_id (reports->pdata[0]), ==, id);
  g_assert_cmpint (jank_report_get_outcome (reports->pdata[0]), ==, JANK_OUTCOME_RECOVERED);
  g_assert_cmpuint (((JankReport *) reports->pdata[0])->repeats.count, ==, 1);
}

/* A stall of a known culprit is on disk on its own as soon as it is the longest, or lasts a second. */
TEST_WITH (Fixture, set_up, tear_down, fixture, ongoing_again)
{
  gint64 began_ns;
  g_autofree char *first_id = NULL, *id = NULL;
  g_autoptr (GPtrArray) under_way = NULL, ended = NULL;

  end (fixture, "first", 500);
  began_ns = fixture->now_ns + 10 * MS;
  first_id = go_on (fixture, "first", began_ns, 100);
  g_assert_cmpuint (jank_occurrences_get_n_writes (fixture->occurrences), ==, 1);
  g_free (go_on (fixture, "first", began_ns, 600));
  g_assert_cmpuint (jank_occurrences_get_n_writes (fixture->occurrences), ==, 2);
  id = go_on (fixture, "first", began_ns, 2000);
  g_assert_cmpstr (id, !=, first_id);
  under_way = list (fixture);
  g_assert_cmpuint (under_way->len, ==, 2);
  g_assert_cmpint (jank_report_get_outcome (under_way->pdata[0]), ==, JANK_OUTCOME_ONGOING);

  fixture->now_ns = began_ns - 10 * MS;
  g_assert_cmpint (end (fixture, "first", 2500), ==, JANK_OCCURRENCE_AGAIN);
  ended = list (fixture);
  g_assert_cmpuint (ended->len, ==, 1);
  g_assert_cmpstr (jank_report_get_id (ended->pdata[0]), ==, first_id);
  g_assert_cmpuint (((JankReport *) ended->pdata[0])->repeats.count, ==, 2);
  g_assert_cmpint (jank_report_get_duration_ns (ended->pdata[0]), ==, 2500 * MS);

  /* Not the longest, but a second long. */
  began_ns = fixture->now_ns + 10 * MS;
  g_free (go_on (fixture, "first", began_ns, 900));
  g_free (go_on (fixture, "first", began_ns, 1100));
  g_ptr_array_unref (g_steal_pointer (&under_way));
  under_way = list (fixture);
  g_assert_cmpuint (under_way->len, ==, 2);
  g_assert_cmpint (jank_report_get_duration_ns (under_way->pdata[0]), ==, 1100 * MS);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, session_limit)
{
  g_autoptr (GPtrArray) reports = NULL;
  const JankReport *newest;

  fixture->settings->max_per_session = 3;
  begin_again (fixture);
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *function = g_strdup_printf ("function_%u", i);

      g_assert_cmpint (end (fixture, function, 100), ==, i < 3 ? JANK_OCCURRENCE_NEW : JANK_OCCURRENCE_LIMITED);
    }
  /* Those that have a file are counted on. */
  g_assert_cmpint (end (fixture, "function_1", 200), ==, JANK_OCCURRENCE_AGAIN);
  flush (fixture);

  reports = list (fixture);
  g_assert_cmpuint (reports->len, ==, 3);
  g_assert_cmpuint (((JankReport *) reports->pdata[1])->repeats.count, ==, 2);
  newest = g_ptr_array_index (reports, 0);
  g_assert_cmpstr (newest->limit.reached, ==, "session");
  g_assert_cmpuint (newest->limit.count, ==, 47);
  g_assert_cmpint (newest->limit.total_ns, ==, 4700 * MS);
}

/* Somebody removes files, or the disk is full: what is counted stays. */
TEST_WITH (Fixture, set_up, tear_down, fixture, removed)
{
  g_autoptr (GPtrArray) before = NULL, after = NULL;

  end (fixture, "first", 100);
  before = list (fixture);
  g_assert_true (jank_store_remove (fixture->store, jank_report_get_id (before->pdata[0]), NULL));
  fixture->now_ns += JANK_NS_PER_S;
  end (fixture, "first", 100);
  after = list (fixture);
  g_assert_cmpuint (after->len, ==, 1);
  g_assert_cmpuint (((JankReport *) after->pdata[0])->repeats.count, ==, 2);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, unwritable)
{
  g_autofree char *file = g_build_filename (fixture->folder, "file", NULL);
  g_autofree char *impossible = g_build_filename (file, "store", NULL);
  g_autoptr (JankReport) report = new_report (fixture, "first", 100), again = new_report (fixture, "first", 100);
  g_autoptr (GError) error = NULL;
  g_autoptr (JankStore) store = jank_store_new (impossible, 10, 1 << 20);
  g_autoptr (JankOccurrences) occurrences = jank_occurrences_new (store, fixture->settings);

  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  g_assert_cmpint (jank_occurrences_ended (occurrences, report, fixture->now_ns, &error), ==, JANK_OCCURRENCE_NEW);
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_cmpint (jank_occurrences_ended (occurrences, again, fixture->now_ns, &error), ==, JANK_OCCURRENCE_AGAIN);
  g_assert_cmpuint (again->repeats.count, ==, 2);
}

TESTS ("/store/occurrences")
