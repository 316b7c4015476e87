/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What took at least a fifth of a stall beside the heaviest stack. A branch goes on with the heaviest of its callees
 * that took a fifth; another of them is a branch of its own. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-order-private.h"

#define MAX_BRANCHES 5 /* of a fifth each; a file may say anything */
#define SHARE_COLUMNS 6
#define TIME_COLUMNS 9

static const JankReportBranch *
get_branch (JankReport *report, guint i)
{
  return &g_array_index (report->heaviest.branches, JankReportBranch, i);
}

static void
clear_branch (gpointer branch)
{
  g_free (((JankTextBranch *) branch)->text);
}

/* The heaviest callee of each branch, or JANK_REPORT_NO_INDEX. Returns: (transfer full) */
static gint *
find_next (JankReport *report)
{
  guint n_path = report->heaviest.path->len, n = report->heaviest.branches->len;
  gint *next = g_new (gint, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      gint from = get_branch (report, i)->from - (gint) n_path;

      next[i] = JANK_REPORT_NO_INDEX;
      if (from >= 0 && (next[from] < 0 ||
                        get_branch (report, i)->time_ns > get_branch (report, (guint) next[from])->time_ns))
        next[from] = (gint) i;
    }
  return next;
}

/* The calls from the outermost to step at, which is the last. Returns: (transfer full) of gint: steps */
static GArray *
find_callers (JankReport *report, gint at)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (gint));
  gint n_path = (gint) report->heaviest.path->len;

  for (; at >= 0; at = at < n_path ? at - 1 : get_branch (report, (guint) (at - n_path))->from)
    g_array_append_val (steps, at);
  for (guint i = 0; i < steps->len / 2; i++)
    {
      gint *outer = &g_array_index (steps, gint, i), *inner = &g_array_index (steps, gint, steps->len - 1 - i);
      gint swapped = *outer;

      *outer = *inner;
      *inner = swapped;
    }
  return steps;
}

/* Which of the steps an interpreter's calls are. Returns: (transfer full) (element-type gboolean) */
static GArray *
find_hidden (JankNamedStacks *names, const GArray *steps)
{
  g_autoptr (GArray) calls = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < steps->len; i++)
    {
      guint call = (guint) jank_text_get_step (jank_named_stacks_get_report (names),
                                               g_array_index (steps, gint, i))->call;

      g_array_append_val (calls, call);
    }
  return jank_named_stacks_find_hidden (names, calls);
}

static const JankNamedCall *
get_call (JankNamedStacks *names, gint step)
{
  guint call = (guint) jank_text_get_step (jank_named_stacks_get_report (names), step)->call;

  return &g_array_index (jank_named_stacks_get_call (names, call), JankNamedCall, 0);
}

static char *
describe_branch (const JankTextBranch *branch, const JankNamedCall *innermost)
{
  const char *arrow = innermost != branch->call ? " → " : "", *inner = innermost != branch->call ? innermost->name : "";
  g_autofree char *where = g_strconcat (branch->call->name, arrow, inner, NULL);

  /* Translators: what took the time, and the function that called it. */
  return branch->caller != NULL ? g_strdup_printf (_("%s, called by %s"), where, branch->caller->name)
                                : g_steal_pointer (&where);
}

/* The first n_callers of steps are its callers. Returns: FALSE when an interpreter's calls are all of it */
static gboolean
name_branch (JankNamedStacks *names, const GArray *steps, guint n_callers, JankTextBranch *branch)
{
  JankReport *report = jank_named_stacks_get_report (names);
  g_autoptr (GArray) hidden = find_hidden (names, steps);
  const JankNamedCall *innermost = NULL;

  for (guint i = 0; i < steps->len; i++)
    {
      gint step = g_array_index (steps, gint, i);
      const JankNamedCall *call = get_call (names, step);

      if (g_array_index (hidden, gboolean, i))
        continue;
      if (i < n_callers)
        {
          if (branch->caller == NULL || branch->caller->platform || !call->platform)
            branch->caller = call;
          continue;
        }
      if (branch->call == NULL || (branch->call->platform && !call->platform) ||
          (branch->call->nameless && !call->nameless))
        {
          branch->branch = get_branch (report, (guint) step - report->heaviest.path->len);
          branch->call = call;
        }
      if (innermost == NULL || !call->nameless)
        innermost = call;
    }
  if (branch->call == NULL)
    return FALSE;
  branch->text = describe_branch (branch, innermost);
  return TRUE;
}

