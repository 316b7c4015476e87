/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What of a verdict is calls: which the culprit waits in, which two it spent its time in, and the garbage collector
 * that one of them is. */

#include "verdict/jank-verdict-private.h"

#include <string.h>

#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"
#include "symbols/jank-function-name-private.h"

static gboolean
jank_verdict_has_language (JankReport *report, const GArray *calls, const char *language)
{
  for (guint i = 0; i < calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (report, g_array_index (calls, gint, i));

      if (call->language != NULL && (language == NULL || strcmp (call->language, language) == 0))
        return TRUE;
    }
  return FALSE;
}

/* What Python calls by a name of its own, such as time.sleep(), is its program's call. Compiled scripts have no
 * file. */
static gboolean
jank_verdict_is_native (const JankReportCall *call, const JankReportModule *module, gboolean is_compiled)
{
  if (call->language != NULL || call->name_from == JANK_NAME_FROM_INTERPRETER)
    return FALSE;
  return module == NULL ? is_compiled : module->path != NULL && jank_platform_is (module->path,
                                                                                  JANK_PLATFORM_INTERPRETER);
}

GArray *
jank_verdict_find_hidden (JankReport *report, const GArray *calls)
{
  GArray *hidden = g_array_sized_new (FALSE, TRUE, sizeof (gboolean), calls->len);
  gboolean is_compiled = jank_verdict_has_language (report, calls, "javascript");
  gboolean is_script = jank_verdict_has_language (report, calls, NULL);

  g_array_set_size (hidden, calls->len);
  for (guint i = 0; i < calls->len; i++)
    {
      const JankReportCall *call = jank_report_get_call (report, g_array_index (calls, gint, i));

      g_array_index (hidden, gboolean, i) =
        (is_script && jank_verdict_is_native (call, jank_report_get_module (report, call), is_compiled)) ||
        jank_culprit_is_folded (call->symbol);
    }
  return hidden;
}

static const JankReportBranch *
jank_verdict_get_branch (JankReport *report, guint i)
{
  return &g_array_index (report->heaviest.branches, JankReportBranch, i);
}

/* Returns: (transfer full) of guint: the calls of the heaviest path, outermost first */
static GArray *
jank_verdict_list_path (JankReport *report)
{
  GArray *calls = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < report->heaviest.path->len; i++)
    g_array_append_val (calls, jank_report_get_step (report, (gint) i)->call);
  return calls;
}

void
jank_verdict_find_callee (JankReport *report, JankReportVerdict *verdict)
{
  g_autoptr (GArray) calls = jank_verdict_list_path (report), hidden = jank_verdict_find_hidden (report, calls);
  gint culprit = jank_report_find_culprit_step (report);

  for (guint i = (guint) (culprit + 1); culprit != JANK_REPORT_NO_INDEX && i < calls->len; i++)
    if (verdict->callee == NULL && !g_array_index (hidden, gboolean, i) &&
        jank_report_get_step_call (report, (gint) i)->symbol != NULL)
      verdict->callee = jank_report_call_to_text (report, g_array_index (calls, guint, i));
}

/* The heaviest callee of a branch; G_MAXUINT: none took a fifth. */
static guint
jank_verdict_find_next (JankReport *report, guint branch)
{
  guint next = G_MAXUINT;

  for (guint i = branch + 1; i < report->heaviest.branches->len; i++)
    if (jank_verdict_get_branch (report, i)->from == (gint) (report->heaviest.path->len + branch) &&
        (next == G_MAXUINT ||
         jank_verdict_get_branch (report, i)->time_ns > jank_verdict_get_branch (report, next)->time_ns))
      next = i;
  return next;
}

static gboolean
jank_verdict_is_own (JankReport *report, const JankReportStep *step)
{
  return jank_report_is_own (report, jank_report_get_call (report, step->call), NULL);
}

/* From a branch of the path's end inward. Returns: (nullable): its outermost function of the program, else its
 * outermost with a name; NULL: none is shown */
