/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-stall-tracker-private.h"

#include <string.h>

#include "base/jank-clock-private.h"

/* Of a spin, where only part of each turn is in a source. */
#define SOURCE_TRIES 16
#define MAX_SOURCES  8

/* What leads to a stall is not older. */
#define BEFORE_NS (10 * JANK_NS_PER_S)

/* How long a thread that is not the loop's is waited for. */
#define OTHER_BOUND_NS (2 * JANK_NS_PER_MS)

typedef struct
{
  JankSourceInfo info;
  guint          n_seen;
} SeenSource;

struct _JankStallTracker
{
  JankStall       stall;
  JankMoment      began;
  JankMoment      told;             /* when the stall was asked for last, while it lasted */
  JankSampleRing *newest;           /* (owned) (nullable): samples since it was frozen, and the newest before */
  JankThreadTimes new_times;        /* of the sample that was taken last */
  JankSourceInfo  new_source;       /* seen with it; of a stall of the loop */
  guint           new_depth;
  JankThreadTimes last_times;       /* when the newest sample was taken, or it began */
  gint64          rest_ns[JANK_N_STATES];
  gint64          began_suspended_ns;
  gint64          began_cost_ns;    /* CPU time of the watcher thread */
  gint64          weighed_until_ns; /* all time before is in somebody's weight */
  gint64          last_at_ns;       /* of the newest sample */
  JankStack      *last_stack;       /* (owned) (nullable) */
  gboolean        has_sample;
  SeenSource      sources[MAX_SOURCES]; /* of a spin */
  guint           n_sources;
};

JankStallTracker *
jank_stall_tracker_new (JankStallKind kind, gint64 threshold_ns, const JankMoment *began)
{
  JankStallTracker *self = g_new0 (JankStallTracker, 1);

  self->stall.kind = kind;
  self->stall.began_ns = self->stall.period_ns = began->at_ns;
  self->stall.threshold_ns = threshold_ns;
  self->stall.ring = jank_sample_ring_new ();
  self->stall.tree = jank_call_tree_new ();
  self->began = *began;
  self->last_times = began->times;
  self->began_suspended_ns = jank_clock_suspended_ns ();
  self->began_cost_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  self->weighed_until_ns = began->at_ns;
  return self;
}

void
jank_stall_tracker_free (JankStallTracker *self)
{
  g_clear_pointer (&self->last_stack, jank_stack_unref);
  g_clear_pointer (&self->stall.threads, jank_thread_snapshot_free);
  jank_sample_ring_free (self->stall.ring);
  g_clear_pointer (&self->newest, jank_sample_ring_free);
  jank_call_tree_free (self->stall.tree);
  g_free (self);
}

const JankStall *
jank_stall_tracker_peek (const JankStallTracker *self)
{
  return &self->stall;
}

JankStall *
jank_stall_tracker_edit (JankStallTracker *self)
{
  return &self->stall;
}

gint64
jank_stall_tracker_get_last (const JankStallTracker *self)
{
  return MAX (self->last_at_ns, self->stall.began_ns);
}

gboolean
jank_stall_tracker_is_in (const JankStallTracker *self, guint64 source)
{
  return self->stall.kind == JANK_STALL_LOOP && self->new_source.known && self->new_source.address == source;
}

gboolean
jank_stall_tracker_is_outside (const JankStallTracker *self)
{
  return (self->stall.kind == JANK_STALL_LOOP || self->stall.kind == JANK_STALL_STARTUP) && self->new_depth == 0;
}

void
jank_stall_tracker_exclude_cost (JankStallTracker *self, gint64 cost_ns)
{
  self->began_cost_ns += cost_ns;
}

static JankSampleRing *
jank_stall_tracker_get_ring (const JankStallTracker *self)
{
  return self->newest != NULL ? self->newest : self->stall.ring;
}

/* Time since the last weighing, less what is excluded. */
static gint64
jank_stall_tracker_get_weight (const JankStallTracker *self, gint64 until_ns, const JankGaps *gaps)
{
  gint64 from_ns = self->weighed_until_ns;

  from_ns += jank_gaps_excluded (gaps, from_ns, until_ns);
  return MAX (until_ns - from_ns, 0);
}

