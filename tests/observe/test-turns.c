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
  JankTimes *turns = jank_loop_observer_count (observer);
  JankTimeFigures figures;
  guint n_left = N_LONG;

  jank_loop_observer_attach (observer, context, FALSE);
  attach (context, work_cb, &n_left);
  while (n_left > 0)
    g_main_context_iteration (context, TRUE);
  /* A turn ends when the next begins. */
  g_main_context_iteration (context, FALSE);
  jank_times_read (turns, &figures);
  g_assert_cmpuint (figures.n, >=, N_LONG);
  g_assert_cmpint (figures.total_ns, >=, total_ns);
  g_assert_cmpint (figures.longest_ns, >=, longest_ns);
  /* Turns of nothing lie between those at most: half of all work. */
  g_assert_cmpint (figures.p95_ns, >=, LONG_NS * 98 / 100);
  g_assert_cmpint (figures.p99_ns, >=, figures.p95_ns);
  g_assert_cmpint (figures.p95_ns, >=, figures.p50_ns);
  g_assert_cmpint (figures.longest_ns * 102 / 100, >=, figures.p99_ns);
  jank_loop_observer_free (observer);
}

TESTS ("/observe/turns")
