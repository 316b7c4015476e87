/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stall made by hand out of functions of this program, of GLib and of libc. */

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gio/gio.h>

#include "base/jank-clock-private.h"
#include "report/jank-report-build-private.h"
#include "text/jank-text-report-private.h"
#include "verdict/jank-verdict-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS
#define BEGAN_NS (1000 * JANK_NS_PER_S)
#define NOW_REAL_US G_GINT64_CONSTANT (1700000000000000)

static const JankReportContext all_facts = {
  .id = "20260101-000000-1-1",
  .session = "a session",
  .app = { "app", "org.example.App", "/usr/bin/app", NULL, 42 },
  .toolkit = { "gtk", "4.8.3", "wayland", "gl" },
  .process = { .rss_bytes = 1 << 20, .cpu_ns = 5 * MS, .n_threads = 3 },
  .now_ns = BEGAN_NS + 400 * MS,
  .now_real_us = NOW_REAL_US,
};

/* Never called: the stalls below consist of their addresses. */
static G_GNUC_NO_INLINE int
compute_in_program (int x)
{
  volatile int y = x;

  return y * 17 + 6;
}

static G_GNUC_NO_INLINE gboolean
on_idle (gpointer data)
{
  volatile int y = GPOINTER_TO_INT (data);

  return compute_in_program (y) > y;
}

static JankCall
make_frame (JankCodeMap *map, guint64 function)
{
  return (JankCall) { function + 3, function, jank_code_map_find (map, function) };
}

/* Innermost first, inside a dispatch. Returns: (transfer full) */
static JankStack *
make_stack (JankCodeMap *map, const guint64 *functions, guint n)
{
  JankCall frames[16];

  g_assert_cmpuint (n + 3, <=, G_N_ELEMENTS (frames));
  for (guint i = 0; i < n; i++)
    frames[i] = make_frame (map, functions[i]);
  frames[n++] = make_frame (map, (guintptr) g_main_context_dispatch);
  frames[n++] = make_frame (map, (guintptr) g_main_loop_run);
  frames[n++] = make_frame (map, (guintptr) dlsym (RTLD_DEFAULT, "__libc_start_main"));
  return jank_stack_new (frames, n, TRUE);
}

static void
init_stall (JankStall *stall)
{
  *stall = (JankStall) {
    .began_ns = BEGAN_NS, .ended_ns = BEGAN_NS + 400 * MS, .threshold_ns = 100 * MS, .cpu_ns = 300 * MS,
    .suspended_ns = 7000 * MS, .stopped_ns = 50 * MS, .traced_ns = 25 * MS, .loop_depth = 1,
    .n_samples = 9, .n_lost = 2, .n_signals = 8, .cost_ns = 123456,
  };
  stall->ring = jank_sample_ring_new ();
  stall->tree = jank_call_tree_new ();
}

static void
clear_stall (JankStall *stall)
{
  jank_sample_ring_free (stall->ring);
  jank_call_tree_free (stall->tree);
}

static JankReport *
finish (JankStall *stall, JankCodeMap *map)
{
  JankReport *report = jank_report_build (stall, map, JANK_PICK_PATH, &all_facts);

  clear_stall (stall);
  return report;
}

static void
add_sample (JankStall *stall, gint64 at_ms, gint64 weight_ms, JankStack *stack, JankSampleMethod method, gint number)
{
  JankSample sample = {
    .at_ns = BEGAN_NS + at_ms * MS, .weight_ns = weight_ms * MS,
    .method = method, .syscall = number, .stack = stack,
  };

  jank_sample_ring_add (stall->ring, &sample);
  jank_call_tree_add (stall->tree, stack, sample.weight_ns, 1);
}

/* Two stacks of computing, and one of sleeping that was seen twice. */
static void
fill_stall (JankStall *stall, JankCodeMap *map)
{
  const guint64 computing[] = { (guintptr) compute_in_program, (guintptr) on_idle };
  const guint64 sleeping[] = { (guintptr) g_usleep, (guintptr) on_idle };
  g_autoptr (JankStack) a = make_stack (map, computing, 2);
  g_autoptr (JankStack) b = make_stack (map, sleeping, 2);

  init_stall (stall);
  stall->source.known = TRUE;
  g_strlcpy (stall->source.name, "[test] idle", sizeof stall->source.name);
  stall->source.priority = 200;
  stall->source.callback = (guintptr) on_idle;
  add_sample (stall, 20, 60, a, JANK_SAMPLE_SIGNAL, -1);
  add_sample (stall, 80, 30, b, JANK_SAMPLE_BLOCKED, SYS_clock_nanosleep);
  add_sample (stall, 110, 30, b, JANK_SAMPLE_BLOCKED, SYS_clock_nanosleep);
  add_sample (stall, 140, 5, NULL, JANK_SAMPLE_SIGNAL, -1);
}

