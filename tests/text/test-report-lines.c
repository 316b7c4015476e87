/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of this very file, by the debug information of this very program. */

#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "text/jank-report-lines-private.h"
#include "report/jank-report-build-private.h"
#include "symbols/jank-function-name-private.h"
#include "test.h"

#define ID "20261121-153012-4242-1"
#define NOINLINE __attribute__ ((noinline, noclone))

static guint64 called_from; /* in the instruction that called remember() */
static volatile gint sink;

/* lines.rs */
extern void remember (void);
extern gint load_notes (void);

NOINLINE void
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

static NOINLINE gint
culprit_of_mine (void)
{
  sink++;
  step_inside ();
  return sink++;
}

static NOINLINE gint
plain_of_mine (void)
{
  sink++;
  remember ();
  return sink++;
}

/* A stall with the culprit alone on its only stack. */
static JankReport *
new_report_of (gint (*culprit) (void))
{
  g_autoptr (JankCodeMap) map = jank_code_map_new ();
  const JankReportContext context = { .id = ID, .now_ns = 2 * JANK_NS_PER_S, .now_real_us = g_get_real_time () };
  JankCall frames[1];
  g_autoptr (JankStack) stack = NULL;
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  JankSample sample = { .at_ns = JANK_NS_PER_S, .weight_ns = JANK_NS_PER_S, .syscall = -1 };
  JankStall stall = { .began_ns = JANK_NS_PER_S, .ended_ns = 2 * JANK_NS_PER_S, .ring = ring, .tree = tree };

  culprit ();
  frames[0] = (JankCall) { called_from, (guintptr) culprit, jank_code_map_find (map, called_from) };
  stack = jank_stack_new (frames, 1, TRUE);
  sample.stack = stack;
  jank_sample_ring_add (ring, &sample);
  jank_call_tree_add (tree, stack, sample.weight_ns, 1);
  return jank_report_build (&stall, map, JANK_PICK_PATH, &context);
}

static JankReport *
new_report (void)
{
  return new_report_of (culprit_of_mine);
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
  g_autofree char *plain = g_canonicalize_filename (file, NULL);
  GStatBuf found, expected;

  g_assert_cmpstr (file, ==, plain);
  g_assert_no_errno (g_stat (file, &found));
  g_assert_no_errno (g_stat (SOURCE_FILE, &expected));
  g_assert_cmpuint (found.st_ino, ==, expected.st_ino);
}

static void
forget_names (JankReport *report)
{
  JankReportCall *call = g_ptr_array_index (report->calls, 0);

  g_clear_pointer (&call->symbol, g_free);
  call->name_from = JANK_NAME_FROM_NOWHERE;
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, 0);
}

TEST (lines)
{
  g_autoptr (JankReport) report = new_report ();
  const JankReportInlined *inlined;
  const JankReportCall *frame;
  g_autoptr (JankSourceLines) lines = NULL;

  /* A static function: no name in the running process. */
  forget_names (report);
  lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  jank_report_fill_lines (report, lines);

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

  g_assert_cmpstr (report->culprit.function, ==, "step_inside");
  g_assert_cmpstr (report->culprit.inlined_into, ==, "culprit_of_mine");
  assert_here (report->culprit.file);
  g_assert_cmpuint (report->culprit.line, ==, INLINED_LINE);

  /* Once more changes nothing. */
  jank_report_fill_lines (report, lines);
  g_assert_cmpuint (get_frame (report)->inlined->len, ==, 1);
  g_assert_cmpstr (report->culprit.function, ==, "step_inside");
  g_assert_cmpstr (report->culprit.inlined_into, ==, "culprit_of_mine");
}

/* A culprit that stood for a function without name gives way to it once debug information names that. */
TEST (named_at_last)
{
  g_autoptr (JankReport) report = new_report_of (plain_of_mine);
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  JankReportCall *caller = jank_report_call_new ();
  JankReportStep step = { .call = 1, .share = 1 };

  forget_names (report);
  caller->module = ((JankReportCall *) g_ptr_array_index (report->calls, 0))->module;
  caller->symbol = g_strdup ("handler of GtkButton::clicked");
  caller->name_from = JANK_NAME_FROM_CALLER;
  g_ptr_array_add (report->calls, caller);
  g_array_prepend_val (report->heaviest.path, step);
  jank_set_text (&report->culprit.function, caller->symbol);
  g_assert_cmpint (jank_report_find_own_step (report), ==, 1);
  jank_report_fill_lines (report, lines);
  g_assert_cmpstr (report->culprit.function, ==, "plain_of_mine");
  assert_here (report->culprit.file);
}

