/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who kept the main loop, and what the culprit's samples mostly did meanwhile. The share is the time in which the
 * culprit did that, as the table of waits has it. */

#include "text/jank-text-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"
#include "json/jank-json-private.h"
#include "symbols/jank-function-name-private.h"
#include "text/jank-text-chain-private.h"

/* The sums over the culprit's samples; over all samples where the path has no culprit. */
typedef struct
{
  JankTextWaits        *waits;    /* (owned): what the others are of */
  gint64                state_ns[JANK_N_STATES];
  gint64                known_ns; /* of all states */
  JankThreadState       state;    /* that of most of it */
  const JankReportWait *wait;     /* (nullable): the longest */
  gint64                wait_ns;
  const JankReportWait *second;   /* (nullable): the longest of all others */
  gint64                second_ns;
  gint64                all_waits_ns; /* of all samples that met it waiting */
  const char           *kernel;    /* (nullable): as in JankReportSample, of most of the time that it computed */
} Activity;

static void
activity_clear (Activity *self)
{
  g_clear_pointer (&self->waits, jank_text_waits_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Activity, activity_clear)

/* All of the culprit's time in the wait of one sample; 0 when an earlier one is of the same. */
static gint64
sum_wait (JankReport *report, const GArray *samples, JankTextWaits *waits, guint at)
{
  const JankReportWait *wait = jank_text_waits_get (waits, g_array_index (samples, guint, at));
  gint64 sum_ns = 0;

  for (guint i = 0; i < samples->len; i++)
    {
      const JankReportSample *other = jank_report_get_sample (report, g_array_index (samples, guint, i));
      const JankReportWait *other_wait = jank_text_waits_get (waits, g_array_index (samples, guint, i));

      if (other_wait == NULL || !jank_text_same_wait (wait, other_wait))
        continue;
      if (i < at)
        return 0;
      jank_json_sum (&sum_ns, other->weight_ns);
    }
  return sum_ns;
}

static void
find_wait (JankReport *report, const GArray *samples, Activity *activity)
{
  for (guint i = 0; i < samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, g_array_index (samples, guint, i));
      const JankReportWait *wait = jank_text_waits_get (activity->waits, g_array_index (samples, guint, i));
      gint64 wait_ns = wait != NULL ? sum_wait (report, samples, activity->waits, i) : 0;

      if (wait != NULL)
        jank_json_sum (&activity->all_waits_ns, sample->weight_ns);
      if (wait_ns > activity->wait_ns)
        {
          activity->second_ns = activity->wait_ns;
          activity->second = activity->wait;
          activity->wait_ns = wait_ns;
          activity->wait = wait;
        }
      else if (wait_ns > activity->second_ns)
        {
          activity->second_ns = wait_ns;
          activity->second = wait;
        }
    }
}

/* A wait that was over before it could be read is taken for that of the others in the same call, where these agree:
 * a disk that answers at once makes many of them. */
static void
adopt_unread (JankReport *report, const GArray *samples, Activity *activity)
{
  const JankReportWait *known = NULL;
  gint64 sum_ns = 0;

  for (guint i = 0; activity->wait != NULL && i < samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, g_array_index (samples, guint, i));
      const JankReportWait *wait = jank_text_waits_get (activity->waits, g_array_index (samples, guint, i));

      if (wait == NULL || g_strcmp0 (wait->syscall, activity->wait->syscall) != 0)
        continue;
      if (known != NULL && wait->kind != NULL && !jank_text_same_wait (known, wait))
        return;
      if (wait->kind != NULL)
        known = wait;
      jank_json_sum (&sum_ns, sample->weight_ns);
    }
  if (known == NULL)
    return;
  activity->wait = known;
  activity->wait_ns = sum_ns;
  if (activity->second != NULL && g_strcmp0 (activity->second->syscall, known->syscall) == 0)
    activity->second = NULL;
}

/* Time that it computed in the kernel, for one function, or NULL: for any. */
static gint64
sum_kernel (JankReport *report, const GArray *samples, const char *kernel)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, g_array_index (samples, guint, i));

      if (sample->state == JANK_STATE_COMPUTING && sample->kernel != NULL &&
          (kernel == NULL || strcmp (sample->kernel, kernel) == 0))
        jank_json_sum (&sum_ns, sample->weight_ns);
    }
  return sum_ns;
}

