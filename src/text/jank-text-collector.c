/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* An interpreter's garbage collection as the cause of a stall: what was collected, how long, and where it began. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "blame/jank-culprit-private.h"

/* Returns: the step of the collector, which is the culprit or was asked for by that; JANK_REPORT_NO_INDEX: none.
 * What the collector calls is a culprit like any other, and where the interpreter ends, its end is. */
static gint
find_collector (JankReport *report)
{
  gint i = jank_report_find_culprit_step (report);

  if (jank_culprit_is_end (&(JankCulpritStep) { .function = report->culprit.function }))
    return JANK_REPORT_NO_INDEX;
  for (; i != JANK_REPORT_NO_INDEX && i < (gint) report->heaviest.path->len; i++)
    if (jank_report_get_step_call (report, i)->name_from == JANK_NAME_FROM_COLLECTOR)
      return i;
  return JANK_REPORT_NO_INDEX;
}

/* Where GLib's loop has called it, what runs the loop has not. */
static gboolean
is_dispatch (JankReport *report, const JankReportCall *call)
{
  const char *file = jank_report_get_file_name (report, call);

  return file != NULL && g_str_has_prefix (file, "libglib-2.0.so") && call->symbol != NULL &&
         g_str_has_prefix (call->symbol, "g_main_");
}

/* Returns: the step of the function in which it began; JANK_REPORT_NO_INDEX: none of the program's */
static gint
find_beginner (JankReport *report, gint collector)
{
  while (--collector >= 0 && !is_dispatch (report, jank_report_get_step_call (report, collector)))
    if (jank_report_is_own (report, jank_report_get_step_call (report, collector), NULL))
      return collector;
  return JANK_REPORT_NO_INDEX;
}

/* Returns: (transfer full): "append_rows() (ledger.py:7)" */
static char *
describe_beginner (JankReport *report, gint step)
{
  const JankReportCall *call = jank_report_get_step_call (report, step);
  g_autofree char *function = jank_text_function (report, (guint) jank_report_get_step (report, step)->call);
  g_autofree char *name = jank_text_name_function (report, (guint) jank_report_get_step (report, step)->call, function);
  g_autofree char *file = jank_text_file_name (call->file);

  return call->line > 0 && *file != '\0'
         ? g_strdup_printf ("%s (%s:%u)", name, file, call->line) : g_steal_pointer (&name);
}

/* Returns: (transfer full): "Python's garbage collector (639 ms)" */
static char *
describe_collector (JankReport *report, gint step)
{
  double length_ns = jank_report_get_step (report, step)->share * (double) report->stall.duration_ns;
  g_autofree char *length = jank_text_duration ((gint64) length_ns);
  const char *name = _(jank_report_get_step_call (report, step)->symbol);

  return g_strdup_printf ("%s (%s)", name, length);
}

char *
jank_text_collector (JankReport *report)
{
  gint collector = find_collector (report), beginner;
  g_autofree char *what = NULL, *who = NULL;

  if (collector == JANK_REPORT_NO_INDEX)
    return NULL;
  what = describe_collector (report, collector);
  beginner = find_beginner (report, collector);
  if (beginner == JANK_REPORT_NO_INDEX)
    return g_steal_pointer (&what);
  who = describe_beginner (report, beginner);
  /* Translators: an interpreter’s garbage collector and a function. */
  if (jank_report_find_culprit_step (report) == collector)
    return g_strdup_printf (_("%s, begun in %s"), what, who);
  return g_strdup_printf (_("%s, asked for by %s"), what, who);
}

static void
copy_step (JankReport *to, JankReport *from, gint step)
{
  const JankReportCall *call = jank_report_get_step_call (from, step);
  const JankReportModule *module = jank_report_get_module (from, call);
  JankReportCall *copy = jank_report_call_new ();
  JankReportStep copied = *jank_report_get_step (from, step);

  if (module != NULL)
    {
      JankReportModule *copied_module = jank_report_module_new ();

      copied_module->path = g_strdup (module->path);
      copy->module = (gint) to->modules->len;
      g_ptr_array_add (to->modules, copied_module);
    }
  copy->symbol = g_strdup (call->symbol);
  copy->name_from = call->name_from;
  copy->language = g_strdup (call->language);
  copy->file = g_strdup (call->file);
  copy->line = call->line;
  copied.call = (gint) to->calls->len;
  g_ptr_array_add (to->calls, copy);
  g_array_append_val (to->heaviest.path, copied);
}

void
jank_text_copy_collector (JankReport *gist, JankReport *report)
{
  gint collector = find_collector (report), beginner;

  if (collector == JANK_REPORT_NO_INDEX)
    return;
  gist->heaviest.rule = g_strdup (report->heaviest.rule);
  beginner = find_beginner (report, collector);
  if (beginner != JANK_REPORT_NO_INDEX)
    copy_step (gist, report, beginner);
  copy_step (gist, report, collector);
}