/* Gives the time since the last weighing to the newest sample. */
static void
jank_stall_tracker_weigh_until (JankStallTracker *self, gint64 until_ns, const JankGaps *gaps)
{
  gint64 weight_ns = jank_stall_tracker_get_weight (self, until_ns, gaps);

  if (!self->has_sample || weight_ns <= 0)
    return;
  jank_sample_ring_add_weight (jank_stall_tracker_get_ring (self), weight_ns);
  jank_call_tree_add (self->stall.tree, self->last_stack, weight_ns, 0);
  self->weighed_until_ns = until_ns;
}

static JankFound
jank_stall_tracker_judge_found (const JankSample *sample, const JankThreadTimes *from, const JankThreadTimes *to)
{
  if (sample->method == JANK_SAMPLE_BLOCKED)
    return sample->syscall >= 0 ? JANK_FOUND_IN_CALL : JANK_FOUND_IN_FAULT;
  if (sample->stack != NULL)
    return JANK_FOUND_RUNNING;
  return to->cpu_ns == from->cpu_ns ? JANK_FOUND_WAITING_FOR_CPU : JANK_FOUND_UNKNOWN;
}

/* What the thread did since the sample before. */
static JankThreadState
jank_stall_tracker_find_state (JankStallTracker *self, const JankSample *sample, const JankThreadTimes *now,
                               const JankGaps *gaps)
{
  const JankThreadTimes *last = &self->last_times;
  gint64 excluded_ns = jank_gaps_excluded (gaps, last->at_ns, now->at_ns);
  JankStateShare share;

  /* Of one thread and then of another. */
  if (self->stall.kind == JANK_STALL_CPU)
    return sample->method == JANK_SAMPLE_BLOCKED ? JANK_STATE_BLOCKED
           : sample->stack != NULL ? JANK_STATE_COMPUTING : JANK_STATE_UNKNOWN;
  jank_state_share_get (last, now, excluded_ns, jank_stall_tracker_judge_found (sample, last, now), &share);
  self->rest_ns[share.rest] += share.rest_ns;
  return jank_state_share_largest (&share);
}

/* The first answer with a callback stays: a handler may destroy its own source while it runs. */
static void
jank_stall_tracker_add_source (JankStallTracker *self)
{
  const JankSourceInfo *info = &self->new_source;

  self->stall.loop_depth = MAX (self->stall.loop_depth, self->new_depth);
  if (info->known && (!self->stall.source.known || (self->stall.source.callback == 0 && info->callback != 0)))
    self->stall.source = *info;
}

/* A sample stands for the time around it: from halfway to the one before to halfway to the next; the first for all
 * time before it, the last for all after. A thread without a CPU stays where its neighbours find it; one that was
 * long inside the kernel was in that call since then. */
void
jank_stall_tracker_add (JankStallTracker *self, JankSample *sample, const JankGaps *gaps)
{
  gint64 from_ns = sample->since_ns != 0 ? sample->since_ns : self->last_at_ns + (sample->at_ns - self->last_at_ns) / 2;

  if (self->stall.kind == JANK_STALL_LOOP)
    jank_stall_tracker_add_source (self);
  self->stall.n_starved += sample->starved;
  if (sample->starved || sample->in_kernel)
    return;
  if (self->has_sample)
    jank_stall_tracker_weigh_until (self, from_ns, gaps);

  sample->weight_ns = jank_stall_tracker_get_weight (self, sample->at_ns, gaps);
  sample->state = jank_stall_tracker_find_state (self, sample, &self->new_times, gaps);
  self->last_times = self->new_times;
  self->weighed_until_ns = MAX (sample->at_ns, self->weighed_until_ns);
  if (sample->stack != NULL)
    self->stall.n_samples++;
  else
    self->stall.n_lost++;
  jank_sample_ring_add (jank_stall_tracker_get_ring (self), sample);
  jank_call_tree_add (self->stall.tree, sample->stack, sample->weight_ns, 1);

  g_clear_pointer (&self->last_stack, jank_stack_unref);
  self->last_stack = g_steal_pointer (&sample->stack);
  self->last_at_ns = sample->at_ns;
  self->has_sample = TRUE;
  jank_sample_clear (sample);
}

