/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A loop's turns and states as an observer that was asked counts them. Turns of a busy machine are longer, never
 * shorter. */

#include <glib.h>

#include "base/jank-clock-private.h"
#include "observe/jank-loop-observer-private.h"
#include "test.h"

#define MS      JANK_NS_PER_MS
#define N_LONG  10
#define LONG_NS (20 * MS)

static gint64 longest_ns; /* what a source took, by its own account */
static gint64 total_ns;

static void
thread_cb (gpointer data)
{
}

static gboolean
work_cb (gpointer data)
{
  guint *n_left = data;
  gint64 began_ns = jank_clock_now_ns (), took_ns;

  while (jank_clock_now_ns () < began_ns + LONG_NS)
    ;
  took_ns = jank_clock_now_ns () - began_ns;
  total_ns += took_ns;
  longest_ns = MAX (longest_ns, took_ns);
  return --*n_left > 0;
}

static gboolean
nest_cb (gpointer data)
{
  GMainContext *context = data;
  g_autoptr (GSource) source = g_timeout_source_new (1);
  guint n_left = 2;

  g_source_set_callback (source, work_cb, &n_left, NULL);
  g_source_attach (source, context);
  while (n_left > 0)
    g_main_context_iteration (context, TRUE);
  return G_SOURCE_REMOVE;
}

static void
attach (GMainContext *context, GSourceFunc func, gpointer data)
{
  g_autoptr (GSource) source = g_timeout_source_new (1);

  g_source_set_callback (source, func, data, NULL);
  g_source_attach (source, context);
}

TEST (figures)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  JankLoopObserver *observer = jank_loop_observer_new (80 * MS, 0, thread_cb, NULL);
  JankTurns *turns = jank_loop_observer_count (observer, FALSE);
  JankTimeFigures figures;
  JankTurnChange change;
  guint n_left = N_LONG;

  jank_loop_observer_attach (observer, context, FALSE);
  attach (context, work_cb, &n_left);
  while (n_left > 0)
    g_main_context_iteration (context, TRUE);
  /* A turn ends when the next begins. */
  g_main_context_iteration (context, FALSE);
  jank_times_read (&turns->times, &figures);
  g_assert_cmpuint (figures.n, >=, N_LONG);
  g_assert_cmpint (figures.total_ns, >=, total_ns);
  g_assert_cmpint (figures.longest_ns, >=, longest_ns);
  /* Turns of nothing lie between those at most: half of all work. */
  g_assert_cmpint (figures.p95_ns, >=, LONG_NS * 98 / 100);
  g_assert_cmpint (figures.p99_ns, >=, figures.p95_ns);
  g_assert_cmpint (figures.p95_ns, >=, figures.p50_ns);
  g_assert_cmpint (figures.longest_ns * 102 / 100, >=, figures.p99_ns);
  g_assert_false (jank_turns_pop (turns, &change));
  jank_loop_observer_free (observer);
}

/* In the order in which a run loop goes through them; an inner loop between an entry and an exit of its own. */
TEST (states)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  JankLoopObserver *observer = jank_loop_observer_new (80 * MS, 0, thread_cb, NULL);
  JankTurns *turns = jank_loop_observer_count (observer, TRUE);
  JankTurnChange last = { 0, JANK_TURN_EXIT, 0 }, change;
  guint n_entries = 0, n_exits = 0;

  jank_loop_observer_attach (observer, context, FALSE);
  attach (context, nest_cb, context);
  for (guint i = 0; i < 10; i++)
    g_main_context_iteration (context, i == 0);
  while (jank_turns_pop (turns, &change))
    {
      JankTurnState before = last.state;

      g_assert_cmpint (change.at_ns, >=, last.at_ns);
      n_entries += change.state == JANK_TURN_ENTRY && change.depth == 2;
      n_exits += change.state == JANK_TURN_EXIT && change.depth == 2;
      if (change.state == JANK_TURN_AFTER_WAITING)
        g_assert_cmpint (before, ==, JANK_TURN_BEFORE_WAITING);
      else if (change.state == JANK_TURN_BEFORE_SOURCES)
        g_assert_cmpint (before, ==, JANK_TURN_AFTER_WAITING);
      else if (change.state == JANK_TURN_ENTRY)
        g_assert_cmpint (change.depth, ==, last.depth + 1);
      else if (change.state == JANK_TURN_BEFORE_WAITING)
        g_assert_cmpint (before, !=, JANK_TURN_BEFORE_WAITING);
      last = change;
    }
  g_assert_cmpuint (n_entries, ==, 1);
  g_assert_cmpuint (n_exits, ==, 1);
  jank_loop_observer_free (observer);
}

/* What does not fit is counted, and what follows once there is room is there. */
TEST (full)
{
  g_autofree JankTurns *turns = g_new0 (JankTurns, 1);
  JankTurnChange change;

  turns->logs_states = true;
  for (gint64 i = 1; i <= JANK_TURNS_N_STATES; i++)
    jank_turns_begin (turns, i);
  g_assert_cmpuint (turns->n_lost, ==, JANK_TURNS_N_STATES);
  g_assert_true (jank_turns_pop (turns, &change));
  g_assert_cmpint (change.at_ns, ==, 1);
  while (jank_turns_pop (turns, &change))
    ;
  jank_turns_begin (turns, 7);
  g_assert_true (jank_turns_pop (turns, &change));
  g_assert_cmpint (change.at_ns, ==, 7);
}

TESTS ("/observe/turns")
