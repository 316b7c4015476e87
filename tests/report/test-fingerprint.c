/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What makes two stalls the same problem, and what does not. Real programs that were built again: cli/ci. */

#include <string.h>

#include "report-fixture.h"
#include "test.h"
#include "report/jank-fingerprint-private.h"

/* Of the handmade report frame 7 is a nameless function of GTK, 9 on_button_clicked(), and 10 the culprit. */
#define UNNAMED_GTK(member) "frames.7." member "="
#define CLICKED(member) "frames.9." member "="
#define CULPRIT(member) "frames.10." member "="
#define OF_SCRIPT(name) CULPRIT ("symbol") name "; " CULPRIT ("name_from") "interpreter"
#define COLLECTOR CULPRIT ("name_from") "collector"
/* Both functions of the path are of libraries, the inner one of a driver's. */
#define IN_DRIVER(function, inner) \
  "modules.+={\"path\":\"/usr/lib/libgtk-4.so.1\"}; modules.+={\"path\":\"/usr/lib/libLLVM-15.so.1\"}; " \
  CLICKED ("module") "6; " CULPRIT ("module") "7; " CLICKED ("symbol") function "; " CULPRIT ("symbol") inner
#define TOP_LEVEL(name) \
  UNNAMED_GTK ("symbol") name "; " UNNAMED_GTK ("name_from") "interpreter; " UNNAMED_GTK ("module") "0"
#define NO_PATH "heaviest.path=[]"
#define NO_CULPRIT "culprit.function="
#define ALL_OF_LIBRARIES "frames.*.module=1"

/* What is changed in two copies of the handmade report, and whether they are one problem then. */
typedef struct
{
  const char *name, *one, *two;
  gboolean    same;
} Row;

static const Row rows[] = {
  { "nothing", "", "", TRUE },
  /* Loaded elsewhere, built again, for longer, waiting for something else, from another start of the loop. */
  { "loaded-elsewhere", "", "modules.*.base=4096", TRUE },
  { "built-again", "", "modules.0.build_id=0000e00000000000000000000000000000000001; " CULPRIT ("offset") "16496; "
    CULPRIT ("symbol_offset") "112; " UNNAMED_GTK ("offset") "2411435; " UNNAMED_GTK ("symbol_offset") "155", TRUE },
  { "another-start", "", "frames.3.offset=11056; frames.3.symbol=another_main; "
    "modules.0.path=/opt/other/place/jankwatch-demo", TRUE },
  { "longer", "", "stall.duration_ns=3720ms; culprit.line=7; samples.0.state=blocked", TRUE },
  { "copy-of-function", "", CLICKED ("symbol") "on_button_clicked.part.0", TRUE },
  /* Methods of one class. */
  { "methods", OF_SCRIPT ("Window.open"), OF_SCRIPT ("Window.save"), FALSE },
  /* A collection begins wherever the program allocates. */
  { "collector", COLLECTOR, COLLECTOR "; " CLICKED ("symbol") "on_key_pressed", TRUE },
  /* Which function of a graphics driver runs is chance. */
  { "driver", IN_DRIVER ("gsk_renderer_render", "LLVMVerifyModule"),
    IN_DRIVER ("gsk_renderer_render", "LLVMGetPointerToGlobal"), TRUE },
  { "driver-called-otherwise", IN_DRIVER ("gsk_renderer_render", "LLVMGetPointerToGlobal"),
    IN_DRIVER ("gsk_renderer_realize", "LLVMGetPointerToGlobal"), FALSE },
  { "culprit", "", CULPRIT ("symbol") "sort_primes; culprit.function=sort_primes", FALSE },
  { "caller", "", CLICKED ("symbol") "on_key_pressed", FALSE },
  { "library", "", CLICKED ("module") "4", FALSE },
  { "kind", "", "kind=spin", FALSE },
  /* Libraries between the program's functions, which are others in another release, tell where nothing else does. */
  { "nameless-function", "", UNNAMED_GTK ("offset") "2411496", TRUE },
  { "release-of-library", "", "modules.1.build_id=7000000000000000000000000000000000000002", TRUE },
  { "nameless-function-alone", ALL_OF_LIBRARIES, ALL_OF_LIBRARIES "; " UNNAMED_GTK ("offset") "2411496", FALSE },
  { "release-of-library-alone", ALL_OF_LIBRARIES,
    ALL_OF_LIBRARIES "; modules.1.build_id=7000000000000000000000000000000000000002", FALSE },
  /* Where the loop's native calls are missing, a script's file stands around its callback. */
  { "file-of-javascript", "", TOP_LEVEL ("<TOP LEVEL>"), TRUE },
  { "file-of-python", "", TOP_LEVEL ("<module>"), TRUE },
  { "function-of-javascript", "", TOP_LEVEL ("turn/<"), FALSE },
  { "file-as-culprit", "", TOP_LEVEL ("turn/<") "; " OF_SCRIPT ("<TOP LEVEL>"), FALSE },
  { "module-as-culprit", "", TOP_LEVEL ("turn/<") "; " OF_SCRIPT ("<module>"), FALSE },
  /* What is deeper than the culprit, or outside of the dispatch, is not the problem; nor how often it recurs. */
  { "deeper", "", "heaviest.path.+={\"frame\":11,\"share\":0.6}", TRUE },
  { "recursive", "", "heaviest.path.+={\"frame\":10,\"share\":0.97,\"self_share\":0.95}", TRUE },
  { "deeper-without-culprit", NO_CULPRIT, NO_CULPRIT "; heaviest.path.+={\"frame\":11,\"share\":0.6}", FALSE },
  { "without-culprit", "", NO_CULPRIT, TRUE },
  /* No stack could be read: the source tells, and where that is unknown too, all are the same. */
  { "source", NO_PATH, NO_PATH, TRUE },
  { "another-source", NO_PATH, NO_PATH "; source.name=[gtk] gdk_frame_clock_paint_idle", FALSE },
  /* Without a stack nothing tells two programs apart but their names. */
  { "program", "", "app.id=org.example.Other", TRUE },
  { "program-without-stack", NO_PATH, NO_PATH "; app.id=org.example.Other", FALSE },
  { "program-without-id", NO_PATH "; app.id=", NO_PATH "; app.id=", TRUE },
  { "file-of-program", NO_PATH "; app.id=", NO_PATH "; app.id=; app.exe=/usr/bin/other", FALSE },
  /* A description is no name: another report of the same stall may lack it. */
  { "description", CULPRIT ("symbol"), CULPRIT ("symbol") "Page.measure; " CULPRIT ("name_from") "type-system", TRUE },
};

