/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who kept the main loop, and what the culprit mostly did meanwhile: the report's verdict in words. */

#include "text/jank-text-sentence-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "blame/jank-culprit-private.h"
#include "symbols/jank-function-name-private.h"

/* Of a stall, the part that a sleep takes which is one of many. */
#define SHORT_SLEEP 50

/* Of a report without one: nothing is known. */
static const JankReportVerdict *
get_verdict (JankReport *report)
{
  static const JankReportVerdict none = { .stack_share = -1, .wait = -1, .second = -1, .after = -1 };

  return report->verdict != NULL ? report->verdict : &none;
}

char *
jank_text_culprit_alone (JankReport *report)
{
  const JankReportStep *step = jank_report_get_step (report, jank_report_find_culprit_step (report));
  gboolean is_call = step != NULL && report->culprit.inlined_into == NULL;
  g_autofree char *function = jank_report_name_culprit (report->culprit.function, report->culprit.callee,
                                                        report->culprit.callee_share);

  return jank_report_has_callee (report)
           ? g_steal_pointer (&function)
           : jank_text_name_function (report, is_call ? (guint) step->call : G_MAXUINT, function);
}

/* "compute_primes() in jankwatch-demo", or "compute_primes() (primes.c:123)"; the function alone when it has no
 * name, for then it names the file. */
static char *
describe_function (JankReport *report)
{
  g_autofree char *function = jank_function_name (report->culprit.function);
  g_autofree char *module = jank_text_file_name (report->culprit.module);
  g_autofree char *file = jank_text_file_name (report->culprit.file), *named = jank_text_culprit_alone (report);

  if (jank_report_has_callee (report))
    return g_steal_pointer (&named);
  if (jank_culprit_is_end (&(JankCulpritStep) { .function = function }))
    return g_strdup (_(function));
  if (strstr (function, "+0x") != NULL || g_str_has_prefix (function, "0x"))
    return g_steal_pointer (&function);
  if (*file != '\0' && report->culprit.line > 0)
    return g_strdup_printf ("%s (%s:%u)", named, file, report->culprit.line);
  if (*module == '\0')
    return g_steal_pointer (&named);
  /* Translators: a function and the file that it is in. */
  return g_strdup_printf (_("%s in %s"), named, module);
}

/* A function outside the program's own file says little without the source that led there. */
static const char *
get_origin (JankReport *report)
{
  gboolean is_own = report->kind != JANK_REPORT_SPIN && g_strcmp0 (report->culprit.module, report->app.exe) == 0;

  return is_own || get_verdict (report)->walks ? "" : jank_text_or_empty (report->source.name);
}

char *
jank_text_collector (JankReport *report)
{
  const JankReportVerdict *verdict = get_verdict (report);
  g_autofree char *length = NULL, *what = NULL, *who = NULL;

  if (verdict->collector == NULL)
    return NULL;
  length = jank_text_duration ((gint64) (verdict->share * (double) report->stall.duration_ns));
  what = g_strdup_printf ("%s (%s)", _(verdict->collector), length);
  if (verdict->begun.function == NULL)
    return g_steal_pointer (&what);
  who = jank_text_at (report, verdict->begun.function, verdict->begun.file, verdict->begun.line);
  /* Translators: an interpreter’s garbage collector and a function. */
  return verdict->begun.asked ? g_strdup_printf (_("%s, asked for by %s"), what, who)
                              : g_strdup_printf (_("%s, begun in %s"), what, who);
}

char *
jank_text_culprit (JankReport *report)
{
  g_autofree char *function = jank_text_collector (report);
  const char *source = get_origin (report);

  if (report->culprit.function == NULL || function != NULL)
    return g_steal_pointer (&function);
  function = describe_function (report);
  return *source != '\0' ? g_strdup_printf (_("%s, from ‘%s’"), function, source) : g_steal_pointer (&function);
}

/* The same, in front of a verb. */
static char *
describe_subject (JankReport *report)
{
  const char *source = get_origin (report);
  g_autofree char *function = report->culprit.function != NULL ? describe_function (report) : NULL;

  /* Translators: a function and a source of the main loop; “was computing …” or the like follows. */
  return function != NULL && *source != '\0'
         ? g_strdup_printf (C_("subject", "%s, from ‘%s’,"), function, source) : g_steal_pointer (&function);
}

