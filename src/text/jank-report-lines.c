/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "text/jank-report-lines-private.h"

/* A symbol is better than a description. */
static gboolean
has_symbol (const JankReportCall *call)
{
  return call->symbol != NULL && !jank_name_from_is_description (call->name_from);
}

static void
set_symbol (JankReportCall *call, const char *name, guint64 offset, JankNameFrom from)
{
  g_free (call->symbol);
  call->symbol = g_strdup (name);
  call->symbol_offset = offset;
  call->name_from = from;
}

/* The tables' name has a start of its own; debug information names the function whose start the report has. */
static void
fill_symbol (JankReportCall *call, const JankSourcePlace *place)
{
  const GArray *points = place->points;

  if (has_symbol (call))
    return;
  if (place->symbol.name != NULL)
    set_symbol (call, place->symbol.name, place->symbol.offset, place->symbol.from);
  else if (points->len > 0 && g_array_index (points, JankSourcePoint, points->len - 1).function != NULL)
    set_symbol (call, g_array_index (points, JankSourcePoint, points->len - 1).function, call->symbol_offset,
                place->points_from);
}

static void
add_inlined (JankReportCall *call, const JankSourcePoint *point)
{
  JankReportInlined *inlined = jank_report_inlined_new ();

  inlined->symbol = g_strdup (point->function);
  inlined->file = g_strdup (point->file);
  inlined->line = point->line;
  g_ptr_array_add (call->inlined, inlined);
}

static void
fill_call (JankReport *report, guint i, JankSourceLines *lines)
{
  JankReportCall *call = g_ptr_array_index (report->calls, i);
  const JankReportModule *module = call->module != JANK_REPORT_NO_INDEX
                                   ? g_ptr_array_index (report->modules, call->module) : NULL;
  const JankSourcePlace *place = module != NULL && module->build_id != NULL
                                 ? jank_source_lines_find (lines, module->path, module->build_id, call->offset,
                                                           !has_symbol (call)) : NULL;

  if (place == NULL)
    return;
  fill_symbol (call, place);
  if (call->file != NULL)
    return;
  for (guint j = 0; j < place->points->len; j++)
    {
      const JankSourcePoint *point = &g_array_index (place->points, JankSourcePoint, j);

      if (j + 1 < place->points->len)
        add_inlined (call, point);
      else
        {
          call->file = g_strdup (point->file);
          call->line = point->line;
        }
    }
}

static gboolean
same_function (const JankReportCall *a, const JankReportCall *b)
{
  return a->module == b->module && a->offset - a->symbol_offset == b->offset - b->symbol_offset;
}

/* The place in the culprit where most of its samples were: the line to look at. */
static guint
find_heaviest_place (JankReport *report, guint culprit)
{
  const JankReportCall *function = g_ptr_array_index (report->calls, culprit);
  g_autofree double *weights = g_new0 (double, report->calls->len);
  guint best = culprit;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);
      const JankReportStack *stack;
      guint k = 0;

      if (sample->stack == JANK_REPORT_NO_INDEX)
        continue;
      stack = g_ptr_array_index (report->stacks, sample->stack);
      while (k < stack->calls->len
             && !same_function (g_ptr_array_index (report->calls, g_array_index (stack->calls, guint, k)), function))
        k++;
      if (k == stack->calls->len)
        continue;
      weights[g_array_index (stack->calls, guint, k)] += (double) sample->weight_ns;
    }
  for (guint i = 0; i < report->calls->len; i++)
    if (weights[i] > weights[best])
      best = i;
  return best;
}

static void
fill_culprit (JankReport *report, gint step)
{
  guint call, place;
  const JankReportCall *at;

  if (step == JANK_REPORT_NO_INDEX)
    return;
  call = (guint) g_array_index (report->heaviest.path, JankReportStep, step).call;
  place = find_heaviest_place (report, call);
  at = g_ptr_array_index (report->calls, place);
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, call);
  if (report->culprit.file != NULL || at->file == NULL)
    return;
  report->culprit.file = g_strdup (at->file);
  report->culprit.line = at->line;
}

static void
fill_heaviest (JankReport *report)
{
  const GArray *path = report->heaviest.path;

  if (path->len == 0)
    return;
  g_free (report->heaviest.function);
  report->heaviest.function = jank_report_call_to_text (report, (guint) g_array_index (path, JankReportStep,
                                                                                         path->len - 1).call);
}

void
jank_report_fill_lines (JankReport *report, JankSourceLines *lines)
{
  gint step = jank_report_find_culprit_step (report);

  for (guint i = 0; i < report->calls->len; i++)
    fill_call (report, i, lines);
  fill_culprit (report, step);
  fill_heaviest (report);
  jank_table_clean (&jank_report_table, report);
}

void
jank_report_fill_culprit_line (JankReport *report, JankSourceLines *lines)
{
  gint step = jank_report_find_culprit_step (report);
  guint call;

  if (step == JANK_REPORT_NO_INDEX)
    return;
  call = (guint) g_array_index (report->heaviest.path, JankReportStep, step).call;
  if (has_symbol (g_ptr_array_index (report->calls, call)))
    return;
  fill_call (report, call, lines);
  fill_culprit (report, step);
  jank_table_clean (&jank_report_table, report);
}
