/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence that says what happened and who did it; who did it comes from jank-text-cause.c. Whole
 * sentences go to the translator, so there is one per case instead of one glued from words. */

#include "text/jank-text-sentence-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-each-private.h"

const char *
jank_text_severity (JankSeverity severity)
{
  return (const char *[]) { C_("severity", "minor"), C_("severity", "microhang"), C_("severity", "hang"),
                            C_("severity", "frozen") }[severity];
}

const char *
jank_text_outcome (JankOutcome outcome)
{
  return (const char *[]) { C_("outcome", "ongoing"), C_("outcome", "recovered"), C_("outcome", "exited"),
                            C_("outcome", "killed") }[outcome];
}

/* On average, over the whole time. */
static gulong
turns_per_second (JankReport *report)
{
  double seconds = (double) report->stall.duration_ns / JANK_NS_PER_S;

  return seconds > 0.0 ? (gulong) ((double) report->stall.n_turns / seconds) : 0;
}

static char *
describe_spin (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);

  if (report->stall.outcome == JANK_OUTCOME_ONGOING)
    return g_strdup_printf (_("Main loop has been iterating %'lu times a second for %s without waiting"),
                            turns_per_second (report), length);
  return g_strdup_printf (_("Main loop iterated %'lu times a second for %s without waiting"),
                          turns_per_second (report), length);
}

/* Returns: (nullable): nobody knows, or none stands out */
static const JankReportThread *
find_busiest (JankReport *report)
{
  const JankReportThread *busiest = NULL;

  JANK_EACH (const JankReportThread, thread, report->threads)
    if (thread->stall_cpu_ns > (busiest != NULL ? busiest->stall_cpu_ns : 0))
      busiest = thread;
  return busiest != NULL && busiest->stall_cpu_ns >= report->stall.cpu_ns / 4 ? busiest : NULL;
}

static char *
describe_cpu (JankReport *report)
{
  const JankReportThread *busiest = find_busiest (report);
  g_autofree char *length = jank_text_duration (report->stall.duration_ns), *thread = NULL, *share = NULL;

  if (report->stall.cpu_ns < 0 || report->stall.duration_ns <= 0)
    return g_strdup_printf (_("Program kept computing for %s"), length);
  share = jank_text_share ((double) report->stall.cpu_ns / (double) report->stall.duration_ns);
  if (busiest == NULL)
    return g_strdup_printf (_("Program used %s of a CPU for %s"), share, length);
  thread = jank_text_thread (report, busiest->tid);
  if (busiest->stall_cpu_ns < report->stall.cpu_ns / 2)
    return g_strdup_printf (_("Program used %s of a CPU for %s, more in thread %s than in any other"), share, length,
                            thread);
  return g_strdup_printf (_("Program used %s of a CPU for %s, most of it in thread %s"), share, length, thread);
}

static char *
describe_stall (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);
  const char *severity = jank_text_severity (report->stall.severity);
  gboolean startup = report->kind == JANK_REPORT_STARTUP;

  switch (report->stall.outcome)
    {
    case JANK_OUTCOME_ONGOING:
      return startup ? g_strdup_printf (_("Start-up has taken %s so far (%s)"), length, severity)
                     : g_strdup_printf (_("Main loop has been stalled for %s so far (%s)"), length, severity);
    case JANK_OUTCOME_EXITED:
      return startup ? g_strdup_printf (_("Program ended itself after %s of start-up (%s)"), length, severity)
                     : g_strdup_printf (_("Main loop stalled for %s (%s) until the program ended itself"),
                                        length, severity);
    case JANK_OUTCOME_KILLED:
      return startup
        ? g_strdup_printf (_("Program was killed or crashed after at least %s of start-up (%s)"), length, severity)
        : g_strdup_printf (_("Main loop stalled for at least %s (%s) until the program was killed or crashed"),
                           length, severity);
    case JANK_OUTCOME_RECOVERED:
      return startup ? g_strdup_printf (_("Start-up took %s before the main loop ran (%s)"), length, severity)
                     : g_strdup_printf (_("Main loop stalled for %s (%s)"), length, severity);
    default:
      g_assert_not_reached ();
    }
}