static JankReportCall *
get_frame (JankReport *report, gint i)
{
  g_assert_cmpint (i, >=, 0);
  g_assert_cmpuint ((guint) i, <, report->calls->len);
  return g_ptr_array_index (report->calls, i);
}

static JankReportCall *
get_stack_frame (JankReport *report, gint stack, guint depth)
{
  JankReportStack *s;

  g_assert_cmpint (stack, >=, 0);
  g_assert_cmpuint ((guint) stack, <, report->stacks->len);
  s = g_ptr_array_index (report->stacks, stack);
  g_assert_true (s->complete);
  g_assert_cmpuint (depth, <, s->calls->len);
  return get_frame (report, (gint) g_array_index (s->calls, guint, depth));
}

/* Of what made the system call, only the C library's functions tell which. */
TEST (kernel)
{
  static const char *const expected[] = { "munmap", "unknown", NULL };
  const guint64 mapping[] = { (guintptr) dlsym (RTLD_NEXT, "munmap"), (guintptr) on_idle };
  const guint64 computing[] = { (guintptr) compute_in_program, (guintptr) on_idle };
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankStack) a = make_stack (map, mapping, 2);
  g_autoptr (JankStack) b = make_stack (map, computing, 2);
  g_autoptr (JankReport) report = NULL;
  JankStall stall;

  init_stall (&stall);
  for (guint i = 0; i < 3; i++)
    {
      JankSample sample = {
        .at_ns = BEGAN_NS + (gint64) (i + 1) * 100 * MS, .weight_ns = 100 * MS, .method = JANK_SAMPLE_SIGNAL,
        .syscall = -1,
        .since_ns = i < 2 ? BEGAN_NS + (gint64) i * 100 * MS : 0, .stack = i == 0 ? a : b,
      };

      jank_sample_ring_add (stall.ring, &sample);
      jank_call_tree_add (stall.tree, sample.stack, sample.weight_ns, 1);
    }
  report = finish (&stall, map);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpstr (((JankReportSample *) report->samples->pdata[i])->kernel, ==, expected[i]);
}

TEST (path)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankReport) report = NULL;
  const JankReportStep *steps;
  JankStall stall;

  /* 60 ms in compute_in_program, 60 ms in g_usleep, 5 ms unknown: each holds half of what is known, the newer wins. */
  fill_stall (&stall, map);
  report = finish (&stall, map);

  g_assert_cmpstr (report->heaviest.rule, ==, "path");
  g_assert_cmpstr (report->heaviest.function, ==, "g_usleep");
  g_assert_cmpfloat_with_epsilon (report->heaviest.share, 60.0 / 120, 1e-9);
  g_assert_cmpfloat_with_epsilon (report->heaviest.self_share, 60.0 / 120, 1e-9);
  g_assert_cmpfloat (report->heaviest.confidence, >, 0);
  g_assert_cmpfloat (report->heaviest.confidence, <, 1);
  g_assert_cmpuint (report->heaviest.n_samples, ==, 3);
  g_assert_cmpint (report->heaviest.stack, ==, 1);
  g_assert_cmpuint (report->heaviest.path->len, ==, 5);
  steps = (const JankReportStep *) (void *) report->heaviest.path->data;
  g_assert_cmpstr (get_frame (report, steps[1].call)->symbol, ==, "g_main_loop_run");
  g_assert_cmpstr (get_frame (report, steps[3].call)->symbol, ==, "on_idle");
  g_assert_cmpfloat_with_epsilon (steps[3].share, 1, 1e-9);

  g_assert_cmpstr (report->culprit.function, ==, "on_idle");
  g_assert_cmpstr (report->culprit.module, !=, report->heaviest.module);
  g_assert_nonnull (strstr (report->culprit.reason, "program"));
}

