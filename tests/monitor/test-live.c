/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings of a monitor that runs, and pausing it. */

#include <string.h>

#include "fixture.h"
#include "test.h"

/* So long after a change nothing that is done comes before it. */
#define SETTLE_NS (50 * MS)

static void
set (Fixture *fixture, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (jank_monitor_set_setting (fixture->monitor, key, value, &error));
  g_assert_no_error (error);
  fixture_turn (fixture, SETTLE_NS);
}

static void
stall (Fixture *fixture, gint64 duration_ns)
{
  Work work = { monitor_sleep, duration_ns };

  fixture_run_work (fixture, &work);
  fixture_turn (fixture, SETTLE_NS);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, threshold)
{
  g_autofree char *text = NULL;
  guint n_reports;

  set (fixture, "threshold", "10s");
  fixture_start (fixture->monitor);
  stall (fixture, 40 * MS);
  g_assert_cmpuint (fixture->reports->len, ==, 0);
  g_assert_cmpuint (folder_clear (fixture->store), ==, 0);
  jank_monitor_set_threshold_ms (fixture->monitor, 20);
  jank_monitor_set_interval_ms (fixture->monitor, 5);
  fixture_turn (fixture, SETTLE_NS);
  stall (fixture, 300 * MS);
  fixture_await (fixture, 0);
  text = jank_monitor_get_setting (fixture->monitor, "threshold");
  g_assert_cmpstr (text, ==, "20ms");
  g_assert_null (jank_monitor_get_setting (fixture->monitor, "tresholds"));
  set (fixture, "threshold", "10s");
  n_reports = fixture->reports->len; /* a machine that stops for 20 ms makes one more */
  stall (fixture, 200 * MS);
  g_assert_cmpuint (fixture->reports->len, ==, n_reports);
  set (fixture, "threshold", "100ms");
  stall (fixture, 200 * MS);
  fixture_await (fixture, n_reports);
}

static void
note_cb (JankMonitor *monitor, GParamSpec *property, gpointer names)
{
  g_string_append_printf (names, "%s ", property->name);
}

/* Properties tell of every way to change them, and only of a change. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, properties)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *store = NULL;
  guint threshold_ms, interval_ms;

  g_signal_connect (fixture->monitor, "notify", G_CALLBACK (note_cb), names);
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "threshold", "50ms", NULL));
  jank_monitor_set_threshold_ms (fixture->monitor, 50);
  g_assert_cmpstr (names->str, ==, "threshold-ms ");
  g_object_set (fixture->monitor, "interval-ms", 20, NULL);
  jank_monitor_set_store (fixture->monitor, "/elsewhere");
  g_assert_cmpstr (names->str, ==, "threshold-ms interval-ms store ");
  g_object_get (fixture->monitor, "threshold-ms", &threshold_ms, "interval-ms", &interval_ms, "store", &store, NULL);
  g_assert_cmpuint (threshold_ms, ==, 50);
  g_assert_cmpuint (interval_ms, ==, 20);
  g_assert_cmpstr (store, ==, "/elsewhere");
  g_assert_cmpstr (jank_monitor_get_store (fixture->monitor), ==, store);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, refused)
{
  static const char *const keys[][2] = { { "store", "/tmp" }, { "signal", "auto" }, { "frames", "no" } };
  g_autoptr (GError) error = NULL;

  fixture_start (fixture->monitor);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_assert_false (jank_monitor_set_setting (fixture->monitor, keys[i][0], keys[i][1], &error));
      g_assert_error (error, JANK_ERROR, JANK_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, keys[i][0]));
      g_clear_error (&error);
    }
  g_assert_false (jank_monitor_set_setting (fixture->monitor, "threshold", "never", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
  g_clear_error (&error);
  g_test_expect_message ("jankwatch", G_LOG_LEVEL_CRITICAL, "jank_monitor_set_threshold_ms: *");
  jank_monitor_set_threshold_ms (fixture->monitor, 0);
  g_test_expect_message ("jankwatch", G_LOG_LEVEL_CRITICAL, "jank_monitor_set_store: *");
  jank_monitor_set_store (fixture->monitor, "/elsewhere");
  g_test_assert_expected_messages ();
  g_assert_false (jank_monitor_set_setting (fixture->monitor, "tresholds", "1s", &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);

  /* What was refused has changed nothing, and works once it does not run. */
  stall (fixture, 300 * MS);
  fixture_await (fixture, 0);
  jank_monitor_stop (fixture->monitor);
  g_assert_true (jank_monitor_set_setting (fixture->monitor, "signal", "auto", NULL));
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, limits)
{
  Work compute = { monitor_compute, 300 * MS };

  fixture_start (fixture->monitor);
  set (fixture, "max-per-session", "1");
  stall (fixture, 300 * MS);
  fixture_await (fixture, 0);
  fixture_run_work (fixture, &compute);
  fixture_await (fixture, 1);
  jank_monitor_stop (fixture->monitor);

  /* The handlers hear of each; the second kind has no file. */
  g_assert_cmpuint (folder_clear (fixture->store), ==, 1);
}

