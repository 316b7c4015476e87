/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of a monitor in the wrong thread, in the wrong order, and inside its handlers: they complain and do
 * nothing, or do what was asked, and never harm. */

#include "fixture.h"
#include "test.h"

#define N_THREADS 4
#define N_ROUNDS  100

/* Another thread, while this one runs the context. */
static void
in_other_thread (Fixture *fixture, GThreadFunc func)
{
  g_assert_true (g_main_context_acquire (fixture->context));
  g_thread_join (g_thread_new ("other", func, fixture));
  g_main_context_release (fixture->context);
}

static void
expect_refusal (const char *function)
{
  g_autofree char *pattern = g_strdup_printf ("%s: called from another thread *", function);

  g_test_expect_message ("jankwatch", G_LOG_LEVEL_CRITICAL, pattern);
}

static void
ongoing_cb (JankReport *report, gpointer data)
{
}

static gpointer
call_all (gpointer data)
{
  JankMonitor *monitor = ((Fixture *) data)->monitor;
  g_autoptr (GError) error = NULL;
  gboolean was_running = jank_monitor_is_running (monitor);

  expect_refusal ("jank_monitor_start");
  g_assert_false (jank_monitor_start (monitor, &error));
  expect_refusal ("jank_monitor_stop");
  jank_monitor_stop (monitor);
  expect_refusal ("jank_monitor_set_paused");
  jank_monitor_set_paused (monitor, TRUE);
  expect_refusal ("jank_monitor_set_setting");
  g_assert_false (jank_monitor_set_setting (monitor, "threshold", "50ms", &error));
  expect_refusal ("jank_monitor_set_threshold_ms");
  jank_monitor_set_threshold_ms (monitor, 50);
  expect_refusal ("jank_monitor_get_threshold_ms");
  g_assert_cmpuint (jank_monitor_get_threshold_ms (monitor), ==, 0);
  expect_refusal ("jank_monitor_get_setting");
  g_assert_null (jank_monitor_get_setting (monitor, "threshold"));
  expect_refusal ("jank_monitor_set_ongoing_func");
  jank_monitor_set_ongoing_func (monitor, ongoing_cb, NULL, NULL);
  g_test_assert_expected_messages ();
  g_assert_no_error (error);

  g_assert_true (jank_monitor_is_running (monitor) == was_running);
  g_assert_false (jank_monitor_get_paused (monitor));
  jank_tag_unref (jank_monitor_push_tag (monitor, "thread", "other"));
  return NULL;
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, wrong_thread)
{
  Work work = { monitor_sleep, 300 * MS };

  in_other_thread (fixture, call_all);
  fixture_start (fixture->monitor);
  in_other_thread (fixture, call_all);
  fixture_run_work (fixture, &work);
  fixture_await (fixture, 0);
}

/* Of a function that is called while a stall lasts. */
typedef struct
{
  JankMonitor *monitor; /* (owned) (nullable) */
  gboolean     is_done; /* (atomic) */
  guint        n_destroyed;
} Misuser;

static void
misuser_destroyed_cb (gpointer data)
{
  ((Misuser *) data)->n_destroyed++;
}

static void
misusing_cb (JankReport *report, gpointer data)
{
  Misuser *misuser = data;

  if (misuser->monitor == NULL)
    return;
  expect_refusal ("jank_monitor_stop");
  jank_monitor_stop (misuser->monitor);
  g_test_assert_expected_messages ();
  g_clear_object (&misuser->monitor);
  g_atomic_int_set (&misuser->is_done, TRUE);
}

/* A thread of the monitor's cannot end it, and waits for itself if it tries: also while nobody holds the context, of
 * which the unanswered ping tells here. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, ongoing_func)
{
  Misuser misuser = { .monitor = fixture->monitor };

  g_assert_true (jank_monitor_set_setting (fixture->monitor, "observer", "ping", NULL));
  jank_monitor_set_ongoing_func (fixture->monitor, misusing_cb, &misuser, misuser_destroyed_cb);
  fixture_start (g_steal_pointer (&fixture->monitor));
  fixture_turn (fixture, 100 * MS);
  AWAIT (g_atomic_int_get (&misuser.is_done), g_usleep (1000));
  AWAIT (misuser.n_destroyed > 0, g_main_context_iteration (fixture->context, FALSE));
}

static gpointer
race (gpointer data)
{
  JankMonitor *monitor = ((Fixture *) data)->monitor;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      JankTag *tag = jank_monitor_push_tag (monitor, "round", "one");

      if (!jank_monitor_is_running (monitor))
        jank_monitor_start (monitor, NULL);
      jank_monitor_set_threshold_ms (monitor, 80 + i % 2);
      g_free (jank_monitor_get_setting (monitor, "threshold"));
      jank_monitor_set_paused (monitor, i % 2);
      jank_monitor_set_ongoing_func (monitor, i % 3 == 0 ? ongoing_cb : NULL, NULL, NULL);
      jank_monitor_stop (monitor);
      jank_tag_unref (tag);
    }
  return NULL;
}

static gpointer
race_last (gpointer data)
{
  race (data);
  g_main_context_wakeup (((Fixture *) data)->context);
  return NULL;
}

static void
count_cb (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

/* The loop's thread, while others start and stop: as they do, it enters the monitor before and after each turn, since a
 * thread sanitizer does not see that GLib hands the context over. */
