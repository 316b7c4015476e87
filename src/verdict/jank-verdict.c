/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "verdict/jank-verdict-private.h"

#include <string.h>

#include "base/jank-order-private.h"
#include "blame/jank-culprit-private.h"
#include "blame/jank-platform-private.h"
#include "json/jank-json-private.h"
#include "report/jank-report-json-private.h"
#include "verdict/jank-merged-waits-private.h"

/* Two waits are two where each took so much of the stall. */
#define LEAST_WAIT_SHARE 0.25
/* A source that took less of the stall is not worth a word. */
#define LEAST_SOURCE 20

/* The sums over the culprit's samples; over all samples where the path has no culprit. */
typedef struct
{
  JankReport           *report;
  const JankReportStep *culprit; /* (nullable) */
  JankMergedWaits      *waits;   /* (owned): of all samples */
  GArray               *samples; /* (owned): guint: the culprit's */
  gint64                state_ns[JANK_N_STATES];
  gint64                known_ns;  /* of all states */
  double                waits_of_ns; /* known_ns on the scale of wait_ns, second_ns and all_waits_ns */
  JankThreadState       state;     /* that of most of it; PREEMPTED only if there is no other */
  const JankReportWait *wait, *second; /* (nullable): the longest, and that of all others */
  gint64                wait_ns, second_ns;
  gint64                all_waits_ns; /* of all samples that found it waiting */
} JankActivity;

