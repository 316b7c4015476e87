/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <stdatomic.h>

#include "base/jank-clock-private.h"
#include "observe/jank-ping-private.h"
#include "test.h"

#define MS        JANK_NS_PER_MS
#define PATIENCE_NS (10 * JANK_NS_PER_S)

/* A loop on a thread of its own, whose turns are counted. */
typedef struct
{
  GMainContext *context; /* (owned) (nullable) */
  GMainLoop    *loop;    /* (owned) */
  GThread      *thread;
  GSource      *counter; /* (owned) */
  _Atomic guint n_turns;
  _Atomic guint block_ms; /* in the next turn */
  _Atomic guint n_threads; /* that answered */
} Worker;

typedef struct
{
  GSource parent;
  Worker *worker;
} Counter;

static gboolean
counter_prepare (GSource *source, gint *timeout)
{
  Worker *worker = ((Counter *) source)->worker;
  guint block_ms = atomic_exchange (&worker->block_ms, 0);

  atomic_fetch_add (&worker->n_turns, 1);
  if (block_ms > 0)
    g_usleep (block_ms * 1000);
  *timeout = -1;
  return FALSE;
}

static gboolean
counter_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static GSourceFuncs counter_funcs = { counter_prepare, NULL, counter_dispatch, NULL };

static gpointer
worker_run (gpointer data)
{
  Worker *worker = data;

  g_main_context_push_thread_default (worker->context);
  g_main_loop_run (worker->loop);
  g_main_context_pop_thread_default (worker->context);
  return NULL;
}

static void
worker_start (Worker *worker)
{
  *worker = (Worker) { .context = g_main_context_new () };
  worker->loop = g_main_loop_new (worker->context, FALSE);
  worker->counter = g_source_new (&counter_funcs, sizeof (Counter));
  ((Counter *) worker->counter)->worker = worker;
  g_source_attach (worker->counter, worker->context);
  worker->thread = g_thread_new ("worker", worker_run, worker);
}

static void
worker_stop (Worker *worker)
{
  g_main_loop_quit (worker->loop);
  g_thread_join (worker->thread);
  g_source_destroy (worker->counter);
  g_source_unref (worker->counter);
  g_main_loop_unref (worker->loop);
  g_clear_pointer (&worker->context, g_main_context_unref);
}

/* Once it is on its way, the loop is blocked for so long. */
static void
worker_block (Worker *worker, guint length_ms)
{
  atomic_store (&worker->block_ms, length_ms);
  g_main_context_wakeup (worker->context);
  while (atomic_load (&worker->block_ms) != 0)
    g_usleep (200);
}

static void
thread_cb (gpointer data)
{
  atomic_fetch_add (&((Worker *) data)->n_threads, 1);
}

/* When the unanswered ping was sent; 0: there is none. */
static gint64
get_sent (JankPing *ping)
{
  uint64_t word = jank_beat_load (jank_ping_get_beat (ping));

  return jank_beat_word_state (word) != JANK_BEAT_WAITING ? jank_beat_word_ns (word) : 0;
}

static void
wait_for_answer (JankPing *ping)
{
  gint64 until_ns = jank_clock_now_ns () + PATIENCE_NS;

  while (get_sent (ping) != 0)
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_usleep (200);
    }
}

/* Sends as the watcher would: every interval_ms, for so many intervals. Returns: how many were sent */
static guint
send_every (JankPing *ping, guint interval_ms, guint n)
{
  guint n_sent = 0;

  for (guint i = 0; i < n; i++)
    {
      n_sent += jank_ping_send (ping);
      g_usleep (interval_ms * 1000);
    }
  return n_sent;
}

/* Of a loop with nothing to do: one turn more for each ping, and none without. */
TEST (idle)
{
  Worker worker;
  g_autoptr (JankPing) ping = NULL;
  guint n_turns, n_sent;

  worker_start (&worker);
  ping = jank_ping_new (worker.context, 100 * MS, thread_cb, &worker);
  g_usleep (100000);
  n_turns = atomic_load (&worker.n_turns);
  g_usleep (300000);
  g_assert_cmpuint (atomic_load (&worker.n_turns), ==, n_turns);
  g_assert_cmpint (get_sent (ping), ==, 0);

  n_sent = send_every (ping, 50, 10);
  wait_for_answer (ping);
  g_usleep (20000);
  g_assert_cmpuint (n_sent, >=, 5);
  g_assert_cmpuint (atomic_load (&worker.n_turns) - n_turns, <=, n_sent);
  g_assert_cmpuint (atomic_load (&worker.n_turns) - n_turns, >=, n_sent / 2);
  g_assert_cmpuint (atomic_load (&worker.n_threads), ==, 1);
  worker_stop (&worker);
}

