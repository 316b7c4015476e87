/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "view/jank-view-claim-private.h"

#include <glib/gi18n-lib.h>

struct _JankViewClaim
{
  JankViewItem        parent_instance;

  JankViewComparison *comparison; /* (owned) */
  guint               i;
};

G_DEFINE_FINAL_TYPE (JankViewClaim, jank_view_claim, JANK_TYPE_VIEW_ITEM)

static const char *const titles[JANK_N_METRICS] = {
  N_("Hang rate"), N_("Stalls"), N_("Time in stalls"), N_("Longest stall"), N_("FPS"), N_("Late frames"), N_("Hitch ratio"),
};

/* Returns: (nullable): it is a figure */
static const JankDifference *
get_difference (JankViewClaim *self)
{
  return self->i >= JANK_N_METRICS ? g_ptr_array_index (self->comparison->comparison->differences, self->i - JANK_N_METRICS)
                                   : NULL;
}

static const JankRow *
get_row (const JankDifference *difference)
{
  return difference->longest[difference->longest[1] != NULL];
}

static char *
jank_view_claim_make_title (JankViewItem *item)
{
  JankViewClaim *self = JANK_VIEW_CLAIM (item);
  const JankDifference *difference = get_difference (self);

  return difference != NULL ? jank_row_dup_culprit (get_row (difference)) : g_strdup (_(titles[self->i]));
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
jank_view_claim_make_details (JankViewItem *item)
{
  JankViewClaim *self = JANK_VIEW_CLAIM (item);
  const JankComparison *comparison = self->comparison->comparison;
  const JankDifference *difference = get_difference (self);
  g_autofree char *text = NULL;

  if (difference == NULL)
    return describe (&comparison->metrics[self->i], 1, jank_metric_units[self->i]);
  text = describe (&difference->time, 1000, "s/h");
  /* Translators: what was said before; sessions that have a problem, of all sessions of A; the same of B. */
  return g_strdup_printf (_("%s; in %u of %u and %u of %u sessions"), text, difference->n_with[0], comparison->n_sessions[0],
                          difference->n_with[1], comparison->n_sessions[1]);
}

static const char *
jank_view_claim_get_badge (JankViewItem *item, const char **ret_class)
{
  static const char *const classes[] = { "better", "minor", "frozen" };
  JankViewClaim *self = JANK_VIEW_CLAIM (item);
  const JankDifference *difference = get_difference (self);
  gint judgement;

  if (difference == NULL)
    judgement = jank_comparison_judge (self->comparison->comparison, self->i);
  else
    judgement = difference->verdict == JANK_VERDICT_NEW || difference->verdict == JANK_VERDICT_SLOWER ? 1
                : difference->verdict == JANK_VERDICT_CANNOT_TELL ? 0 : -1;
  *ret_class = classes[judgement + 1];
  return difference == NULL ? jank_comparison_judgement_text (judgement) : jank_comparison_verdict_text (difference->verdict);
}

static void
jank_view_claim_finalize (GObject *object)
{
  jank_view_comparison_unref (JANK_VIEW_CLAIM (object)->comparison);
  G_OBJECT_CLASS (jank_view_claim_parent_class)->finalize (object);
}

static void
jank_view_claim_class_init (JankViewClaimClass *klass)
{
  JankViewItemClass *item_class = JANK_VIEW_ITEM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = jank_view_claim_finalize;
  item_class->make_title = jank_view_claim_make_title;
  item_class->make_details = jank_view_claim_make_details;
  item_class->get_badge = jank_view_claim_get_badge;
}

static void
jank_view_claim_init (JankViewClaim *self)
{
}

JankViewClaim *
jank_view_claim_new (JankViewComparison *comparison, guint i)
{
  JankViewClaim *self = g_object_new (JANK_TYPE_VIEW_CLAIM, NULL);

  self->comparison = g_atomic_rc_box_acquire (comparison);
  self->i = i;
  return self;
}

const char *
jank_view_claim_get_fingerprint (JankViewClaim *self)
{
  const JankDifference *difference = get_difference (self);

  return difference != NULL ? get_row (difference)->fingerprint : NULL;
}