static void
jank_activity_clear (JankActivity *self)
{
  jank_merged_waits_free (self->waits);
  g_array_unref (self->samples);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (JankActivity, jank_activity_clear)

static const JankReportSample *
jank_activity_get (const JankActivity *self, guint i)
{
  return jank_report_get_sample (self->report, g_array_index (self->samples, gint, i));
}

static const JankReportWait *
jank_activity_get_wait (const JankActivity *self, guint i)
{
  return jank_merged_waits_get (self->waits, g_array_index (self->samples, guint, i));
}

/* Innermost. Returns: (nullable) */
static const JankReportCall *
jank_activity_find_call (JankReport *report, const JankReportSample *sample, guint function)
{
  const JankReportStack *stack = jank_report_get_stack (report, sample->stack);

  for (guint i = 0; stack != NULL && i < stack->calls->len; i++)
    if (jank_report_same_function (report, g_array_index (stack->calls, guint, i), function))
      return jank_report_get_call (report, g_array_index (stack->calls, gint, i));
  return NULL;
}

/* Whether a sample's stack has the culprit, which is that step or was inlined into it. */
static gboolean
jank_activity_has_culprit (JankReport *report, const JankReportSample *sample, const JankReportStep *step)
{
  const JankReportCall *call = jank_activity_find_call (report, sample, (guint) step->call);

  if (call == NULL || report->culprit.inlined_into == NULL)
    return call != NULL;
  for (guint i = 0; i < call->inlined->len; i++)
    if (g_strcmp0 (((JankReportInlined *) g_ptr_array_index (call->inlined, i))->symbol, report->culprit.function) == 0)
      return TRUE;
  return FALSE;
}

/* All of the culprit's time in the wait of one sample; 0 when an earlier one is of the same. */
static gint64
jank_activity_sum_wait (const JankActivity *self, guint at)
{
  const JankReportWait *wait = jank_activity_get_wait (self, at);
  gint64 sum_ns = 0;

  for (guint i = 0; i < self->samples->len; i++)
    {
      const JankReportWait *other = jank_activity_get_wait (self, i);

      if (other == NULL || !jank_merged_waits_are_same (wait, other))
        continue;
      if (i < at)
        return 0;
      jank_json_sum (&sum_ns, jank_activity_get (self, i)->weight_ns);
    }
  return sum_ns;
}

static void
jank_activity_find_waits (JankActivity *self)
{
  for (guint i = 0; i < self->samples->len; i++)
    {
      const JankReportWait *wait = jank_activity_get_wait (self, i);
      gint64 wait_ns = wait != NULL ? jank_activity_sum_wait (self, i) : 0;

      if (wait != NULL)
        jank_json_sum (&self->all_waits_ns, jank_activity_get (self, i)->weight_ns);
      if (wait_ns > self->wait_ns)
        {
          self->second_ns = self->wait_ns;
          self->second = self->wait;
          self->wait_ns = wait_ns;
          self->wait = wait;
        }
      else if (wait_ns > self->second_ns)
        {
          self->second_ns = wait_ns;
          self->second = wait;
        }
    }
}

/* A wait that was over before it could be read is taken for that of the others in the same call, where these agree:
 * a disk that answers at once makes many of them. */
static void
jank_activity_adopt_unread (JankActivity *self)
{
  const JankReportWait *known = NULL;
  gint64 sum_ns = 0;

  for (guint i = 0; self->wait != NULL && i < self->samples->len; i++)
    {
      const JankReportWait *wait = jank_activity_get_wait (self, i);

      if (wait == NULL || g_strcmp0 (wait->syscall, self->wait->syscall) != 0)
        continue;
      if (known != NULL && wait->kind != NULL && !jank_merged_waits_are_same (known, wait))
        return;
      if (wait->kind != NULL)
        known = wait;
      jank_json_sum (&sum_ns, jank_activity_get (self, i)->weight_ns);
    }
  if (known == NULL)
    return;
  self->wait = known;
  self->wait_ns = sum_ns;
  if (self->second != NULL && g_strcmp0 (self->second->syscall, known->syscall) == 0)
    self->second = NULL;
}

static void
jank_activity_init (JankActivity *self, JankReport *report)
{
  *self = (JankActivity) {
    .report = report,
    .culprit = jank_report_get_step (report, jank_report_find_culprit_step (report)),
    .waits = jank_merged_waits_new (report),
    .samples = g_array_new (FALSE, FALSE, sizeof (guint)),
  };
  for (guint i = 0; i < report->samples->len; i++)
    {
      const JankReportSample *sample = jank_report_get_sample (report, (gint) i);

      if (sample->state == JANK_STATE_UNKNOWN ||
          (self->culprit != NULL && !jank_activity_has_culprit (report, sample, self->culprit)))
        continue;
      jank_json_sum (&self->state_ns[sample->state], sample->weight_ns);
      jank_json_sum (&self->known_ns, sample->weight_ns);
      g_array_append_val (self->samples, i);
    }
  jank_activity_find_waits (self);
  jank_activity_adopt_unread (self);
  self->waits_of_ns = (double) self->known_ns;
  /* Samples seldom find a thread at work that mostly waits for a CPU: the kernel's times count what they found. */
  if (self->state_ns[JANK_STATE_PREEMPTED] > self->known_ns / 2 && report->stall.state_ns[JANK_STATE_PREEMPTED] > 0)
    {
      for (guint i = 0; i < JANK_N_STATES; i++)
        if (self->state_ns[i] > 0 || i == JANK_STATE_COMPUTING)
          self->state_ns[i] = report->stall.state_ns[i];
      self->known_ns = report->stall.duration_ns;
      self->waits_of_ns = (double) self->all_waits_ns * (double) self->known_ns /
                          (double) MAX (self->state_ns[JANK_STATE_BLOCKED], 1);
    }
  for (guint i = 0; i < JANK_N_STATES; i++)
    if (self->state_ns[i] > self->state_ns[self->state] &&
        (i != JANK_STATE_PREEMPTED || self->state_ns[i] == self->known_ns))
      self->state = (JankThreadState) i;
}

/* Time that it computed in the kernel, for one function, or NULL: for any. */
static gint64
jank_activity_sum_kernel (const JankActivity *self, const char *kernel)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < self->samples->len; i++)
    {
      const JankReportSample *sample = jank_activity_get (self, i);

      if (sample->state == JANK_STATE_COMPUTING && sample->kernel != NULL &&
          (kernel == NULL || strcmp (sample->kernel, kernel) == 0))
        jank_json_sum (&sum_ns, sample->weight_ns);
    }
  return sum_ns;
}

/* Returns: (nullable): the function of most of the time that it computed in the kernel, if that was half of all */
static const char *
jank_activity_find_kernel (const JankActivity *self)
{
  const char *kernel = NULL;
  gint64 longest_ns = 0;

  if (jank_activity_sum_kernel (self, NULL) <= self->state_ns[JANK_STATE_COMPUTING] / 2)
    return NULL;
  for (guint i = 0; i < self->samples->len; i++)
    {
      const JankReportSample *sample = jank_activity_get (self, i);
      gint64 sum_ns = sample->kernel != NULL ? jank_activity_sum_kernel (self, sample->kernel) : 0;

      if (sum_ns > longest_ns)
        {
          longest_ns = sum_ns;
          kernel = sample->kernel;
        }
    }
  return kernel;
}

static gboolean
jank_activity_is_one_wait (const JankActivity *self)
{
  return self->wait_ns >= self->all_waits_ns / 2;
}

