/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Monitors that watch by pings: their own thread's loop, and those of three workers at once. */

#include <pthread.h>
#include <string.h>

#include "fixture.h"
#include "test.h"

#define N_WORKERS 3
#define STALL_NS  (500 * MS)

/* For thread sanitizers, which know nothing of GLib's own: one monitor at a time starts or stops. */
static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;

static void
set (JankMonitor *monitor, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (jank_monitor_set_setting (monitor, key, value, &error));
  g_assert_no_error (error);
}

static void
set_pings (JankMonitor *monitor)
{
  set (monitor, "observer", "ping");
  set (monitor, "ping-interval", "50ms");
  set (monitor, "ping-timeout", "80ms");
}

TEST_WITH (Fixture, fixture_set_up, fixture_tear_down, fixture, stall)
{
  Work work = { monitor_sleep, STALL_NS };
  JankReport *report;
  guint n_reports;

  set_pings (fixture->monitor);
  fixture_start (fixture->monitor);
  fixture_turn (fixture, 200 * MS);
  fixture_run_work (fixture, &work);
  report = fixture_await_work (fixture, &work);
  fixture_check_slept (report);
  g_assert_cmpint (jank_report_get_outcome (report), ==, JANK_OUTCOME_RECOVERED);

  /* The same again, and after it was stopped nothing. */
  work.ended_ns = 0;
  fixture_run_work (fixture, &work);
  fixture_await_work (fixture, &work);
  jank_monitor_stop (fixture->monitor);
  n_reports = fixture->reports->len;
  work.ended_ns = 0;
  fixture_run_work (fixture, &work);
  fixture_turn (fixture, 100 * MS);
  g_assert_cmpuint (fixture->reports->len, ==, n_reports);
}

typedef struct
{
  gint64        stall_ns; /* 0: none */
  char         *store;    /* (owned) */
  GMainContext *context;  /* (owned) */
  GMainLoop    *loop;     /* (owned) */
  JankMonitor  *monitor;  /* (owned) */
  GThread      *thread;   /* (owned) */
  guint         n_slept;  /* reports of it */
} Worker;

static gboolean
quit_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* A busy machine makes others. */
static void
report_cb (JankMonitor *monitor, JankReport *report, Worker *worker)
{
  if (strstr (jank_report_get_culprit (report), "sleep") == NULL)
    return;
  worker->n_slept++;
  g_main_loop_quit (worker->loop);
}

static gboolean
stall_cb (gpointer data)
{
  monitor_sleep (((Worker *) data)->stall_ns);
  return G_SOURCE_REMOVE;
}

static void
after (GMainContext *context, guint delay_ms, GSourceFunc func, gpointer data)
{
  g_autoptr (GSource) source = g_timeout_source_new (delay_ms);

  g_source_set_callback (source, func, data, NULL);
  g_source_attach (source, context);
}

static gpointer
worker_run (gpointer data)
{
  Worker *worker = data;
  g_autoptr (GError) error = NULL;

  pthread_mutex_lock (&start_mutex);
  g_assert_true (jank_monitor_start (worker->monitor, &error));
  pthread_mutex_unlock (&start_mutex);
  g_assert_no_error (error);
  g_main_loop_run (worker->loop);
  pthread_mutex_lock (&start_mutex);
  jank_monitor_stop (worker->monitor);
  pthread_mutex_unlock (&start_mutex);
  return NULL;
}

static void
worker_start (Worker *worker)
{
  worker->store = folder_new ("jank-ping");
  worker->context = g_main_context_new ();
  worker->loop = g_main_loop_new (worker->context, FALSE);
  worker->monitor = jank_monitor_new_for_context (worker->context);
  set (worker->monitor, "store", worker->store);
  set_pings (worker->monitor);
  set (worker->monitor, "ping-timeout", "200ms");
  if (worker->stall_ns > 0)
    after (worker->context, 300, stall_cb, worker);
  else
    after (worker->context, 1200, quit_cb, worker->loop);
  g_signal_connect (worker->monitor, "report", G_CALLBACK (report_cb), worker);
}

static void
worker_end (Worker *worker)
{
  g_thread_join (worker->thread);
  g_object_unref (worker->monitor);
  g_main_loop_unref (worker->loop);
  g_main_context_unref (worker->context);
  folder_remove (worker->store);
  g_free (worker->store);
}

TEST (workers)
{
  Worker workers[N_WORKERS] = { { .stall_ns = STALL_NS }, { .stall_ns = 0 }, { .stall_ns = STALL_NS } };

  for (guint i = 0; i < N_WORKERS; i++)
    worker_start (&workers[i]);
  for (guint i = 0; i < N_WORKERS; i++)
    workers[i].thread = g_thread_new ("worker", worker_run, &workers[i]);
  for (guint i = 0; i < N_WORKERS; i++)
    {
      worker_end (&workers[i]);
      g_assert_cmpuint (workers[i].n_slept, ==, workers[i].stall_ns > 0 ? 1 : 0);
    }
}

TESTS_AT_HOME ("/monitor/ping")