static void
find_kernel (JankReport *report, const GArray *samples, Activity *activity)
{
  gint64 longest_ns = 0;

  if (sum_kernel (report, samples, NULL) <= activity->state_ns[JANK_STATE_COMPUTING] / 2)
    return;
  for (guint i = 0; i < samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, g_array_index (samples, guint, i));
      gint64 sum_ns = sample->kernel != NULL ? sum_kernel (report, samples, sample->kernel) : 0;

      if (sum_ns > longest_ns)
        {
          longest_ns = sum_ns;
          activity->kernel = sample->kernel;
        }
    }
}

static void
sum_activity (JankReport *report, const JankReportStep *culprit, Activity *ret_activity)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));

  *ret_activity = (Activity) { .waits = jank_text_waits_new (report), .state = JANK_STATE_UNKNOWN };
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, i);

      if (sample->state == JANK_STATE_UNKNOWN ||
          (culprit != NULL && !jank_text_has_culprit (report, sample, culprit)))
        continue;
      jank_json_sum (&ret_activity->state_ns[sample->state], sample->weight_ns);
      jank_json_sum (&ret_activity->known_ns, sample->weight_ns);
      g_array_append_val (samples, i);
    }
  for (guint i = 0; i < JANK_N_STATES; i++)
    if (ret_activity->state_ns[i] > ret_activity->state_ns[ret_activity->state])
      ret_activity->state = (JankThreadState) i;
  find_wait (report, samples, ret_activity);
  adopt_unread (report, samples, ret_activity);
  find_kernel (report, samples, ret_activity);
}

/* "compute_primes() in jankwatch-demo", or "compute_primes() (primes.c:123)"; the function alone when it has no
 * name, for then it names the file. */
static char *
describe_function (JankReport *report)
{
  const JankReportStep *step = jank_report_get_step (report, jank_report_find_culprit_step (report));
  g_autofree char *function = jank_function_name (report->culprit.function);
  g_autofree char *module = jank_text_file_name (report->culprit.module);
  g_autofree char *file = jank_text_file_name (report->culprit.file);
  gboolean is_call = step != NULL && report->culprit.inlined_into == NULL;
  g_autofree char *named = jank_text_name_function (report, is_call ? (guint) step->call : G_MAXUINT, function);

  if (jank_report_has_callee (report))
    return jank_report_name_culprit (report->culprit.function, report->culprit.callee, report->culprit.callee_share);
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

/* A function outside the program's own file says little without the source that led there. Returns: (transfer full):
 * that; "": nothing to add */
static char *
describe_origin (JankReport *report)
{
  gboolean is_own = report->kind != JANK_REPORT_SPIN && g_strcmp0 (report->culprit.module, report->app.exe) == 0;

  return g_strdup (is_own ? "" : jank_text_or_empty (report->source.name));
}

char *
jank_text_culprit (JankReport *report)
{
  g_autofree char *function = jank_text_collector (report);
  g_autofree char *source = describe_origin (report);

  if (report->culprit.function == NULL || function != NULL)
    return g_steal_pointer (&function);
  function = describe_function (report);
  return *source != '\0' ? g_strdup_printf (_("%s, from ‘%s’"), function, source) : g_steal_pointer (&function);
}

/* The same, in front of a verb. */
static char *
describe_subject (JankReport *report)
{
  g_autofree char *function = NULL;
  g_autofree char *source = describe_origin (report);

  if (report->culprit.function == NULL)
    return NULL;
  function = describe_function (report);
  /* Translators: a function and a source of the main loop; “was computing …” or the like follows. */
  return *source != '\0'
         ? g_strdup_printf (C_("subject", "%s, from %s,"), function, source) : g_steal_pointer (&function);
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
      g_autofree char *subject = describe_subject (report);

      /* Translators: a function, which turned the main loop by itself. */
      return g_strdup_printf (_("%s turned it itself"), subject);
    }
  if (has_callback)
    who = describe_spinner (report);
  else if (*jank_text_or_empty (report->source.name) != '\0')
    who = g_strdup_printf ("‘%s’", report->source.name);
  else
    who = jank_text_culprit (report);
  return who != NULL ? g_strdup_printf (_("it kept dispatching %s"), who) : NULL;
}

/* The thread that is to wake it can be any; the function that waits says what for. */
static char *
describe_wake (JankReport *report, const JankReportWait *wait)
{
  g_autofree char *callee = jank_text_callee (report);

  if (callee == NULL)
    return jank_text_wait (report, wait);
  /* Translators: a function that waits. */
  return wait->timeout_ns > 0
           ? g_strdup_printf (C_("thread is", "waiting in %s for another thread or a time-out to wake it"), callee)
           : g_strdup_printf (C_("thread is", "waiting in %s for another thread to wake it"), callee);
}