/* An interpreter makes callbacks that lie in no file. */
static gboolean
has_callback (JankReport *report)
{
  const JankReportCall *call = report->source.callback != JANK_REPORT_NO_INDEX
                                 ? jank_report_get_call (report, report->source.callback) : NULL;

  return call != NULL && (call->symbol != NULL || jank_report_get_module (report, call) != NULL);
}

/* The loop turned all the same: starved frames. */
static char *
describe_starved (JankReport *report, const char *length)
{
  g_autofree char *source = has_callback (report) ? jank_text_function (report, (guint) report->source.callback)
                                                  : g_strdup (report->source.name);

  if (source == NULL || *source == '\0')
    return g_strdup_printf (_("No frame for %s while the main loop iterated %'lu times"), length,
                            (gulong) report->stall.n_turns);
  return g_strdup_printf (_("No frame for %s while the main loop iterated %'lu times, mostly for %s (priority %d)"),
                          length, (gulong) report->stall.n_turns, source, report->source.priority);
}

/* Too long from one to the next, or too few. */
static char *
describe_frames (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);

  if (report->stall.fps > 0.0)
    return g_strdup_printf (_("Only %.1f frames per second in %s"), report->stall.fps, length);
  return report->stall.n_turns > 0 ? describe_starved (report, length) : g_strdup_printf (_("No frame for %s"), length);
}

/* With its target, “Open” or GtkTextView, and without; none: there was none. */
static const struct { const char *on, *alone; } deeds[JANK_N_INTERACTIONS] = {
  [JANK_INTERACTION_PRESS] = { N_("Your click on %s"), N_("Your click") },
  [JANK_INTERACTION_RELEASE] = { N_("Your click on %s"), N_("Your click") },
  [JANK_INTERACTION_KEY] = { N_("Your key press in %s"), N_("Your key press") },
  [JANK_INTERACTION_SCROLL] = { N_("Your scrolling in %s"), N_("Your scrolling") },
  [JANK_INTERACTION_TOUCH] = { N_("Your touch on %s"), N_("Your touch") },
};

/* Returns: (transfer full) (nullable): “Open”, or the widget's type */
char *
jank_text_target (const JankReportInteraction *interaction)
{
  const char *label = jank_text_or_empty (interaction->label);

  return *label != '\0' ? g_strdup_printf (_("“%s”"), label) : g_strdup (interaction->widget);
}

char *
jank_text_waited (const JankReportInteraction *interaction, const char *who)
{
  g_autofree char *target = jank_text_target (interaction), *waited = jank_text_duration (interaction->waited_ns);
  const char *deed = target != NULL ? deeds[interaction->kind].on : deeds[interaction->kind].alone;
  g_autoptr (GString) what = g_string_new (deed != NULL ? _(deed) : NULL);

  if (deed == NULL)
    return NULL;
  g_string_replace (what, "%s", jank_text_or_empty (target), 1);
  /* Translators: “Your click on …”, a time. */
  if (who == NULL)
    return g_strdup_printf (_("%s waited %s"), what->str, waited);
  /* Translators: “Your click on …”, a time, a function. */
  return g_strdup_printf (_("%s waited %s for %s"), what->str, waited, who);
}

static char *
describe_input (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);
  char *waited = jank_text_waited (&report->interaction, NULL);

  return waited != NULL ? waited : g_strdup_printf (_("The user waited %s for a response"), length);
}

static char *
describe_dump (JankReport *report)
{
  g_autofree char *length = jank_text_duration (report->stall.duration_ns);

  if (jank_report_is_idle (report))
    return g_strdup (_("Dump: the main loop was waiting for events"));
  if (jank_report_is_from_outside (report))
    return g_strdup (_("Dump of a program that is not watched"));
  return g_strdup_printf (_("Dump: the main loop had been busy for %s"), length);
}