/* More than half of the samples have no stack, as the thread had no CPU: shares are of the others. */
TEST (starved)
{
  const guint64 computing[] = { (guintptr) compute_in_program, (guintptr) on_idle };
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankReport) report = NULL;
  g_autoptr (JankStack) stack = make_stack (map, computing, 2);
  g_autofree char *headline = NULL;
  JankStall stall;

  init_stall (&stall);
  for (guint i = 0; i < 10; i++)
    add_sample (&stall, 40 * i, 32, i % 3 == 0 ? stack : NULL, JANK_SAMPLE_SIGNAL, -1);
  stall.state_ns[JANK_STATE_COMPUTING] = 120 * MS;
  stall.state_ns[JANK_STATE_PREEMPTED] = 205 * MS;
  report = finish (&stall, map);
  jank_verdict_update (report);
  headline = jank_text_headline (report);
  g_test_message ("%s", headline);
  g_assert_cmpfloat_with_epsilon (report->heaviest.share, 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (g_array_index (report->heaviest.path, JankReportStep, 0).share, 1, 1e-9);
  g_assert_cmpuint (report->heaviest.n_samples, ==, 4);
  g_assert_nonnull (strstr (headline, "computing, in 100 % of the stacks; the machine was busy: no CPU for 63 %"));
}

/* Two callees, of which the path can follow one. */
TEST (branches)
{
  static const JankPick picks[] = { JANK_PICK_PATH, JANK_PICK_LAST20 };
  const JankTextStyle style = { .n_columns = 120, .native = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (picks); i++)
    {
      g_autoptr (JankCodeMap) map = jank_code_map_new ();
      g_autoptr (JankReport) report = NULL;
      g_autofree char *text = NULL;
      JankStall stall;

      fill_stall (&stall, map);
      report = jank_report_build (&stall, map, picks[i], &all_facts);
      clear_stall (&stall);
      jank_verdict_update (report);
      text = jank_text_report (report, &style);
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, "compute_in_program"));
      g_assert_nonnull (strstr (text, "g_usleep"));
      g_assert_cmpuint (report->heaviest.branches->len, ==, 1);
    }
}

TEST (last20)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankReport) report = NULL;
  JankStall stall;

  fill_stall (&stall, map);
  report = jank_report_build (&stall, map, JANK_PICK_LAST20, &all_facts);
  clear_stall (&stall);

  /* Two of the three samples with a stack. */
  g_assert_cmpstr (report->heaviest.rule, ==, "last20");
  g_assert_cmpstr (report->heaviest.function, ==, "g_usleep");
  g_assert_cmpfloat_with_epsilon (report->heaviest.share, 2.0 / 3, 1e-9);
  g_assert_cmpfloat (report->heaviest.self_share, ==, report->heaviest.share);
  g_assert_cmpint (report->heaviest.stack, ==, 1);
  g_assert_cmpuint (report->heaviest.path->len, ==, 5);
  g_assert_cmpfloat_with_epsilon (g_array_index (report->heaviest.path, JankReportStep, 4).self_share,
                                  60.0 / 120, 1e-9);
  g_assert_cmpstr (report->culprit.function, ==, "on_idle");
}

TEST (no_samples)
{
  const JankPick rules[] = { JANK_PICK_PATH, JANK_PICK_LAST20 };
  JankStall stall;

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_autoptr (JankCodeMap) map = jank_code_map_new ();
      g_autoptr (JankReport) report = NULL;

      init_stall (&stall);
      stall.kind = JANK_STALL_STARTUP;
      stall.ended_ns = 0;
      report = jank_report_build (&stall, map, rules[i], &all_facts);
      clear_stall (&stall);

      g_assert_cmpint (report->kind, ==, JANK_REPORT_STARTUP);
      g_assert_cmpint (report->stall.outcome, ==, JANK_OUTCOME_ONGOING);
      g_assert_null (report->source.name);
      g_assert_null (report->heaviest.rule);
      g_assert_null (report->heaviest.function);
      g_assert_null (report->culprit.function);
      g_assert_cmpint (report->source.callback, ==, JANK_REPORT_NO_INDEX);
      g_assert_cmpint (report->heaviest.stack, ==, JANK_REPORT_NO_INDEX);
    }
}

