/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-watcher-private.h"

#include <signal.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "sample/jank-stall-tracker-private.h"

/* Taking one sample may wait for its signal's answer, not longer: what lasted this long was a stop. */
#define SAMPLE_BOUND_NS (200 * JANK_NS_PER_MS)

struct _JankWatcher
{
  /* set at construction */
  JankBeat           *beat;
  JankStallRule       rule;
  JankWatcherFuncs    funcs;
  gpointer            data;
  int                 signal;
  char               *task_folder; /* (owned) */
  GThread            *thread;      /* (owned) */

  /* any thread, under mutex, which nobody holds while he does anything else */
  GMutex              mutex;
  GCond               exited;
  JankThreadInfo      new_info;
  gboolean            has_new_info;
  JankDispatchSlot    new_slot;
  gboolean            stopping, exiting, has_exited;

  /* watcher thread only */
  JankSampler        *sampler;     /* (owned) (nullable): none without a free signal */
  JankCodeMap        *map;         /* (owned) (nullable): of reports, where there is no sampler */
  JankDispatchSlot    slot;
  JankThread         *own;         /* (owned): this thread, as the kernel sees it */
  gint64              run_delay_ns;
  JankStallTracker   *tracker;     /* (owned) (nullable): of the busy period under way */
  gint64              last_ended_began_ns;
  gint64              next_report_ns, fibonacci[2];
  gint64              cpu_ns, cpu_at_ns; /* of the observed thread, when last looked */
  JankGaps            gaps;
  guint32             n_dropped;
  JankWatcherCounts   counts;
};

static const JankWatcherCounts *
update_counts (JankWatcher *self)
{
  if (self->sampler != NULL)
    {
      self->counts.sampler = *jank_sampler_get_counts (self->sampler);
      self->counts.signals = *jank_sampler_get_signal_counts (self->sampler);
    }
  self->counts.n_dropped = atomic_load_explicit (&self->beat->n_dropped, memory_order_relaxed);
  return &self->counts;
}

static JankCodeMap *
get_map (JankWatcher *self)
{
  return self->sampler != NULL ? jank_sampler_get_map (self->sampler) : self->map;
}

static gint64
read_cpu (JankWatcher *self)
{
  JankThread *thread = self->sampler != NULL ? jank_sampler_get_thread (self->sampler) : NULL;

  return thread != NULL ? jank_thread_read_cpu_ns (thread) : -1;
}

/* The observed thread's CPU time at began_ns, which was after the last look if it is now at most one
 * tick old: since then it has computed for as long as the clock says, or less. */
static gint64
estimate_cpu_at (JankWatcher *self, gint64 began_ns, gint64 now_ns)
{
  gint64 cpu_ns = read_cpu (self);

  if (cpu_ns < 0 || self->cpu_ns < 0)
    return cpu_ns;
  return cpu_ns - MIN (now_ns - began_ns, cpu_ns - self->cpu_ns);
}

static void
note_gap (JankWatcher *self, gint64 expected_ns, gint64 now_ns)
{
  gint64 run_delay_ns = jank_thread_read_run_delay_ns (self->own);
  gint64 delay_ns = run_delay_ns >= 0 ? run_delay_ns - self->run_delay_ns : G_MAXINT64 / 2;
  gint64 stopped_ns = jank_stall_rule_stopped (expected_ns, now_ns, delay_ns);

  self->run_delay_ns = run_delay_ns;
  if (stopped_ns > 0)
    jank_gaps_add (&self->gaps, now_ns - stopped_ns, now_ns, jank_thread_is_traced (self->own));
}

static void
drop_tracker (JankWatcher *self)
{
  g_clear_pointer (&self->tracker, jank_stall_tracker_free);
}

static void
start_tracker (JankWatcher *self, gint64 began_ns, gboolean startup, gint64 cpu_ns)
{
  drop_tracker (self);
  self->tracker = jank_stall_tracker_new (began_ns, startup, self->rule.threshold_ns, cpu_ns);
  self->next_report_ns = 0;
  self->fibonacci[0] = self->fibonacci[1] = self->rule.threshold_ns;
}

