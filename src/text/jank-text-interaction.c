/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stall, and the session, as a person felt it; and what led to the stall: long turns and what the user did, in the
 * last 10 s. Late frames have a table of their own. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"

#define BEFORE_NS  (10 * JANK_NS_PER_S)
#define LEAST_NS   (16 * JANK_NS_PER_MS) /* as of turns */
#define MAX_EVENTS 6

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
  const char *band = (const char *[]) { C_("input", "good"), C_("input", "fair"), C_("input", "poor") }[inputs->band];
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

typedef struct
{
  gint64 began_ns, length_ns;
  char  *text; /* (owned): without the time */
} Event;

static void
event_clear (gpointer data)
{
  g_free (((Event *) data)->text);
}

JANK_ORDER_FALLING (compare_length_cb, Event, ->length_ns)

JANK_ORDER_RISING (compare_began_cb, Event, ->began_ns)

/* text: (transfer full) */
static void
add_event (GArray *events, JankReport *report, gint64 began_ns, gint64 length_ns, char *text)
{
  Event event = { began_ns, length_ns, text };

  if (text != NULL && began_ns < report->stall.began_monotonic_ns &&
      began_ns >= report->stall.began_monotonic_ns - BEFORE_NS)
    g_array_append_val (events, event);
  else
    g_free (text);
}

char *
jank_text_turn (JankReport *report, const JankReportTurn *turn)
{
  g_autofree char *length = jank_text_duration (turn->duration_ns), *who = NULL;

  if (!jank_report_has_callback (report, turn->callback))
    return g_strdup_printf (_("a turn of %s"), length);
  who = jank_text_callback (report, turn->callback);
  /* Translators: a time and a function. */
  return g_strdup_printf (_("a turn of %s for %s"), length, who);
}

char *
jank_text_before (JankReport *report)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (Event));
  GString *list = g_string_new (NULL);

  g_array_set_clear_func (events, event_clear);
  JANK_EACH_IN (const JankReportTurn, turn, report->before)
    add_event (events, report, turn->began_ns, turn->duration_ns, jank_text_turn (report, turn));
  JANK_EACH (const JankReportInteraction, interaction, report->interactions)
    if (interaction->waited_ns >= LEAST_NS && interaction->stamp_ns != report->interaction.stamp_ns)
      add_event (events, report, interaction->stamp_ns, interaction->waited_ns, jank_text_waited (interaction, NULL));
  g_array_sort (events, compare_length_cb);
  if (events->len > MAX_EVENTS)
    g_array_remove_range (events, MAX_EVENTS, events->len - MAX_EVENTS);
  g_array_sort (events, compare_began_cb);
  for (guint i = 0; i < events->len; i++)
    {
      const Event *event = &g_array_index (events, Event, i);
      g_autofree char *ago = jank_text_duration (report->stall.began_monotonic_ns - event->began_ns);

      /* Translators: how long before the stall, and what happened then. */
      g_string_append_printf (list, _("%s%s earlier: %s"), i > 0 ? _("; ") : "", ago, event->text);
    }
  return g_string_free (list, list->len == 0);
}
