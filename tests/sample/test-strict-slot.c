/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the library that `run --strict` preloads asks, with a thread that answers in the watcher's place. The slot is
 * one for the process, and each test goes on with it as the last one left it. */

#include "sample/jank-strict-slot-private.h"

#include "base/jank-clock-private.h"
#include "test.h"

/* In the preloaded library's place. */
__attribute__ ((visibility ("default"))) JankStrictSetFunc jank_preload_set_strict;

static const JankStrictFuncs *funcs;
static JankBeat beat;

void
jank_preload_set_strict (const JankStrictFuncs *given)
{
  funcs = given;
}

typedef struct
{
  GThread     *thread; /* answers */
  atomic_bool  is_over, is_accepted;
  atomic_uint  n_asked, n_sites;
  char         target[JANK_STRICT_TARGET_BYTES]; /* that was asked for last */
} Fixture;

static gpointer
answer_cb (gpointer data)
{
  Fixture *self = data;

  while (!atomic_load (&self->is_over))
    {
      const JankStrictRequest *request = jank_strict_slot_take ();

      if (request == NULL)
        {
          g_usleep (100);
          continue;
        }
      atomic_fetch_add (&self->n_asked, 1);
      g_strlcpy (self->target, request->target, sizeof self->target);
      jank_strict_slot_answer (atomic_fetch_add (&self->n_sites, 1) + 1);
    }
  return NULL;
}

/* Takes a question and answers when nobody waits for that any more. */
static gpointer
late_cb (gpointer data)
{
  Fixture *self = data;

  while (jank_strict_slot_take () == NULL)
    g_usleep (100);
  g_usleep (1500 * 1000);
  atomic_store (&self->is_accepted, jank_strict_slot_answer (1));
  return NULL;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  JankThreadInfo info;

  if (funcs == NULL)
    {
      jank_beat_init (&beat, G_MAXINT64, 0);
      jank_thread_describe_self (&info);
      jank_strict_slot_prepare ();
      g_assert_true (jank_strict_slot_is_there ());
      jank_strict_slot_begin (&beat, &info);
      g_assert_nonnull (funcs);
      g_assert_true (jank_strict_slot_is_of (&beat));
    }
  jank_beat_begin (&beat);
  self->thread = g_thread_new ("answers", answer_cb, self);
}

static void
stop (Fixture *self)
{
  atomic_store (&self->is_over, true);
  g_clear_pointer (&self->thread, g_thread_join);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  if (self->thread != NULL)
    stop (self);
  jank_beat_end (&beat);
}

/* Begins and ends a call. Returns whether it counts. */
static bool
ask (const char *function, const char *target)
{
  bool counts = funcs->begin (&(JankStrictCall) { JANK_STRICT_SYNC, function, target, -1, NULL });

  if (counts)
    funcs->end ();
  return counts;
}

/* A thread that gets no CPU answers another time; where it had the question by then, it is not asked any more. */
static bool
ask_until_answered (const char *function, const char *target)
{
  for (guint i = 0; i < 100; i++, jank_strict_slot_set_on (true))
    if (ask (function, target))
      return true;
  return false;
}

TEST_WITH (Fixture, set_up, tear_down, self, asks_nothing_while_the_loop_waits)
{
  jank_beat_end (&beat);
  g_assert_false (ask ("lockf", NULL));
  jank_beat_begin (&beat);
  jank_strict_slot_set_on (false);
  g_assert_false (ask ("lockf", NULL));
  jank_strict_slot_set_on (true);
  g_assert_true (ask_until_answered ("lockf", NULL));
  g_assert_cmpuint (atomic_load (&self->n_asked), ==, 1);
}

TEST_WITH (Fixture, set_up, tear_down, self, goes_on_when_nobody_answers)
{
  gint64 began_ns = jank_clock_now_ns ();

  stop (self);
  g_assert_false (ask ("waitid", (const char *) 8));
  g_assert_cmpint (jank_clock_now_ns () - began_ns, >=, 90 * JANK_NS_PER_MS);
  atomic_store (&self->is_over, false);
  self->thread = g_thread_new ("answers", answer_cb, self);
  g_assert_true (ask_until_answered ("waitid", NULL));
}

/* What is found after the thread has given up is void. */
TEST_WITH (Fixture, set_up, tear_down, self, takes_no_late_answer)
{
  stop (self);
  self->thread = g_thread_new ("late", late_cb, self);
  g_assert_false (ask ("waitid", NULL));
  stop (self);
  g_assert_false (atomic_load (&self->is_accepted));
  /* Somebody may hold what the watcher waits for, so nobody is asked any more. */
  atomic_store (&self->is_over, false);
  self->thread = g_thread_new ("answers", answer_cb, self);
  g_assert_false (ask ("waitid", NULL));
  jank_strict_slot_set_on (true);
  g_assert_true (ask_until_answered ("waitid", NULL));
}

/* One part of the time after many questions, and the calls between count for the last one from there. */
TEST_WITH (Fixture, set_up, tear_down, self, asks_about_some_of_very_many)
{
  guint n_asked, n_counted = 0;

  for (guint i = 0; i < 1000; i++)
    ask_until_answered ("fsync", NULL);
  n_asked = atomic_load (&self->n_asked);
  for (guint i = 0; i < 1000; i++)
    n_counted += ask_until_answered ("fsync", NULL);
  g_assert_cmpuint (n_counted, >=, 900);
  g_assert_cmpuint (atomic_load (&self->n_asked) - n_asked, <, 900);
}

TESTS ("/sample/strict-slot")