static void
finish (JankWatcher *self, gint64 ended_ns, gboolean exiting)
{
  const JankStall *stall = jank_stall_tracker_get_stall (self->tracker, ended_ns, TRUE, read_cpu (self), &self->gaps);

  if (jank_stall_duration_ns (stall, ended_ns) >= self->rule.threshold_ns || self->next_report_ns != 0)
    self->funcs.ended (stall, exiting, get_map (self), update_counts (self), self->data);
  drop_tracker (self);
}

/* A stall that was announced has an end, also where the observed thread, whose clock is a coarse one, took
 * it for a short period. */
static void
finish_lost (JankWatcher *self, gint64 ended_by_ns)
{
  if (self->tracker != NULL && self->next_report_ns != 0)
    finish (self, MAX (ended_by_ns, jank_stall_tracker_get_began (self->tracker) + self->rule.threshold_ns), FALSE);
}

/* Periods that the observed thread found long. */
static void
finish_ended (JankWatcher *self)
{
  JankBusyPeriod period;

  while (jank_beat_pop (self->beat, &period))
    {
      if (self->tracker == NULL || jank_stall_tracker_get_began (self->tracker) != period.began_ns)
        {
          self->counts.n_missed++;
          start_tracker (self, period.began_ns, period.startup, -1);
        }
      self->last_ended_began_ns = period.began_ns;
      finish (self, period.ended_ns, FALSE);
    }
}

/* Reports at the threshold, then again after 1, 1, 2, 3, 5, 8 … thresholds more: the annealing of the
 * jank monitors that came before, so that a long stall is neither lost nor written all the time. */
static void
report_if_due (JankWatcher *self, gint64 now_ns)
{
  const JankStall *stall;
  uint64_t word = jank_beat_load (self->beat);
  gint64 step_ns;

  /* Still under way after now_ns was read: then the observed thread will find it long, and say so. */
  if (jank_beat_word_state (word) == JANK_BEAT_WAITING ||
      jank_beat_word_ns (word) != jank_stall_tracker_get_began (self->tracker))
    return;

  if (self->next_report_ns == 0)
    {
      gint64 began_ns = jank_stall_tracker_get_began (self->tracker);
      gint64 excluded_ns = jank_gaps_overlap (&self->gaps, began_ns, now_ns, FALSE)
                           + jank_gaps_overlap (&self->gaps, began_ns, now_ns, TRUE);

      if (!jank_stall_rule_is_stall (&self->rule, began_ns, now_ns, excluded_ns))
        return;
      self->next_report_ns = now_ns;
    }
  if (now_ns < self->next_report_ns)
    return;

  step_ns = self->fibonacci[0];
  self->fibonacci[0] = self->fibonacci[1];
  self->fibonacci[1] += step_ns;
  self->next_report_ns = now_ns + step_ns;
  stall = jank_stall_tracker_get_stall (self->tracker, now_ns, FALSE, read_cpu (self), &self->gaps);
  self->funcs.ongoing (stall, get_map (self), update_counts (self), self->data);
}

static void
sample_if_due (JankWatcher *self, gint64 now_ns)
{
  gint64 due_ns = jank_stall_rule_next_sample (&self->rule, jank_stall_tracker_get_began (self->tracker),
                                               jank_stall_tracker_get_last (self->tracker));
  JankSample sample;
  gint64 took_ns;

  if (self->sampler == NULL || jank_sampler_get_thread (self->sampler) == NULL || now_ns < due_ns)
    return;
  jank_stall_tracker_take (self->tracker, self->sampler, &self->slot, &sample);
  took_ns = jank_clock_now_ns () - now_ns;
  if (took_ns > SAMPLE_BOUND_NS)
    note_gap (self, now_ns, now_ns + took_ns);
  jank_stall_tracker_add (self->tracker, &sample, &self->gaps);
}

