/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "report/jank-report-private.h"
#include "test.h"

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, culprit)
{
  Work work = { monitor_sleep, 300 * MS };
  g_autofree char *json = NULL;
  JankReport *report;

  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  report = fixture_await_work (fixture, &work);
  json = jank_report_to_json (report);
  fixture_check_slept (report);
  g_assert_true (fixture->thread == g_thread_self ());
  g_assert_cmpint (jank_report_get_outcome (report), ==, JANK_OUTCOME_RECOVERED);
  g_assert_cmpint (jank_report_get_severity (report), ==, jank_severity_of (jank_report_get_duration_ns (report)));
  g_assert_nonnull (strstr (json, "\"work of the test\""));
  g_assert_nonnull (strstr (json, jank_report_get_id (report)));
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, stop_start)
{
  guint n_files;

  g_assert_false (jank_monitor_is_running (fixture->monitor));
  jank_monitor_stop (fixture->monitor);
  for (guint i = 0; i < 5; i++)
    {
      Work unseen = { monitor_sleep, 100 * MS };
      Work seen = { monitor_sleep, 300 * MS };

      fixture_run_work (fixture, &unseen);
      fixture_start (fixture->monitor);
      fixture_run_work (fixture, &seen);
      fixture_await_work (fixture, &seen);
      jank_monitor_stop (fixture->monitor);
      g_assert_false (jank_monitor_is_running (fixture->monitor));
    }
  g_main_context_iteration (fixture->context, FALSE);
  n_files = folder_clear (fixture->store);
  g_assert_cmpuint (n_files, >=, 5);
  g_assert_cmpuint (n_files, <=, fixture->reports->len);

  /* Before the first turn, and before the probe has run. */
  for (guint i = 0; i < 50; i++)
    {
      fixture_start (fixture->monitor);
      if (i % 2 == 0)
        g_main_context_iteration (fixture->context, FALSE);
      jank_monitor_stop (fixture->monitor);
    }
}

/* Let go of while a report is on its way. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, unref_at_once)
{
  for (guint i = 0; i < 10; i++)
    {
      JankMonitor *monitor = fixture_new_monitor (fixture, fixture->store);
      Fixture heard = { .reports = fixture->reports };
      gpointer left = monitor;
      Work work = { monitor_sleep, 90 * MS };

      g_signal_connect (monitor, "stall", G_CALLBACK (fixture_stall_cb), &heard);
      fixture_start (monitor);
      fixture_run_work (fixture, &work);
      g_usleep (i * 300);
      g_object_add_weak_pointer (G_OBJECT (monitor), &left);
      g_object_unref (monitor);

      /* The watcher holds a reference of its own from the stall's end until its report is in the loop. */
      AWAIT (left == NULL, g_main_context_iteration (fixture->context, FALSE));
    }
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, two_monitors)
{
  g_autoptr (JankMonitor) other = fixture_new_monitor (fixture, fixture->store);
  Fixture heard = { .reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref),
                    .context = fixture->context };
  Work work = { monitor_compute, 200 * MS };
  JankReport *one, *two;

  g_signal_connect (other, "stall", G_CALLBACK (fixture_stall_cb), &heard);
  fixture_start (fixture->monitor);
  fixture_start (other);
  fixture_run_work (fixture, &work);
  one = fixture_await_work (fixture, &work);
  two = fixture_await_work (&heard, &work);
  g_assert_cmpstr (jank_report_get_id (one), !=, jank_report_get_id (two));
  g_assert_cmpint (jank_report_get_duration_ns (one), >=, 0);
  jank_monitor_stop (other);
  g_assert_cmpuint (folder_clear (fixture->store), >=, 2);
  g_ptr_array_unref (heard.reports);
}

/* A context that other threads run, one after the other. */
static gpointer
other_thread (gpointer data)
{
  Fixture *fixture = data;
  Work work = { monitor_sleep, 300 * MS };
  g_autofree char *json = NULL;
  JankReport *report;

  g_main_context_push_thread_default (fixture->context);
  for (guint i = 0; i < 3; i++)
    g_main_context_iteration (fixture->context, FALSE);
  fixture_run_work (fixture, &work);
  report = fixture_await_work (fixture, &work);
  g_assert_true (fixture->thread == g_thread_self ());
  fixture_check_slept (report);

  /* The place where this thread tells its source, not that of the thread before. */
  json = jank_report_to_json (report);
  g_assert_nonnull (strstr (json, "\"work of the test\""));
  g_main_context_pop_thread_default (fixture->context);
  return NULL;
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, other_threads)
{
  fixture_start (fixture->monitor);
  for (guint i = 0; i < 3; i++)
    g_thread_join (g_thread_new ("loop", other_thread, fixture));
}

/* A source that counts the loop's turns. */
typedef struct
{
  GSource parent;
  guint   n_turns;
} Counter;

static gboolean
counter_prepare (GSource *source, gint *timeout)
{
  ((Counter *) source)->n_turns++;
  *timeout = -1;
  return FALSE;
}

static GSourceFuncs counter_funcs = { counter_prepare, NULL, NULL, NULL };

