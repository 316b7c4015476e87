/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher knows beside the stacks, in a report of its own. */

#include <sys/syscall.h>

#include "base/jank-clock-private.h"
#include "report-fixture.h"
#include "test.h"
#include "report/jank-report-build-private.h"
#include "unwind/jank-scripts-private.h"

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
  return jank_report_build (&stall, map, JANK_PICK_PATH, context);
}

static void
add_sample (JankSampleRing *ring, guint64 pc, gint64 at_ms, gint64 weight_ms)
{
  const JankCall frame = { .pc = pc, .function = pc, .module = JANK_MODULE_NONE };
  g_autoptr (JankStack) stack = jank_stack_new (&frame, 1, TRUE);
  JankSample sample = {
    .at_ns = at_ms * JANK_NS_PER_MS, .weight_ns = weight_ms * JANK_NS_PER_MS, .stack = stack,
    .method = JANK_SAMPLE_SIGNAL,
  };

  jank_sample_ring_add (ring, &sample);
}

static gboolean
load_theme_cb (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/* Of what another's source did, the program's callback before it within a second. */
TEST (after)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  JankReportContext context = { .id = ID, .now_real_us = g_get_real_time () };
  JankSourceLedger *ledger = jank_source_ledger_start (ring);
  JankStall stall = { .threshold_ns = 1, .ring = ring, .works_of = ledger, .source.known = TRUE };

  g_timeout_add (0, load_theme_cb, NULL);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (JankReport) report = NULL;
      g_autofree char *after = NULL;

      stall.began_ns = jank_clock_now_ns () + (i == 1 ? 2 * JANK_NS_PER_S : 0);
      stall.ended_ns = context.now_ns = stall.began_ns + JANK_NS_PER_S;
      stall.source.callback = (guint64) (gsize) (i == 2 ? (gpointer) load_theme_cb : (gpointer) g_list_copy);
      report = jank_report_build (&stall, map, JANK_PICK_PATH, &context);
      after = report->after >= 0 ? jank_report_call_to_text (report, (guint) report->after) : NULL;
      g_assert_cmpstr (after, ==, i == 0 ? "load_theme_cb" : NULL);
    }
  jank_source_ledger_stop (ring);
}

static gint
get_late_stack (JankReport *report, guint i)
{
  return g_array_index (report->frame_clock->late_frames, JankReportLateFrame, i).stack;
}