/* "waiting for a lock (mutex) held by thread 42 “worker”", and what the worker did meanwhile in ret_owner_doing (out)
 * (transfer full) (nullable). */
static char *
describe_wait (JankReport *report, const JankReportWait *wait, char **ret_owner_doing)
{
  const JankReportThread *owner = NULL;

  if (wait == NULL)
    return g_strdup (C_("thread is", "blocked"));
  if (g_strcmp0 (wait->kind, "sleep") == 0)
    return g_strdup (C_("thread is", "sleeping"));
  if (g_strcmp0 (wait->kind, "wake") == 0)
    return describe_wake (report, wait);
  if (g_strcmp0 (wait->kind, "lock") == 0 && wait->lock.kind != NULL && wait->lock.owner > 0)
    owner = jank_text_find_thread (report, wait->lock.owner);
  if (owner != NULL)
    *ret_owner_doing = jank_text_thread_doing (report, owner);
  return jank_text_wait (report, wait);
}

static gboolean
is_one_wait (const Activity *activity)
{
  return activity->wait_ns >= activity->all_waits_ns / 2;
}

/* The driver of graphics that took half of the time or more. Returns: (nullable) */
static const char *
find_driver (JankReport *report)
{
  for (guint i = 0; i < report->heaviest.path->len; i++)
    {
      const JankReportStep *step = &g_array_index (report->heaviest.path, JankReportStep, i);
      const char *file = jank_report_get_file_name (report, g_ptr_array_index (report->calls, step->call));

      if (file != NULL && step->share >= 0.5 && jank_platform_is (file, JANK_PLATFORM_DRIVER))
        return file;
    }
  return NULL;
}

static char *
describe_computing (JankReport *report)
{
  const char *driver = find_driver (report);

  /* Translators: %s is a file, such as “swrast_dri.so”. */
  return driver != NULL ? g_strdup_printf (C_("thread is", "computing in the graphics driver (%s)"), driver)
                        : g_strdup (C_("thread is", "computing"));
}

static char *
describe_kernel (const char *kernel)
{
  if (strcmp (kernel, "unknown") == 0)
    return g_strdup (C_("thread is", "computing in the kernel"));
  /* Translators: %s is a function that calls the kernel, such as “munmap”. */
  return g_strdup_printf (C_("thread is", "computing in the kernel (%s)"), kernel);
}

/* "computing", "reading ‘a.db’"; ret_owner_doing (out) (transfer full) (nullable) as above. Returns: (transfer full)
 * (nullable): it had no CPU */
static char *
describe_doing (JankReport *report, const Activity *activity, char **ret_owner_doing)
{
  switch (activity->state)
    {
    case JANK_STATE_PREEMPTED:
      return NULL;
    case JANK_STATE_COMPUTING:
      return activity->kernel != NULL ? describe_kernel (activity->kernel) : describe_computing (report);
    case JANK_STATE_PAGE_FAULT:
      return is_one_wait (activity) && activity->wait != NULL && activity->wait->kind != NULL
               ? describe_wait (report, activity->wait, ret_owner_doing)
               : g_strdup (C_("thread is", "waiting for memory from disk"));
    case JANK_STATE_BLOCKED:
      return is_one_wait (activity) ? describe_wait (report, activity->wait, ret_owner_doing)
                                    : g_strdup (C_("thread is", "waiting for one thing after another"));
    case JANK_STATE_UNKNOWN:
    default:
      return g_strdup (C_("thread is", "running"));
    }
}

/* The kernel counts the time on a CPU and the time without one exactly: a share by samples cannot be larger. */
static double
limit_to_exact (JankReport *report, JankThreadState state, double share)
{
  gint64 exact_ns = report->stall.state_ns[state];

  if ((state != JANK_STATE_COMPUTING && state != JANK_STATE_PREEMPTED) || exact_ns <= 0 ||
      report->stall.duration_ns <= 0)
    return share;
  return MIN (share, (double) exact_ns / (double) report->stall.duration_ns);
}

/* Two waits of over a quarter of the stall each. share: of the culprit. Returns: (transfer full) (nullable): there
 * are none */
