/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <sys/syscall.h>
#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "observe/jank-loop-observer-private.h"
#include "test.h"

#define MS         JANK_NS_PER_MS
#define REPORT_NS  (80 * MS)

typedef struct
{
  GMainContext     *context;  /* (owned) */
  JankLoopObserver *observer; /* (owned) */
  JankBeat         *beat;
  guint             n_threads; /* how often the observer met a thread */
  pid_t             tid;       /* the one it met last */
} Fixture;

static void
thread_cb (gpointer data)
{
  Fixture *fixture = data;

  fixture->n_threads++;
  fixture->tid = (pid_t) syscall (SYS_gettid);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->context = g_main_context_new ();
  fixture->observer = jank_loop_observer_new (REPORT_NS, 0, thread_cb, fixture);
  fixture->beat = jank_loop_observer_get_beat (fixture->observer);
  jank_loop_observer_attach (fixture->observer, fixture->context, FALSE);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  jank_loop_observer_free (fixture->observer);
  g_main_context_unref (fixture->context);
}

static void
attach_idle (GMainContext *context, GSourceFunc func, gpointer data)
{
  GSource *source = g_idle_source_new ();

  g_source_set_callback (source, func, data, NULL);
  g_source_attach (source, context);
  g_source_unref (source);
}

typedef struct
{
  gint64   duration_ns;
  gboolean by_sleep;
  gint64   began_ns, ended_ns; /* CLOCK_MONOTONIC: the truth */
} Work;

static void
compute (gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;

  while (jank_clock_now_ns () < until_ns)
    ;
}

static gboolean
work_cb (gpointer data)
{
  Work *work = data;

  work->began_ns = jank_clock_now_ns ();
  if (work->by_sleep)
    usleep ((useconds_t) (work->duration_ns / 1000));
  else
    compute (work->duration_ns);
  work->ended_ns = jank_clock_now_ns ();
  return G_SOURCE_REMOVE;
}

/* Runs work in the loop, and takes the one busy period that it made. */
static void
run_work (Fixture *fixture, Work *work, JankBusyPeriod *ret_period)
{
  JankBusyPeriod another;

  attach_idle (fixture->context, work_cb, work);
  g_main_context_iteration (fixture->context, TRUE);
  g_main_context_iteration (fixture->context, FALSE);
  g_assert_true (jank_beat_pop (fixture->beat, ret_period));
  g_assert_false (jank_beat_pop (fixture->beat, &another));
}

static void
test_truth (Fixture *fixture, gconstpointer data)
{
  const Work *wanted = data;
  JankBusyPeriod period;
  Work work = *wanted;

  run_work (fixture, &work, &period);
  g_assert_false (period.startup);
  g_assert_cmpint (period.began_ns, <=, work.began_ns);
  g_assert_cmpint (period.ended_ns, >=, work.ended_ns);
  g_test_message ("%" G_GINT64_FORMAT " us off",
                  (work.began_ns - period.began_ns + period.ended_ns - work.ended_ns) / 1000);
}

TEST_WITH (Fixture, set_up, tear_down, fixture, short)
{
  Work work = { .duration_ns = 10 * MS };
  JankBusyPeriod period;
  gint64 took_ns = jank_clock_now_ns ();

  for (guint i = 0; i < 10; i++)
    {
      attach_idle (fixture->context, work_cb, &work);
      g_main_context_iteration (fixture->context, TRUE);
    }
  g_main_context_iteration (fixture->context, FALSE);
  took_ns = jank_clock_now_ns () - took_ns;
  while (jank_beat_pop (fixture->beat, &period))
    /* Ten short turns in a row are no long one; a turn that the machine stretched may be. */
    g_assert_cmpint (period.ended_ns - period.began_ns, <, took_ns - 9 * work.duration_ns + MS);
}

typedef struct
{
  Fixture *fixture;
  gboolean beats;              /* whether the handler lets the loop turn in between */
  gint64   began_ns, ended_ns; /* of what the handler did */
} Chunks;

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* Several times half the limit, in one handler. */
static gboolean
iterate_cb (gpointer data)
{
  Chunks *chunks = data;

  chunks->began_ns = jank_clock_now_ns ();
  for (guint i = 0; i < 6; i++)
    {
      compute (REPORT_NS / 2);
      if (chunks->beats)
        g_main_context_iteration (chunks->fixture->context, FALSE);
    }
  chunks->ended_ns = jank_clock_now_ns ();
  return G_SOURCE_REMOVE;
}