/* callback: (nullable): not known */
static JankReport *
build_of_one (JankCodeMap *map, JankStack *stack, gpointer callback)
{
  JankStall stall;

  init_stall (&stall);
  stall.source.known = callback != NULL;
  stall.source.callback = (guintptr) callback;
  add_sample (&stall, 20, 60, stack, JANK_SAMPLE_SIGNAL, -1);
  return finish (&stall, map);
}

/* Code that no file holds, and a function without name: both have a text. The callback stands for them, if it has a
 * name and is of the same file. */
TEST (nameless)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankReport) report = NULL, called = NULL, plugin = NULL;
  g_autoptr (JankStack) stack = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "elf", "fixture-stripped.so", NULL);
  g_autofree char *expected = NULL;
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  JankCall frames[2];

  g_assert_nonnull (library);
  frames[1] = make_frame (map, (guintptr) ((void *(*) (void)) dlsym (library, "jank_fixture_get_static")) ());
  frames[0] = (JankCall) { 0x1234, 0x1230, JANK_MODULE_NONE };
  stack = jank_stack_new (frames, 2, TRUE);
  report = build_of_one (map, stack, NULL);

  expected = g_strdup_printf ("fixture-stripped.so+0x%" G_GINT64_MODIFIER "x",
                              frames[1].function - jank_code_map_get (map, frames[1].module)->base);
  g_assert_cmpstr (report->heaviest.function, ==, "0x1230");
  g_assert_null (report->heaviest.module);
  g_assert_cmpstr (report->culprit.function, ==, expected);
  g_assert_cmphex (get_stack_frame (report, 0, 0)->offset, ==, 0x1234);
  g_assert_cmphex (get_stack_frame (report, 0, 0)->symbol_offset, ==, 4);
  g_assert_cmphex (get_stack_frame (report, 0, 1)->symbol_offset, ==, 3);
  called = build_of_one (map, stack, dlsym (library, "jank_fixture_get_static"));
  g_assert_cmpstr (called->culprit.function, ==, "jank_fixture_get_static");
  plugin = build_of_one (map, stack, on_idle);
  g_assert_cmpstr (plugin->culprit.function, ==, expected);
  dlclose (library);
}

/* No callee of a function without name has half of the stall; one with a name has most of what that function took. */
TEST (nameless_goes_on)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankReport) report = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "elf", "fixture-stripped.so", NULL), *text = NULL;
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  const guint64 nameless = (guintptr) ((void *(*) (void)) dlsym (library, "jank_fixture_get_static")) ();
  const guint64 computing[] = { (guintptr) compute_in_program, (guintptr) g_object_new, nameless };
  const guint64 sleeping[] = { (guintptr) g_usleep, nameless }, rest[] = { (guintptr) g_usleep };
  g_autoptr (JankStack) a = make_stack (map, computing, 3), b = make_stack (map, sleeping, 2), c =
      make_stack (map, rest, 1);
  const JankTextStyle style = { .n_columns = 120 };
  JankStall stall;

  init_stall (&stall);
  add_sample (&stall, 20, 44, a, JANK_SAMPLE_SIGNAL, -1);
  add_sample (&stall, 64, 22, b, JANK_SAMPLE_SIGNAL, -1);
  add_sample (&stall, 86, 34, c, JANK_SAMPLE_SIGNAL, -1);
  report = finish (&stall, map);
  dlclose (library);

  jank_verdict_update (report);
  text = jank_text_report (report, &style);
  g_test_message ("%s", text);
  g_assert_cmpstr (report->culprit.function, ==, "compute_in_program");
  g_assert_nonnull (strstr (text, "compute_in_program() in test-report-blame"));
  g_assert_nonnull (strstr (text, " 44 %"));
  /* What is no part of the way there stays beside it. */
  g_assert_cmpuint (report->heaviest.branches->len, ==, 2);
  g_assert_cmpuint (report->heaviest.path->len, ==, 6);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (g_array_index (report->heaviest.branches, JankReportBranch, i).from, <, 4);
}

/* A platform's function has half of the stall, as an interpreter that runs one file after another: the program's that
 * has half of that is told. Returns: (transfer full) */