static const JankReportBranch *
jank_verdict_name_branch (JankReport *report, guint first)
{
  g_autoptr (GArray) calls = jank_verdict_list_path (report), hidden = NULL;
  const JankReportBranch *named = NULL;
  guint at = calls->len;

  for (guint i = first; i != G_MAXUINT; i = jank_verdict_find_next (report, i))
    g_array_append_val (calls, jank_verdict_get_branch (report, i)->step.call);
  hidden = jank_verdict_find_hidden (report, calls);
  for (guint i = first; i != G_MAXUINT; i = jank_verdict_find_next (report, i))
    {
      const JankReportBranch *branch = jank_verdict_get_branch (report, i);

      if (!g_array_index (hidden, gboolean, at++) &&
          (named == NULL ||
           (!jank_verdict_is_own (report, &named->step) && jank_verdict_is_own (report, &branch->step)) ||
           (jank_report_get_call (report, named->step.call)->symbol == NULL &&
            jank_report_get_call (report, branch->step.call)->symbol != NULL)))
        named = branch;
    }
  return named;
}

/* Returns: (transfer full): as people read it */
static char *
jank_verdict_name_call (JankReport *report, const JankReportStep *step)
{
  g_autofree char *symbol = jank_report_call_to_text (report, (guint) step->call);

  return jank_function_name (symbol);
}

static void
jank_verdict_add_part (JankReport *report, JankReportVerdict *verdict, const JankReportStep *step)
{
  JankReportVerdictPart *part = jank_report_verdict_part_new ();

  part->function = jank_report_call_to_text (report, (guint) step->call);
  part->share = step->share;
  g_ptr_array_add (verdict->parts, part);
}

/* Two branches are of the culprit, or of functions of the program that what it called has called. */
void
jank_verdict_find_parts (JankReport *report, JankReportVerdict *verdict)
{
  const JankReportBranch *first = NULL, *second = NULL;
  g_autofree char *first_name = NULL, *second_name = NULL;
  gint last = (gint) report->heaviest.path->len - 1;

  for (guint i = 0; last >= 0 && i < report->heaviest.branches->len; i++)
    {
      const JankReportBranch *branch = jank_verdict_get_branch (report, i)->from == last
                                       ? jank_verdict_name_branch (report, i) : NULL;

      if (branch != NULL && (first == NULL || branch->time_ns > first->time_ns))
        {
          second = first;
          first = branch;
        }
      else if (branch != NULL && (second == NULL || branch->time_ns > second->time_ns))
        second = branch;
    }
  if (second == NULL || (jank_report_find_culprit_step (report) != last &&
                         (!jank_verdict_is_own (report, &first->step) || !jank_verdict_is_own (report, &second->step))))
    return;
  first_name = jank_verdict_name_call (report, &first->step);
  second_name = jank_verdict_name_call (report, &second->step);
  if (strcmp (first_name, second_name) == 0)
    return;
  jank_verdict_add_part (report, verdict, &first->step);
  jank_verdict_add_part (report, verdict, &second->step);
}

gboolean
jank_verdict_is_dispatch (JankReport *report, const JankReportCall *call)
{
  const char *file = jank_report_get_file_name (report, call);

  return file != NULL && g_str_has_prefix (file, "libglib-2.0.so") && call->symbol != NULL &&
         g_str_has_prefix (call->symbol, "g_main_");
}

/* The program's function in which it began. */
static void
jank_verdict_find_beginner (JankReport *report, JankReportVerdict *verdict, gint collector)
{
  for (gint i = collector - 1; i >= 0; i--)
    {
      const JankReportCall *call = jank_report_get_step_call (report, i);

      if (jank_verdict_is_dispatch (report, call))
        return;
      if (!jank_report_is_own (report, call, NULL))
        continue;
      verdict->begun.function = jank_report_call_to_text (report, (guint) jank_report_get_step (report, i)->call);
      verdict->begun.file = g_strdup (call->file);
      verdict->begun.line = call->line;
      verdict->begun.asked = jank_report_find_culprit_step (report) != collector;
      return;
    }
}

/* What the collector calls is a culprit like any other, and where the interpreter ends, its end is. */
gboolean
jank_verdict_find_collector (JankReport *report, JankReportVerdict *verdict)
{
  gint i = jank_report_find_culprit_step (report);

  if (jank_culprit_is_end (&(JankCulpritStep) { .function = report->culprit.function }))
    return FALSE;
  for (; i != JANK_REPORT_NO_INDEX && i < (gint) report->heaviest.path->len; i++)
    if (jank_report_get_step_call (report, i)->name_from == JANK_NAME_FROM_COLLECTOR)
      {
        verdict->kind = JANK_VERDICT_GARBAGE_COLLECTOR;
        verdict->collector = g_strdup (jank_report_get_step_call (report, i)->symbol);
        verdict->share = jank_report_get_step (report, i)->share;
        jank_verdict_find_beginner (report, verdict, i);
        return TRUE;
      }
  return FALSE;
}