static void
count_notify_cb (JankMonitor *monitor, GParamSpec *pspec, gpointer n_notified)
{
  (*(guint *) n_notified)++;
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, pause)
{
  guint n_running = 0, n_paused = 0, n_reports;
  gboolean running;

  g_signal_connect (fixture->monitor, "notify::running", G_CALLBACK (count_notify_cb), &n_running);
  g_signal_connect (fixture->monitor, "notify::paused", G_CALLBACK (count_notify_cb), &n_paused);
  fixture_start (fixture->monitor);
  g_assert_false (jank_monitor_get_paused (fixture->monitor));
  stall (fixture, 300 * MS);
  fixture_await (fixture, 0);

  jank_monitor_set_paused (fixture->monitor, TRUE);
  g_assert_true (jank_monitor_get_paused (fixture->monitor));
  fixture_turn (fixture, SETTLE_NS);
  n_reports = fixture->reports->len;
  stall (fixture, 300 * MS);
  g_assert_cmpuint (fixture->reports->len, ==, n_reports);

  jank_monitor_set_paused (fixture->monitor, FALSE);
  fixture_turn (fixture, SETTLE_NS);
  n_reports = fixture->reports->len;
  stall (fixture, 300 * MS);
  fixture_await (fixture, n_reports);

  /* Kept over a stop. */
  g_object_set (fixture->monitor, "paused", TRUE, NULL);
  jank_monitor_set_paused (fixture->monitor, TRUE);
  g_assert_cmpuint (n_paused, ==, 3);
  jank_monitor_stop (fixture->monitor);
  g_object_get (fixture->monitor, "running", &running, NULL);
  g_assert_false (running);
  jank_monitor_stop (fixture->monitor);
  g_assert_cmpuint (n_running, ==, 2);
  fixture_start (fixture->monitor);
  fixture_turn (fixture, SETTLE_NS);
  n_reports = fixture->reports->len;
  stall (fixture, 300 * MS);
  g_assert_cmpuint (fixture->reports->len, ==, n_reports);
}

static void
collect_kind_cb (JankMonitor *monitor, JankReport *report, gpointer kinds)
{
  g_array_append_vals (kinds, &(JankReportKind) { jank_report_get_kind (report) }, 1);
}

static gboolean
spin_cb (gpointer data)
{
  return jank_clock_now_ns () < *(gint64 *) data;
}

/* A spin is no stall: who asks for stalls does not hear of it. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, signals)
{
  static const char *const names[] = { "stall", "report::stall", "report::spin", "report::cpu" };
  static const JankReportKind wanted[] = { JANK_REPORT_STALL, JANK_REPORT_STALL, JANK_REPORT_SPIN };
  GArray *kinds[G_N_ELEMENTS (names)];
  GSource *source = g_idle_source_new ();
  gint64 until_ns;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      kinds[i] = g_array_new (FALSE, FALSE, sizeof (JankReportKind));
      g_signal_connect (fixture->monitor, names[i], G_CALLBACK (collect_kind_cb), kinds[i]);
    }
  set (fixture, "threshold", "1s");
  set (fixture, "spin-time", "300ms");
  fixture_start (fixture->monitor);
  stall (fixture, 1100 * MS);
  fixture_await (fixture, 0);
  until_ns = jank_clock_now_ns () + 3000 * MS;
  g_source_set_callback (source, spin_cb, &until_ns, NULL);
  g_source_attach (source, fixture->context);
  AWAIT (g_source_is_destroyed (source), g_main_context_iteration (fixture->context, FALSE));
  AWAIT (kinds[2]->len > 0, g_main_context_iteration (fixture->context, FALSE), g_usleep (500));
  /* A busy machine stalls it once more, and cuts the spin in two. */
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_true ((kinds[i]->len > 0) == (i < G_N_ELEMENTS (wanted)));
      for (guint k = 0; k < kinds[i]->len; k++)
        g_assert_cmpint (g_array_index (kinds[i], JankReportKind, k), ==, wanted[i]);
      g_signal_handlers_disconnect_by_data (fixture->monitor, kinds[i]);
      g_array_unref (kinds[i]);
    }
  g_source_unref (source);
}

static void
count_up (gint64 duration_ns)
{
  monitor_sleep (duration_ns);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, sources)
{
  Work work = { count_up, 300 * MS };
  g_autofree char *without = NULL, *with = NULL;
  guint n_reports;

  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  without = jank_report_to_json (fixture_await (fixture, 0));
  g_assert_null (strstr (without, "\"sources\""));
  set (fixture, "sources", "yes");
  n_reports = fixture->reports->len;
  for (guint i = 0; i < 2; i++)
    {
      work.ended_ns = 0;
      fixture_run_work (fixture, &work);
      fixture_await (fixture, n_reports + i);
    }
  with = jank_report_to_json (fixture->reports->pdata[fixture->reports->len - 1]);
  g_assert_nonnull (strstr (with, "\"sources\""));
  g_assert_nonnull (strstr (strstr (with, "\"sources\""), "\"work of the test\""));
}

TESTS_AT_HOME ("/monitor/live")
