/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What makes two stalls the same problem, and what does not. Real programs that were built again: cli/ci. */

#include <string.h>

#include "report-fixture.h"
#include "test.h"
#include "report/jank-fingerprint-private.h"

#define ID "20261121-153012-4242-1"

/* Frames of the fixture. */
enum { UNNAMED_GTK = 7, ON_CLICKED = 9, CULPRIT = 10 };

static JankReportCall *
get_frame (JankReport *report, guint i)
{
  return g_ptr_array_index (report->calls, i);
}

static void
set_symbol (JankReport *report, guint i, const char *symbol)
{
  jank_set_text (&get_frame (report, i)->symbol, symbol);
}

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

/* Loaded elsewhere, built again, for longer, waiting for something else, from another start of the loop. */
TEST (same)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) two = report_fixture_new ("20261121-153012-4242-2");
  JankReportModule *program = g_ptr_array_index (two->modules, 0);

  assert_same (one, two, TRUE);
  for (guint i = 0; i < two->modules->len; i++)
    ((JankReportModule *) two->modules->pdata[i])->base += 0x1000;
  program->build_id[3] = 'e';
  get_frame (two, CULPRIT)->offset += 0x550;
  get_frame (two, CULPRIT)->symbol_offset += 0x10;
  get_frame (two, UNNAMED_GTK)->offset += 3;
  get_frame (two, UNNAMED_GTK)->symbol_offset += 3;
  get_frame (two, 3)->offset += 0x100;
  set_symbol (two, 3, "another_main");
  jank_set_text (&program->path, "/opt/other/place/jankwatch-demo");
  two->stall.duration_ns *= 3;
  two->culprit.line = 7;
  ((JankReportSample *) two->samples->pdata[0])->state = JANK_STATE_BLOCKED;
  assert_same (one, two, TRUE);

  /* The compiler made a copy of the function, or the library was updated. */
  set_symbol (two, ON_CLICKED, "on_button_clicked.part.0");
  assert_same (one, two, TRUE);
}

/* Methods of one class. */
TEST (script)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) two = report_fixture_new (ID);

  set_symbol (one, CULPRIT, "Window.open");
  set_symbol (two, CULPRIT, "Window.save");
  get_frame (one, CULPRIT)->name_from = get_frame (two, CULPRIT)->name_from = JANK_NAME_FROM_INTERPRETER;
  assert_same (one, two, FALSE);
}

/* A collection begins wherever the program allocates. */
TEST (collector)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) two = report_fixture_new (ID);

  set_symbol (two, ON_CLICKED, "on_key_pressed");
  get_frame (one, CULPRIT)->name_from = get_frame (two, CULPRIT)->name_from = JANK_NAME_FROM_COLLECTOR;
  assert_same (one, two, TRUE);
}

/* A library's function of the culprit's name is below it where most of the stall went there. */
TEST (namesake)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) two = report_fixture_new (ID);
  JankReportStep below = { (gint) two->calls->len, 0.6, 0.6 };
  JankReportCall *call = jank_report_call_new ();

  call->module = get_frame (two, UNNAMED_GTK)->module;
  call->symbol = g_strdup (two->culprit.function);
  g_ptr_array_add (two->calls, call);
  g_array_append_val (two->heaviest.path, below);
  assert_same (one, two, TRUE);
  g_assert_cmpint (jank_report_find_culprit_step (two), ==, jank_report_find_culprit_step (one));
}

static JankReport *
new_in_driver (const char *function, const char *inner)
{
  JankReport *report = report_fixture_new (ID);
  JankReportModule *driver = jank_report_module_new (), *toolkit = jank_report_module_new ();

  toolkit->path = g_strdup ("/usr/lib/libgtk-4.so.1");
  driver->path = g_strdup ("/usr/lib/libLLVM-15.so.1");
  get_frame (report, ON_CLICKED)->module = (gint) report->modules->len;
  g_ptr_array_add (report->modules, toolkit);
  get_frame (report, CULPRIT)->module = (gint) report->modules->len;
  g_ptr_array_add (report->modules, driver);
  set_symbol (report, ON_CLICKED, function);
  set_symbol (report, CULPRIT, inner);
  return report;
}

/* Which function of a graphics driver runs is chance. */
TEST (driver)
{
  g_autoptr (JankReport) one = new_in_driver ("gsk_renderer_render", "LLVMVerifyModule");
  g_autoptr (JankReport) two = new_in_driver ("gsk_renderer_render", "LLVMGetPointerToGlobal");
  g_autoptr (JankReport) other = new_in_driver ("gsk_renderer_realize", "LLVMGetPointerToGlobal");

  assert_same (one, two, TRUE);
  assert_same (two, other, FALSE);
}

TEST (different)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) culprit = report_fixture_new (ID);
  g_autoptr (JankReport) caller = report_fixture_new (ID);
  g_autoptr (JankReport) library = report_fixture_new (ID);
  g_autoptr (JankReport) kind = report_fixture_new (ID);

  set_symbol (culprit, CULPRIT, "sort_primes");
  jank_set_text (&culprit->culprit.function, "sort_primes");
  assert_same (one, culprit, FALSE);
  set_symbol (caller, ON_CLICKED, "on_key_pressed");
  assert_same (one, caller, FALSE);
  get_frame (library, ON_CLICKED)->module = 4;
  assert_same (one, library, FALSE);
  kind->kind = JANK_REPORT_SPIN;
  assert_same (one, kind, FALSE);
}