static gboolean
jank_stall_tracker_is_same_source (const JankSourceInfo *a, const JankSourceInfo *b)
{
  return a->callback == b->callback && a->dispatch == b->dispatch && strcmp (a->name, b->name) == 0;
}

static void
jank_stall_tracker_choose_source (JankStallTracker *self)
{
  const SeenSource *most = self->sources;

  for (guint i = 1; i < self->n_sources; i++)
    if (self->sources[i].n_seen > most->n_seen)
      most = &self->sources[i];
  self->stall.source = self->n_sources > 0 ? most->info : (JankSourceInfo) { 0 };
}

static void
jank_stall_tracker_count_source (JankStallTracker *self, const JankSourceInfo *info)
{
  SeenSource *seen = self->sources;

  while (seen < self->sources + self->n_sources && !jank_stall_tracker_is_same_source (&seen->info, info))
    seen++;
  if (seen == self->sources + MAX_SOURCES)
    return;
  if (seen == self->sources + self->n_sources)
    {
      seen->info = *info;
      self->n_sources++;
    }
  seen->n_seen++;
  if (self->stall.counted != JANK_COUNTED_SOURCE)
    jank_stall_tracker_choose_source (self);
}

/* The one that was seen most often. */
static void
jank_stall_tracker_ask_source_of_spin (JankStallTracker *self, JankDispatchSlot *slot)
{
  for (guint i = 0; i < SOURCE_TRIES; i++)
    {
      JankSourceInfo info;
      guint depth = jank_dispatch_slot_read (slot, &info);

      if (!info.known)
        continue;
      self->stall.loop_depth = MAX (self->stall.loop_depth, depth);
      jank_stall_tracker_count_source (self, &info);
      break;
    }
}

static void
jank_stall_tracker_ask_source (JankStallTracker *self, JankSampler *sampler, JankDispatchSlot *slot)
{
  self->new_depth = jank_dispatch_slot_read (slot, &self->new_source);
  self->stall.n_outside += self->new_depth == 0 ? 1 : -1;
  if (!self->stall.source.known)
    jank_sampler_describe_source (sampler, &self->new_source);
}

void
jank_stall_tracker_take (JankStallTracker *self, JankSampler *sampler, JankDispatchSlot *slot, JankSample *ret_sample)
{
  guint64 n_sent = jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent;

  jank_sampler_take (sampler, ret_sample);
  self->new_times = *jank_sampler_get_times (sampler);
  self->stall.n_signals += jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent - n_sent;
  if (self->stall.kind == JANK_STALL_SPIN || self->stall.kind == JANK_STALL_STARVED ||
      self->stall.kind == JANK_STALL_INPUT)
    jank_stall_tracker_ask_source_of_spin (self, slot);
  else if (self->stall.kind == JANK_STALL_LOOP || self->stall.kind == JANK_STALL_DUMP)
    jank_stall_tracker_ask_source (self, sampler, slot);
}

void
jank_stall_tracker_take_late (JankStallTracker *self, JankSampler *sampler, JankSample *sample)
{
  guint64 n_sent = jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent;

  if (sample->stack == NULL && jank_sampler_take_late (sampler, sample))
    self->new_times = *jank_sampler_get_times (sampler);
  self->stall.n_signals += jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent - n_sent;
  /* The loop may be in another one by now. */
  self->new_source = (JankSourceInfo) { .known = FALSE };
  self->new_depth = 0;
}

void
jank_stall_tracker_take_other (JankStallTracker *self, JankSampler *sampler, JankThread *thread,
                               const JankStackRanges *ranges, JankSample *ret_sample)
{
  guint64 n_sent = jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent;
  JankSyscall call;

  jank_sampler_take_other (sampler, thread, ranges, jank_clock_now_ns () + OTHER_BOUND_NS, &call, ret_sample);
  jank_thread_read_times (thread, &self->new_times);
  self->stall.n_signals += jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent - n_sent;
}