/* A late frame is shown with the stack that most of its time went to. */
TEST (late_stacks)
{
  static const struct { gint64 began_ms, ended_ms; } late_frames[] = {
    { 9900, 9950 }, { 9990, 10200 }, { 10200, 10900 }, { 11000, 11100 },
  };
  g_autoptr (JankReportFrameClock) frame_clock = jank_report_frame_clock_new ();
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  JankReportContext context = { .frame_clock = frame_clock };
  g_autoptr (JankReport) report = NULL;

  frame_clock->numbers.counts.frames = 5;
  for (guint i = 0; i < G_N_ELEMENTS (late_frames); i++)
    {
      JankReportLateFrame late = {
        .verdict.began_ns = late_frames[i].began_ms * JANK_NS_PER_MS,
        .verdict.ended_ns = late_frames[i].ended_ms * JANK_NS_PER_MS,
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

/* No sample is before its stall: a time below 0 has no place in JSON, and its reader none to put the stack. */
TEST (early_sample)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  JankReportContext context = { 0 };
  g_autoptr (JankReport) report = NULL;
  g_autofree char *json = NULL;

  add_sample (ring, 0x1000, 9998, 20);
  report = build (&context, ring);
  json = jank_report_to_json (report);
  g_assert_cmpint (((JankReportSample *) g_ptr_array_index (report->samples, 0))->at_ns, ==, 0);
  g_assert_nonnull (strstr (json, "\"at_ns\":0"));
}

static JankStack *
new_stack (guint64 pc)
{
  const JankCall frame = { .pc = pc, .function = pc, .module = JANK_MODULE_NONE };

  return jank_stack_new (&frame, 1, TRUE);
}

/* The first waits for a lock of the second, which reads a file. Of the 5 s before the stall it computed for one. */
static void
fill_snapshot (JankThreadSnapshot *snapshot, JankStack *stack, JankWait *lock, JankWait *file)
{
  const JankSnapshotThread threads[] = {
    { .task = { 100, "main", 'S', 0, 0, 0, 1100500000, 5 * JANK_NS_PER_S }, .stall_cpu_ns = 7, .share = 0.5,
      .observed = TRUE, .sample = { .state = JANK_STATE_BLOCKED, .stack = stack, .wait = lock } },
    { .task = { 101, "", 'S', 1, 10, -5, -1, -1 }, .is_gone = TRUE, .share = -1,
      .sample = { .state = JANK_STATE_BLOCKED, .wait = file } },
  };
  const guint chain[] = { 0, 1 };

  *snapshot = (JankThreadSnapshot) {
    .since_ns = 10200 * JANK_NS_PER_MS, .cost_ns = 1234, .n_threads = 2,
    .process = { .rss_bytes = 4096, .cpu_ns = 9, .n_threads = 2, .n_descriptors = 3, .read_bytes = 0,
                 .written_bytes = -1 },
    .threads = g_array_new (FALSE, FALSE, sizeof (JankSnapshotThread)),
    .chain = g_array_new (FALSE, FALSE, sizeof (guint)),
  };
  g_array_append_vals (snapshot->threads, threads, G_N_ELEMENTS (threads));
  g_array_append_vals (snapshot->chain, chain, G_N_ELEMENTS (chain));
}

static void
clear_snapshot (JankThreadSnapshot *snapshot)
{
  g_array_unref (snapshot->threads);
  g_array_unref (snapshot->chain);
}

static JankReport *
build_threads (JankSampleRing *ring)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankStack) stack = new_stack (0x1000);
  JankReportContext context = { .id = ID, .now_ns = 12 * JANK_NS_PER_S,
                                .process = { .rss_bytes = 1, .cpu_ns = 20, .n_threads = 9 } };
  JankWait lock = { .n_refs = 1, .kind = JANK_WAIT_LOCK, .syscall = SYS_futex, .n_bytes = -1, .timeout_ns = -1,
                    .lock = { JANK_LOCK_MUTEX, 0x5000, 101 } };
  JankWait file = { .n_refs = 1, .kind = JANK_WAIT_FILE, .syscall = SYS_read, .target = "/n/a", .filesystem = "nfs4",
                    .detail = "read of 12 bytes", .n_bytes = 12, .timeout_ns = -1, .peer_pid = 3 };
  JankThreadSnapshot snapshot;
  JankStall stall = {
    .kind = JANK_STALL_SPIN, .began_ns = 10 * JANK_NS_PER_S, .ended_ns = 11 * JANK_NS_PER_S, .cpu_ns = -1, .ring = ring,
    .state_ns = { 0, 1, 2, 3, 4 }, .watcher_late_ns = 5, .n_turns = 6, .threads = &snapshot,
  };
  JankReport *report;

  fill_snapshot (&snapshot, stack, &lock, &file);
  report = jank_report_build (&stall, map, JANK_PICK_PATH, &context);
  clear_snapshot (&snapshot);
  return report;
}

/* A callback that does next to nothing is in few samples, of which the ring may have kept none. */
TEST (spinner)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  JankScript scripts[] = { { .language = "javascript", .file = (char *) "/a/spin.js", .name = (char *) "poll_queue" },
                           { .language = "javascript", .file = (char *) "/a/spin.js", .name = (char *) "tick" } };
  JankReportContext context = { .id = ID, .now_ns = 12 * JANK_NS_PER_S };
  JankStall stall = {
    .kind = JANK_STALL_SPIN, .began_ns = 10 * JANK_NS_PER_S, .ended_ns = 11 * JANK_NS_PER_S, .ring = ring, .tree = tree,
    .source = { .known = TRUE, .name = "GIdleSource", .dispatch = 0x1000 }, .counted = JANK_COUNTED_SOURCE,
  };
  g_autoptr (JankReport) report = NULL;

  for (guint i = 0; i < 50; i++)
    {
      guint script = i == 20 ? 1 : 0, line = script == 0 ? 7 : 9;
      JankCall calls[] = { { 0 }, { .pc = 0x1001, .function = 0x1000, .module = JANK_MODULE_NONE } };
      gboolean is_called = i == 10 || i == 20 || i == 30;
      g_autoptr (JankStack) stack = NULL;
      JankSample sample = { .at_ns = 10 * JANK_NS_PER_S, .weight_ns = is_called ? 1 : 2, .syscall = -1 };

      if (is_called)
        g_assert_true (jank_scripts_add (jank_code_map_get_scripts (map), &scripts[script], line, &calls[0]));
      stack = sample.stack = jank_stack_new (calls + !is_called, 1 + is_called, TRUE);
      jank_sample_ring_add (ring, &sample);
      jank_call_tree_add (tree, stack, sample.weight_ns, 1);
    }
  report = jank_report_build (&stall, map, JANK_PICK_PATH, &context);
  for (guint i = 0; i < report->stacks->len; i++)
    g_assert_cmpuint (jank_report_get_stack (report, (gint) i)->calls->len, ==, 1);
  g_assert_cmpstr (report->culprit.function, ==, "poll_queue");
  g_assert_cmpstr (report->culprit.file, ==, "/a/spin.js");
}