/* Returns: (transfer full): the callback of the most dispatched source, the culprit; in older reports that is
 * another */
static char *
describe_spinner (JankReport *report)
{
  const char *source = jank_text_or_empty (report->source.name);
  g_autofree char *function = jank_report_call_to_text (report, (guint) report->source.callback);
  g_autofree char *callback = jank_function_name (function);
  g_autofree char *named = jank_text_name_function (report, (guint) report->source.callback, callback);

  if (g_strcmp0 (function, report->culprit.function) == 0)
    return jank_text_culprit (report);
  return *source != '\0' ? g_strdup_printf (_("%s, from ‘%s’"), named, source) : g_steal_pointer (&named);
}

/* Returns: (transfer full) (nullable): nothing is known */
static char *
describe_spin (JankReport *report)
{
  const JankCulpritStep culprit = { report->culprit.function, report->culprit.module, FALSE };
  g_autofree char *who = NULL;
  gboolean has_callback = jank_report_has_callback (report, report->source.callback);

  if (!has_callback && report->culprit.function != NULL && jank_culprit_is_own (&culprit))
    {
      who = describe_subject (report);
      /* Translators: a function, which turned the main loop by itself. */
      return g_strdup_printf (_("%s iterated the loop itself"), who);
    }
  if (has_callback)
    who = describe_spinner (report);
  else if (*jank_text_or_empty (report->source.name) != '\0')
    who = g_strdup_printf ("‘%s’", report->source.name);
  else
    who = jank_text_culprit (report);
  return who != NULL ? g_strdup_printf (_("it dispatched %s over and over"), who) : NULL;
}

/* The thread that is to wake it can be any; the function that waits says what for. */
static char *
describe_wake (JankReport *report, const JankReportWait *wait)
{
  const char *callee = get_verdict (report)->callee;
  g_autofree char *function = callee != NULL ? jank_function_name (callee) : NULL;
  g_autofree char *named = function != NULL ? jank_text_name_function (report, G_MAXUINT, function) : NULL;

  if (named == NULL)
    return jank_text_wait (report, wait);
  /* Translators: a function that waits. */
  return wait->timeout_ns > 0
           ? g_strdup_printf (C_("thread is", "waiting in %s for another thread or a time-out to wake it"), named)
           : g_strdup_printf (C_("thread is", "waiting in %s for another thread to wake it"), named);
}

/* "waiting for a lock (mutex) held by thread 42 “worker”", and what the worker did meanwhile in ret_owner_doing (out)
 * (transfer full) (nullable). */
static char *
describe_wait (JankReport *report, const JankReportWait *wait, char **ret_owner_doing)
{
  const JankReportThread *owner = NULL;

  if (wait == NULL)
    return g_strdup (C_("thread is", "blocked"));
  /* Who sleeps in short steps waits for something to come true. */
  if (g_strcmp0 (wait->kind, "sleep") == 0 && wait->timeout_ns > 0 &&
      wait->timeout_ns <= report->stall.duration_ns / SHORT_SLEEP)
    {
      g_autofree char *step = jank_text_duration (wait->timeout_ns);

      return g_strdup_printf (C_("thread is", "sleeping %s again and again"), step);
    }
  if (g_strcmp0 (wait->kind, "sleep") == 0)
    return g_strdup (C_("thread is", "sleeping"));
  if (g_strcmp0 (wait->kind, "wake") == 0)
    return describe_wake (report, wait);
  if (g_strcmp0 (wait->kind, "lock") == 0 && wait->lock.kind != NULL && wait->lock.owner > 0)
    owner = jank_report_find_thread (report, wait->lock.owner);
  if (owner != NULL)
    *ret_owner_doing = jank_text_thread_doing (report, owner);
  return jank_text_wait (report, wait);
}