static char *
dup_culprit_beside_platform (gint64 own_ms)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (JankReport) report = NULL;
  const guint64 computing[] = { (guintptr) compute_in_program, (guintptr) g_object_new };
  const guint64 waiting[] = { (guintptr) g_usleep, (guintptr) g_object_new }, rest[] = { (guintptr) g_usleep };
  g_autoptr (JankStack) a = make_stack (map, computing, 2), b = make_stack (map, waiting, 2), c =
      make_stack (map, rest, 1);
  JankStall stall;

  init_stall (&stall);
  add_sample (&stall, 20, own_ms, a, JANK_SAMPLE_SIGNAL, -1);
  add_sample (&stall, 64, 66 - own_ms, b, JANK_SAMPLE_SIGNAL, -1);
  add_sample (&stall, 86, 34, c, JANK_SAMPLE_SIGNAL, -1);
  report = finish (&stall, map);
  return g_strdup (report->culprit.function);
}

TEST (platform_goes_on)
{
  g_autofree char *most = dup_culprit_beside_platform (44), *little = dup_culprit_beside_platform (25);

  g_assert_cmpstr (most, ==, "compute_in_program");
  g_assert_cmpstr (little, !=, "compute_in_program");
}

/* What anything calls, and what has no name, is named by what GTK does for a frame. */
TEST (frame)
{
  static const char *const sources[] = { "[gtk] gdk_frame_clock_paint_idle", "[gtk] another" };
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  const guint64 calls[] = { (guintptr) g_hash_table_lookup };
  g_autoptr (JankStack) stack = make_stack (map, calls, 1);

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      g_autoptr (JankReport) report = NULL;
      JankStall stall;

      init_stall (&stall);
      g_strlcpy (stall.source.name, sources[i], sizeof stall.source.name);
      stall.source.known = TRUE;
      add_sample (&stall, 20, 100, stack, JANK_SAMPLE_SIGNAL, -1);
      report = finish (&stall, map);
      g_assert_cmpstr (report->culprit.function, ==, i == 0 ? "gtk-frame" : "g_hash_table_lookup");
    }
}

/* What GLib does was called by the callback, and all else where a frame that is larger than the copy of a stack hides
 * who called it. */
TEST (callers_not_read)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  static const struct { gboolean known, cut; gpointer outer; const char *culprit; } cases[] = {
    { TRUE, TRUE, g_file_load_contents, "on_idle" }, { FALSE, TRUE, g_file_load_contents, "g_file_load_contents" },
    { TRUE, FALSE, g_file_load_contents, "g_file_load_contents" }, { TRUE, FALSE, g_file_get_contents, "on_idle" },
    { FALSE, FALSE, g_file_get_contents, "g_usleep" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const guint64 functions[] = { (guintptr) g_usleep, (guintptr) cases[i].outer };
      JankCall calls[] = { make_frame (map, functions[0]), make_frame (map, functions[1]) };
      g_autoptr (JankStack) stack = cases[i].cut ? jank_stack_new (calls, G_N_ELEMENTS (calls), FALSE)
                                                 : make_stack (map, functions, G_N_ELEMENTS (functions));
      g_autoptr (JankReport) report = build_of_one (map, stack, cases[i].known ? on_idle : NULL);

      g_assert_cmpstr (report->culprit.function, ==, cases[i].culprit);
    }
}

/* GInputStream's slots have no names: what GIO has in them is a function without one, and no culprit. */
TEST (slot_without_name)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  g_autoptr (GInputStream) stream = g_memory_input_stream_new ();
  const guint64 reading[] = { (guintptr) G_INPUT_STREAM_GET_CLASS (stream)->read_fn, (guintptr) g_input_stream_read };
  g_autoptr (JankStack) stack = make_stack (map, reading, 2);
  g_autoptr (JankReport) report = build_of_one (map, stack, NULL);

  g_test_message ("%s", report->culprit.function);
  g_assert_cmpint (get_stack_frame (report, 0, 0)->name_from, !=, JANK_NAME_FROM_TYPE_SYSTEM);
  g_assert_null (strchr (report->culprit.function, '['));
  if (get_stack_frame (report, 0, 0)->symbol == NULL)
    g_assert_cmpstr (report->culprit.function, ==, "g_input_stream_read");
}

static void
add (void)
{
  g_assert_true (on_idle (NULL));
}

TESTS_AND ("/report/blame", add, FALSE)
