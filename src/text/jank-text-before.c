/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What led to the stall: long turns and what the user did, in the last 10 s. Late frames have a table of their own. */

#include "text/jank-text-report-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-order-private.h"

#define BEFORE_NS  (10 * JANK_NS_PER_S)
#define LEAST_NS   (16 * JANK_NS_PER_MS) /* as of turns */
#define MAX_EVENTS 6

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