static JankVerdictKind
jank_activity_get_kind (const JankActivity *self)
{
  static const JankVerdictKind kinds[JANK_N_STATES] = {
    [JANK_STATE_COMPUTING] = JANK_VERDICT_COMPUTING, [JANK_STATE_PREEMPTED] = JANK_VERDICT_COMPUTING,
    [JANK_STATE_PAGE_FAULT] = JANK_VERDICT_PAGE_FAULTS, [JANK_STATE_BLOCKED] = JANK_VERDICT_WAITING,
  };

  if (self->state == JANK_STATE_COMPUTING && jank_activity_find_kernel (self) != NULL)
    return JANK_VERDICT_KERNEL;
  if (self->state == JANK_STATE_BLOCKED && !jank_activity_is_one_wait (self))
    return JANK_VERDICT_MANY_WAITS;
  return self->state == JANK_STATE_BLOCKED && self->wait != NULL && self->wait->lock.kind != NULL
         ? JANK_VERDICT_LOCK : kinds[self->state];
}

/* The driver of graphics that took half of the time or more. Returns: (nullable) */
static const char *
jank_verdict_find_driver (JankReport *report)
{
  for (gint i = 0; i < (gint) report->heaviest.path->len; i++)
    {
      const char *file = jank_report_get_file_name (report, jank_report_get_step_call (report, i));

      if (file != NULL && jank_report_get_step (report, i)->share >= 0.5 &&
          jank_platform_is (file, JANK_PLATFORM_DRIVER))
        return file;
    }
  return NULL;
}

JANK_ORDER_FALLING (jank_verdict_compare_waits_cb, JankReportVerdictWait *const, [0]->time_ns)

/* Returns: its index; the wait is added where the list does not have it */
static gint
jank_verdict_list_wait (JankReportVerdict *self, const JankReportWait *wait, gint64 time_ns)
{
  JankReportVerdictWait *listed;

  for (guint i = 0; i < self->waits->len; i++)
    {
      listed = g_ptr_array_index (self->waits, i);
      if (!jank_merged_waits_are_same (listed->wait, wait))
        continue;
      jank_json_sum (&listed->time_ns, time_ns);
      return (gint) i;
    }
  listed = jank_report_verdict_wait_new ();
  listed->wait = jank_report_wait_new ();
  jank_table_copy (&jank_report_wait_table, listed->wait, wait);
  g_clear_pointer (&listed->wait->detail, g_free);
  listed->time_ns = time_ns;
  g_ptr_array_add (self->waits, listed);
  return (gint) self->waits->len - 1;
}

/* Lists the waits, and says which of them is the culprit's, as far as its kind says that. */
static void
jank_verdict_list_waits (JankReportVerdict *self, const JankActivity *activity)
{
  gboolean is_told = self->doing >= JANK_VERDICT_WAITING ||
                     (self->doing == JANK_VERDICT_PAGE_FAULTS && jank_activity_is_one_wait (activity) &&
                      activity->wait != NULL && activity->wait->kind != NULL);

  for (guint i = 0; i < activity->report->samples->len; i++)
    {
      const JankReportWait *wait = jank_merged_waits_get (activity->waits, i);

      if (wait != NULL)
        jank_verdict_list_wait (self, wait, jank_report_get_sample (activity->report, (gint) i)->weight_ns);
    }
  g_ptr_array_sort (self->waits, jank_verdict_compare_waits_cb);
  g_ptr_array_set_size (self->waits, (gint) MIN (self->waits->len, JANK_VERDICT_MAX_WAITS));
  if (is_told && activity->wait != NULL)
    self->wait = jank_verdict_list_wait (self, activity->wait, 0);
}

/* A thread without a CPU is in no function as far as its samples have no stack; shares count the time that has. */
static double
jank_verdict_find_running_part (JankReport *report)
{
  gint64 all_ns = 0, starved_ns = 0;

  JANK_EACH (const JankReportSample, sample, report->samples)
    {
      jank_json_sum (&all_ns, sample->weight_ns);
      if (sample->stack == JANK_REPORT_NO_INDEX && sample->state == JANK_STATE_PREEMPTED)
        jank_json_sum (&starved_ns, sample->weight_ns);
    }
  return 1.0 - (double) starved_ns / (double) MAX (all_ns, 1);
}