static char *
cause_by_two_waits (JankReport *report, const char *who, double share, const Activity *activity)
{
  double first = share * (double) activity->wait_ns / (double) MAX (activity->known_ns, 1);
  double second = share * (double) activity->second_ns / (double) MAX (activity->known_ns, 1);
  g_autofree char *first_percent = jank_text_share (first), *second_percent = jank_text_share (second);
  g_autofree char *first_doing = NULL, *second_doing = NULL, *owner_doing = NULL, *second_owner_doing = NULL;

  if (activity->state != JANK_STATE_BLOCKED || activity->second == NULL || MIN (first, second) < 0.25)
    return NULL;
  first_doing = describe_wait (report, activity->wait, &owner_doing);
  second_doing = describe_wait (report, activity->second, &second_owner_doing);
  /* Translators: a function, what it was doing (“reading ‘a.db’”) and a share of the stall’s time (“57 %”), and once
   * more. */
  return g_strdup_printf (_("%s was %s for %s of it, and %s for %s"), who, first_doing, first_percent, second_doing,
                          second_percent);
}

static char *
cause_by_activity (JankReport *report, const char *who, double share, const Activity *activity)
{
  gint64 done_ns = activity->state == JANK_STATE_BLOCKED && activity->wait != NULL && is_one_wait (activity)
                   ? activity->wait_ns : activity->state_ns[activity->state];
  double part = activity->known_ns > 0 ? (double) done_ns / (double) activity->known_ns : 1.0;
  g_autofree char *percent = jank_text_share (limit_to_exact (report, activity->state, share * part));
  g_autofree char *two = cause_by_two_waits (report, who, share, activity);
  g_autofree char *parts = two == NULL ? jank_text_two_branches (report) : NULL;
  g_autofree char *owner_doing = NULL, *sentence = NULL, *with_owner = NULL;
  g_autofree char *doing = describe_doing (report, activity, &owner_doing);

  if (two != NULL)
    return g_steal_pointer (&two);
  if (jank_report_has_callee (report))
    return doing != NULL ? g_strdup_printf ("%s, %s", who, doing) : g_strdup (who);
  if (doing == NULL)
    return g_strdup_printf (_("%s had no CPU for %s of it"), who, percent);
  if (jank_report_is_from_outside (report))
    sentence = g_strdup_printf (_("%s was %s"), who, doing);
  else
    /* Translators: a function, what it was doing (“reading ‘a.db’”), and a share of the stall’s time (“97 %”). */
    sentence = g_strdup_printf (_("%s was %s for %s of it"), who, doing, percent);
  with_owner = owner_doing != NULL ? g_strdup_printf (_("%s; that thread was itself %s"), sentence, owner_doing)
                                   : g_steal_pointer (&sentence);
  return parts != NULL ? g_strdup_printf (_("%s; %s"), with_owner, parts) : g_steal_pointer (&with_owner);
}

char *
jank_text_doing (JankReport *report)
{
  g_autofree char *owner_doing = NULL;
  g_auto (Activity) activity = { NULL };

  sum_activity (report, jank_report_get_step (report, jank_report_find_culprit_step (report)), &activity);
  return activity.known_ns > 0 ? describe_doing (report, &activity, &owner_doing) : NULL;
}

/* Calls on a file, or on files of one mount, are one wait; any other is one call. */
static gboolean
is_of_wait (const JankReportLink *link, const JankReportWait *wait)
{
  return g_strcmp0 (wait->kind, "file") != 0
           ? g_strcmp0 (wait->syscall, link->syscall) == 0
           : link->kind == JANK_HOP_FILE_LOCK || link->kind == JANK_HOP_LEASE || link->kind == JANK_HOP_FUSE;
}

/* A chain is of the wait that the thread was in when it was read, be that a short one. */
char *
jank_text_doing_rest (JankReport *report, const JankReportChain *chain, gboolean is_short)
{
  g_auto (Activity) activity = { NULL };

  if (chain == NULL)
    return NULL;
  sum_activity (report, jank_report_get_step (report, jank_report_find_culprit_step (report)), &activity);
  return activity.state == JANK_STATE_BLOCKED && activity.wait != NULL && is_one_wait (&activity) &&
         is_of_wait (g_ptr_array_index (chain->links, 0), activity.wait)
           ? jank_text_chain_rest (chain, is_short) : NULL;
}

/* A thread without a CPU is in no function as far as its samples have no stack; shares count the time that has. */
static double
find_running_part (JankReport *report)
{
  gint64 all_ns = 0, starved_ns = 0;

  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, i);

      jank_json_sum (&all_ns, sample->weight_ns);
      if (sample->stack == JANK_REPORT_NO_INDEX && sample->state == JANK_STATE_PREEMPTED)
        jank_json_sum (&starved_ns, sample->weight_ns);
    }
  return 1.0 - (double) starved_ns / (double) MAX (all_ns, 1);
}