/* Returns: when to look again, as seen at ret_now_ns */
static gint64
look_at_busy (JankWatcher *self, gint64 began_ns, gboolean startup, gint64 *ret_now_ns)
{
  gint64 now_ns = jank_clock_now_ns ();
  gint64 next_ns, report_ns;

  if (self->tracker == NULL || jank_stall_tracker_get_began (self->tracker) != began_ns)
    {
      finish_lost (self, began_ns);
      start_tracker (self, began_ns, startup, estimate_cpu_at (self, began_ns, now_ns));
    }
  sample_if_due (self, now_ns);
  report_if_due (self, jank_clock_now_ns ());

  now_ns = jank_clock_now_ns ();
  next_ns = jank_stall_rule_next_sample (&self->rule, began_ns, jank_stall_tracker_get_last (self->tracker));
  if (self->sampler == NULL || next_ns <= now_ns)
    next_ns = now_ns + self->rule.interval_ns;
  *ret_now_ns = now_ns;
  report_ns = self->next_report_ns != 0 ? self->next_report_ns : began_ns + self->rule.threshold_ns;
  return report_ns > now_ns ? MIN (next_ns, report_ns) : next_ns;
}

static void
open_sampler (JankWatcher *self)
{
  g_autoptr (GError) error = NULL;
  JankThreadInfo own;

  jank_thread_describe_self (&own);
  self->own = jank_thread_new (&own, "/proc/self/task");
  self->sampler = jank_sampler_new (self->signal, &error);
  if (self->sampler == NULL)
    {
      self->map = jank_code_map_new ();
      self->funcs.failed (error, self->data);
    }
}

/* Takes over what other threads have set. Returns: FALSE to end */
static gboolean
take_orders (JankWatcher *self, gboolean *ret_exiting)
{
  g_autoptr (GError) error = NULL;
  gboolean has_new_info, go_on;
  JankThreadInfo info;

  g_mutex_lock (&self->mutex);
  has_new_info = self->has_new_info;
  info = self->new_info;
  self->has_new_info = FALSE;
  self->slot = self->new_slot;
  go_on = !self->stopping && !self->exiting;
  *ret_exiting = self->exiting;
  g_mutex_unlock (&self->mutex);

  if (has_new_info && self->sampler != NULL &&
      !jank_sampler_set_thread (self->sampler, &info, self->task_folder, &error))
    self->funcs.failed (error, self->data);
  if (has_new_info)
    self->cpu_ns = read_cpu (self);
  return go_on;
}

/* now_ns: when that was decided; from then on all time but the sleep is a gap. */
static void
park_or_sleep (JankWatcher *self, guint32 rung, gboolean may_park, gint64 now_ns, gint64 deadline_ns)
{
  self->cpu_ns = read_cpu (self);
  self->run_delay_ns = jank_thread_read_run_delay_ns (self->own);
  if (may_park)
    jank_beat_park (self->beat, rung);
  else
    {
      /* Rung or not: after a stop the observed thread may be the first to run. */
      jank_beat_sleep (self->beat, rung, deadline_ns);
      note_gap (self, MAX (deadline_ns, now_ns), jank_clock_now_ns ());
    }
  self->counts.n_wakeups++;
}

static void
look (JankWatcher *self, guint32 rung)
{
  uint64_t word = jank_beat_load (self->beat);
  gint64 began_ns = jank_beat_word_ns (word);

  /* After the word: a period that ended before the word was written is in the ring by now. */
  finish_ended (self);

  if (jank_beat_word_state (word) == JANK_BEAT_WAITING)
    {
      gint64 now_ns;

      finish_lost (self, began_ns);
      drop_tracker (self);
      now_ns = jank_clock_now_ns ();
      park_or_sleep (self, rung, jank_stall_rule_may_park (&self->rule, began_ns, now_ns), now_ns,
                     jank_stall_rule_next_look (&self->rule, now_ns));
    }
  else if (began_ns > self->last_ended_began_ns)
    {
      gint64 now_ns;
      gint64 next_ns = look_at_busy (self, began_ns, jank_beat_word_state (word) == JANK_BEAT_STARTUP, &now_ns);

      park_or_sleep (self, rung, FALSE, now_ns, next_ns);
    }
  else
    {
      /* The observed thread is between announcing the end and writing the word. */
      g_thread_yield ();
    }
}