static gboolean
nested_loop_cb (gpointer data)
{
  Chunks *chunks = data;
  g_autoptr (GMainLoop) loop = g_main_loop_new (chunks->fixture->context, FALSE);
  GSource *source = g_timeout_source_new (3 * REPORT_NS / MS);

  g_source_set_callback (source, quit_cb, loop, NULL);
  g_source_attach (source, chunks->fixture->context);
  g_source_unref (source);
  chunks->began_ns = jank_clock_now_ns ();
  g_main_loop_run (loop);
  chunks->ended_ns = jank_clock_now_ns ();
  return G_SOURCE_REMOVE;
}

/* Runs it in the loop. Returns: whether one busy period is as long, whatever the machine makes of its parts */
static gboolean
is_one_period (Chunks *chunks, GSourceFunc func)
{
  JankBusyPeriod period;
  gboolean is_one = FALSE;

  attach_idle (chunks->fixture->context, func, chunks);
  g_main_context_iteration (chunks->fixture->context, TRUE);
  g_main_context_iteration (chunks->fixture->context, FALSE);
  while (jank_beat_pop (chunks->fixture->beat, &period))
    is_one |= period.began_ns <= chunks->began_ns && period.ended_ns >= chunks->ended_ns;
  return is_one;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, iteration_in_handler)
{
  Chunks chunks = { fixture, FALSE };

  g_assert_true (is_one_period (&chunks, iterate_cb));
  chunks.beats = TRUE;
  g_assert_false (is_one_period (&chunks, iterate_cb));
}

TEST_WITH (Fixture, set_up, tear_down, fixture, nested_loop)
{
  Chunks chunks = { fixture, FALSE };

  g_assert_false (is_one_period (&chunks, nested_loop_cb));
  g_assert_cmpint (chunks.ended_ns - chunks.began_ns, >=, 2 * REPORT_NS);
}

static gpointer
run_context_thread (gpointer data)
{
  Fixture *fixture = data;

  g_assert_true (g_main_context_acquire (fixture->context));
  for (guint i = 0; i < 3; i++)
    g_main_context_iteration (fixture->context, FALSE);
  g_main_context_release (fixture->context);
  g_assert_cmpint (fixture->tid, ==, (pid_t) syscall (SYS_gettid));
  return NULL;
}

/* One after another: the C library gives a new thread the stack, and so the pthread_t, of one that ended. */
TEST_WITH (Fixture, set_up, tear_down, fixture, thread_takeover)
{
  for (guint i = 1; i <= 4; i++)
    {
      g_thread_join (g_thread_new ("loop", run_context_thread, fixture));
      g_assert_cmpuint (fixture->n_threads, ==, i);
    }
  run_context_thread (fixture);
  g_assert_cmpuint (fixture->n_threads, ==, 5);
}

/* Two observers of one context do not take each other's thread for a new one. */
TEST_WITH (Fixture, set_up, tear_down, fixture, two_observers)
{
  Fixture other = { 0 };

  other.observer = jank_loop_observer_new (REPORT_NS, 0, thread_cb, &other);
  jank_loop_observer_attach (other.observer, fixture->context, FALSE);
  for (guint i = 0; i < 10; i++)
    g_main_context_iteration (fixture->context, FALSE);
  jank_loop_observer_free (other.observer);
  g_assert_cmpuint (fixture->n_threads, ==, 1);
  g_assert_cmpuint (other.n_threads, ==, 1);
}

/* While it is freed, the context goes on without it. */
TEST_WITH (Fixture, set_up, tear_down, fixture, free)
{
  JankLoopObserver *extra = jank_loop_observer_new (REPORT_NS, 0, thread_cb, fixture);
  guint n_threads;

  jank_loop_observer_attach (extra, fixture->context, FALSE);
  g_main_context_iteration (fixture->context, FALSE);
  n_threads = fixture->n_threads;
  g_assert_cmpuint (n_threads, ==, 2);
  jank_loop_observer_free (extra);
  g_main_context_iteration (fixture->context, FALSE);
  g_assert_cmpuint (fixture->n_threads, ==, n_threads);
}

#define ADD(path, data, func) g_test_add ("/observe/loop-observer/" path, Fixture, data, set_up, func, tear_down)

static void
add (void)
{
  static const Work works[] = { { 100 * MS, FALSE }, { 300 * MS, TRUE } };

  ADD ("truth/compute-100ms", &works[0], test_truth);
  ADD ("truth/sleep-300ms", &works[1], test_truth);
}

TESTS_AND ("/observe/loop-observer", add, FALSE)