/* load_catalog() calls a function whose file is given. */
static JankReport *
new_report_of_file (const char *file, const char *language)
{
  JankReport *report = new_report_of (plain_of_mine);
  JankReportCall *callee = g_ptr_array_index (report->calls, 0), *caller = jank_report_call_new ();
  JankReportStep step = { .call = 1, .share = 1 };

  jank_set_text (&callee->file, file);
  jank_set_text (&callee->language, language);
  jank_set_text (&callee->symbol, "parse");
  jank_set_text (&report->culprit.function, "parse");
  caller->module = callee->module;
  jank_set_text (&caller->symbol, "load_catalog");
  jank_set_text (&caller->file, "/srv/app.cc");
  caller->line = 6;
  g_ptr_array_add (report->calls, caller);
  g_array_prepend_val (report->heaviest.path, step);
  return report;
}

/* A library of headers is a library, and so is another's crate; what Python has in such a folder is the program. */
TEST (header)
{
  static const struct { const char *file, *language, *culprit; } cases[] = {
    { "/usr/include/shelf/parser.h", NULL, "load_catalog" },
    { "/usr/lib/python3/dist-packages/shelf/parser.py", "python", "parse" },
    { "/srv/parser.h", NULL, "parse" },
    { "/home/me/.cargo/registry/src/index.crates.io-6f17d22bba15001f/shelf-1.0.2/src/lib.rs", NULL, "load_catalog" },
    { "/usr/share/cargo/registry/shelf-1.0.2/src/lib.rs", NULL, "load_catalog" },
    { "/home/me/.cargo/git/checkouts/shelf-9f4/1ab/src/lib.rs", NULL, "load_catalog" },
    { "/home/me/registry/src/lib.rs", NULL, "parse" },
  };
  static void (*const fill[]) (JankReport *, JankSourceLines *) =
      { jank_report_fill_lines, jank_report_fill_culprit_line };
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (JankReport) report = new_report_of_file (cases[i / 2].file, cases[i / 2].language);

      fill[i % 2] (report, lines);
      g_assert_cmpstr (report->culprit.function, ==, cases[i / 2].culprit);
    }
}

#if WITH_RUST
TEST (rust)
{
  g_autoptr (JankReport) report = new_report_of (load_notes);
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  const JankReportCall *frame = get_frame (report);
  g_autofree char *inlined = NULL;

  jank_report_fill_lines (report, lines);
  g_assert_cmpstr (frame->symbol, ==, "load_notes");
  g_assert_cmpuint (frame->inlined->len, ==, 1);
  inlined = jank_function_name (((JankReportInlined *) g_ptr_array_index (frame->inlined, 0))->symbol);
  g_assert_cmpstr (inlined, ==, "lines::notes::parse_line");
}
#endif

static void
set_path (JankReport *report, const char *path)
{
  JankReportModule *module = g_ptr_array_index (report->modules, 0);

  jank_set_text (&module->path, path);
  jank_set_text (&report->culprit.module, path);
}

static void
assert_nothing (JankReport *report)
{
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, "/nowhere");

  jank_report_fill_lines (report, lines);
  g_assert_null (get_frame (report)->file);
  g_assert_cmpuint (get_frame (report)->inlined->len, ==, 0);
  g_assert_null (report->culprit.file);
  g_assert_cmpuint (report->culprit.line, ==, 0);
}

/* A file that was built again, that is not there, that is no file, or whose path was cut. */
TEST (other_files)
{
  g_autoptr (JankReport) report = new_report ();
  JankReportModule *module = g_ptr_array_index (report->modules, 0);
  g_autofree char *folder = g_dir_make_tmp ("jank-lines-XXXXXX", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);

  module->build_id[0] = module->build_id[0] == '0' ? '1' : '0';
  assert_nothing (report);
  set_path (report, "/nowhere/at/all");
  assert_nothing (report);
  set_path (report, "test-report-lines");
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

static char *
get_debug_path (JankReport *report, const char *folder)
{
  const JankReportModule *module = g_ptr_array_index (report->modules, 0);

  return g_strdup_printf ("%s/.build-id/%.2s/%s.debug", folder, module->build_id, module->build_id + 2);
}

static void
assert_named (JankReport *report, const char *folders, JankNameFrom from, gboolean with_lines)
{
  g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, folders);

  jank_report_fill_lines (report, lines);
  g_assert_cmpstr (get_frame (report)->symbol, ==, "culprit_of_mine");
  g_assert_cmpint (get_frame (report)->name_from, ==, from);
  g_assert_cmpuint (get_frame (report)->line, ==, with_lines ? CALL_LINE : 0);
  g_assert_cmpuint (get_frame (report)->inlined->len, ==, with_lines ? 1 : 0);
  g_assert_cmpstr (report->culprit.function, ==, with_lines ? "step_inside" : "culprit_of_mine");
}