static void
say_goodbye (JankWatcher *self)
{
  uint64_t word = jank_beat_load (self->beat);

  finish_ended (self);
  if (self->tracker != NULL && self->next_report_ns != 0 &&
      jank_beat_word_ns (word) == jank_stall_tracker_get_began (self->tracker))
    finish (self, jank_clock_now_ns (), TRUE);
  self->funcs.exiting (update_counts (self), self->data);

  g_mutex_lock (&self->mutex);
  self->has_exited = TRUE;
  g_cond_broadcast (&self->exited);
  g_mutex_unlock (&self->mutex);
}

static gpointer
run (gpointer data)
{
  JankWatcher *self = data;
  gboolean exiting = FALSE;
  guint32 rung;

  open_sampler (self);
  self->funcs.started (update_counts (self), self->data);
  for (;;)
    {
      rung = jank_beat_get_rung (self->beat);
      if (!take_orders (self, &exiting))
        break;
      look (self, rung);
    }
  if (exiting)
    say_goodbye (self);

  drop_tracker (self);
  g_clear_pointer (&self->sampler, jank_sampler_free);
  g_clear_pointer (&self->map, jank_code_map_free);
  g_clear_pointer (&self->own, jank_thread_free);
  return NULL;
}

JankWatcher *
jank_watcher_new (JankBeat *beat, const JankStallRule *rule, int signal, const char *task_folder,
                  const JankWatcherFuncs *funcs, gpointer data, GError **error)
{
  JankWatcher *self = g_new0 (JankWatcher, 1);
  sigset_t all, old;

  self->beat = beat;
  self->rule = *rule;
  self->funcs = *funcs;
  self->data = data;
  self->signal = signal;
  self->task_folder = g_strdup (task_folder);
  self->cpu_ns = -1;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->exited);

  /* The program's signals are for the program's threads. */
  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &old);
  self->thread = g_thread_try_new ("jankwatch", run, self, error);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  if (self->thread == NULL)
    g_clear_pointer (&self, jank_watcher_free);
  return self;
}

static void
order (JankWatcher *self, gboolean *what)
{
  g_mutex_lock (&self->mutex);
  *what = TRUE;
  g_mutex_unlock (&self->mutex);
  jank_beat_ring (self->beat);
}

void
jank_watcher_free (JankWatcher *self)
{
  if (self->thread != NULL)
    {
      order (self, &self->stopping);
      g_thread_join (self->thread);
    }
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->exited);
  g_free (self->task_folder);
  g_free (self);
}

void
jank_watcher_set_thread (JankWatcher *self, const JankThreadInfo *info)
{
  g_mutex_lock (&self->mutex);
  self->new_info = *info;
  g_mutex_unlock (&self->mutex);
  order (self, &self->has_new_info);
}

void
jank_watcher_set_slot (JankWatcher *self, const JankDispatchSlot *slot)
{
  g_mutex_lock (&self->mutex);
  self->new_slot = *slot;
  g_mutex_unlock (&self->mutex);
  jank_beat_ring (self->beat);
}

void
jank_watcher_exit (JankWatcher *self, gint64 timeout_ns)
{
  gint64 deadline_us = g_get_monotonic_time () + timeout_ns / 1000;

  order (self, &self->exiting);
  g_mutex_lock (&self->mutex);
  while (!self->has_exited && g_cond_wait_until (&self->exited, &self->mutex, deadline_us))
    ;
  g_mutex_unlock (&self->mutex);
}