void
jank_stall_tracker_set_threads (JankStallTracker *self, JankThreadSnapshot *threads, guint64 n_signals)
{
  if (self->stall.threads != NULL)
    jank_thread_snapshot_continue (threads, self->stall.threads);
  g_clear_pointer (&self->stall.threads, jank_thread_snapshot_free);
  self->stall.threads = threads;
  self->stall.n_signals += n_signals;
}

gint64
jank_stall_tracker_get_run_delay (const JankStallTracker *self, const JankMoment *now)
{
  return self->began.times.run_delay_ns >= 0 && now->times.run_delay_ns >= 0
         ? now->times.run_delay_ns - self->began.times.run_delay_ns : -1;
}

void
jank_stall_tracker_set_kind (JankStallTracker *self, JankStallKind kind, gint64 threshold_ns)
{
  self->stall.kind = kind;
  self->stall.source.known = self->stall.source.known && kind != JANK_STALL_STARTUP;
  self->stall.threshold_ns = threshold_ns;
}

void
jank_stall_tracker_set_works (JankStallTracker *self, const JankSourceLedger *ledger, const JankWorkLog *turns,
                              gint64 until_ns)
{
  JankStall *stall = &self->stall;

  stall->n_before = jank_work_log_list (turns, stall->began_ns - BEFORE_NS, stall->began_ns, stall->turns);
  stall->works_of = ledger;
  if (ledger != NULL && (stall->kind == JANK_STALL_INPUT || stall->kind == JANK_STALL_STARVED))
    stall->n_works = jank_work_log_sum (jank_source_ledger_get_works (ledger), stall->began_ns, until_ns, FALSE,
                                        stall->works);
}

void
jank_stall_tracker_set_source (JankStallTracker *self, const JankSourceInfo *source)
{
  self->stall.source = *source;
  self->stall.loop_depth = MAX (self->stall.loop_depth, 1);
  self->stall.counted = JANK_COUNTED_SOURCE;
}

void
jank_stall_tracker_set_no_source (JankStallTracker *self)
{
  if (self->stall.counted == JANK_COUNTED_SOURCE)
    jank_stall_tracker_choose_source (self);
  self->stall.counted = JANK_COUNTED_NONE;
}

typedef struct
{
  JankSampler *sampler;
  gint64       until_ns;
} Naming;

static JankStack *
jank_stall_tracker_name_cb (JankStack *stack, gpointer data)
{
  Naming *naming = data;

  return jank_sampler_name_stack (naming->sampler, stack, naming->until_ns);
}

void
jank_stall_tracker_name_calls (JankStallTracker *self, JankSampler *sampler, gint64 until_ns)
{
  Naming naming = { sampler, until_ns };

  /* The turns of a loop that spins are periods of their own. */
  if ((self->stall.kind != JANK_STALL_LOOP && self->stall.kind != JANK_STALL_STARTUP &&
       self->stall.kind != JANK_STALL_DUMP) || !jank_sampler_has_names (sampler, until_ns))
    return;
  jank_sample_ring_rename (self->stall.ring, jank_stall_tracker_name_cb, &naming);
  if (self->newest != NULL)
    jank_sample_ring_rename (self->newest, jank_stall_tracker_name_cb, &naming);
  jank_call_tree_rename (self->stall.tree, jank_stall_tracker_name_cb, &naming);
  if (self->last_stack != NULL)
    self->last_stack = jank_stall_tracker_name_cb (self->last_stack, &naming);
  jank_sampler_forget_names (sampler, until_ns);
}

