/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher knows beside the stacks, in a report of its own. */

#include "config.h"

#include "base/jank-clock-private.h"
#include "report-fixture.h"
#include "report/jank-report-build-private.h"

#define ID "20261121-153012-4242-1"

static JankReport *
build (JankReportContext *context, JankSampleRing *ring)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  JankStall stall = {
    .began_ns = 10 * JANK_NS_PER_S, .ended_ns = 11 * JANK_NS_PER_S, .threshold_ns = 100 * JANK_NS_PER_MS, .ring = ring,
  };

  context->id = ID;
  context->now_ns = 12 * JANK_NS_PER_S;
  context->now_real_us = g_get_real_time ();
  return jank_report_build (&stall, map, JANK_RULE_PATH, context);
}

static void
test_bare (void)
{
  JankReportContext context = { 0 };
  g_autoptr (JankReport) report = build (&context, NULL);

  g_assert_cmpint (report->stall.duration_ns, ==, JANK_NS_PER_S);
  g_assert_cmpuint (report->tags->len, ==, 0);
  g_assert_null (report->frame_clock);
}

/* The report keeps its own copies: others change theirs at once. */
static void
test_context (void)
{
  char value[] = "Untitled";
  JankReportTag tags[] = { { (char *) "window", value }, { (char *) "document", (char *) "7" } };
  g_autoptr (JankReportFrameClock) frame_clock = report_fixture_new_frame_clock ();
  JankReportContext context = {
    .tags = tags, .n_tags = G_N_ELEMENTS (tags), .frame_clock = frame_clock,
    .toolkit = { "GTK", "4.8.3", "wayland", "GskNglRenderer" },
  };
  g_autoptr (JankReport) report = build (&context, NULL);
  const JankReportLateFrame *late;

  value[0] = 'X';
  frame_clock->numbers.frames = 0;
  g_assert_cmpuint (report->tags->len, ==, 2);
  g_assert_cmpstr (((JankReportTag *) report->tags->pdata[0])->value, ==, "Untitled");
  g_assert_cmpstr (((JankReportTag *) report->tags->pdata[1])->name, ==, "document");
  g_assert_cmpstr (report->toolkit.renderer, ==, "GskNglRenderer");
  g_assert_cmpuint (report->frame_clock->numbers.frames, ==, 1240);
  g_assert_cmpuint (report->frame_clock->windows->len, ==, 1);
  g_assert_cmpuint (report->frame_clock->late_frames->len, ==, 2);

  /* This report has no stacks to refer to. */
  late = &g_array_index (report->frame_clock->late_frames, JankReportLateFrame, 0);
  g_assert_cmpint (late->stack, ==, JANK_REPORT_NO_INDEX);
}

static void
add_sample (JankSampleRing *ring, guint64 pc, gint64 at_ms, gint64 weight_ms)
{
  const JankFrame frame = { .pc = pc, .function = pc, .module = JANK_MODULE_NONE };
  g_autoptr (JankStack) stack = jank_stack_new (&frame, 1, TRUE);
  JankSample sample = {
    .at_ns = at_ms * JANK_NS_PER_MS, .weight_ns = weight_ms * JANK_NS_PER_MS, .stack = stack,
    .method = JANK_SAMPLE_SIGNAL,
  };

  jank_sample_ring_add (ring, &sample);
}

static gint
get_late_stack (JankReport *report, guint i)
{
  return g_array_index (report->frame_clock->late_frames, JankReportLateFrame, i).stack;
}

/* A late frame is shown with the stack that most of its time went to. */
static void
test_late_stacks (void)
{
  static const struct { gint64 began_ms, ended_ms; } late_frames[] = {
    { 9900, 9950 }, { 9990, 10200 }, { 10200, 10900 }, { 11000, 11100 },
  };
  g_autoptr (JankReportFrameClock) frame_clock = jank_report_frame_clock_new_empty ();
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  JankReportContext context = { .frame_clock = frame_clock };
  g_autoptr (JankReport) report = NULL;

  frame_clock->numbers.frames = 5;
  for (guint i = 0; i < G_N_ELEMENTS (late_frames); i++)
    {
      JankReportLateFrame late = {
        .began_ns = late_frames[i].began_ms * JANK_NS_PER_MS, .ended_ns = late_frames[i].ended_ms * JANK_NS_PER_MS,
        .stack = JANK_REPORT_NO_INDEX,
      };

      g_array_append_val (frame_clock->late_frames, late);
    }
  add_sample (ring, 0x1000, 10000, 200);
  add_sample (ring, 0x2000, 10200, 150);
  add_sample (ring, 0x1000, 10350, 200);
  add_sample (ring, 0x2000, 10550, 150);
  report = build (&context, ring);

  g_assert_cmpuint (report->stacks->len, ==, 2);
  g_assert_cmpint (get_late_stack (report, 0), ==, JANK_REPORT_NO_INDEX);
  g_assert_cmpint (get_late_stack (report, 1), ==, 0);
  g_assert_cmpint (get_late_stack (report, 2), ==, 1);
  g_assert_cmpint (get_late_stack (report, 3), ==, JANK_REPORT_NO_INDEX);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/build/bare", test_bare);
  g_test_add_func ("/report/build/context", test_context);
  g_test_add_func ("/report/build/late-stacks", test_late_stacks);
  return g_test_run ();
}
