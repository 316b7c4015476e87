/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who kept the main loop, and what it did meanwhile: of the culprit's samples, what they were for the most part.
 * The share is that of the culprit while it did this. */

#include "config.h"

#include "text/jank-text-report-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "symbols/jank-function-name-private.h"

/* What the culprit's samples say; without a culprit on the path, what all of them say. */
typedef struct
{
  gint64                state_ns[JANK_N_STATES];
  gint64                known_ns; /* of all states */
  JankThreadState       state;    /* that of most of it */
  const JankReportWait *wait;     /* (nullable): the longest */
  gint64                wait_ns;
  gint64                all_waits_ns; /* of all samples that met it waiting */
} Activity;

static void
add_saturated (gint64 *sum, gint64 n)
{
  *sum += MIN (n, G_MAXINT64 / 8 - MIN (*sum, G_MAXINT64 / 8));
}

/* All of the culprit's time in the wait of one sample; 0 when an earlier one is of the same. */
static gint64
sum_wait (JankReport *report, const GArray *samples, guint at)
{
  const JankReportSample *sample = g_ptr_array_index (report->samples, g_array_index (samples, guint, at));
  gint64 sum_ns = 0;

  for (guint i = 0; i < samples->len; i++)
    {
      const JankReportSample *other = g_ptr_array_index (report->samples, g_array_index (samples, guint, i));

      if (other->wait == NULL || !jank_text_same_wait (sample->wait, other->wait))
        continue;
      if (i < at)
        return 0;
      add_saturated (&sum_ns, other->weight_ns);
    }
  return sum_ns;
}

static void
find_wait (JankReport *report, const GArray *samples, Activity *activity)
{
  for (guint i = 0; i < samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, g_array_index (samples, guint, i));
      gint64 wait_ns = sample->wait != NULL ? sum_wait (report, samples, i) : 0;

      if (sample->wait != NULL)
        add_saturated (&activity->all_waits_ns, sample->weight_ns);
      if (wait_ns > activity->wait_ns)
        {
          activity->wait_ns = wait_ns;
          activity->wait = sample->wait;
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
      const JankReportSample *sample = g_ptr_array_index (report->samples, g_array_index (samples, guint, i));

      if (sample->wait == NULL || g_strcmp0 (sample->wait->syscall, activity->wait->syscall) != 0)
        continue;
      if (known != NULL && sample->wait->kind != NULL && !jank_text_same_wait (known, sample->wait))
        return;
      if (sample->wait->kind != NULL)
        known = sample->wait;
      add_saturated (&sum_ns, sample->weight_ns);
    }
  if (known != NULL)
    {
      activity->wait = known;
      activity->wait_ns = sum_ns;
    }
}

static void
sum_activity (JankReport *report, const JankReportStep *culprit, Activity *ret_activity)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));

  *ret_activity = (Activity) { .state = JANK_STATE_UNKNOWN };
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = g_ptr_array_index (report->samples, i);

      if (sample->state == JANK_STATE_UNKNOWN ||
          (culprit != NULL && !jank_text_has_function (report, sample, (guint) culprit->call)))
        continue;
      add_saturated (&ret_activity->state_ns[sample->state], sample->weight_ns);
      add_saturated (&ret_activity->known_ns, sample->weight_ns);
      g_array_append_val (samples, i);
    }
  for (guint i = 0; i < JANK_N_STATES; i++)
    if (ret_activity->state_ns[i] > ret_activity->state_ns[ret_activity->state])
      ret_activity->state = (JankThreadState) i;
  find_wait (report, samples, ret_activity);
  adopt_unread (report, samples, ret_activity);
}

/* "compute_primes() in jankwatch-demo", or "compute_primes() (primes.c:123)"; the function alone when it has no
 * name, for then it names the file. */
static char *
describe_function (JankReport *report)
{
  g_autofree char *function = jank_function_name (report->culprit.function);
  g_autofree char *module = jank_text_file_name (report->culprit.module);
  g_autofree char *file = jank_text_file_name (report->culprit.file);

  if (strstr (function, "+0x") != NULL || g_str_has_prefix (function, "0x"))
    return g_steal_pointer (&function);
  if (*file != '\0' && report->culprit.line > 0)
    return g_strdup_printf ("%s() (%s:%u)", function, file, report->culprit.line);
  if (*module == '\0')
    return g_strdup_printf ("%s()", function);
  return g_strdup_printf (_("%s() in %s"), function, module);
}