/* 0..1 of the time that has stacks; where a culprit was inlined, as its samples are of the function around it. */
static double
jank_text_culprit_share (JankReport *report)
{
  const JankReportStep *step = jank_report_get_step (report, jank_report_find_culprit_step (report));
  gint64 all_ns = 0, culprit_ns = 0;

  if (step == NULL || report->culprit.inlined_into == NULL)
    return step != NULL ? step->share : report->heaviest.share;
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, i);

      if (jank_text_has_function (report, sample, (guint) step->call))
        jank_json_sum (&all_ns, sample->weight_ns);
      if (jank_text_has_culprit (report, sample, step))
        jank_json_sum (&culprit_ns, sample->weight_ns);
    }
  return step->share * (double) culprit_ns / (double) MAX (all_ns, 1);
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

static gint64
find_without_cpu_ns (const JankReport *report)
{
  return MAX (report->stall.state_ns[JANK_STATE_PREEMPTED], report->stall.watcher_late_ns);
}

/* A frame or a person waited, and nobody is known to have done anything meanwhile: a quarter of the time without a CPU
 * is all that there is to blame. */
static gboolean
is_nobody_seen (const JankReport *report)
{
  return (report->kind == JANK_REPORT_FRAME || report->kind == JANK_REPORT_INPUT) && report->contributors->len == 0 &&
         report->culprit.function == NULL && report->stall.duration_ns > 0 &&
         find_without_cpu_ns (report) >= MAX (report->stall.duration_ns / 4,
                                              report->stall.state_ns[JANK_STATE_COMPUTING]);
}

/* That the watcher had no CPU says the same of the thread, unless it is known what that did. Who spins or computes does
 * so on a busy machine, too. */
gboolean
jank_text_is_starved (const JankReport *report)
{
  const gint64 *state_ns = report->stall.state_ns;
  gint64 half_ns = report->stall.duration_ns / 2;
  gint64 done_ns = state_ns[JANK_STATE_COMPUTING] / 2 + state_ns[JANK_STATE_BLOCKED] / 2 +
      state_ns[JANK_STATE_PAGE_FAULT] / 2;

  if (is_nobody_seen (report))
    return TRUE;
  return report->kind != JANK_REPORT_CPU && half_ns > 0 &&
         (state_ns[JANK_STATE_PREEMPTED] >= half_ns ||
          (report->stall.watcher_late_ns >= half_ns && done_ns < half_ns / 2));
}

static char *
cause_by_machine (JankReport *report)
{
  double without = (double) find_without_cpu_ns (report) / (double) report->stall.duration_ns;
  g_autofree char *share = jank_text_share (MIN (without, 1.0));
  g_autofree char *machine = g_strdup_printf (
    _("the machine was overloaded: the program was ready to run but had no CPU for %s of the stall"), share);
  g_autofree char *who = jank_text_has_contributors (report) ? NULL : jank_text_culprit (report);
  g_autofree char *on = jank_text_share (jank_text_culprit_share (report));

  if (who == NULL)
    return g_steal_pointer (&machine);
  /* Translators: a part of a sentence, a share (“97 %”) and a function. */
  return g_strdup_printf (_("%s; %s of its stacks are in %s"), machine, on, who);
}

char *
jank_text_cause (JankReport *report)
{
  const JankReportStep *culprit = jank_report_get_step (report, jank_report_find_culprit_step (report));
  g_autofree char *who = NULL;
  g_auto (Activity) activity = { NULL };
  double share;

  if (report->kind == JANK_REPORT_SPIN)
    return describe_spin (report);
  if (jank_text_is_starved (report))
    return cause_by_machine (report);
  who = jank_text_has_contributors (report) ? jank_text_contributors (report, TRUE) : NULL;
  if (who != NULL)
    return g_steal_pointer (&who);
  who = jank_text_collector (report);
  if (who != NULL)
    return add_pauses (report, who);
  who = describe_subject (report);
  if (who == NULL)
    return NULL;
  sum_activity (report, culprit, &activity);
  share = jank_text_culprit_share (report);
  if (activity.state == JANK_STATE_BLOCKED)
    share *= find_running_part (report);
  return cause_by_activity (report, who, share, &activity);
}