JANK_ORDER_FALLING (compare_branches, JankTextBranch, ->branch->time_ns)

/* shown: for each of the report's branches, whether it is left out. Returns: as jank_text_branches() */
static GArray *
find_branches (JankNamedStacks *names, const gboolean *shown)
{
  JankReport *report = jank_named_stacks_get_report (names);
  g_autofree gint *next = find_next (report);
  GArray *branches = g_array_new (FALSE, FALSE, sizeof (JankTextBranch));

  g_array_set_clear_func (branches, clear_branch);
  for (guint i = 0; i < report->heaviest.branches->len; i++)
    {
      gint n_path = (gint) report->heaviest.path->len, from = get_branch (report, i)->from - n_path;
      g_autoptr (GArray) steps = NULL;
      JankTextBranch branch = { .from = get_branch (report, i)->from };
      guint n_callers;

      if (shown[i] || (from >= 0 && next[from] == (gint) i && !shown[from]))
        continue;
      steps = find_callers (report, branch.from);
      n_callers = steps->len;
      for (gint k = (gint) i; k >= 0 && !shown[k]; k = next[k])
        {
          gint step = n_path + k;

          g_array_append_val (steps, step);
        }
      if (name_branch (names, steps, n_callers, &branch))
        g_array_append_val (branches, branch);
    }
  g_array_sort (branches, compare_branches);
  g_array_set_size (branches, MIN (branches->len, MAX_BRANCHES));
  return branches;
}

GArray *
jank_text_branches (JankNamedStacks *names)
{
  JankReport *report = jank_named_stacks_get_report (names);
  g_autoptr (GArray) calls = jank_text_heaviest_calls (report), steps = jank_text_find_steps (report, calls);
  g_autofree gboolean *shown = g_new0 (gboolean, report->heaviest.branches->len + 1);
  guint n_path = report->heaviest.path->len;

  for (guint i = 0; i < steps->len; i++)
    if (g_array_index (steps, gint, i) >= (gint) n_path)
      shown[(guint) g_array_index (steps, gint, i) - n_path] = TRUE;
  return find_branches (names, shown);
}

char *
jank_text_branch (const JankTextBranch *branch)
{
  g_autofree char *share = jank_text_share (branch->branch->step.share);
  g_autofree char *time = jank_text_duration (branch->branch->time_ns);

  /* Translators: what took the time, the time, its share. */
  return g_strdup_printf (C_("branch", "%s: %s, %s"), branch->text, time, share);
}

void
jank_text_add_branches (GString *out, JankReport *report, const JankTextStyle *style)
{
  g_autoptr (JankNamedStacks) names = jank_named_stacks_new (report);
  g_autoptr (GArray) branches = NULL;

  if (style->native)
    jank_named_stacks_keep_native (names);
  branches = jank_text_branches (names);
  if (branches->len == 0)
    return;
  jank_text_add_title (out, style, _("Other calls that took at least a fifth of the time"));
  JANK_EACH_IN (const JankTextBranch, branch, branches)
    {
      g_autofree char *share = jank_text_share (branch->branch->step.share);
      g_autofree char *time = jank_text_duration (branch->branch->time_ns);

      jank_text_append_right (out, style, share, SHARE_COLUMNS, NULL);
      jank_text_append_right (out, style, time, TIME_COLUMNS, NULL);
      g_string_append (out, "  ");
      jank_text_append_wrapped (out, style, branch->text, 0, SHARE_COLUMNS + TIME_COLUMNS + 2, NULL);
    }
}
