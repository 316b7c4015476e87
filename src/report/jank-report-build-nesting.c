/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which function has not returned, where a callback runs a loop of its own? The one that called that loop, on the
 * stacks that show it, and whoever called that one. What the callback did beside its loop has returned again and
 * again. */

#include "report/jank-report-builder-private.h"

/* A sample may be taken when the callback has just returned. */
#define LEAST_SHARE 0.9

/* Returns: how many steps of the path that stack has in common with it, outward of the loop; 0: it shows no such
 * loop */
static guint
jank_report_build_nesting_compare (JankReport *report, const JankReportStack *stack, const JankCulpritStep *path)
{
  guint n = stack->calls->len, n_outside, n_same = 0;
  g_autofree JankCulpritStep *steps = g_new (JankCulpritStep, n + 1);

  for (guint i = 0; i < n; i++)
    steps[i] = jank_report_make_step (report, jank_report_get_call (report, g_array_index (stack->calls, gint,
                                                                                           n - 1 - i)));
  n_outside = jank_culprit_count_outside (steps, n, report->stall.loop_depth);
  if (n_outside == n)
    return 0;
  while (n_same < MIN (n_outside, report->heaviest.path->len) &&
         g_strcmp0 (steps[n_same].function, path[n_same].function) == 0 &&
         g_strcmp0 (steps[n_same].module, path[n_same].module) == 0)
    n_same++;
  return n_same;
}

guint
jank_report_build_count_nesting (JankReport *report, const JankCulpritStep *path)
{
  guint n_all = report->heaviest.path->len, n = jank_culprit_count_outside (path, n_all, report->stall.loop_depth);
  guint first = jank_culprit_find_first (path, n, FALSE);

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportStack *stack = jank_report_get_stack (report, jank_report_get_sample (report, i)->stack);
      guint n_same = stack != NULL ? jank_report_build_nesting_compare (report, stack, path) : 0;

      if (n_same > first)
        n = MIN (n, n_same);
    }
  /* No sample met the loop: the callback alone is known not to have returned. */
  while (n == n_all && first < n_all && !jank_culprit_is_own (&path[first]))
    first++;
  if (n == n_all)
    n = MIN (first + 1, n_all);
  while (n > 1 && jank_report_get_step (report, (gint) n - 1)->share < LEAST_SHARE)
    n--;
  return n;
}