const JankTextKind jank_text_kinds[JANK_N_REPORT_KINDS] = {
  [JANK_REPORT_STALL] = { describe_stall, .lasting = N_("%s so far") },
  [JANK_REPORT_STARTUP] = { describe_stall, NULL, N_("%s of start-up so far"), N_("%s of start-up") },
  [JANK_REPORT_FRAME] = { describe_frames, NC_("kind", "frame"), N_("no frame for %s"), N_("no frame for %s"),
                          N_("Reports of missing frames: %lu. The worst:") },
  [JANK_REPORT_SPIN] = { describe_spin, NC_("kind", "spin"), N_("%s without waiting so far"),
                         N_("%s without waiting"), N_("Reports of a loop that did not wait: %lu. The worst:") },
  [JANK_REPORT_CPU] = { describe_cpu, NC_("kind", "CPU"), N_("%s of high CPU use so far"), N_("%s of high CPU use"),
                        N_("Reports of CPU use: %lu. The worst:") },
  [JANK_REPORT_INPUT] = { describe_input, NC_("kind", "input"), N_("%s without an answer so far"),
                          N_("%s without an answer"), N_("Reports of late answers: %lu. The worst:") },
  [JANK_REPORT_DUMP] = { describe_dump, NC_("kind", "dump"), .lasting = N_("%s so far") },
};

/* Who waits for whose lock: 41 “main” → 42 “worker” → 41 “main”. */
static char *
describe_circle (JankReport *report)
{
  g_autoptr (GPtrArray) threads = g_ptr_array_new_with_free_func (g_free);
  gint closing = report->locks.chain->len > 0 ? jank_report_find_closing (report) : 0;

  for (guint i = 0; i < report->locks.chain->len; i++)
    g_ptr_array_add (threads, jank_text_thread (report, g_array_index (report->locks.chain, gint, i)));
  if (closing > 0)
    g_ptr_array_add (threads, jank_text_thread (report, closing));
  g_ptr_array_add (threads, NULL);
  return g_strjoinv (" → ", (char **) threads->pdata);
}

static gboolean
holds_it_itself (JankReport *report)
{
  const GArray *chain = report->locks.chain;

  for (guint i = 1; i < chain->len; i++)
    if (g_array_index (chain, gint, i) != g_array_index (chain, gint, 0))
      return FALSE;
  return chain->len > 1;
}

static char *
headline_deadlock (JankReport *report, const char *what)
{
  g_autofree char *circle = describe_circle (report), *who = jank_text_culprit (report);
  g_autofree char *rest = who != NULL ? g_strdup_printf (_("%s: %s"), what, who) : g_strdup (what);
  gint itself = holds_it_itself (report) ? g_array_index (report->locks.chain, gint, 0) : 0;
  g_autofree char *thread = itself != 0 ? jank_text_thread (report, itself) : NULL;
  g_autofree char *taker = jank_text_taker (report);

  if (thread == NULL)
    return g_strdup_printf (_("Deadlock: %s, each waiting for a lock held by the next. %s"), circle, rest);
  if (taker == NULL)
    return g_strdup_printf (_("Deadlock: thread %s is waiting for a lock that it holds itself. %s"), thread, rest);
  /* Translators: a thread, the function that took the lock, and “Main loop stalled …”. */
  return g_strdup_printf (_("Deadlock: thread %s is waiting for a lock that it holds itself, probably since %s. %s"),
                          thread, taker, rest);
}

char *
jank_text_headline (JankReport *report)
{
  g_autofree char *what = jank_text_kinds[report->kind].describe (report), *why = NULL;

  if (report->locks.deadlock)
    return headline_deadlock (report, what);
  if (jank_report_is_idle (report))
    return g_steal_pointer (&what);

  why = jank_text_cause (report);
  if (why == NULL && jank_report_kind_is_wait (report->kind) &&
      report->self.samples + report->self.lost_samples + report->self.starved == 0)
    return g_steal_pointer (&what);
  if (why == NULL)
    return g_strdup_printf (_("%s; its stacks could not be read"), what);
  return g_strdup_printf (_("%s: %s"), what, why);
}