typedef struct
{
  Work       work;
  GMainLoop *loop;
} Quit;

/* Not before the loop sleeps again. */
static gpointer
quit_thread (gpointer data)
{
  Quit *quit = data;

  AWAIT (__atomic_load_n (&quit->work.ended_ns, __ATOMIC_ACQUIRE) != 0, g_usleep (1000));
  g_usleep (400000);
  g_main_loop_quit (quit->loop);
  return NULL;
}

static guint
count_turns (Fixture *fixture)
{
  Quit quit = { { monitor_sleep, 200 * MS }, g_main_loop_new (fixture->context, FALSE) };
  Counter *counter = (Counter *) g_source_new (&counter_funcs, sizeof *counter);
  GSource *source = g_idle_source_new ();
  GThread *thread;
  guint n_turns;

  /* What is only at the beginning is over. */
  g_main_context_iteration (fixture->context, FALSE);
  g_main_context_iteration (fixture->context, FALSE);
  g_source_attach ((GSource *) counter, fixture->context);
  g_source_set_callback (source, fixture_work_cb, &quit.work, NULL);
  g_source_attach (source, fixture->context);
  thread = g_thread_new ("quit", quit_thread, &quit);
  g_main_loop_run (quit.loop);
  g_thread_join (thread);
  g_main_loop_unref (quit.loop);

  n_turns = counter->n_turns;
  g_source_unref (source);
  g_source_destroy ((GSource *) counter);
  g_source_unref ((GSource *) counter);
  return n_turns;
}

/* Nobody listens: the loop turns not once more, also not for the stall. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, no_handler)
{
  guint n_turns = count_turns (fixture);

  g_signal_handlers_disconnect_by_data (fixture->monitor, fixture);
  fixture_start (fixture->monitor);
  g_assert_cmpuint (count_turns (fixture), ==, n_turns);
  jank_monitor_stop (fixture->monitor);
  /* The machine may make another. */
  g_assert_cmpuint (folder_clear (fixture->store), >=, 1);
}

/* A forked child has no watcher thread to wait for. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, fork)
{
  Work work = { monitor_sleep, 300 * MS };
  int status;
  pid_t pid;

  fixture_start (fixture->monitor);
  g_main_context_iteration (fixture->context, FALSE);
  pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    {
      alarm (20);
      g_main_context_iteration (fixture->context, FALSE);
      jank_monitor_stop (fixture->monitor);
      _exit (jank_monitor_is_running (fixture->monitor) ? 1 : 0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);

  /* The parent is watched as before. */
  fixture_run_work (fixture, &work);
  fixture_await_work (fixture, &work);
}

/* What the function during a stall has seen, on whichever thread that was. */
typedef struct
{
  GThread        *thread;
  _Atomic guint   n;
  _Atomic gint64  first_ns;    /* CLOCK_MONOTONIC */
  gint64          duration_ns; /* as first told */
} Moment;

static void
ongoing_cb (JankReport *report, gpointer data)
{
  Moment *moment = data;

  if (moment->n++ > 0)
    return;
  moment->thread = g_thread_self ();
  moment->duration_ns = jank_report_get_duration_ns (report);
  moment->first_ns = jank_clock_now_ns ();
}

/* It comes while the loop hangs, on the monitor's thread, before the signal of the end. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, ongoing)
{
  Work work = { monitor_sleep, 1500 * MS };
  Moment moment = { 0 };

  jank_monitor_set_ongoing_func (fixture->monitor, ongoing_cb, &moment, NULL);
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  fixture_await (fixture, 0);
  jank_monitor_stop (fixture->monitor);
  g_assert_cmpuint (moment.n, >=, 1);
  g_assert_true (moment.thread != g_thread_self ());
  g_assert_cmpint (moment.duration_ns, >=, 80 * MS);
  g_assert_cmpint (moment.first_ns, >=, work.began_ns + 80 * MS);
  g_assert_cmpint (moment.first_ns, <, work.ended_ns);
}

static void
slow_ongoing_cb (JankReport *report, gpointer data)
{
  Moment *moment = data;

  moment->n++;
  g_usleep (400000);
  moment->first_ns = jank_clock_now_ns ();
}

/* A monitor that is let go of while a handler runs ends after it, and not on its own thread. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, ongoing_last)
{
  Work work = { monitor_sleep, 200 * MS };
  Moment moment = { 0 };
  gpointer monitor = fixture->monitor;

  g_object_add_weak_pointer (monitor, &monitor);
  jank_monitor_set_ongoing_func (monitor, slow_ongoing_cb, &moment, NULL);
  fixture_start (monitor);
  fixture_run_work (fixture, &work);
  while (work.ended_ns == 0)
    g_main_context_iteration (fixture->context, FALSE);
  g_clear_object (&fixture->monitor);
  while (monitor != NULL)
    g_main_context_iteration (fixture->context, FALSE);
  if (moment.n > 0)
    g_assert_cmpint (moment.first_ns, >, work.began_ns + 400 * MS);
}

TESTS_AT_HOME ("/monitor/monitor")
