/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "text/jank-report-lines-private.h"

#include "blame/jank-culprit-private.h"
#include "text/jank-report-places-private.h"
#include "text/jank-text-private.h"
#include "verdict/jank-verdict-private.h"

/* A symbol is better than a description. */
static gboolean
has_symbol (const JankReportCall *call)
{
  return call->symbol != NULL && !jank_name_from_is_description (call->name_from);
}

static void
set_symbol (JankReportCall *call, const char *name, guint64 offset, JankNameFrom from)
{
  jank_set_text (&call->symbol, name);
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
  JankReportCall *call = jank_report_get_call (report, (gint) i);
  const JankReportModule *module = jank_report_get_module (report, call);
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

/* What stands at a place at that depth; -1: the function itself. */
static JankReportInlined
get_point (JankReport *report, JankReportPlaces *places, guint call, gint depth)
{
  const JankReportCall *function = jank_report_get_call (report, (gint) call);
  const JankReportInlined *inlined = depth >= 0 ? jank_report_places_get_inlined (places, call, (guint) depth) : NULL;

  return inlined != NULL ? *inlined : (JankReportInlined) { function->symbol, function->file, function->line };
}

/* Of places, the source line where most of their samples were: the line to look at. */
static JankReportInlined
find_heaviest_line (JankReport *report, JankReportPlaces *places, const GArray *at, gint depth)
{
  JankReportInlined best = { 0 };
  gint64 best_ns = 0;

  for (guint i = 0; i < at->len; i++)
    {
      JankReportInlined point = get_point (report, places, g_array_index (at, JankReportPlace, i).call, depth);
      gint64 sum_ns = 0;

      for (guint k = 0; k < at->len; k++)
        {
          JankReportInlined other = get_point (report, places, g_array_index (at, JankReportPlace, k).call, depth);

          if (other.line == point.line && g_strcmp0 (other.file, point.file) == 0)
            sum_ns += g_array_index (at, JankReportPlace, k).total_ns;
        }
      if (sum_ns > best_ns)
        {
          best = point;
          best_ns = sum_ns;
        }
    }
  return best;
}

/* Returns: (nullable): the function inlined at that depth that has most of the places' time, which is in ret_share */
static const char *
find_heaviest_inlined (JankReportPlaces *places, const GArray *at, guint depth, double *ret_share)
{
  const char *best = NULL;
  gint64 best_ns = 0, whole_ns = 0;

  for (guint i = 0; i < at->len; i++)
    {
      const JankReportPlace *place = &g_array_index (at, JankReportPlace, i);
      const JankReportInlined *inlined = jank_report_places_get_inlined (places, place->call, depth);
      const char *name = inlined != NULL ? inlined->symbol : NULL;
      gint64 sum_ns = name != NULL ? jank_report_places_sum (places, at, depth, name).total_ns : 0;

      whole_ns += place->total_ns;
      if (sum_ns > best_ns)
        {
          best = name;
          best_ns = sum_ns;
        }
    }
  *ret_share = (double) best_ns / (double) MAX (whole_ns, 1);
  return best;
}

/* The deepest function of the program that was inlined into a step of the path and keeps half of the stall. FALSE:
 * none */
static gboolean
find_inlined (JankReport *report, JankReportPlaces *places, const JankReportStep *step, JankReportInlined *ret_inlined)
{
  g_autoptr (GArray) at = jank_report_places_find (places, (guint) step->call);
  double share = step->share, part;
  gboolean found = FALSE;
  const char *name;

  for (guint depth = 0; (name = find_heaviest_inlined (places, at, depth, &part)) != NULL; depth++)
    {
      JankReportInlined inlined;

      share *= part;
      if (share < 0.5)
        break;
      jank_report_places_keep (places, at, depth, name);
      inlined = find_heaviest_line (report, places, at, (gint) depth);
      if (!jank_report_is_own (report, jank_report_get_call (report, step->call), &inlined))
        continue;
      *ret_inlined = inlined;
      found = TRUE;
    }
  return found;
}

/* Returns: the deepest step that the culprit, which is in step, may be found to be; what a callback calls that turns
 * the loop is not to blame for that */
static gint
find_last (JankReport *report, gint step)
{
  return report->kind == JANK_REPORT_SPIN ? step : (gint) report->heaviest.path->len - 1;
}

/* Returns: the step that the culprit's step stands for, if that has a name by now; else the step itself */
static gint
find_better (JankReport *report, gint step)
{
  for (gint own = find_last (report, step); own > step; own--)
    {
      const JankReportCall *call = jank_report_get_step_call (report, own);
      const JankReportModule *module = jank_report_get_module (report, call);

      if (call->symbol != NULL && jank_report_is_own (report, call, NULL) &&
          jank_culprit_shares_package (module != NULL ? module->path : NULL, report->culprit.module))
        return own;
    }
  return step;
}

/* step is the culprit's. What it calls may be a library's template or generic function that the compiler made for
 * it, with more of the program in it. */
static void
fill_culprit (JankReport *report, JankReportPlaces *places, gint step)
{
  JankReportInlined at = { 0 };
  gint i = find_last (report, step);
  guint call;

  while (i >= step && !find_inlined (report, places, jank_report_get_step (report, i), &at))
    i--;
  call = (guint) jank_report_get_step (report, MAX (i, step))->call;
  g_clear_pointer (&report->culprit.inlined_into, g_free);
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, call);
  if (i >= step)
    {
      report->culprit.inlined_into = g_steal_pointer (&report->culprit.function);
      report->culprit.function = g_strdup (at.symbol);
    }
  else
    {
      g_autoptr (GArray) all = jank_report_places_find (places, call);

      at = all->len > 0 ? find_heaviest_line (report, places, all, -1) : get_point (report, places, call, -1);
    }
  if (at.file == NULL)
    return;
  jank_set_text (&report->culprit.file, at.file);
  report->culprit.line = at.line;
}

