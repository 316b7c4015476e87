/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "compare/jank-comparison-private.h"

#include <math.h>

#include <glib/gi18n-lib.h>

char *
jank_comparison_number_text (double number, gboolean with_sign)
{
  if (!isfinite (number))
    return g_strdup ("–");
  return g_strdup_printf (with_sign ? "%+.*f" : "%.*f", ABS (number) < 10 ? 2 : ABS (number) < 1000 ? 1 : 0, number);
}

char *
jank_comparison_change_text (const JankClaim *claim, double divisor)
{
  g_autofree char *low = jank_comparison_number_text (claim->low / divisor, TRUE);
  g_autofree char *high = jank_comparison_number_text (claim->high / divisor, TRUE);

  return claim->too_few ? g_strdup (_("too few sessions")) : g_strdup_printf ("%s … %s", low, high);
}

const char *
jank_comparison_name_change (JankChange change)
{
  return (const char *[]) { _("cannot tell"), _("new"), _("slower"), _("faster"), _("gone") }[change];
}

const char *
jank_comparison_judgement_text (gint judgement)
{
  return judgement > 0 ? _("worse") : judgement < 0 ? _("better") : _("cannot tell");
}

GPtrArray *
jank_comparison_list_left_out (const JankComparison *self, const char *a, const char *b)
{
  GPtrArray *sentences = g_ptr_array_new_with_free_func (g_free);
  guint64 n_loose = 0;

  for (guint i = 0; i < self->differences->len; i++)
    n_loose += ((JankDifference *) g_ptr_array_index (self->differences, i))->n_loose;
  for (guint at = 0; at < 2; at++)
    if (self->n_sessions[at] == 0 && self->n_shared == 0)
      g_ptr_array_add (sentences, g_strdup_printf (_("‘%s’ contains no session of “jankwatch run”"), at == 0 ? a : b));
  if (self->n_shared > 0)
    g_ptr_array_add (sentences, g_strdup_printf (
      ngettext ("%u process is in both sets and counts in neither",
                "%u processes are in both sets and count in neither", self->n_shared), self->n_shared));
  if (n_loose > 0)
    g_ptr_array_add (sentences, g_strdup_printf (
      ngettext ("%u stall belongs to no compared session", "%u stalls belong to no compared session", (gulong) n_loose),
      (guint) MIN (n_loose, G_MAXUINT)));
  return sentences;
}