/* Returns "computing", "reading ‘a.db’" (transfer full); ret_owner_doing (out) (transfer full) (nullable) as above. */
static char *
describe_doing (JankReport *report, const JankReportVerdict *verdict, char **ret_owner_doing)
{
  const JankReportWait *wait = jank_report_verdict_get_wait (verdict, verdict->wait);

  switch (verdict->doing)
    {
    case JANK_VERDICT_COMPUTING:
      /* Translators: %s is a file, such as “swrast_dri.so”. */
      return verdict->driver != NULL
             ? g_strdup_printf (C_("thread is", "computing in the graphics driver (%s)"), verdict->driver)
             : g_strdup (C_("thread is", "computing"));
    case JANK_VERDICT_KERNEL:
      if (g_strcmp0 (verdict->kernel, "unknown") == 0)
        return g_strdup (C_("thread is", "computing in the kernel"));
      /* Translators: %s is a function that calls the kernel, such as “munmap”. */
      return g_strdup_printf (C_("thread is", "computing in the kernel (%s)"), verdict->kernel);
    case JANK_VERDICT_PAGE_FAULTS:
      return wait != NULL ? describe_wait (report, wait, ret_owner_doing)
                          : g_strdup (C_("thread is", "waiting for memory from disk"));
    case JANK_VERDICT_WAITING:
    case JANK_VERDICT_LOCK:
      return describe_wait (report, wait, ret_owner_doing);
    case JANK_VERDICT_MANY_WAITS:
      return g_strdup (C_("thread is", "in several short waits"));
    default:
      return g_strdup (C_("thread is", "running"));
    }
}

/* Who probably is to wake it or has caused it, or what the loop itself does. Returns: (transfer full) (nullable) */
static char *
describe_waker (JankReport *report, const JankReportVerdict *verdict)
{
  const JankReportThread *thread = jank_report_find_thread (report, verdict->waker.tid);
  g_autofree char *name = NULL, *doing = NULL, *place = NULL;
  g_autofree char *place_after = verdict->after >= 0 ? jank_text_callback (report, verdict->after) : NULL;

  if (verdict->walks)
    return g_strdup (_(JANK_CULPRIT_WALKS));
  /* Translators: a function that the main loop called. */
  if (place_after != NULL)
    return g_strdup_printf (_("probably caused by %s, which ran just before"), place_after);
  if (verdict->waker.alone)
    return g_strdup (_("no other thread is at work: probably only this main loop could wake it, a deadlock with "
                       "itself"));
  if (verdict->waker.tid <= 0)
    return NULL;
  place = jank_text_taker (report);
  if (thread == NULL || thread->observed)
    return place != NULL ? g_strdup_printf (_("probably this thread holds it itself, since %s"), place)
                         : g_strdup (_("probably this thread holds it itself"));
  name = jank_text_thread (report, thread->tid);
  doing = jank_text_thread_doing (report, thread);
  doing = doing != NULL ? doing : g_strdup (C_("thread is", "running"));
  /* Translators: a thread, the function that it is in, and what it does: what the loop’s thread waits for. */
  return place != NULL ? g_strdup_printf (_("probably for thread %s in %s, which was itself %s"), name, place, doing)
                       : g_strdup_printf (_("probably for thread %s, which was itself %s"), name, doing);
}

/* "parse_line() took 48 %, load_words() 41 %". Returns: (transfer full) (nullable) */
static char *
describe_parts (JankReport *report, const JankReportVerdict *verdict)
{
  const JankReportVerdictPart *const *parts = NULL;
  g_autofree char *first = NULL, *second = NULL, *first_share = NULL, *second_share = NULL;

  if (verdict->parts == NULL || verdict->parts->len < 2)
    return NULL;
  parts = (gconstpointer) verdict->parts->pdata;
  first = jank_text_at (report, parts[0]->function, NULL, 0);
  second = jank_text_at (report, parts[1]->function, NULL, 0);
  first_share = jank_text_share (parts[0]->share);
  second_share = jank_text_share (parts[1]->share);
  /* Translators: a function and its share of the time (“48 %”), and once more. */
  return g_strdup_printf (_("%s took %s, %s %s"), first, first_share, second, second_share);
}

static char *
cause_by_two_waits (JankReport *report, const char *who, const JankReportVerdict *verdict)
{
  g_autofree char *first_percent = jank_text_share (verdict->share);
  g_autofree char *second_percent = jank_text_share (verdict->second_share), *owner = NULL, *second_owner = NULL;
  g_autofree char *first = describe_wait (report, jank_report_verdict_get_wait (verdict, verdict->wait), &owner);
  g_autofree char *second = describe_wait (report, jank_report_verdict_get_wait (verdict, verdict->second),
                                           &second_owner);

  /* Translators: a function, what it was doing (“reading ‘a.db’”) and a share of the stall’s time (“57 %”), and once
   * more. */
  return g_strdup_printf (_("%s was %s for %s of it, and %s for %s"), who, first, first_percent, second,
                          second_percent);
}