TEST (debugdata)
{
  g_autoptr (JankReport) report = new_report ();
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "lines-debugdata", NULL);

  set_path (report, path);
  forget_names (report);
  assert_named (report, "/nowhere", JANK_NAME_FROM_DEBUGDATA, FALSE);
}

static void
copy_file (const char *from, const char *to)
{
  g_autofree char *folder = g_path_get_dirname (to);
  g_autofree char *data = NULL;
  gsize n_bytes;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_get_contents (from, &data, &n_bytes, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize) n_bytes, NULL));
}

static void
remove_file (const char *path, const char *folder)
{
  g_autofree char *above = g_path_get_dirname (path);

  g_assert_cmpint (g_remove (path), ==, 0);
  if (strcmp (path, folder) != 0)
    remove_file (above, folder);
}

/* Only the build-id tells that a file is the right one: it may stand anywhere, and the module's own may be gone. */
TEST (debug_file)
{
  const char *const programs[] = { "lines-stripped", "lines-gone" };
  g_autofree char *folder = g_dir_make_tmp ("jank-lines-XXXXXX", NULL);
  g_autofree char *folders = g_strconcat ("/nowhere:", folder, NULL);
  g_autofree char *debug = g_test_build_filename (G_TEST_BUILT, "lines.debug", NULL);
  g_autofree char *path = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (JankReport) report = new_report ();
      g_autofree char *program = g_test_build_filename (G_TEST_BUILT, programs[i], NULL);

      g_free (path);
      path = get_debug_path (report, folder);
      copy_file (debug, path);
      set_path (report, program);
      forget_names (report);
      assert_named (report, folders, JANK_NAME_FROM_DEBUG_FILE, TRUE);
    }
  remove_file (path, folder);
}

/* Debug information of something else under the right name, cut short at every kind of place, and no ELF at all. */
TEST (broken)
{
  g_autofree char *folder = g_dir_make_tmp ("jank-lines-XXXXXX", NULL);
  g_autofree char *debug = g_test_build_filename (G_TEST_BUILT, "lines.debug", NULL);
  g_autofree char *other = g_test_build_filename (G_TEST_BUILT, "lines-other.debug", NULL);
  g_autofree char *stripped = g_test_build_filename (G_TEST_BUILT, "lines-stripped", NULL);
  g_autofree char *path = NULL, *data = NULL;
  gsize n_bytes;

  g_assert_true (g_file_get_contents (debug, &data, &n_bytes, NULL));
  for (guint i = 0; i <= 16; i++)
    {
      g_autoptr (JankReport) report = new_report ();
      g_autoptr (JankSourceLines) lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, folder);

      g_free (path);
      path = get_debug_path (report, folder);
      copy_file (other, path);
      if (i < 16)
        g_assert_true (g_file_set_contents (path, data, (gssize) (n_bytes * i / 16), NULL));
      set_path (report, stripped);
      forget_names (report);
      jank_report_fill_lines (report, lines);
      g_assert_null (get_frame (report)->symbol);
      g_assert_null (get_frame (report)->file);
    }
  remove_file (path, folder);
}

/* Nobody is asked who was not to be asked; who is not there is said to be. */
TEST (servers)
{
  g_autoptr (JankReport) report = new_report ();
  g_autofree char *stripped = g_test_build_filename (G_TEST_BUILT, "lines-stripped", NULL);
  g_autoptr (JankSourceLines) asking = NULL, local = NULL;

  set_path (report, stripped);
  g_setenv ("DEBUGINFOD_URLS", "http://127.0.0.1:1/", TRUE);
  asking = jank_source_lines_new (JANK_SOURCE_LINES_DEBUGINFOD, "/nowhere");
  g_assert_null (g_getenv ("DEBUGINFOD_URLS"));
  jank_report_fill_lines (report, asking);
  g_assert_nonnull (jank_source_lines_get_trouble (asking));
  g_assert_null (get_frame (report)->file);

  g_setenv ("DEBUGINFOD_URLS", "http://127.0.0.1:1/", TRUE);
  local = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, "/nowhere");
  g_assert_null (g_getenv ("DEBUGINFOD_URLS"));
  jank_report_fill_lines (report, local);
  g_assert_null (jank_source_lines_get_trouble (local));
}

TESTS ("/text/report-lines")