/* Libraries between the program's functions, which are others in another release; they tell where nothing else does. */
TEST (libraries)
{
  for (guint is_alone = 0; is_alone <= 1; is_alone++)
    {
      g_autoptr (JankReport) one = report_fixture_new (ID);
      g_autoptr (JankReport) nameless = report_fixture_new (ID);
      g_autoptr (JankReport) build = report_fixture_new (ID);
      JankReport *all[] = { one, nameless, build };

      for (guint i = 0; i < G_N_ELEMENTS (all) && is_alone; i++)
        for (guint k = 0; k < all[i]->calls->len; k++)
          get_frame (all[i], k)->module = 1;
      get_frame (nameless, UNNAMED_GTK)->offset += 0x40;
      assert_same (one, nameless, !is_alone);
      ((JankReportModule *) build->modules->pdata[1])->build_id[0] = '7';
      assert_same (one, build, !is_alone);
    }
}

/* Where the loop's native calls are missing, a script's file stands around its callback. */
TEST (file)
{
  static const char *const names[] = { "<TOP LEVEL>", "<module>" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (JankReport) one = report_fixture_new (ID);
      g_autoptr (JankReport) two = report_fixture_new (ID);

      set_symbol (two, UNNAMED_GTK, names[i]);
      get_frame (two, UNNAMED_GTK)->name_from = JANK_NAME_FROM_INTERPRETER;
      get_frame (two, UNNAMED_GTK)->module = 0;
      assert_same (one, two, TRUE);
      set_symbol (two, UNNAMED_GTK, "turn/<");
      assert_same (one, two, FALSE);
      set_symbol (two, CULPRIT, names[i]);
      get_frame (two, CULPRIT)->name_from = JANK_NAME_FROM_INTERPRETER;
      assert_same (one, two, FALSE);
    }
}

/* What is deeper than the culprit, or outside of the dispatch, is not the problem; nor how often it recurs. */
TEST (path)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) deeper = report_fixture_new (ID);
  g_autoptr (JankReport) recursive = report_fixture_new (ID);
  g_autoptr (JankReport) without = report_fixture_new (ID);
  const JankReportStep leaf = { .call = 11, .share = 0.6 };

  g_array_append_val (deeper->heaviest.path, leaf);
  assert_same (one, deeper, TRUE);
  g_array_append_val (recursive->heaviest.path, g_array_index (recursive->heaviest.path, JankReportStep, CULPRIT));
  assert_same (one, recursive, TRUE);

  g_clear_pointer (&deeper->culprit.function, g_free);
  g_clear_pointer (&without->culprit.function, g_free);
  assert_same (deeper, without, FALSE);
  assert_same (one, without, TRUE);
}

/* No stack could be read: the source tells, and where that is unknown too, all are the same. */
TEST (source)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) two = report_fixture_new (ID);
  g_autoptr (JankReport) bare = report_fixture_new_bare (ID);
  g_autoptr (JankReport) other = report_fixture_new_bare (ID);

  g_array_set_size (one->heaviest.path, 0);
  g_array_set_size (two->heaviest.path, 0);
  assert_same (one, two, TRUE);
  assert_same (one, bare, FALSE);
  jank_set_text (&two->source.name, "[gtk] gdk_frame_clock_paint_idle");
  assert_same (one, two, FALSE);
  assert_same (bare, other, TRUE);
}

/* A description is no name: another report of the same stall may lack it. */
TEST (description)
{
  g_autoptr (JankReport) one = report_fixture_new (ID);
  g_autoptr (JankReport) two = report_fixture_new (ID);
  g_autofree char *text = NULL;

  set_symbol (one, CULPRIT, NULL);
  set_symbol (two, CULPRIT, "Page.measure");
  get_frame (two, CULPRIT)->name_from = JANK_NAME_FROM_TYPE_SYSTEM;
  assert_same (one, two, TRUE);
  text = jank_report_call_to_text (two, CULPRIT);
  g_assert_cmpstr (text, ==, "slot Page.measure");
}

/* Without a stack nothing tells two programs apart but their names. */
TEST (program)
{
  g_autoptr (JankReport) one = report_fixture_new (ID), two = report_fixture_new (ID);

  jank_set_text (&two->app.id, "org.example.Other");
  assert_same (one, two, TRUE);
  g_array_set_size (one->heaviest.path, 0);
  g_array_set_size (two->heaviest.path, 0);
  assert_same (one, two, FALSE);
  g_clear_pointer (&one->app.id, g_free);
  g_clear_pointer (&two->app.id, g_free);
  assert_same (one, two, TRUE);
  jank_set_text (&two->app.exe, "/usr/bin/other");
  assert_same (one, two, FALSE);
}

TESTS ("/report/fingerprint")