static char *
get_fingerprint (JankReport *report)
{
  char *fingerprint = jank_fingerprint_new (report);

  g_assert_cmpuint (strlen (fingerprint), ==, JANK_FINGERPRINT_LENGTH);
  g_assert_cmpuint (strspn (fingerprint, "0123456789abcdef"), ==, JANK_FINGERPRINT_LENGTH);
  return fingerprint;
}

static void
assert_same (JankReport *a, JankReport *b, gboolean same)
{
  g_autofree char *a_text = get_fingerprint (a), *b_text = get_fingerprint (b);

  g_assert_cmpint (strcmp (a_text, b_text) == 0, ==, same);
}

static void
check_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (JankReport) one = report_fixture_new_edited (row->one), two = report_fixture_new_edited (row->two);

  assert_same (one, two, row->same);
}

/* A library's function of the culprit's name is below it where most of the stall went there. */
TEST (namesake)
{
  g_autoptr (JankReport) one = report_fixture_new_edited ("");
  g_autoptr (JankReport) two = report_fixture_new_edited (
      "frames.+={\"module\":1,\"symbol\":\"compute_primes\"}; "
      "heaviest.path.+={\"frame\":13,\"share\":0.6,\"self_share\":0.6}");

  assert_same (one, two, TRUE);
  g_assert_cmpint (jank_report_find_culprit_step (two), ==, jank_report_find_culprit_step (one));
}

TEST (bare)
{
  g_autoptr (JankReport) bare = report_fixture_new_bare ("a"), other = report_fixture_new_bare ("b");
  g_autoptr (JankReport) sourced = report_fixture_new_edited (NO_PATH);

  assert_same (bare, other, TRUE);
  assert_same (bare, sourced, FALSE);
}

TEST (slot)
{
  g_autoptr (JankReport) report = report_fixture_new_edited (rows[G_N_ELEMENTS (rows) - 1].two);
  g_autofree char *text = jank_report_call_to_text (report, 10);

  g_assert_cmpstr (text, ==, "slot Page.measure");
}

TESTS_AND_ROWS ("/report/fingerprint", rows, check_row)
