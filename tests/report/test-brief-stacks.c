/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Late frames find the stack of the busy period that made them late. Stacks are of functions of this program. */

#include <string.h>

#include "report/jank-brief-stacks-private.h"
#include "report/jank-report-build-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

/* Not static, to be known by name; each of its own, not folded into one. */
int brief_first  (int x);
int brief_second (int x);

G_GNUC_NO_INLINE int
brief_first (int x)
{
  return x / 3 + 1;
}

G_GNUC_NO_INLINE int
brief_second (int x)
{
  return x / 5 + 2;
}

typedef struct
{
  JankCodeMap     *map;    /* (owned) */
  JankBriefStacks *briefs; /* (owned) */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->map = jank_code_map_new ();
  fixture->briefs = jank_brief_stacks_new ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  jank_brief_stacks_free (fixture->briefs);
  jank_code_map_free (fixture->map);
}

static JankCall
frame_of (Fixture *fixture, gpointer function)
{
  guint64 start = (guint64) (gsize) function;

  return (JankCall) { start + 1, start, jank_code_map_find (fixture->map, start) };
}

/* Adds a sample of function to a busy period; the ring is made with the first. */
static void
make_stall (Fixture *fixture, JankStall *stall, gint64 began_ns, gint64 ended_ns, gpointer function, gint64 weight_ns)
{
  JankCall frame = frame_of (fixture, function);
  JankSample sample = { .at_ns = began_ns, .weight_ns = weight_ns, .syscall = -1 };

  if (stall->ring == NULL)
    stall->ring = jank_sample_ring_new ();
  stall->began_ns = began_ns;
  stall->ended_ns = ended_ns;
  sample.stack = jank_stack_new (&frame, 1, TRUE);
  jank_sample_ring_add (stall->ring, &sample);
  jank_stack_unref (sample.stack);
}

static JankReportFrameClock *
new_frame_clock (gint64 began_ns, gint64 ended_ns)
{
  JankReportFrameClock *frame_clock = jank_report_frame_clock_new ();
  JankReportLateFrame late = {
    .verdict = { .began_ns = began_ns, .ended_ns = ended_ns, .who = JANK_FRAME_LATE_PROGRAM }, .stack = -1,
  };

  frame_clock->numbers.counts.frames = 1;
  g_array_append_val (frame_clock->late_frames, late);
  return frame_clock;
}

static const JankReportLateFrame *
get_late (JankReportFrameClock *frame_clock)
{
  return &g_array_index (frame_clock->late_frames, JankReportLateFrame, 0);
}

static void
add (Fixture *fixture, gint64 began_ns, gint64 ended_ns, gpointer function)
{
  JankStall stall = { 0 };

  make_stall (fixture, &stall, began_ns, ended_ns, function, ended_ns - began_ns);
  jank_brief_stacks_add (fixture->briefs, &stall);
  jank_sample_ring_free (stall.ring);
}

/* Of two periods in one late frame the longer one is to blame; of two stacks in one period the heavier. */
TEST_WITH (Fixture, set_up, tear_down, fixture, blame)
{
  g_autoptr (JankReportFrameClock) both = new_frame_clock (100 * MS, 200 * MS);
  g_autoptr (JankReportFrameClock) none = new_frame_clock (300 * MS, 350 * MS);
  g_autoptr (JankReportFrameClock) mixed = new_frame_clock (400 * MS, 460 * MS);
  JankStall stall = { 0 };

  add (fixture, 90 * MS, 120 * MS, brief_first);
  add (fixture, 130 * MS, 190 * MS, brief_second);
  make_stall (fixture, &stall, 400 * MS, 450 * MS, brief_first, 40 * MS);
  make_stall (fixture, &stall, 400 * MS, 450 * MS, brief_second, 10 * MS);
  jank_brief_stacks_add (fixture->briefs, &stall);
  jank_sample_ring_free (stall.ring);

  jank_brief_stacks_tell (fixture->briefs, fixture->map, NULL, both);
  jank_brief_stacks_tell (fixture->briefs, fixture->map, NULL, none);
  jank_brief_stacks_tell (fixture->briefs, fixture->map, NULL, mixed);
  g_assert_cmpstr (get_late (both)->culprit, ==, "brief_second");
  g_assert_cmpstr (get_late (both)->report, ==, "");
  g_assert_cmpstr (get_late (none)->culprit, ==, "");
  g_assert_cmpstr (get_late (mixed)->culprit, ==, "brief_first");
}

/* One that is part of a stall leads to its report. */
TEST_WITH (Fixture, set_up, tear_down, fixture, stall)
{
  g_autoptr (JankReportFrameClock) late = new_frame_clock (100 * MS, 400 * MS);
  g_autofree char *name = g_strnfill (300, 'n');
  JankStall stall = { 0 };

  make_stall (fixture, &stall, 110 * MS, 390 * MS, brief_first, 280 * MS);
  jank_brief_stacks_add_stall (fixture->briefs, &stall, "20261121-153012-4242-1", name);
  jank_sample_ring_free (stall.ring);
  jank_brief_stacks_tell (fixture->briefs, fixture->map, NULL, late);
  g_assert_cmpstr (get_late (late)->report, ==, "20261121-153012-4242-1");
  g_assert_cmpuint (strlen (get_late (late)->culprit), ==, JANK_REPORT_CULPRIT_BYTES - 1);
}

/* A report takes the stacks of the late frames before its own stall into its own. */
TEST_WITH (Fixture, set_up, tear_down, fixture, in_report)
{
  g_autoptr (JankReportFrameClock) frame_clock = new_frame_clock (100 * MS, 160 * MS);
  g_autoptr (JankReport) report = NULL;
  g_autofree char *text = NULL;
  JankStall stall = { .threshold_ns = 100 * MS, .tree = jank_call_tree_new () };
  JankReportContext context = { .id = "20261121-153012-4242-2", .now_ns = 2000 * MS, .frame_clock = frame_clock,
                                .briefs = fixture->briefs };
  const JankReportLateFrame *late;
  const JankReportStack *stack;

  add (fixture, 105 * MS, 155 * MS, brief_second);
  make_stall (fixture, &stall, 1000 * MS, 1500 * MS, brief_first, 500 * MS);
  jank_brief_stacks_tell (fixture->briefs, fixture->map, NULL, frame_clock);
  report = jank_report_build (&stall, fixture->map, JANK_PICK_PATH, &context);

  late = get_late (report->frame_clock);
  g_assert_cmpint (late->stack, ==, 1);
  g_assert_cmpstr (late->culprit, ==, "brief_second");
  stack = g_ptr_array_index (report->stacks, late->stack);
  g_assert_cmpuint (stack->calls->len, ==, 1);
  text = jank_report_call_to_text (report, g_array_index (stack->calls, guint, 0));
  g_assert_cmpstr (text, ==, "brief_second");
  jank_sample_ring_free (stall.ring);
  jank_call_tree_free (stall.tree);
}

static void
call_each (void)
{
  g_test_message ("%d", brief_first (g_test_rand_int ()) + brief_second (g_test_rand_int ()));
}

TESTS_AND ("/report/brief-stacks", call_each, FALSE)