static void
turn_among_others (Fixture *fixture, gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;

  while (jank_clock_now_ns () < until_ns)
    if (g_main_context_acquire (fixture->context))
      {
        g_free (jank_monitor_get_setting (fixture->monitor, "threshold"));
        g_main_context_iteration (fixture->context, FALSE);
        g_free (jank_monitor_get_setting (fixture->monitor, "threshold"));
        g_main_context_release (fixture->context);
        g_usleep (500);
      }
}

/* Several threads at once, with and without one that runs the context. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, race)
{
  GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);
  gint n_complaints = 0;
  guint handler = g_log_set_handler ("jankwatch", G_LOG_LEVEL_CRITICAL, count_cb, &n_complaints);
  Work work = { monitor_sleep, 300 * MS };

  for (guint runs = 0; runs < 2; runs++)
    {
      GThread *threads[N_THREADS];

      for (guint i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new ("race", i == 0 ? race_last : race, fixture);
      if (runs == 1)
        turn_among_others (fixture, 300 * MS);
      for (guint i = 0; i < N_THREADS; i++)
        g_thread_join (threads[i]);
    }
  g_log_remove_handler ("jankwatch", handler);
  g_log_set_always_fatal (fatal);
  g_test_message ("%d complaints", n_complaints);

  jank_monitor_stop (fixture->monitor);
  jank_monitor_set_paused (fixture->monitor, FALSE);
  fixture_start (fixture->monitor);
  fixture_run_work (fixture, &work);
  fixture_await (fixture, fixture->reports->len);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, order)
{
  jank_monitor_stop (fixture->monitor);
  fixture_start (fixture->monitor);
  g_test_expect_message ("jankwatch", G_LOG_LEVEL_CRITICAL, "jank_monitor_start: the monitor runs already.*");
  g_assert_false (jank_monitor_start (fixture->monitor, NULL));
  g_test_expect_message ("jankwatch", G_LOG_LEVEL_CRITICAL, "jank_monitor_set_ongoing_func: the monitor runs.*");
  jank_monitor_set_ongoing_func (fixture->monitor, ongoing_cb, NULL, NULL);
  g_test_assert_expected_messages ();
  g_object_run_dispose (G_OBJECT (fixture->monitor));
  g_assert_false (jank_monitor_is_running (fixture->monitor));
  fixture_start (fixture->monitor);
}

static gpointer
drop (gpointer data)
{
  Fixture *fixture = data;

  g_clear_object (&fixture->monitor);
  return NULL;
}

static void
destroyed_cb (gpointer data)
{
  ++*(guint *) data;
}

/* The last reference, dropped by a thread that may not stop it: the loop's does, in its next turn. */
TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, last_reference)
{
  guint n_destroyed = 0;

  jank_monitor_set_ongoing_func (fixture->monitor, ongoing_cb, &n_destroyed, destroyed_cb);
  fixture_start (fixture->monitor);
  in_other_thread (fixture, drop);
  g_assert_cmpuint (n_destroyed, ==, 0);
  AWAIT (n_destroyed > 0, g_main_context_iteration (fixture->context, FALSE));
  g_assert_cmpuint (n_destroyed, ==, 1);
}

/* What a handler does with the monitor that called it. */
typedef enum { STOPS, RESTARTS, DROPS } Deed;

typedef struct
{
  Fixture *fixture;
  Deed     deed;
  guint    n;
} Doer;

static void
doer_cb (JankMonitor *monitor, gpointer unused, gpointer data)
{
  Doer *doer = data;

  if (doer->n++ > 0)
    return;
  g_signal_handlers_disconnect_by_data (monitor, doer);
  if (doer->deed == DROPS)
    g_clear_object (&doer->fixture->monitor);
  else
    jank_monitor_stop (monitor);
  if (doer->deed == RESTARTS)
    fixture_start (monitor);
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, in_handler)
{
  static const char *const names[] = { "stall", "report", "report::stall", "notify::running" };

  g_clear_object (&fixture->monitor);
  for (guint i = 0; i < G_N_ELEMENTS (names) * 3; i++)
    {
      Doer doer = { fixture, (Deed) (i % 3) };
      Work work = { monitor_sleep, 300 * MS };
      gpointer monitor = fixture->monitor = fixture_new_monitor (fixture, fixture->store);

      g_object_add_weak_pointer (monitor, &monitor);
      g_signal_connect (monitor, names[i / 3], G_CALLBACK (doer_cb), &doer);
      g_assert_true (jank_monitor_start (monitor, NULL));
      fixture_run_work (fixture, &work);
      AWAIT (doer.n > 0, g_main_context_iteration (fixture->context, FALSE));
      if (doer.deed != DROPS)
        g_assert_true (jank_monitor_is_running (monitor) == (doer.deed == RESTARTS));
      g_clear_object (&fixture->monitor);
      AWAIT (monitor == NULL, g_main_context_iteration (fixture->context, FALSE));
    }
}

TESTS_AT_HOME ("/monitor/misuse")