/* A callback that does next to nothing is on no stack: the line that it begins at. */
static void
fill_spinner (JankReport *report, JankSourceLines *lines)
{
  const JankReportCall *call;

  if (report->kind != JANK_REPORT_SPIN || !jank_report_has_callback (report, report->source.callback))
    return;
  fill_call (report, (guint) report->source.callback, lines);
  call = jank_report_get_call (report, report->source.callback);
  g_free (report->culprit.function);
  report->culprit.function = jank_report_call_to_text (report, (guint) report->source.callback);
  jank_set_text (&report->culprit.file, call->file);
  report->culprit.line = call->line;
}

static void
fill_function (JankReport *report, JankReportPlaces *places, guint call, JankSourceLines *lines)
{
  g_autoptr (GArray) all = jank_report_places_find (places, call);

  fill_call (report, call, lines);
  for (guint i = 0; i < all->len; i++)
    fill_call (report, g_array_index (all, JankReportPlace, i).call, lines);
}

/* A library of headers is compiled into the program. lines (nullable): files are not known yet. Returns: the step of
 * the program's own code that led to step, or step */
static gint
find_written (JankReport *report, JankReportPlaces *places, gint step, JankSourceLines *lines)
{
  for (gint i = step; i >= 0 && jank_report_is_own (report, jank_report_get_step_call (report, step), NULL); i--)
    {
      const JankReportCall *call = jank_report_get_step_call (report, i);
      const char *file = jank_report_get_file_name (report, call);
      JankReportInlined as_inlined = { .symbol = call->symbol };

      if (lines != NULL)
        fill_function (report, places, (guint) jank_report_get_step (report, i)->call, lines);
      as_inlined.file = call->file;
      if (!jank_report_is_own (report, call, NULL))
        {
          if (file == NULL || g_str_has_prefix (file, "libglib-2.0.so"))
            break;
        }
      else if (call->symbol != NULL && (call->language != NULL || jank_report_is_own (report, call, &as_inlined)))
        return i;
    }
  return step;
}

void
jank_report_fill_lines (JankReport *report, JankSourceLines *lines)
{
  gint step = jank_report_find_culprit_step (report);
  g_autoptr (JankReportPlaces) places = NULL;

  for (guint i = 0; i < report->calls->len; i++)
    fill_call (report, i, lines);
  places = jank_report_places_new (report);
  if (step != JANK_REPORT_NO_INDEX)
    fill_culprit (report, places, find_written (report, places, find_better (report, step), NULL));
  else
    fill_spinner (report, lines);
  if (report->heaviest.path->len > 0)
    {
      gint last = jank_report_get_step (report, (gint) report->heaviest.path->len - 1)->call;

      g_free (report->heaviest.function);
      report->heaviest.function = jank_report_call_to_text (report, (guint) last);
    }
  jank_report_name_threads (report);
  jank_table_clean (&jank_report_table, report);
  jank_verdict_update (report);
}

void
jank_report_fill_culprit_line (JankReport *report, JankSourceLines *lines)
{
  gint step = jank_report_find_culprit_step (report);
  const JankReportInlined any = { 0 };
  g_autoptr (JankReportPlaces) places = jank_report_places_new (report);

  if (step == JANK_REPORT_NO_INDEX)
    {
      fill_spinner (report, lines);
      return;
    }
  for (gint i = step; i < (gint) report->heaviest.path->len; i++)
    if (i == step || jank_report_is_own (report, jank_report_get_step_call (report, i), &any))
      fill_function (report, places, (guint) jank_report_get_step (report, i)->call, lines);
  fill_culprit (report, places, find_written (report, places, find_better (report, step), lines));
  jank_table_clean (&jank_report_table, report);
}
