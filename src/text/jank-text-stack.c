/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The heaviest stack, innermost call first. Each call has the share of the stall in which its function was on the
 * stack, and the share in the function itself, where the heaviest path knows them. */

#include "text/jank-text-report-private.h"

#include <string.h>

#include "text/jank-report-places-private.h"
#include "symbols/jank-function-name-private.h"

const JankReportStep *
jank_text_get_step (JankReport *report, gint at)
{
  const GArray *path = report->heaviest.path, *branches = report->heaviest.branches;

  if (at == JANK_REPORT_NO_INDEX)
    return NULL;
  return (guint) at < path->len ? &g_array_index (path, JankReportStep, at)
                                : &g_array_index (branches, JankReportBranch, (guint) at - path->len).step;
}

/* The branch of a function that leaves a step, or JANK_REPORT_NO_INDEX. */
static gint
find_branch (JankReport *report, gint from, guint call)
{
  for (guint i = 0; i < report->heaviest.branches->len; i++)
    {
      const JankReportBranch *branch = &g_array_index (report->heaviest.branches, JankReportBranch, i);

      if (branch->from == from && jank_report_same_function (report, (guint) branch->step.call, call))
        return (gint) (report->heaviest.path->len + i);
    }
  return JANK_REPORT_NO_INDEX;
}

/* Both are walked from the outside inward: each recursion of a function has a step of its own. */
GArray *
jank_text_find_steps (JankReport *report, const GArray *calls)
{
  gint last = JANK_REPORT_NO_INDEX;
  const gint none = JANK_REPORT_NO_INDEX;
  GArray *steps = g_array_sized_new (FALSE, FALSE, sizeof (gint), calls->len);
  guint next = 0;

  for (guint i = 0; i < calls->len; i++)
    g_array_append_val (steps, none);
  for (guint i = calls->len; i > 0; i--)
    {
      guint call = g_array_index (calls, guint, i - 1);

      for (guint j = next; j < report->heaviest.path->len; j++)
        {
          if (!jank_report_same_function (report, (guint) jank_report_get_step (report, (gint) j)->call, call))
            continue;
          g_array_index (steps, gint, i - 1) = last = (gint) j;
          next = j + 1;
          break;
        }
      if (g_array_index (steps, gint, i - 1) == none)
        g_array_index (steps, gint, i - 1) = find_branch (report, last, call);
      if (g_array_index (steps, gint, i - 1) >= (gint) report->heaviest.path->len)
        {
          last = g_array_index (steps, gint, i - 1);
          next = report->heaviest.path->len;
        }
    }
  return steps;
}

GArray *
jank_text_heaviest_calls (JankReport *report)
{
  const JankReportStack *stack = jank_report_get_stack (report, report->heaviest.stack);
  GArray *calls = g_array_new (FALSE, FALSE, sizeof (guint));

  if (stack != NULL)
    return g_array_append_vals (calls, stack->calls->data, stack->calls->len);
  for (guint i = report->heaviest.path->len; i > 0; i--)
    g_array_append_val (calls, jank_report_get_step (report, (gint) i - 1)->call);
  return calls;
}

/* The step's share and its self share, in parts as its samples were in the calls that were inlined. */
static void
share_rows (JankReportPlaces *places, const JankReportStep *step, JankTextRow *outermost, guint n_rows)
{
  g_autoptr (GArray) at = n_rows > 1 ? jank_report_places_find (places, (guint) step->call) : NULL;
  JankReportPlace whole = { 0 };

  outermost->step = *step;
  if (at == NULL || at->len == 0)
    return;
  for (guint i = 0; i < at->len; i++)
    {
      whole.total_ns += g_array_index (at, JankReportPlace, i).total_ns;
      whole.self_ns += g_array_index (at, JankReportPlace, i).self_ns;
    }
  for (guint depth = 0; depth < n_rows; depth++)
    {
      JankTextRow *row = outermost - depth;
      gint64 self_ns = jank_report_places_sum (places, at, depth, NULL).self_ns, total_ns = 0;

      for (guint i = 0; i < at->len; i++)
        total_ns += g_array_index (at, JankReportPlace, i).total_ns;
      row->step.share = step->share * (double) total_ns / (double) MAX (whole.total_ns, 1);
      row->step.self_share = step->self_share * (double) self_ns / (double) MAX (whole.self_ns, 1);
      if (depth + 1 < n_rows)
        jank_report_places_keep (places, at, depth,
                                 jank_report_places_get_inlined (places, (guint) step->call, depth)->symbol);
    }
}

static void
mark_culprit (JankReport *report, JankTextRow *outermost, guint n_rows)
{
  g_autofree char *name = jank_function_name (report->culprit.function);
  guint depth = report->culprit.inlined_into != NULL ? n_rows - 1 : 0;

  while (depth > 0 && strcmp ((outermost - depth)->call->name, name) != 0)
    depth--;
  (outermost - depth)->is_culprit = TRUE;
}

/* What was inlined into a call of the stack, then the call itself. on_path (nullable): the step of that function,
 * whose line is the sentence's, too; what was inlined is told as the stack has it. */
static void
add_rows (GArray *rows, JankNamedStacks *names, JankReportPlaces *places, guint call, const JankReportStep *on_path,
          gboolean is_culprit)
{
  const GArray *named = jank_named_stacks_get_call (names, call);
  JankReportStep step = { .call = (gint) call };

  if (on_path != NULL)
    {
      step = *on_path;
      if (named->len > 1)
        step.call = (gint) call;
      named = jank_named_stacks_get_call (names, (guint) step.call);
    }
  for (guint k = named->len; k > 0; k--)
    {
      JankTextRow row = { .call = &g_array_index (named, JankNamedCall, k - 1) };

      g_array_append_val (rows, row);
    }
  if (on_path != NULL)
    share_rows (places, &step, &g_array_index (rows, JankTextRow, rows->len - 1), named->len);
  if (is_culprit)
    mark_culprit (jank_named_stacks_get_report (names), &g_array_index (rows, JankTextRow, rows->len - 1), named->len);
}

GArray *
jank_text_heaviest (JankNamedStacks *names)
{
  JankReport *report = jank_named_stacks_get_report (names);
  g_autoptr (JankReportPlaces) places = jank_report_places_new (report);
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (JankTextRow));
  g_autoptr (GArray) calls = jank_text_heaviest_calls (report);
  g_autoptr (GArray) steps = jank_text_find_steps (report, calls),
      hidden = jank_named_stacks_find_hidden (names, calls);
  gint culprit = jank_report_find_culprit_step (report);
  guint n_hidden = 0;
  double self_share = 0;

  for (guint i = 0; i < calls->len; i++)
    {
      gint at = g_array_index (steps, gint, i);
      guint call = g_array_index (calls, guint, i);
      const JankReportStep *step = jank_text_get_step (report, at);
      JankTextRow *last;

      /* Its time is that of the script's call which it works for. */
      if (g_array_index (hidden, gboolean, i) && at != culprit)
        {
          n_hidden += !g_array_index (jank_named_stacks_get_call (names, call), JankNamedCall, 0).folded;
          self_share += step != NULL ? step->self_share : 0;
          continue;
        }
      add_rows (rows, names, places, call, step, at == culprit);
      last = &g_array_index (rows, JankTextRow, rows->len - 1);
      last->n_hidden = n_hidden;
      last->step.self_share += self_share;
      n_hidden = 0;
      self_share = 0;
    }
  if (rows->len > 0)
    g_array_index (rows, JankTextRow, rows->len - 1).n_hidden += n_hidden;
  return rows;
}