/* A function outside the program's own file says little without the source that led there. Returns: (transfer full):
 * that; "": nothing to add */
static char *
describe_origin (JankReport *report)
{
  gboolean is_own = report->kind != JANK_REPORT_SPIN && g_strcmp0 (report->culprit.module, report->app.exe) == 0;

  return is_own ? g_strdup ("") : jank_text_clean (report->source.name);
}

char *
jank_text_culprit (JankReport *report)
{
  g_autofree char *function = NULL;
  g_autofree char *source = describe_origin (report);

  if (report->culprit.function == NULL)
    return NULL;
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
  return *source != '\0' ? g_strdup_printf (C_("subject", "%s, from %s,"), function, source) : g_steal_pointer (&function);
}

/* Returns: (transfer full): the callback of the most dispatched source of a loop that spins */
static char *
describe_spinner (JankReport *report)
{
  g_autofree char *source = jank_text_clean (report->source.name);
  g_autofree char *callback = NULL, *clean = NULL;

  if (report->source.callback == JANK_REPORT_NO_INDEX)
    return *source != '\0' ? g_strdup_printf ("‘%s’", source) : NULL;
  callback = jank_report_call_to_text (report, (guint) report->source.callback);
  clean = jank_function_name (callback);
  return *source != '\0' ? g_strdup_printf (_("%s(), from ‘%s’"), clean, source) : g_strdup_printf ("%s()", clean);
}

static char *
cause_file (const char *who, const char *share, const JankReportWait *wait)
{
  g_autofree char *file = jank_text_file (wait);
  JankTextSyscall call = jank_text_syscall (wait);

  if (call == JANK_TEXT_SYSCALL_SYNC)
    return g_strdup_printf (_("%s was syncing %s to disk for %s of it"), who, file, share);
  if (call == JANK_TEXT_SYSCALL_LOCK)
    return g_strdup_printf (_("%s was waiting for a lock on %s for %s of it"), who, file, share);
  if (call == JANK_TEXT_SYSCALL_OPEN)
    return g_strdup_printf (_("%s was opening %s for %s of it"), who, file, share);
  if (call == JANK_TEXT_SYSCALL_READ)
    return g_strdup_printf (_("%s was reading %s for %s of it"), who, file, share);
  if (call == JANK_TEXT_SYSCALL_WRITE)
    return g_strdup_printf (_("%s was writing to %s for %s of it"), who, file, share);
  return g_strdup_printf (_("%s was waiting for %s for %s of it"), who, file, share);
}

static char *
cause_peer (const char *who, const char *share, const JankReportWait *wait)
{
  g_autofree char *peer = jank_text_short_path (wait->target);
  JankTextSyscall call = jank_text_syscall (wait);

  if (call == JANK_TEXT_SYSCALL_CONNECT)
    return g_strdup_printf (_("%s was connecting to %s for %s of it"), who, peer, share);
  if (call == JANK_TEXT_SYSCALL_ACCEPT)
    return g_strdup_printf (_("%s was waiting for a connection at %s for %s of it"), who, peer, share);
  if (call == JANK_TEXT_SYSCALL_SEND || call == JANK_TEXT_SYSCALL_WRITE)
    return g_strdup_printf (_("%s was sending to %s for %s of it"), who, peer, share);
  return g_strdup_printf (_("%s was waiting for data from %s for %s of it"), who, peer, share);
}

static char *
cause_target (const char *who, const char *share, const JankReportWait *wait)
{
  g_autofree char *target = jank_text_short_path (wait->target);

  if (g_str_equal (wait->kind, "child"))
    return g_strdup_printf (_("%s was waiting for the process %s to end for %s of it"), who, target, share);
  if (g_str_equal (wait->kind, "dbus"))
    return g_strdup_printf (_("%s was waiting for the D-Bus reply to %s for %s of it"), who, target, share);
  if (g_str_equal (wait->kind, "device"))
    return g_strdup_printf (_("%s was waiting for the device %s for %s of it"), who, target, share);
  return g_strdup_printf (_("%s was waiting for %s for %s of it"), who, target, share);
}