/* A call that lasts is one, however often it is looked at. */
TEST (calls)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankReport) report = NULL;
  JankWait waits[] = { { .n_refs = 9, .kind = JANK_WAIT_FILE, .syscall = SYS_read, .n_bytes = -1, .timeout_ns = -1 },
                       { .n_refs = 9, .kind = JANK_WAIT_FILE, .syscall = SYS_read, .n_bytes = -1, .timeout_ns = -1 } };
  static const struct { guint wait; gint n_calls; } samples[] = { { 0, 1 }, { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      JankSample sample = { .at_ns = (10000 + i) * JANK_NS_PER_MS, .weight_ns = JANK_NS_PER_MS,
                            .method = JANK_SAMPLE_BLOCKED, .syscall = SYS_read, .wait = &waits[samples[i].wait] };

      jank_sample_ring_add (ring, &sample);
    }
  report = build_threads (ring);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    g_assert_cmpint (((JankReportSample *) report->samples->pdata[i])->wait->n_calls, ==, samples[i].n_calls);
  for (gint i = 0; i < 2; i++)
    {
      g_assert_cmpfloat (((JankReportThread *) report->threads->pdata[i])->before_share, ==, i == 0 ? 0.2 : -1);
      g_assert_cmpint (((JankReportThread *) report->threads->pdata[i])->stall_cpu_ns, ==, i == 0 ? 7 : -1);
    }
}

static void
add_to_report (JankReport *report, gint64 at_ms, gint64 weight_ms)
{
  JankReportSample *sample = jank_report_sample_new ();

  sample->at_ns = at_ms * JANK_NS_PER_MS;
  sample->weight_ns = weight_ms * JANK_NS_PER_MS;
  g_ptr_array_add (report->samples, sample);
}

static void
assert_span (JankReport *report, guint i, gint64 from_ms, gint64 to_ms)
{
  g_autoptr (GArray) spans = jank_report_get_sample_spans (report);
  const JankReportSpan *span = &g_array_index (spans, JankReportSpan, i);

  g_assert_cmpuint (spans->len, ==, report->samples->len);
  g_assert_cmpint (span->from_ns, ==, from_ms * JANK_NS_PER_MS);
  g_assert_cmpint (span->to_ns, ==, to_ms * JANK_NS_PER_MS);
}

static JankReportSample *
get_sample (JankReport *report, guint i)
{
  return g_ptr_array_index (report->samples, i);
}

TEST (sample_spans)
{
  g_autoptr (JankReport) report = jank_report_new ();
  g_autoptr (GArray) spans = NULL;

  report->stall.duration_ns = 100 * JANK_NS_PER_MS;
  add_to_report (report, 16, 100);
  assert_span (report, 0, 0, 100);

  /* The first from the beginning, the last until the end. */
  get_sample (report, 0)->weight_ns = 20 * JANK_NS_PER_MS;
  add_to_report (report, 24, 16);
  add_to_report (report, 48, 64);
  assert_span (report, 0, 0, 20);
  assert_span (report, 1, 20, 36);
  assert_span (report, 2, 36, 100);

  /* The second stands for another at 34 ms, too. */
  get_sample (report, 1)->weight_ns = 21 * JANK_NS_PER_MS;
  get_sample (report, 2)->weight_ns = 59 * JANK_NS_PER_MS;
  assert_span (report, 1, 20, 41);
  assert_span (report, 2, 41, 100);

  /* Stopped for 1 s after that. */
  report->stall.stopped_ns = 1000 * JANK_NS_PER_MS;
  get_sample (report, 2)->at_ns += 1000 * JANK_NS_PER_MS;
  assert_span (report, 1, 20, 41);
  assert_span (report, 2, 536, 595);

  /* Bytes from a file need not make sense. */
  report->stall.duration_ns = report->stall.stopped_ns = report->stall.traced_ns = G_MAXINT64 / 2;
  g_assert_cmpint (jank_report_get_length_ns (report), ==, G_MAXINT64);
  for (guint i = 0; i < 3; i++)
    get_sample (report, i)->weight_ns = G_MAXINT64 / 2;
  get_sample (report, 0)->at_ns = G_MAXINT64 / 2;
  get_sample (report, 1)->at_ns = 0;
  spans = jank_report_get_sample_spans (report);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (g_array_index (spans, JankReportSpan, i).from_ns, <=,
                     g_array_index (spans, JankReportSpan, i).to_ns);
}

TESTS ("/report/build")
