/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stall, and the session, as a person felt it. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

static const char *
describe_band (JankInputBand band)
{
  return (const char *[]) { C_("input", "good"), C_("input", "fair"), C_("input", "poor") }[band];
}

/* A click is pressed and released, a finger comes and goes. Returns: (transfer full) */
static char *
count_inputs (const JankReportInputs *inputs)
{
  const guint64 *n_of = inputs->n_of;
  gulong n_clicks = (gulong) (MAX (n_of[JANK_INTERACTION_PRESS], n_of[JANK_INTERACTION_RELEASE]) +
                              n_of[JANK_INTERACTION_KEY] + (n_of[JANK_INTERACTION_TOUCH] + 1) / 2);
  gulong n_steps = (gulong) n_of[JANK_INTERACTION_SCROLL];
  g_autofree char *clicks = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%'lu click or key", "%'lu clicks and keys",
                                                          n_clicks),
                                             n_clicks);
  g_autofree char *steps = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%'lu step of scrolling",
                                                         "%'lu steps of scrolling", n_steps), n_steps);

  if (n_clicks == 0 || n_steps == 0)
    return g_strdup (n_steps == 0 ? clicks : steps);
  /* Translators: “… clicks and keys”, “… steps of scrolling”. */
  return g_strdup_printf (_("%s, %s"), clicks, steps);
}

char *
jank_text_inputs (const JankReportInputs *inputs)
{
  g_autofree char *target = jank_text_target (&inputs->longest);
  g_autofree char *count = count_inputs (inputs), *p98 = jank_text_duration (inputs->answered.p98_ns);
  g_autofree char *longest = jank_text_duration (inputs->answered.longest_ns);
  const char *band = describe_band (inputs->band);
  g_autofree char *times =
    inputs->answered.n < JANK_INTERACTION_N_PERCENTILE
      ? g_strdup_printf (_("worst %s (%s)"), longest, band)
      /* Translators: the time that 98 of 100 clicks and keys did not exceed, good or poor, the longest time. */
      : g_strdup_printf (_("p98 %s (%s), worst %s"), p98, band, longest);

  /* Translators: “… clicks and keys”, “worst … (poor)”, on which button. */
  return target != NULL ? g_strdup_printf (_("%s: %s on %s"), count, times, target)
                        : g_strdup_printf (_("%s: %s"), count, times);
}

char *
jank_text_interaction (JankReport *report)
{
  gboolean is_starved = report->verdict != NULL && report->verdict->kind == JANK_VERDICT_STARVED_MACHINE;
  g_autofree char *who = is_starved ? NULL : jank_text_collector (report);

  if (who == NULL && !is_starved && report->culprit.function != NULL)
    who = jank_text_culprit_alone (report);
  return jank_text_waited (&report->interaction, who);
}
