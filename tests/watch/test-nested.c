/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Callbacks that turn the loop themselves, and who is told. */

#include <stdatomic.h>

#include "test.h"
#include "watched.h"

#define LIMIT_NS (600 * MS)

/* A turn that a machine which is shared makes long is no stall, and ends nothing. */
static const JankRule nested_rule = {
  .threshold_ns = 5000 * MS, .first_stack_ns = 16 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS,
  .nested_ns = LIMIT_NS,
};

/* What a person sees or does while the callback runs its loop. */
typedef enum { NOTHING, SHOWN_BEFORE, SHOWN_LATER, HELD } Person;

typedef struct
{
  Watched  *watched;
  JankBeat *beat;
  Person    person;
  gint64    length_ns, began_ns, ended_ns;
} Nesting;

static gboolean
set_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
turn_for (Watched *watched, gint64 length_ns)
{
  g_autoptr (GSource) source = g_timeout_source_new ((guint) (length_ns / MS));
  gboolean is_over = FALSE;

  g_source_set_callback (source, set_cb, &is_over, NULL);
  g_source_attach (source, watched->context);
  while (!is_over)
    g_main_context_iteration (watched->context, TRUE);
}

static gboolean
nest_cb (gpointer data)
{
  Nesting *self = data;

  self->began_ns = jank_clock_now_ns ();
  atomic_store (&self->beat->nesting.is_held, self->person == HELD);
  if (self->person == SHOWN_BEFORE)
    jank_nesting_note_shown (&self->beat->nesting, self->beat->began_ns);
  turn_for (self->watched, self->length_ns / 4);
  if (self->person == SHOWN_LATER)
    jank_nesting_note_shown (&self->beat->nesting, self->beat->began_ns);
  turn_for (self->watched, self->length_ns - self->length_ns / 4);
  self->ended_ns = jank_clock_now_ns ();
  atomic_store (&self->beat->nesting.is_held, false);
  return G_SOURCE_REMOVE;
}

static void
nest (Nesting *self)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_callback (source, nest_cb, self, NULL);
  g_source_attach (source, self->watched->context);
  g_main_context_iteration (self->watched->context, TRUE);
  turn_for (self->watched, 200 * MS);
}

static Nesting
start (Watched *watched)
{
  watched_start (watched, &nested_rule, nested_rule.threshold_ns, WORKER_TASKS);
  return (Nesting) { watched, jank_loop_observer_get_beat (watched->observer), NOTHING, 3 * LIMIT_NS };
}

TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, nested)
{
  Nesting nesting = start (watched);
  Said said;

  turn_for (watched, 200 * MS);
  nest (&nesting);
  watched_await (watched, watched->ended, 1);
  said = watched_get (watched, watched->ongoing, 0);
  g_assert_cmpint (said.stall.kind, ==, JANK_STALL_NESTED);
  g_assert_cmpint (said.stall.threshold_ns, ==, LIMIT_NS);
  g_assert_cmpint (said.duration_ns, >=, LIMIT_NS);
  g_assert_true (said.has_threads);
  said = watched_get (watched, watched->ended, 0);
  g_assert_cmpint (said.stall.kind, ==, JANK_STALL_NESTED);
  g_assert_cmpuint (said.stall.loop_depth, ==, 1);
  g_assert_cmpint (said.stall.began_ns, <=, nesting.began_ns);
  /* When it turned last is known by a coarse clock. */
  g_assert_cmpint (said.stall.ended_ns, >=, nesting.ended_ns - 50 * MS);
  g_assert_cmpuint (said.stall.n_samples + said.stall.n_starved, >, 0);
  g_assert_cmpint (said.stall.source.priority, ==, G_PRIORITY_DEFAULT_IDLE);
  g_assert_cmpuint (watched_count (watched, watched->ended), ==, 1);
}

/* A dialog that was opened before, or opens meanwhile; a drag; and a callback that returns soon. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, for_a_person)
{
  Nesting nesting = start (watched);

  turn_for (watched, 200 * MS);
  for (nesting.person = SHOWN_BEFORE; nesting.person <= HELD; nesting.person++)
    nest (&nesting);
  nesting.person = NOTHING;
  nesting.length_ns = LIMIT_NS / 4;
  for (guint i = 0; i < 3; i++)
    nest (&nesting);
  g_assert_cmpuint (watched_count (watched, watched->ongoing), ==, 0);
  g_assert_cmpuint (watched_count (watched, watched->ended), ==, 0);
}

/* The loop has never waited but in a callback: that is the program's main loop. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, whole_life)
{
  Nesting nesting = start (watched);

  nest (&nesting);
  g_assert_cmpuint (watched_count (watched, watched->ongoing), ==, 0);
}

/* Where windows may be that nobody sees, nothing is known. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, blind)
{
  Nesting nesting;

  watched->is_blind = TRUE;
  nesting = start (watched);
  turn_for (watched, 200 * MS);
  nest (&nesting);
  g_assert_cmpuint (watched_count (watched, watched->ongoing), ==, 0);
}

TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, at_exit)
{
  Nesting nesting = start (watched);

  turn_for (watched, 200 * MS);
  nesting.length_ns = 2 * LIMIT_NS;
  nest (&nesting);
  jank_watcher_exit (watched->watcher, AWAIT_NS);
  g_assert_cmpuint (watched_count (watched, watched->ended), ==, 1);
}

TESTS ("/watch/nested")