static char *
cause_by_activity (JankReport *report, const char *who, const JankReportVerdict *verdict)
{
  gboolean has_chain = report->chain != NULL && report->chain->began_monotonic_ns == report->stall.began_monotonic_ns;
  g_autofree char *percent = jank_text_share (verdict->share), *waker = describe_waker (report, verdict);
  g_autofree char *more = waker != NULL ? g_steal_pointer (&waker) : describe_parts (report, verdict);
  g_autofree char *owner_doing = NULL, *sentence = NULL, *with_owner = NULL;
  g_autofree char *rest = has_chain ? jank_text_doing_rest (report, report->chain, FALSE) : NULL;
  g_autofree char *doing = describe_doing (report, verdict, &owner_doing);

  if (jank_report_has_callee (report))
    return g_strdup_printf ("%s, %s", who, doing);
  if (jank_report_is_from_outside (report))
    sentence = g_strdup_printf (_("%s was %s"), who, doing);
  else
    /* Translators: a function, what it was doing (“reading ‘a.db’”), and a share of the stall’s time (“97 %”). */
    sentence = g_strdup_printf (_("%s was %s for %s of it"), who, doing, percent);
  if (rest != NULL)
    return g_strconcat (sentence, rest, NULL);
  with_owner = owner_doing != NULL ? g_strdup_printf (_("%s; that thread was itself %s"), sentence, owner_doing)
                                   : g_steal_pointer (&sentence);
  return more != NULL ? g_strdup_printf (_("%s; %s"), with_owner, more) : g_steal_pointer (&with_owner);
}

char *
jank_text_doing (JankReport *report)
{
  const JankReportVerdict *verdict = get_verdict (report);
  g_autofree char *owner_doing = NULL;

  return verdict->doing != JANK_VERDICT_UNKNOWN ? describe_doing (report, verdict, &owner_doing) : NULL;
}

/* Of one garbage collector all pauses are one problem. Returns: (transfer full) */
static char *
add_pauses (JankReport *report, const char *collector)
{
  if (report->repeats.count < 2)
    return g_strdup (collector);
  /* Translators: an interpreter’s garbage collector, where it began, and how often it stalled the main loop. */
  return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s; %u such pause in the session",
                                       "%s; %u such pauses in the session",
                                       report->repeats.count), collector, report->repeats.count);
}

/* Who it was, and what that did, stands before the machine. */
static char *
cause_by_machine (JankReport *report, const JankReportVerdict *verdict)
{
  g_autofree char *share = jank_text_share (verdict->share), *on = jank_text_share (verdict->stack_share);
  g_autofree char *machine = g_strdup_printf (_("the machine was busy: no CPU for %s of it"), share);
  g_autofree char *who = verdict->stack_share >= 0 ? jank_text_culprit (report) : NULL;
  g_autofree char *doing = jank_text_doing (report), *waker = describe_waker (report, verdict);
  g_autofree char *rest = waker != NULL ? g_strdup_printf (_("%s; %s"), waker, machine) : g_strdup (machine);

  if (who == NULL)
    return g_steal_pointer (&machine);
  /* Translators: a function, what it was doing (“computing”), a share (“97 %”) and the machine’s part. */
  return doing == NULL ? g_strdup_printf (_("%s; %s"), who, rest)
                       : g_strdup_printf (_("%s, %s, in %s of the stacks; %s"), who, doing, on, rest);
}

char *
jank_text_cause (JankReport *report)
{
  const JankReportVerdict *verdict = get_verdict (report);
  g_autofree char *who = NULL;

  switch (verdict->kind)
    {
    case JANK_VERDICT_SPIN:
      return describe_spin (report);
    case JANK_VERDICT_STARVED_MACHINE:
      return cause_by_machine (report, verdict);
    case JANK_VERDICT_CONTRIBUTORS:
      return jank_text_contributors (report, TRUE);
    case JANK_VERDICT_GARBAGE_COLLECTOR:
      who = jank_text_collector (report);
      return add_pauses (report, who);
    default:
      who = describe_subject (report);
      if (who == NULL)
        return NULL;
      return verdict->kind == JANK_VERDICT_TWO_WAITS ? cause_by_two_waits (report, who, verdict)
                                                     : cause_by_activity (report, who, verdict);
    }
}