/* 0..1 of the time that has stacks; where a culprit was inlined, as its samples are of the function around it. */
static double
jank_verdict_find_culprit_share (JankReport *report, const JankReportStep *step)
{
  gint64 all_ns = 0, culprit_ns = 0;

  if (step == NULL || report->culprit.inlined_into == NULL)
    return step != NULL ? step->share : report->heaviest.share;
  JANK_EACH (const JankReportSample, sample, report->samples)
    {
      if (jank_activity_find_call (report, sample, (guint) step->call) != NULL)
        jank_json_sum (&all_ns, sample->weight_ns);
      if (jank_activity_has_culprit (report, sample, step))
        jank_json_sum (&culprit_ns, sample->weight_ns);
    }
  return step->share * (double) culprit_ns / (double) MAX (all_ns, 1);
}

/* By what the culprit did, mostly. */
static void
jank_verdict_set_activity (JankReportVerdict *self, JankActivity *activity)
{
  JankReport *report = activity->report;
  gboolean is_wait = self->doing == JANK_VERDICT_WAITING || self->doing == JANK_VERDICT_LOCK;
  gint64 exact_ns = report->stall.state_ns[JANK_STATE_COMPUTING];
  double share = jank_verdict_find_culprit_share (report, activity->culprit), first, second, done;

  /* The kernel's times are those of the whole stall. */
  if (activity->state == JANK_STATE_BLOCKED && activity->known_ns < report->stall.duration_ns)
    share *= jank_verdict_find_running_part (report);
  first = share * (double) activity->wait_ns / MAX (activity->waits_of_ns, 1.0);
  second = share * (double) activity->second_ns / MAX (activity->waits_of_ns, 1.0);
  done = activity->known_ns > 0 ? share * (double) activity->state_ns[activity->state] / (double) activity->known_ns
                                : share;
  self->kind = self->doing;
  self->share = is_wait && activity->wait != NULL ? first : done;
  /* The kernel counts the time on a CPU exactly: a share by samples cannot be larger. */
  if (activity->state == JANK_STATE_COMPUTING && exact_ns > 0 && report->stall.duration_ns > 0)
    self->share = MIN (self->share, (double) exact_ns / (double) report->stall.duration_ns);
  if (activity->state == JANK_STATE_BLOCKED && activity->second != NULL && MIN (first, second) >= LEAST_WAIT_SHARE)
    {
      self->kind = JANK_VERDICT_TWO_WAITS;
      self->share = first;
      self->second = jank_verdict_list_wait (self, activity->second, 0);
      self->second_share = second;
    }
  if (self->doing == JANK_VERDICT_WAITING && activity->wait != NULL && g_strcmp0 (activity->wait->kind, "wake") == 0)
    jank_verdict_find_callee (report, self);
  if (self->kind != JANK_VERDICT_TWO_WAITS)
    jank_verdict_find_parts (report, self);
}

static gint64
jank_verdict_find_without_cpu_ns (const JankReport *report)
{
  return MAX (report->stall.state_ns[JANK_STATE_PREEMPTED], report->stall.watcher_late_ns);
}

/* A frame or a person waited, and nobody is known to have done anything meanwhile: a quarter of the time without a CPU
 * is all that there is to blame. */
static gboolean
jank_verdict_is_nobody_seen (const JankReport *report)
{
  return jank_report_kind_is_wait (report->kind) && report->contributors->len == 0 &&
         report->culprit.function == NULL && report->stall.duration_ns > 0 &&
         jank_verdict_find_without_cpu_ns (report) >= MAX (report->stall.duration_ns / 4,
                                                           report->stall.state_ns[JANK_STATE_COMPUTING]);
}

/* The thread had no CPU for longer than it did anything. That the watcher had none says the same of the thread, unless
 * it is known what that did. Who spins or computes does so on a busy machine, too. */
static gboolean
jank_verdict_is_starved (const JankReport *report)
{
  const gint64 *state_ns = report->stall.state_ns;
  gint64 half_ns = report->stall.duration_ns / 2;
  gint64 most_ns = MAX (MAX (state_ns[JANK_STATE_COMPUTING], state_ns[JANK_STATE_BLOCKED]),
                        MAX (state_ns[JANK_STATE_PAGE_FAULT], half_ns / 2));
  gint64 done_ns = state_ns[JANK_STATE_COMPUTING] / 2 + state_ns[JANK_STATE_BLOCKED] / 2 +
      state_ns[JANK_STATE_PAGE_FAULT] / 2;

  return report->kind != JANK_REPORT_CPU && half_ns > 0 &&
         (state_ns[JANK_STATE_PREEMPTED] >= half_ns ||
          (state_ns[JANK_STATE_PREEMPTED] > most_ns && !jank_report_kind_is_wait (report->kind)) ||
          (report->stall.watcher_late_ns >= half_ns && done_ns < half_ns / 2));
}

