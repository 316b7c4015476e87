/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fixture.h"

#include <string.h>
#include <unistd.h>

#include "report/jank-report-private.h"
#include "sanitizer.h"
#include "test.h"

static _Atomic guint sink;

G_GNUC_NO_INLINE void
monitor_compute (gint64 duration_ns)
{
  gint64 until_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) + duration_ns;

  while (jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) < until_ns)
    sink++;
  sink++;
}

G_GNUC_NO_INLINE void
monitor_sleep (gint64 duration_ns)
{
  for (gint64 nap_ns = MIN (duration_ns, 10 * MS); duration_ns > 0;)
    {
      gint64 took_ns = jank_clock_now_ns ();

      usleep ((useconds_t) (nap_ns / 1000));
      took_ns = jank_clock_now_ns () - took_ns;
      duration_ns -= took_ns < 4 * nap_ns ? took_ns : 0;
    }
  sink++;
}

void
fixture_stall_cb (JankMonitor *monitor, JankReport *report, gpointer data)
{
  Fixture *fixture = data;

  g_assert_true (monitor == fixture->monitor || fixture->monitor == NULL);
  fixture->thread = g_thread_self ();
  g_ptr_array_add (fixture->reports, jank_report_ref (report));
}

JankMonitor *
fixture_new_monitor (Fixture *fixture, const char *store)
{
  JankMonitor *monitor = jank_monitor_new_for_context (fixture->context);

  jank_monitor_set_store (monitor, store);
  jank_monitor_set_threshold_ms (monitor, 80);
  return monitor;
}

void
fixture_start (JankMonitor *monitor)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (jank_monitor_start (monitor, &error));
  g_assert_no_error (error);
  g_assert_true (jank_monitor_is_running (monitor));
}

void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->context = g_main_context_new ();
  fixture->store = folder_new ("jank-monitor");
  fixture->reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);
  fixture->monitor = fixture_new_monitor (fixture, fixture->store);
  g_signal_connect (fixture->monitor, "report", G_CALLBACK (fixture_stall_cb), fixture);
}

void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->monitor);
  g_ptr_array_unref (fixture->reports);
  g_main_context_unref (fixture->context);
  folder_remove (fixture->store);
  g_free (fixture->store);
}

gboolean
fixture_enter_subprocess (void)
{
  if (g_test_subprocess ())
    return TRUE;
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
  return FALSE;
}

gboolean
fixture_work_cb (gpointer data)
{
  Work *work = data;

  work->began_ns = jank_clock_now_ns ();
  work->func (work->duration_ns);
  __atomic_store_n (&work->ended_ns, jank_clock_now_ns (), __ATOMIC_RELEASE);
  return G_SOURCE_REMOVE;
}

void
fixture_run_work (Fixture *fixture, Work *work)
{
  GSource *source = g_idle_source_new ();

  g_source_set_static_name (source, "work of the test");
  g_source_set_callback (source, fixture_work_cb, work, NULL);
  g_source_attach (source, fixture->context);
  g_source_unref (source);
  while (work->ended_ns == 0)
    g_main_context_iteration (fixture->context, TRUE);
  g_main_context_iteration (fixture->context, FALSE);
}

JankReport *
fixture_await (Fixture *fixture, guint i)
{
  AWAIT (fixture->reports->len > i, g_main_context_iteration (fixture->context, FALSE), g_usleep (500));
  return fixture->reports->pdata[i];
}

JankReport *
fixture_await_work (Fixture *fixture, const Work *work)
{
  JankReport *report;
  guint i = 0;

  do
    report = fixture_await (fixture, i++);
  while (report->stall.began_monotonic_ns > work->ended_ns ||
         report->stall.began_monotonic_ns + report->stall.duration_ns < work->began_ns);
  return report;
}

/* A thread sanitizer puts functions of its own, in this very program, in the place of those that sleep. */
void
fixture_check_slept (JankReport *report)
{
  if (HAS_TSAN)
    g_assert_nonnull (strstr (jank_report_get_culprit (report), "sleep"));
  else
    g_assert_cmpstr (jank_report_get_culprit (report), ==, "monitor_sleep");
}

void
fixture_turn (Fixture *fixture, gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;

  while (jank_clock_now_ns () < until_ns)
    {
      g_main_context_iteration (fixture->context, FALSE);
      g_usleep (500);
    }
}
