/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stall as a person felt it. */

#include "config.h"

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "symbols/jank-function-name-private.h"

/* target (nullable): “Open”, GtkTextView. Returns: (transfer full) (nullable): there was none */
static char *
describe_interaction (JankInteractionKind kind, const char *target)
{
  switch (kind)
    {
    case JANK_INTERACTION_PRESS:
    case JANK_INTERACTION_RELEASE:
      return target != NULL ? g_strdup_printf (_("Your click on %s"), target) : g_strdup (_("Your click"));
    case JANK_INTERACTION_KEY:
      return target != NULL ? g_strdup_printf (_("Your key press in %s"), target) : g_strdup (_("Your key press"));
    case JANK_INTERACTION_SCROLL:
      return target != NULL ? g_strdup_printf (_("Your scrolling in %s"), target) : g_strdup (_("Your scrolling"));
    case JANK_INTERACTION_TOUCH:
      return target != NULL ? g_strdup_printf (_("Your touch on %s"), target) : g_strdup (_("Your touch"));
    case JANK_INTERACTION_NONE:
    case JANK_N_INTERACTIONS:
    default:
      return NULL;
    }
}

/* Returns: (transfer full) (nullable): it has none, or one that is no function */
static char *
describe_culprit (JankReport *report)
{
  gint step = jank_report_find_culprit_step (report);
  g_autofree char *collector = jank_text_collector (report), *function = NULL;

  if (report->culprit.function == NULL || collector != NULL)
    return g_steal_pointer (&collector);
  if (jank_report_has_callee (report))
    return jank_report_name_culprit (report->culprit.function, report->culprit.callee, report->culprit.callee_share);
  function = jank_function_name (report->culprit.function);
  return jank_text_name_function (report, step != JANK_REPORT_NO_INDEX && report->culprit.inlined_into == NULL
                                  ? (guint) g_array_index (report->heaviest.path, JankReportStep, step).call : G_MAXUINT,
                                  function);
}

char *
jank_text_interaction (JankReport *report)
{
  const char *label = jank_text_or_empty (report->interaction.label);
  g_autofree char *target = *label != '\0' ? g_strdup_printf (_("“%s”"), label) : g_strdup (report->interaction.widget);
  g_autofree char *what = describe_interaction (report->interaction.kind, target);
  g_autofree char *waited = jank_text_duration (report->interaction.waited_ns), *who = NULL;

  if (what == NULL)
    return NULL;
  who = describe_culprit (report);
  /* Translators: “Your click on …”, a time. */
  if (who == NULL)
    return g_strdup_printf (_("%s waited %s"), what, waited);
  /* Translators: “Your click on …”, a time, a function. */
  return g_strdup_printf (_("%s waited %s for %s"), what, waited, who);
}