/* A person waited for all of the sources, or none of them kept the frame for half of the time. */
static gboolean
jank_verdict_has_contributors (const JankReport *report)
{
  const JankReportSource *first = report->contributors->len > 0 ? g_ptr_array_index (report->contributors, 0) : NULL;

  return first != NULL && jank_report_kind_is_wait (report->kind) &&
         (report->kind != JANK_REPORT_FRAME || first->total_ns < report->stall.duration_ns / 2);
}

static void
jank_verdict_set_starved (JankReportVerdict *self, JankActivity *activity)
{
  const JankReport *report = activity->report;
  double without = (double) jank_verdict_find_without_cpu_ns (report) / (double) report->stall.duration_ns;

  self->kind = JANK_VERDICT_STARVED_MACHINE;
  self->share = MIN (without, 1.0);
  if (report->culprit.function != NULL && !jank_verdict_has_contributors (report))
    self->stack_share = jank_verdict_find_culprit_share (activity->report, activity->culprit);
}

/* Together they must explain half of the stall, and one of them a good part. */
static gboolean
jank_verdict_set_contributors (JankReportVerdict *self, const JankReport *report)
{
  const JankReportSource *first;
  gint64 sum_ns = 0;

  if (!jank_verdict_has_contributors (report))
    return FALSE;
  first = g_ptr_array_index (report->contributors, 0);
  for (guint i = 0; i < report->contributors->len; i++)
    jank_json_sum (&sum_ns, ((const JankReportSource *) g_ptr_array_index (report->contributors, i))->total_ns);
  if (first->total_ns < report->stall.duration_ns / LEAST_SOURCE || sum_ns < report->stall.duration_ns / 2)
    return FALSE;
  self->kind = JANK_VERDICT_CONTRIBUTORS;
  self->share = MIN ((double) sum_ns / (double) MAX (report->stall.duration_ns, 1), 1.0);
  return TRUE;
}

/* What older reports lack. Only work can have been put off: whoever waits does so for somebody else. */
static void
jank_verdict_complete (JankReportVerdict *self, const JankReport *report)
{
  const JankCulpritStep culprit = { report->culprit.function, report->culprit.module, FALSE };
  gboolean is_work = self->doing == JANK_VERDICT_COMPUTING || self->doing == JANK_VERDICT_KERNEL;

  self->walks = jank_culprit_is_walk (&culprit);
  self->after = is_work && self->collector == NULL && culprit.function != NULL && !jank_culprit_is_own (&culprit)
                ? report->after : JANK_REPORT_NO_INDEX;
}

JankReportVerdict *
jank_verdict_find (JankReport *report)
{
  JankReportVerdict *self = jank_report_verdict_new ();
  g_auto (JankActivity) activity = { NULL };

  jank_activity_init (&activity, report);
  self->doing = jank_activity_get_kind (&activity);
  jank_verdict_list_waits (self, &activity);
  if (self->doing == JANK_VERDICT_KERNEL)
    self->kernel = g_strdup (jank_activity_find_kernel (&activity));
  if (self->doing == JANK_VERDICT_COMPUTING)
    self->driver = g_strdup (jank_verdict_find_driver (report));
  if (report->kind == JANK_REPORT_SPIN)
    self->kind = JANK_VERDICT_SPIN;
  else if (jank_report_is_idle (report))
    self->kind = JANK_VERDICT_IDLE;
  else if (jank_verdict_is_nobody_seen (report) || jank_verdict_is_starved (report))
    jank_verdict_set_starved (self, &activity);
  else if (!jank_verdict_set_contributors (self, report) && !jank_verdict_find_collector (report, self))
    jank_verdict_set_activity (self, &activity);
  if (report->locks.deadlock)
    self->kind = JANK_VERDICT_DEADLOCK;
  if (self->doing == JANK_VERDICT_LOCK)
    jank_verdict_find_waker (report, self);
  jank_verdict_complete (self, report);
  return self;
}

void
jank_verdict_update (JankReport *report)
{
  g_clear_pointer (&report->verdict, jank_report_verdict_free);
  report->verdict = jank_verdict_find (report);
}

JankReport *
jank_verdict_load (const char *text, gsize n_bytes, GError **error)
{
  JankReport *report = jank_report_from_json (text, n_bytes, error);

  if (report != NULL && report->verdict == NULL)
    jank_verdict_update (report);
  else if (report != NULL)
    jank_verdict_complete (report->verdict, report);
  return report;
}
