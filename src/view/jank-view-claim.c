/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "view/jank-view-claim-private.h"

#include <glib/gi18n-lib.h>

static const char *const titles[JANK_N_METRICS] = {
  N_("Hang rate"), N_("Stalls"), N_("Time in stalls"), N_("Longest stall"), N_("FPS"), N_("Late frames"), N_("Hitch ratio"),
};

/* Returns: (nullable): it is a figure */
static const JankDifference *
get_difference (const JankComparison *comparison, guint i)
{
  return i >= JANK_N_METRICS ? g_ptr_array_index (comparison->differences, i - JANK_N_METRICS) : NULL;
}

static const JankRow *
get_row (const JankDifference *difference)
{
  return difference->longest[difference->longest[1] != NULL];
}

static char *
describe (const JankClaim *claim, double divisor, const char *unit)
{
  g_autofree char *a = jank_comparison_number_text (claim->a / divisor, FALSE);
  g_autofree char *b = jank_comparison_number_text (claim->b / divisor, FALSE);
  g_autofree char *change = jank_comparison_change_text (claim, divisor);

  /* Translators: the unit comes last; then an interval, as in “change +0.52 … +3.10”. */
  return claim->too_few ? g_strdup_printf (_("A %s, B %s %s, too few sessions"), a, b, unit)
                        : g_strdup_printf (_("A %s, B %s %s, change %s"), a, b, unit, change);
}

static char *
describe_difference (const JankDifference *difference, const guint *n_sessions)
{
  g_autofree char *text = describe (&difference->time, 1000, "s/h");

  /* Translators: what was said before; sessions that have a problem, of all sessions of A; the same of B. */
  return g_strdup_printf (_("%s; in %u of %u and %u of %u sessions"), text, difference->n_with[0], n_sessions[0],
                          difference->n_with[1], n_sessions[1]);
}

/* As of jank_comparison_judge(). */
static gint
judge (const JankDifference *difference)
{
  if (difference->verdict == JANK_VERDICT_NEW || difference->verdict == JANK_VERDICT_SLOWER)
    return 1;
  return difference->verdict == JANK_VERDICT_CANNOT_TELL ? 0 : -1;
}

JankViewItem *
jank_view_claim_new (const JankComparison *comparison, guint i)
{
  static const char *const classes[] = { "better", "minor", "frozen" };
  JankViewItem *self = g_object_new (JANK_TYPE_VIEW_ITEM, NULL);
  const JankDifference *difference = get_difference (comparison, i);
  gint judgement = difference != NULL ? judge (difference) : jank_comparison_judge (comparison, i);

  self->badge_class = classes[judgement + 1];
  if (difference != NULL)
    {
      self->title = jank_row_dup_culprit (get_row (difference));
      self->details = describe_difference (difference, comparison->n_sessions);
      self->badge = jank_comparison_verdict_text (difference->verdict);
    }
  else
    {
      self->title = g_strdup (_(titles[i]));
      self->details = describe (&comparison->metrics[i], 1, jank_metric_units[i]);
      self->badge = jank_comparison_judgement_text (judgement);
    }
  return self;
}

const char *
jank_view_claim_get_fingerprint (const JankComparison *comparison, guint i)
{
  const JankDifference *difference = get_difference (comparison, i);

  return difference != NULL ? get_row (difference)->fingerprint : NULL;
}
