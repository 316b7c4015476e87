/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "observe/jank-dispatch-slot-private.h"
#include "processor.h"
#include "test.h"

#define RACE_NS  (JANK_NS_PER_S / 2)
#define N_RACERS 4

/* A thread with a loop, and this thread, which asks what it dispatches. */
typedef struct
{
  GMainContext    *context; /* (owned) */
  GMainLoop       *loop;    /* (owned) */
  GThread         *thread;
  JankDispatchSlot slot;
  gint             stage;   /* (atomic): where the handler is */
  gint             go_on;   /* (atomic): up to which stage it may go */
  gboolean         sleeps;  /* the handler waits in the kernel, or computes */
} Fixture;

static gpointer
loop_thread (gpointer data)
{
  Fixture *fixture = data;

  g_main_context_push_thread_default (fixture->context);
  g_assert_true (jank_dispatch_slot_find (&fixture->slot));
  g_atomic_int_set (&fixture->stage, 1);
  g_main_loop_run (fixture->loop);
  g_main_context_pop_thread_default (fixture->context);
  return NULL;
}

static void
await_stage (Fixture *fixture, gint stage)
{
  AWAIT (g_atomic_int_get (&fixture->stage) >= stage, g_usleep (500));
}

/* In the handler: tells where it is, and stays until it may go on. */
static void
reach (Fixture *fixture, gint stage)
{
  g_atomic_int_set (&fixture->stage, stage);
  while (g_atomic_int_get (&fixture->go_on) < stage)
    if (fixture->sleeps)
      usleep (2000);
}

static GSource *
attach (Fixture *fixture, const char *name, gint priority, GSourceFunc func)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, priority);
  if (name != NULL)
    g_source_set_name (source, name);
  g_source_set_callback (source, func, fixture, NULL);
  g_source_attach (source, fixture->context);
  return source;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->sleeps = data == NULL;
  fixture->context = g_main_context_new ();
  fixture->loop = g_main_loop_new (fixture->context, FALSE);
  fixture->thread = g_thread_new ("loop", loop_thread, fixture);
  await_stage (fixture, 1);
  g_assert_cmpuint (fixture->slot.block, !=, 0);
  g_assert_cmpuint (fixture->slot.callback_funcs, !=, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_main_loop_quit (fixture->loop);
  g_thread_join (fixture->thread);
  g_main_loop_unref (fixture->loop);
  g_main_context_unref (fixture->context);
}

static void
assert_source (Fixture *fixture, guint depth, const char *name, gint priority, GSourceFunc func)
{
  JankSourceInfo info;

  /* Again and again: nothing may depend on the moment. */
  for (guint i = 0; i < 1000; i++)
    {
      g_assert_cmpuint (jank_dispatch_slot_read (&fixture->slot, &info), ==, depth);
      g_assert_true (info.known);
      g_assert_cmpstr (info.name, ==, name);
      g_assert_cmpint (info.priority, ==, priority);
      g_assert_cmpuint (info.callback, ==, (guintptr) func);
      g_assert_cmpuint (info.dispatch, !=, 0);
      g_assert_cmpuint (info.data, ==, (guintptr) fixture);
    }
}

static void
assert_nothing (JankDispatchSlot *slot)
{
  JankSourceInfo info = { .known = TRUE, .priority = 5 };

  g_assert_cmpuint (jank_dispatch_slot_read (slot, &info), ==, 0);
  g_assert_false (info.known);
  g_assert_cmpint (info.priority, ==, 0);
}

/* The first: nothing is learned yet. */
TEST (none)
{
  JankDispatchSlot slot = { 0 };

  assert_nothing (&slot);
  g_assert_false (jank_dispatch_slot_find (&slot));
  g_assert_cmpuint (slot.block, ==, 0);

  /* Memory that is gone. */
  slot.block = 8;
  assert_nothing (&slot);
}

static gboolean
learn_cb (gpointer data)
{
  JankDispatchSlot slot;
  JankSourceInfo info;

  jank_dispatch_slot_learn ();
  g_assert_true (jank_dispatch_slot_find (&slot));
  g_assert_cmpuint (jank_dispatch_slot_read (&slot, &info), ==, 1);
  g_assert_cmpuint (info.callback, ==, (guintptr) learn_cb);
  g_assert_cmpuint (info.data, ==, (guintptr) data);
  return G_SOURCE_REMOVE;
}

/* Inside the program's own dispatch, which stays what it is. */
TEST (learn)
{
  guint n_others = 0;

  g_idle_add (learn_cb, &n_others);
  g_assert_true (g_main_context_iteration (NULL, FALSE));
  g_assert_false (g_main_context_iteration (NULL, FALSE));
}

/* Until the loop has gone to sleep. */
static void
await_idle (Fixture *fixture)
{
  JankSourceInfo info;

  AWAIT (jank_dispatch_slot_read (&fixture->slot, &info) == 0, g_usleep (500));
}

static gboolean
stay_cb (gpointer data)
{
  reach (data, 2);
  return G_SOURCE_REMOVE;
}

