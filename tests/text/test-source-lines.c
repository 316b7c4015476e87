/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of this very file, by the debug information of this very program. */

#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "text/jank-source-lines-private.h"
#include "report/jank-report-build-private.h"

#define ID "20261121-153012-4242-1"
#define NOINLINE __attribute__ ((noinline, noclone))

static guint64 called_from; /* in the instruction that called remember() */
static volatile gint sink;

static NOINLINE void
remember (void)
{
  called_from = (guint64) (guintptr) __builtin_return_address (0) - 1;
  sink++;
}

enum { INLINED_LINE = __LINE__ + 5 };

static inline __attribute__ ((always_inline)) void
step_inside (void)
{
  remember ();
  sink++;
}

enum { CALL_LINE = __LINE__ + 6 };

static NOINLINE void
culprit_of_mine (void)
{
  sink++;
  step_inside ();
  sink++;
}

/* A stall with the culprit alone on its only stack. */
static JankReport *
new_report (void)
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  const JankReportContext context = { .id = ID, .now_ns = 2 * JANK_NS_PER_S, .now_real_us = g_get_real_time () };
  JankCall frames[1];
  g_autoptr (JankStack) stack = NULL;
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  JankSample sample = { .at_ns = JANK_NS_PER_S, .weight_ns = JANK_NS_PER_S, .syscall = -1 };
  JankStall stall = { .began_ns = JANK_NS_PER_S, .ended_ns = 2 * JANK_NS_PER_S, .ring = ring, .tree = tree };

  culprit_of_mine ();
  frames[0] = (JankCall) { called_from, (guintptr) culprit_of_mine, jank_code_map_find (map, called_from) };
  stack = jank_stack_new (frames, 1, TRUE);
  sample.stack = stack;
  jank_sample_ring_add (ring, &sample);
  jank_call_tree_add (tree, stack, sample.weight_ns, 1);
  return jank_report_build (&stall, map, JANK_PICK_PATH, &context);
}

static const JankReportCall *
get_frame (JankReport *report)
{
  g_assert_cmpuint (report->calls->len, ==, 1);
  return g_ptr_array_index (report->calls, 0);
}

/* The compiler was called in the build folder, and told of this file from there. */
static void
assert_here (const char *file)
{
  g_autofree char *name = g_path_get_basename (file);

  g_assert_cmpstr (name, ==, "test-source-lines.c");
  g_assert_true (g_path_is_absolute (file));
  g_assert_null (strstr (file, "/../"));
  g_assert_true (g_file_test (file, G_FILE_TEST_IS_REGULAR));
}

static void
test_lines (void)
{
  g_autoptr (JankReport) report = new_report ();
  const JankReportInlined *inlined;
  const JankReportCall *frame;

  /* A static function: no name in the running process. */
  g_clear_pointer (&((JankReportCall *) report->calls->pdata[0])->symbol, g_free);
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, 0);
  jank_source_lines_fill (report, JANK_SOURCE_LINES_LOCAL);

  frame = get_frame (report);
  g_assert_cmpstr (frame->symbol, ==, "culprit_of_mine");
  assert_here (frame->file);
  g_assert_cmpuint (frame->line, ==, CALL_LINE);
  g_assert_nonnull (frame->inlined);
  g_assert_cmpuint (frame->inlined->len, ==, 1);
  inlined = g_ptr_array_index (frame->inlined, 0);
  g_assert_cmpstr (inlined->symbol, ==, "step_inside");
  assert_here (inlined->file);
  g_assert_cmpuint (inlined->line, ==, INLINED_LINE);

  g_assert_cmpstr (report->culprit.function, ==, "culprit_of_mine");
  assert_here (report->culprit.file);
  g_assert_cmpuint (report->culprit.line, ==, CALL_LINE);

  /* Once more changes nothing. */
  jank_source_lines_fill (report, JANK_SOURCE_LINES_LOCAL);
  g_assert_cmpuint (get_frame (report)->inlined->len, ==, 1);
}

static void
set_path (JankReport *report, const char *path)
{
  JankReportModule *module = g_ptr_array_index (report->modules, 0);

  g_free (module->path);
  module->path = g_strdup (path);
}

static void
assert_nothing (JankReport *report)
{
  jank_source_lines_fill (report, JANK_SOURCE_LINES_LOCAL);
  g_assert_null (get_frame (report)->file);
  g_assert_cmpuint (get_frame (report)->inlined->len, ==, 0);
  g_assert_null (report->culprit.file);
  g_assert_cmpuint (report->culprit.line, ==, 0);
}

/* A file that was built again, that is not there, that is no file, or whose path was cut. */
static void
test_other_files (void)
{
  g_autoptr (JankReport) report = new_report ();
  JankReportModule *module = g_ptr_array_index (report->modules, 0);
  g_autofree char *folder = g_dir_make_tmp ("jank-lines-XXXXXX", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);

  module->build_id[0] = module->build_id[0] == '0' ? '1' : '0';
  assert_nothing (report);
  set_path (report, "/nowhere/at/all");
  assert_nothing (report);
  set_path (report, "test-source-lines");
  assert_nothing (report);
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  set_path (report, fifo);
  assert_nothing (report);
  set_path (report, "/etc/passwd");
  assert_nothing (report);
  g_clear_pointer (&module->build_id, g_free);
  assert_nothing (report);
  g_unlink (fifo);
  g_rmdir (folder);
}

/* Nobody is asked who was not to be asked. */
static void
test_servers (void)
{
  g_autoptr (JankReport) report = new_report ();

  g_setenv ("DEBUGINFOD_URLS", "http://127.0.0.1:1/", TRUE);
  jank_source_lines_fill (report, JANK_SOURCE_LINES_DEBUGINFOD);
  g_assert_nonnull (g_getenv ("DEBUGINFOD_URLS"));
  jank_source_lines_fill (report, JANK_SOURCE_LINES_LOCAL);
  g_assert_null (g_getenv ("DEBUGINFOD_URLS"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/source-lines/lines", test_lines);
  g_test_add_func ("/text/source-lines/other-files", test_other_files);
  g_test_add_func ("/text/source-lines/servers", test_servers);
  return g_test_run ();
}