static void
jank_stall_tracker_set_times (JankStallTracker *self, const JankMoment *now)
{
  JankStall *stall = &self->stall;
  gint64 duration_ns = jank_stall_duration_ns (stall, now->at_ns);

  stall->cpu_ns = -1;
  if (now->times.cpu_ns >= 0 && self->began.times.cpu_ns >= 0)
    stall->cpu_ns = MAX (now->times.cpu_ns - self->began.times.cpu_ns, 0);
  if (stall->kind != JANK_STALL_CPU)
    {
      stall->cpu_ns = MIN (stall->cpu_ns, duration_ns);
      jank_state_sum_finish (self->rest_ns, &self->began.times, &now->times, duration_ns, stall->state_ns);
    }
  stall->watcher_late_ns = 0;
  if (now->run_delay_ns >= 0 && self->began.run_delay_ns >= 0)
    stall->watcher_late_ns = MAX (now->run_delay_ns - self->began.run_delay_ns, 0);
}

const JankStall *
jank_stall_tracker_get_stall (JankStallTracker *self, const JankMoment *now, gboolean ended, const JankGaps *gaps,
                              const JankSourceLedger *ledger)
{
  JankStall *stall = &self->stall;

  if (now == NULL)
    now = &self->told;
  if (ended)
    {
      stall->ended_ns = now->at_ns;
      jank_stall_tracker_weigh_until (self, now->at_ns, gaps);
    }
  else
    self->told = *now;
  stall->stopped_ns = jank_gaps_overlap (gaps, stall->began_ns, now->at_ns, JANK_GAP_STOPPED);
  stall->traced_ns = jank_gaps_overlap (gaps, stall->began_ns, now->at_ns, JANK_GAP_TRACED);
  stall->own_ns = jank_gaps_overlap (gaps, stall->began_ns, now->at_ns, JANK_GAP_OWN);
  stall->suspended_ns = jank_clock_suspended_ns () - self->began_suspended_ns;
  if (stall->suspended_ns < JANK_NS_PER_MS)
    stall->suspended_ns = 0; /* two clocks are not read at one moment */
  if (stall->threads != NULL)
    jank_thread_snapshot_update (stall->threads, now->at_ns);
  stall->ledger = ledger;
  stall->cost_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - self->began_cost_ns;
  jank_stall_tracker_set_times (self, now);
  return stall;
}

/* Samples of from that were taken after since_ns. */
static void
jank_stall_tracker_copy_samples (JankSampleRing *to, const JankSampleRing *from, gint64 since_ns)
{
  jank_sample_ring_keep_newest (to);
  for (guint i = 0; i < jank_sample_ring_get_size (from); i++)
    if (jank_sample_ring_get (from, i)->at_ns > since_ns)
      jank_sample_ring_add (to, jank_sample_ring_get (from, i));
}

void
jank_stall_tracker_freeze (JankStallTracker *self)
{
  if (self->newest != NULL)
    return;
  self->newest = jank_sample_ring_new ();
  jank_stall_tracker_copy_samples (self->newest, self->stall.ring, 0);
}

void
jank_stall_tracker_get_newest (JankStallTracker *self, JankStall *ret_newest)
{
  *ret_newest = self->stall;
  ret_newest->ring = jank_stall_tracker_get_ring (self);
}

JankStallTracker *
jank_stall_tracker_split (JankStallTracker *self, gint64 threshold_ns)
{
  JankStallTracker *rest = jank_stall_tracker_new (self->stall.kind, threshold_ns, &self->told);
  JankStall *stall = &rest->stall;

  stall->period_ns = self->stall.period_ns;
  stall->source = self->stall.source;
  stall->loop_depth = self->stall.loop_depth;
  jank_stall_tracker_copy_samples (stall->ring, jank_stall_tracker_get_ring (self), self->told.at_ns);
  for (guint i = 0; i < jank_sample_ring_get_size (stall->ring); i++)
    {
      const JankSample *sample = jank_sample_ring_get (stall->ring, i);

      jank_call_tree_add (stall->tree, sample->stack, sample->weight_ns, 1);
      stall->n_samples += sample->stack != NULL;
      stall->n_lost += sample->stack == NULL;
    }
  rest->last_stack = self->last_stack != NULL ? jank_stack_ref (self->last_stack) : NULL;
  rest->last_times = self->last_times;
  rest->weighed_until_ns = self->weighed_until_ns;
  rest->last_at_ns = self->last_at_ns;
  rest->has_sample = jank_sample_ring_get_size (stall->ring) > 0;
  return rest;
}