TEST (blocked)
{
  Worker worker;
  g_autoptr (JankPing) ping = NULL;
  JankBusyPeriod period;
  gint64 sent_ns, now_ns;

  worker_start (&worker);
  ping = jank_ping_new (worker.context, 100 * MS, NULL, NULL);
  worker_block (&worker, 400);
  sent_ns = jank_clock_now_ns ();
  g_assert_true (jank_ping_send (ping));
  g_assert_cmpuint (send_every (ping, 10, 20), ==, 0);
  g_assert_cmpint (get_sent (ping), >=, sent_ns);
  wait_for_answer (ping);
  now_ns = jank_clock_now_ns ();

  /* The beat tells of it as of any busy period. */
  g_assert_true (jank_beat_pop (jank_ping_get_beat (ping), &period));
  g_assert_cmpint (period.began_ns, >=, sent_ns);
  g_assert_cmpint (period.ended_ns, <=, now_ns);
  g_assert_cmpint (period.ended_ns - period.began_ns, >=, 200 * MS);
  g_assert_false (jank_beat_pop (jank_ping_get_beat (ping), &period));
  g_assert_true (jank_ping_send (ping));
  wait_for_answer (ping);
  worker_stop (&worker);
}

/* The context ends: with a ping under way, without, and under the sender's hands. */
TEST (context_ends)
{
  for (guint round = 0; round < 200; round++)
    {
      GMainContext *context = g_main_context_new ();
      g_autoptr (JankPing) ping = jank_ping_new (context, MS, NULL, NULL);

      if (round % 2 == 0)
        g_assert_true (jank_ping_send (ping));
      g_main_context_unref (context);
      g_assert_cmpint (get_sent (ping), ==, 0);
      g_assert_false (jank_ping_send (ping));
    }
}

static atomic_bool has_ended;

static gpointer
end_context (gpointer data)
{
  GMainContext *context = data;

  for (guint i = 0; i < 20; i++)
    g_main_context_iteration (context, FALSE);
  g_main_context_unref (context);
  atomic_store (&has_ended, TRUE);
  return NULL;
}

TEST (context_ends_elsewhere)
{
  for (guint round = 0; round < 300; round++)
    {
      GMainContext *context = g_main_context_new ();
      g_autoptr (JankPing) ping = jank_ping_new (context, MS, NULL, NULL);
      GThread *thread;

      atomic_store (&has_ended, FALSE);
      thread = g_thread_new ("ender", end_context, context);
      while (!atomic_load (&has_ended))
        jank_ping_send (ping);
      g_assert_cmpint (get_sent (ping), ==, 0);
      g_assert_false (jank_ping_send (ping));
      g_thread_join (thread);
    }
}

/* Freed while the loop may be answering. */
TEST (free)
{
  Worker worker;

  worker_start (&worker);
  for (guint round = 0; round < 300; round++)
    {
      JankPing *ping = jank_ping_new (worker.context, MS, NULL, NULL);

      g_assert_true (jank_ping_send (ping));
      if (round % 3 == 0)
        wait_for_answer (ping);
      jank_ping_free (ping);
    }
  worker_stop (&worker);
}

/* Three loops of three threads: each answers for itself. */
TEST (three)
{
  Worker workers[3];
  JankPing *pings[3];
  gint64 length_ns[3];

  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    {
      worker_start (&workers[i]);
      pings[i] = jank_ping_new (workers[i].context, 50 * MS, thread_cb, &workers[i]);
    }
  worker_block (&workers[1], 500);
  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    g_assert_true (jank_ping_send (pings[i]));
  wait_for_answer (pings[0]);
  wait_for_answer (pings[2]);
  g_assert_cmpint (get_sent (pings[1]), !=, 0);
  wait_for_answer (pings[1]);

  for (guint i = 0; i < G_N_ELEMENTS (workers); i++)
    {
      JankBusyPeriod period = { 0 };

      jank_beat_pop (jank_ping_get_beat (pings[i]), &period);
      length_ns[i] = period.ended_ns - period.began_ns;
      g_assert_cmpuint (atomic_load (&workers[i].n_threads), ==, 1);
      jank_ping_free (pings[i]);
      worker_stop (&workers[i]);
    }
  g_assert_cmpint (length_ns[1], >=, 300 * MS);
}

TESTS ("/observe/ping")