static void
test_reads (Fixture *fixture, gconstpointer data)
{
  GSource *source = attach (fixture, "a source of the test", 7, stay_cb);
  JankSourceInfo info;

  await_stage (fixture, 2);
  assert_source (fixture, 1, "a source of the test", 7, stay_cb);
  jank_dispatch_slot_read (&fixture->slot, &info);
  g_assert_cmpuint (info.dispatch, ==, (guintptr) g_idle_funcs.dispatch);

  g_atomic_int_set (&fixture->go_on, 2);
  await_idle (fixture);
  assert_nothing (&fixture->slot);
  /* And once the source is gone, name and all. */
  g_source_unref (source);
  assert_nothing (&fixture->slot);
}

static gboolean
inner_cb (gpointer data)
{
  reach (data, 3);
  return G_SOURCE_REMOVE;
}

static gboolean
outer_cb (gpointer data)
{
  Fixture *fixture = data;
  GSource *inner;

  reach (fixture, 2);
  inner = attach (fixture, "inner", -3, inner_cb);
  g_main_context_iteration (fixture->context, TRUE);
  reach (fixture, 4);
  g_source_unref (inner);
  return G_SOURCE_REMOVE;
}

TEST_WITH (Fixture, set_up, tear_down, fixture, nested)
{
  GSource *outer = attach (fixture, "outer", 1, outer_cb);

  await_stage (fixture, 2);
  assert_source (fixture, 1, "outer", 1, outer_cb);
  g_atomic_int_set (&fixture->go_on, 2);
  await_stage (fixture, 3);
  assert_source (fixture, 2, "inner", -3, inner_cb);
  g_atomic_int_set (&fixture->go_on, 3);
  await_stage (fixture, 4);
  assert_source (fixture, 1, "outer", 1, outer_cb);
  g_atomic_int_set (&fixture->go_on, 4);
  g_source_unref (outer);
  await_idle (fixture);
}

static gboolean
destroy_cb (gpointer data)
{
  Fixture *fixture = data;

  reach (fixture, 2);
  g_source_destroy (g_main_current_source ());
  reach (fixture, 3);
  return G_SOURCE_REMOVE;
}

/* A handler may destroy its own source, of which nobody else holds a reference. */
TEST_WITH (Fixture, set_up, tear_down, fixture, destroyed)
{
  JankSourceInfo info;

  g_source_unref (attach (fixture, "short-lived", 2, destroy_cb));
  await_stage (fixture, 2);
  assert_source (fixture, 1, "short-lived", 2, destroy_cb);
  g_atomic_int_set (&fixture->go_on, 2);
  await_stage (fixture, 3);

  g_assert_cmpuint (jank_dispatch_slot_read (&fixture->slot, &info), ==, 1);
  g_assert_true (info.known);
  g_assert_cmpstr (info.name, ==, "short-lived");
  g_assert_cmpuint (info.callback, ==, 0);
  g_atomic_int_set (&fixture->go_on, 3);
  await_idle (fixture);
  assert_nothing (&fixture->slot);
}

/* From nothing to some 30 µs. */
static gboolean
racer_cb (gpointer data)
{
  static guint turn;

  for (guint i = turn++ % 16 * 64; i > 0; i--)
    PROCESSOR_PAUSE ();
  return G_SOURCE_CONTINUE;
}

/* A loop in full flight: an answer may be missing, but never mixes two sources. */
static void
test_race (Fixture *fixture, gconstpointer data)
{
  gint64 until_ns = jank_clock_now_ns () + RACE_NS;
  guint n_known = 0, n_unknown = 0;
  GSource *sources[N_RACERS];
  JankSourceInfo info;

  for (gint i = 0; i < N_RACERS; i++)
    {
      g_autofree char *name = g_strdup_printf ("racer %d", i);

      sources[i] = attach (fixture, name, 0, racer_cb);
    }
  while (jank_clock_now_ns () < until_ns || n_known == 0)
    {
      jank_dispatch_slot_read (&fixture->slot, &info);
      if (info.known)
        {
          g_assert_true (g_str_has_prefix (info.name, "racer "));
          g_assert_cmpuint (info.callback, ==, (guintptr) racer_cb);
          g_assert_cmpint (info.priority, ==, 0);
        }
      n_known += info.known;
      n_unknown += !info.known;
    }
  g_test_message ("%u known, %u unknown", n_known, n_unknown);
  for (gint i = 0; i < N_RACERS; i++)
    {
      g_source_destroy (sources[i]);
      g_source_unref (sources[i]);
    }
}

#define ADD(path, data, func) g_test_add ("/observe/dispatch-slot/" path, Fixture, data, set_up, func, tear_down)

static void
add (void)
{
  ADD ("computing", GINT_TO_POINTER (TRUE), test_reads);
  ADD ("sleeping", NULL, test_reads);
  ADD ("race", GINT_TO_POINTER (TRUE), test_race);
}

TESTS_AND ("/observe/dispatch-slot", add, FALSE)