static char *
cause_lock (JankReport *report, const char *who, const char *share, const JankReportWait *wait)
{
  const JankReportThread *owner = jank_text_find_thread (report, wait->lock.owner);
  g_autofree char *lock = jank_text_clean (wait->lock.kind);
  g_autofree char *name = NULL, *doing = NULL, *sentence = NULL;

  if (wait->lock.owner <= 0)
    return g_strdup_printf (_("%s was waiting for a lock (%s, owner unknown) for %s of it"), who, lock, share);
  name = jank_text_thread (report, wait->lock.owner);
  sentence = g_str_equal (wait->lock.kind, "join")
    ? g_strdup_printf (_("%s was waiting for the end of thread %s for %s of it"), who, name, share)
    : g_strdup_printf (_("%s was waiting for a lock (%s) that thread %s held for %s of it"), who, lock, name, share);
  doing = owner != NULL ? jank_text_thread_doing (report, owner) : NULL;
  return doing != NULL ? g_strdup_printf (_("%s; that thread was itself %s"), sentence, doing) : g_steal_pointer (&sentence);
}

static char *
cause_blocked (JankReport *report, const char *who, const char *share, const JankReportWait *wait)
{
  const char *kind = wait != NULL && wait->kind != NULL ? wait->kind : "";
  g_autofree char *syscall = jank_text_clean (wait != NULL ? wait->syscall : NULL);

  if (g_str_equal (kind, "sleep"))
    return g_strdup_printf (_("%s was sleeping for %s of it"), who, share);
  if (g_str_equal (kind, "lock") && wait->lock.kind != NULL)
    return cause_lock (report, who, share, wait);
  if (wait != NULL && wait->target != NULL && *wait->target != '\0')
    {
      if (g_str_equal (kind, "file") || g_str_equal (kind, "pipe"))
        return cause_file (who, share, wait);
      return g_str_equal (kind, "socket") ? cause_peer (who, share, wait) : cause_target (who, share, wait);
    }
  if (g_str_equal (kind, "dbus"))
    return g_strdup_printf (_("%s was waiting for the reply to a D-Bus call for %s of it"), who, share);
  if (g_str_equal (kind, "pipe"))
    return g_strdup_printf (_("%s was waiting for the other end of a pipe for %s of it"), who, share);
  if (g_str_equal (kind, "poll"))
    return g_strdup_printf (_("%s was waiting for any of several descriptors for %s of it"), who, share);
  if (g_str_equal (kind, "child"))
    return g_strdup_printf (_("%s was waiting for a child process to end for %s of it"), who, share);
  return *syscall != '\0' ? g_strdup_printf (_("%s was blocked in %s for %s of it"), who, syscall, share)
                          : g_strdup_printf (_("%s was blocked for %s of it"), who, share);
}

static char *
cause_by_activity (JankReport *report, const char *who, double share, const Activity *activity)
{
  double part = activity->known_ns > 0 ? (double) activity->state_ns[activity->state] / (double) activity->known_ns : 1.0;
  gboolean one_wait = activity->wait_ns >= activity->all_waits_ns / 2;
  g_autofree char *text = jank_text_share (share * part);

  switch (activity->state)
    {
    case JANK_STATE_COMPUTING:
      return g_strdup_printf (_("%s was computing for %s of it"), who, text);
    case JANK_STATE_PREEMPTED:
      return g_strdup_printf (_("%s had no CPU for %s of it"), who, text);
    case JANK_STATE_PAGE_FAULT:
      return g_strdup_printf (_("%s was waiting for memory from disk for %s of it"), who, text);
    case JANK_STATE_BLOCKED:
      if (!one_wait)
        return g_strdup_printf (_("%s was waiting for one thing after another for %s of it"), who, text);
      return cause_blocked (report, who, text, activity->wait);
    case JANK_STATE_UNKNOWN:
    default:
      return g_strdup_printf (_("%s was running for %s of it"), who, text);
    }
}

char *
jank_text_cause (JankReport *report)
{
  gint step = jank_report_find_culprit_step (report);
  const JankReportStep *culprit =
    step != JANK_REPORT_NO_INDEX ? &g_array_index (report->heaviest.path, JankReportStep, step) : NULL;
  g_autofree char *who = NULL;
  Activity activity;

  if (report->kind == JANK_REPORT_SPIN)
    {
      g_autofree char *spinner = describe_spinner (report);

      who = jank_text_culprit (report);
      if (spinner == NULL && who == NULL)
        return NULL;
      return g_strdup_printf (_("it kept dispatching %s"), spinner != NULL ? spinner : who);
    }
  who = describe_subject (report);
  if (who == NULL)
    return NULL;
  sum_activity (report, culprit, &activity);
  return cause_by_activity (report, who, culprit != NULL ? culprit->share : report->heaviest.share, &activity);
}
