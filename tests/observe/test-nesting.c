/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <glib.h>

#include "observe/jank-loop-observer-private.h"
#include "test.h"

static void
nothing_cb (gpointer data)
{
}

typedef struct
{
  GMainContext     *context;  /* (owned) */
  JankLoopObserver *observer; /* (owned) */
  JankBeat         *beat;
  gint64            outer_ns, inner_ns; /* when the periods began that callbacks were called in */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->context = g_main_context_new ();
  self->observer = jank_loop_observer_new (G_MAXINT64, 0, nothing_cb, NULL);
  self->beat = jank_loop_observer_get_beat (self->observer);
  jank_loop_observer_attach (self->observer, self->context, FALSE);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  jank_loop_observer_free (self->observer);
  g_main_context_unref (self->context);
}

static void
dispatch (Fixture *self, GSourceFunc func)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_callback (source, func, self, NULL);
  g_source_attach (source, self->context);
  g_main_context_iteration (self->context, TRUE);
  g_source_destroy (source);
}

static void
assert_since (Fixture *self, gint64 one_ns, gint64 two_ns)
{
  g_assert_cmpint (jank_nesting_get_since (&self->beat->nesting, 1), ==, one_ns);
  g_assert_cmpint (jank_nesting_get_since (&self->beat->nesting, 2), ==, two_ns);
}

static gboolean
inner_cb (gpointer data)
{
  Fixture *self = data;

  self->inner_ns = self->beat->began_ns;
  g_main_context_iteration (self->context, FALSE);
  assert_since (self, self->outer_ns, self->inner_ns);
  return G_SOURCE_REMOVE;
}

static gboolean
outer_cb (gpointer data)
{
  Fixture *self = data;

  self->outer_ns = self->beat->began_ns;
  assert_since (self, 0, 0);
  g_main_context_iteration (self->context, FALSE);
  assert_since (self, self->outer_ns, 0);
  dispatch (self, inner_cb);
  g_main_context_iteration (self->context, FALSE);
  assert_since (self, self->outer_ns, 0);
  return G_SOURCE_REMOVE;
}

/* Each depth has the turn that it was entered in, until the loop turns further out again. */
TEST_WITH (Fixture, set_up, tear_down, self, depths)
{
  g_main_context_iteration (self->context, FALSE);
  assert_since (self, 0, 0);
  dispatch (self, outer_cb);
  g_main_context_iteration (self->context, FALSE);
  assert_since (self, 0, 0);
  g_assert_cmpint (self->beat->nesting.left_ns, >=, self->inner_ns);
}

TEST (deeper_than_counted)
{
  JankNesting nesting = { 0 };

  for (int depth = 1; depth <= 2 * JANK_NESTING_MAX; depth++)
    jank_nesting_move (&nesting, depth, 100 + depth, 0);
  for (int depth = 1; depth < JANK_NESTING_MAX; depth++)
    g_assert_cmpint (jank_nesting_get_since (&nesting, depth), ==, 100 + depth);
  g_assert_cmpint (jank_nesting_get_since (&nesting, JANK_NESTING_MAX), ==, 0);
  jank_nesting_move (&nesting, 1, 200, 300);
  g_assert_cmpint (jank_nesting_get_since (&nesting, 1), ==, 101);
  for (int depth = 2; depth < JANK_NESTING_MAX; depth++)
    g_assert_cmpint (jank_nesting_get_since (&nesting, depth), ==, 0);
  g_assert_cmpint (nesting.left_ns, ==, 300);
}

TESTS ("/observe/nesting")
