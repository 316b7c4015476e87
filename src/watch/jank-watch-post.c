/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-watch-post-private.h"

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "sample/jank-thread-snapshot-private.h"
#include "watch/jank-finders-private.h"

/* Taking one sample may wait for its signal's answer, not longer: what lasted this long was a stop. */
#define SAMPLE_BOUND_NS (200 * JANK_NS_PER_MS)

/* Delays are read anew after so long, or after a sleep that was this much too long: while nothing waits for a CPU they
 * hardly grow, and reading them 60 times a second took most of the watcher's time. */
#define DELAYS_AGE_NS  (250 * JANK_NS_PER_MS)
#define DELAYS_LATE_NS (2 * JANK_NS_PER_MS)

/* While a stall is sampled, others are told of looks no more often. */
#define TICK_NS (50 * JANK_NS_PER_MS)

/* Where the thread computes, a look lasts a tick. */
#define DUMP_LOOKS 10

/* Who asks is told no more often. */
#define GLANCE_EVERY_NS JANK_NS_PER_S

static void
jank_watch_post_tell_tick (JankWatchPost *self)
{
  gint64 tick_ns = jank_signal_sampler_get_tick (jank_sampler_get_signals (self->sampler));
  g_autoptr (GError) error = NULL;

  if (self->rule.stack_interval_ns == 0 || self->rule.stack_interval_ns >= tick_ns)
    return;
  g_set_error (&error, JANK_ERROR, JANK_ERROR_INVALID,
               _("“interval” is shorter than this kernel's tick of %g ms: computing threads are sampled once per tick"),
               (double) tick_ns / JANK_NS_PER_MS);
  JANK_SINKS_TELL (self->sinks, failed, error);
}

void
jank_watch_post_init (JankWatchPost *self, int signal)
{
  JankThreadInfo own;

  jank_thread_describe_self (&own);
  self->own = jank_thread_new (&own, "/proc/self/task");
  self->asleep.times.cpu_ns = self->slept_cpu_ns = -1;
  self->gaps.own = &self->beat->own;
  self->sampler = jank_sampler_new (signal);
  if (jank_sampler_get_error (self->sampler) != NULL)
    JANK_SINKS_TELL (self->sinks, failed, jank_sampler_get_error (self->sampler));
  jank_watch_post_tell_tick (self);
}

void
jank_watch_post_clear (JankWatchPost *self)
{
  jank_sample_clear (&self->late);
  g_clear_pointer (&self->sampler, jank_sampler_free);
  g_clear_pointer (&self->own, jank_thread_free);
  jank_memory_leave_room ();
}

static void
jank_watch_post_read_times (JankWatchPost *self, gint64 at_ns, JankMoment *ret_moment)
{
  JankThread *thread = jank_sampler_get_thread (self->sampler);

  *ret_moment = JANK_MOMENT_UNKNOWN (at_ns);
  if (thread != NULL)
    jank_thread_read_times (thread, &ret_moment->times);
}

void
jank_watch_post_read_moment (JankWatchPost *self, gint64 at_ns, JankMoment *ret_moment)
{
  jank_watch_post_read_times (self, at_ns, ret_moment);
  ret_moment->run_delay_ns = jank_thread_read_run_delay_ns (self->own);
}

/* A counter's value at began_ns, which was after the last look if that was at most one tick ago: since then
 * it has grown as fast as the clock, or slower. */
static gint64
jank_watch_post_estimate_counter (gint64 now_value_ns, gint64 last_value_ns, gint64 ago_ns)
{
  if (now_value_ns < 0 || last_value_ns < 0)
    return now_value_ns;
  return now_value_ns - MIN (ago_ns, now_value_ns - last_value_ns);
}

void
jank_watch_post_estimate (JankWatchPost *self, gint64 began_ns, gint64 now_ns, JankMoment *ret_moment)
{
  const JankThreadTimes *last = &self->asleep.times;
  JankThreadTimes *times = &ret_moment->times;

  jank_watch_post_read_times (self, began_ns, ret_moment);
  times->at_ns = began_ns;
  times->n_turns = 0; /* not of then */
  times->cpu_ns = jank_watch_post_estimate_counter (times->cpu_ns, last->cpu_ns, now_ns - began_ns);
  times->run_delay_ns = jank_watch_post_estimate_counter (times->run_delay_ns, last->run_delay_ns, now_ns - began_ns);
  ret_moment->run_delay_ns = self->asleep.run_delay_ns;
}

/* Without faults: this happens 16 times a second and more. Nobody looks into a busy period that has just begun, so the
 * CPU time at its beginning is kept for it. */
void
jank_watch_post_before_sleep (JankWatchPost *self)
{
  JankThread *thread = jank_sampler_get_thread (self->sampler);
  gint64 now_ns = jank_clock_now_ns (), busy_ns = 0;
  uint64_t word = jank_beat_load (self->beat);

  if (jank_beat_word_state (word) != JANK_BEAT_WAITING)
    busy_ns = MAX (now_ns - jank_beat_word_ns (word), 0);
  self->slept_at_ns = now_ns;
  if (now_ns - self->sampled_at_ns > JANK_NS_PER_MS)
    self->slept_cpu_ns = thread != NULL ? jank_thread_read_cpu_ns (thread) : -1;
  self->asleep.times.cpu_ns = jank_watch_post_estimate_counter (self->slept_cpu_ns, self->asleep.times.cpu_ns, busy_ns);
  if (!self->was_late && self->delays_at_ns != 0 && now_ns - self->delays_at_ns < DELAYS_AGE_NS)
    return;
  self->delays_at_ns = now_ns;
  self->asleep.times.run_delay_ns = thread != NULL ? jank_thread_read_run_delay_ns (thread) : -1;
  self->asleep.run_delay_ns = jank_thread_read_run_delay_ns (self->own);
  self->run_delay_ns = self->asleep.run_delay_ns;
}

/* What the observed thread computed since the watcher went to sleep, -1: not known. */
static gint64
jank_watch_post_get_computed_ns (JankWatchPost *self)
{
  JankThread *thread = jank_sampler_get_thread (self->sampler);
  gint64 cpu_ns = thread != NULL ? jank_thread_read_cpu_ns (thread) : -1;

  return cpu_ns >= 0 && self->slept_cpu_ns >= 0 && self->slept_at_ns != 0 ? cpu_ns - self->slept_cpu_ns : -1;
}

static void
jank_watch_post_add_stop (JankWatchPost *self, gint64 from_ns, gint64 to_ns)
{
  jank_gaps_add (&self->gaps, from_ns, to_ns, jank_thread_is_traced (self->own) ? JANK_GAP_TRACED : JANK_GAP_STOPPED);
}

void
jank_watch_post_note_gap (JankWatchPost *self, gint64 expected_ns, gint64 now_ns)
{
  gint64 run_delay_ns, delay_ns, stopped_ns;

  self->was_late = now_ns - expected_ns >= DELAYS_LATE_NS;
  if (jank_gaps_stopped (expected_ns, now_ns, 0) == 0)
    return;
  run_delay_ns = jank_thread_read_run_delay_ns (self->own);
  delay_ns = run_delay_ns >= 0 ? run_delay_ns - self->run_delay_ns : G_MAXINT64 / 2;
  stopped_ns = jank_gaps_stopped (expected_ns, now_ns, delay_ns);
  self->run_delay_ns = run_delay_ns;
  if (jank_gaps_is_shared (self->slept_at_ns, expected_ns, now_ns, stopped_ns, jank_watch_post_get_computed_ns (self)))
    jank_watch_post_add_stop (self, now_ns - stopped_ns, now_ns);
}

/* Around what may take long: reports and sessions are written, threads are looked at. */
typedef struct
{
  gint64          began_ns, began_cpu_ns;
  JankThreadTurns own, observed;
  gboolean        is_known;
} Work;

/* FALSE: there is no memory for it. */
static gboolean
jank_watch_post_begin_work (JankWatchPost *self, Work *work)
{
  JankThread *thread = jank_sampler_get_thread (self->sampler);

  if (!jank_memory_has_room (JANK_REPORT_BYTES))
    return FALSE;
  work->began_ns = jank_clock_now_ns ();
  work->began_cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  work->is_known = thread != NULL && jank_thread_read_turns (thread, &work->observed) &&
                   jank_thread_read_turns (self->own, &work->own);
  return TRUE;
}

static gint64
jank_watch_post_get_grown (const JankThreadTurns *from, const JankThreadTurns *to)
{
  return to->cpu_ns - from->cpu_ns + to->run_delay_ns - from->run_delay_ns;
}

static void
jank_watch_post_end_work (JankWatchPost *self, JankStallTracker *tracker, const Work *work)
{
  gint64 now_ns = jank_clock_now_ns (), stopped_ns;
  JankThreadTurns own, observed;

  jank_stall_tracker_exclude_cost (tracker, jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - work->began_cpu_ns);
  if (!work->is_known || jank_gaps_in_work (now_ns - work->began_ns, 0, 0, 0, 1) == 0 ||
      !jank_thread_read_turns (jank_sampler_get_thread (self->sampler), &observed) ||
      !jank_thread_read_turns (self->own, &own))
    return;
  stopped_ns = jank_gaps_in_work (now_ns - work->began_ns, jank_watch_post_get_grown (&work->own, &own),
                                  jank_watch_post_get_grown (&work->observed, &observed),
                                  observed.cpu_ns - work->observed.cpu_ns, observed.n_turns - work->observed.n_turns);
  if (stopped_ns > 0)
    jank_watch_post_add_stop (self, now_ns - stopped_ns, now_ns);
}

gboolean
jank_watch_post_is_in_stall (const JankWatchPost *self, gint64 now_ns)
{
  uint64_t word = jank_beat_load (self->beat);

  return self->has_stall ||
         (jank_beat_word_state (word) != JANK_BEAT_WAITING &&
          now_ns - jank_beat_word_ns (word) >= self->rule.threshold_ns);
}

gboolean
jank_watch_post_is_over (const JankWatchPost *self, const JankStallTracker *tracker)
{
  const JankStall *stall = jank_stall_tracker_peek (tracker);
  uint64_t word = jank_beat_load (self->beat);

  if (atomic_load_explicit (&self->beat->closed_ns, memory_order_relaxed) != 0)
    return TRUE;
  if (stall->kind == JANK_STALL_FRAMES)
    return jank_beat_word_ns (word) != self->view.since_ns ||
           atomic_load_explicit (&self->beat->frame_began_ns, memory_order_relaxed) > stall->began_ns;
  return (stall->kind == JANK_STALL_LOOP || stall->kind == JANK_STALL_STARTUP) &&
         (jank_beat_word_state (word) == JANK_BEAT_WAITING || jank_beat_word_ns (word) != stall->period_ns);
}

/* The time of a sample in which a source dispatches that is not the program's goes with it. */
static gboolean
jank_watch_post_is_own_work (JankWatchPost *self, const JankStallTracker *tracker, const JankSample *sample)
{
  const JankOwnTime *own = &self->beat->own;
  guint64 source = atomic_load_explicit (&own->source, memory_order_relaxed);
  gint64 from_ns;

  if (jank_spans_get (&own->spans, sample->at_ns, sample->at_ns + 1) > 0)
    return TRUE;
  if (source == 0 || !jank_stall_tracker_is_in (tracker, source))
    return FALSE;
  from_ns = MAX (jank_stall_tracker_get_last (tracker), jank_gaps_last_own (&self->gaps));
  from_ns += jank_spans_get (&own->spans, from_ns, sample->at_ns); /* counted there */
  jank_gaps_add (&self->gaps, MIN (from_ns, sample->at_ns), sample->at_ns, JANK_GAP_OWN);
  return TRUE;
}

void
jank_watch_post_set_thread (JankWatchPost *self, const JankThreadInfo *info, const JankDispatchSlot *slot)
{
  g_autoptr (GError) error = NULL;

  if (!jank_sampler_set_thread (self->sampler, info, self->task_folder, &error))
    JANK_SINKS_TELL (self->sinks, failed, error);
  self->slot = *slot;
  self->has_followed = FALSE;
  self->delays_at_ns = 0;
  self->asleep.times.cpu_ns = -1;
  jank_watch_post_before_sleep (self);
}

/* How long the thread takes to compute for one interval. */
static gint64
jank_watch_post_get_computes_in (JankWatchPost *self, const JankThreadTimes *from, const JankThreadTimes *to)
{
  double share = (double) (to->cpu_ns - from->cpu_ns) / (double) MAX (to->at_ns - from->at_ns, 1);

  return from->known && share > 0 ? (gint64) MIN ((double) self->rule.stack_interval_ns / share, JANK_NS_PER_S)
                                  : JANK_NS_PER_S;
}

gint64
jank_watch_post_sample (JankWatchPost *self, JankStallTracker *tracker)
{
  gint64 began_ns = jank_clock_now_ns (), ended_ns, computes_in_ns;
  JankThreadTimes before = *jank_sampler_get_times (self->sampler);
  g_autoptr (GError) error = NULL;
  JankSample sample;

  self->awaits_ns = 0;
  if (jank_sampler_get_thread (self->sampler) == NULL)
    return 0;
  jank_stall_tracker_take (tracker, self->sampler, &self->slot, &sample);
  error = jank_sampler_take_error (self->sampler);
  if (error != NULL)
    JANK_SINKS_TELL (self->sinks, failed, error);
  ended_ns = jank_clock_now_ns ();
  self->slept_cpu_ns = jank_sampler_get_times (self->sampler)->cpu_ns;
  self->sampled_at_ns = ended_ns;
  computes_in_ns = sample.starved ? 0 : jank_watch_post_get_computes_in (self, &before,
                                                                         jank_sampler_get_times (self->sampler));
  if (ended_ns - began_ns > SAMPLE_BOUND_NS)
    jank_watch_post_note_gap (self, began_ns, ended_ns);
  if (jank_watch_post_is_over (self, tracker))
    {
      jank_sample_clear (&self->late);
      self->late = sample;
      return computes_in_ns;
    }
  if (jank_other_loop_is_awaited (self, tracker, &sample))
    {
      self->awaits_ns = sample.at_ns;
      self->sinks->record.has_other_loop = TRUE;
    }
  if (self->awaits_ns != 0 || jank_watch_post_is_own_work (self, tracker, &sample))
    {
      jank_sample_clear (&sample);
      return computes_in_ns;
    }
  jank_stall_tracker_add (tracker, &sample, &self->gaps);
  jank_stall_tracker_name_calls (tracker, self->sampler, ended_ns);
  return computes_in_ns;
}

void
jank_watch_post_take_late (JankWatchPost *self, JankStallTracker *tracker, gint64 ended_ns)
{
  JankSample sample = self->late;

  self->late = (JankSample) { .stack = NULL };
  jank_stall_tracker_take_late (tracker, self->sampler, &sample);
  if (sample.stack == NULL || sample.at_ns < jank_stall_tracker_peek (tracker)->began_ns || sample.at_ns > ended_ns ||
      jank_watch_post_is_own_work (self, tracker, &sample))
    {
      jank_sample_clear (&sample);
      return;
    }
  jank_stall_tracker_add (tracker, &sample, &self->gaps);
}

void
jank_watch_post_sample_other (JankWatchPost *self, JankStallTracker *tracker, pid_t tid, const JankStackRanges *ranges)
{
  JankThreadInfo info = { .tid = tid, .cpu_clock = jank_cpu_clock_of (tid) };
  JankThread *thread = jank_thread_new (&info, self->task_folder);
  JankSample sample;

  jank_stall_tracker_take_other (tracker, self->sampler, thread, ranges, &sample);
  jank_stall_tracker_add (tracker, &sample, &self->gaps);
  jank_thread_free (thread);
}

void
jank_watch_post_take_threads (JankWatchPost *self, JankStallTracker *tracker)
{
  const JankStall *stall = jank_stall_tracker_peek (tracker);
  const JankSignalCounts *counts;
  JankThreadSnapshot *threads;
  guint64 n_sent;
  Work work;

  if ((stall->threads != NULL && !jank_thread_snapshot_is_old (stall->threads, stall->began_ns)) ||
      !jank_watch_post_begin_work (self, &work))
    return;
  counts = jank_signal_sampler_get_counts (jank_sampler_get_signals (self->sampler));
  n_sent = counts->n_sent;
  threads = jank_snapshot_take (self->sampler, self->task_folder, jank_thread_get_info (self->own)->tid,
                                JANK_SNAPSHOT_MAX_THREADS);
  jank_stall_tracker_set_threads (tracker, threads, counts->n_sent - n_sent);
  jank_watch_post_end_work (self, tracker, &work);
}

/* Whom to tell, with what they may need to know. */
static JankSinks *
jank_watch_post_get_sinks (JankWatchPost *self)
{
  JankRecord *record = &self->sinks->record;

  record->map = jank_sampler_get_map (self->sampler);
  record->counts.sampler = *jank_sampler_get_counts (self->sampler);
  record->counts.signals = *jank_signal_sampler_get_counts (jank_sampler_get_signals (self->sampler));
  record->counts.n_dropped = atomic_load_explicit (&self->beat->n_dropped, memory_order_relaxed);
  return self->sinks;
}

/* at_ns: 0: as it was told last, and ended then */
static const JankStall *
jank_watch_post_get_stall (JankWatchPost *self, JankStallTracker *tracker, gint64 at_ns, gboolean ended)
{
  JankMoment now;

  if (at_ns == 0)
    return jank_stall_tracker_get_stall (tracker, NULL, TRUE, &self->gaps, self->ledger);
  jank_watch_post_read_moment (self, at_ns, &now);
  jank_stall_tracker_name_calls (tracker, self->sampler, at_ns);
  jank_stall_tracker_set_works (tracker, atomic_load_explicit (&self->beat->works, memory_order_acquire),
                                &self->beat->turns, at_ns);
  if (jank_stall_tracker_peek (tracker)->kind == JANK_STALL_CPU)
    now.times.cpu_ns = jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID);
  return jank_stall_tracker_get_stall (tracker, &now, ended, &self->gaps, self->ledger);
}

void
jank_watch_post_tell (JankWatchPost *self, JankStallTracker *tracker, gint64 at_ns, JankTelling how)
{
  const JankStall *stall;
  Work work;

  if (how >= JANK_TELL_ENDED && jank_stall_tracker_peek (tracker)->kind != JANK_STALL_CPU)
    self->told_until_ns = MAX (self->told_until_ns, at_ns);
  if (!jank_watch_post_begin_work (self, &work))
    return;
  if (how <= JANK_TELL_GLANCE)
    self->told_ns = at_ns;
  stall = jank_watch_post_get_stall (self, tracker, at_ns, how >= JANK_TELL_ENDED);
  if (how == JANK_TELL_GLANCE)
    JANK_SINKS_TELL (jank_watch_post_get_sinks (self), glance, stall);
  else
    JANK_SINKS_TELL (jank_watch_post_get_sinks (self), stall, stall, how == JANK_TELL_EXITING);
  jank_watch_post_end_work (self, tracker, &work);
}

void
jank_watch_post_tell_asked (JankWatchPost *self, JankStallTracker *tracker, gint64 now_ns)
{
  if (self->sinks->record.is_asked && now_ns - self->told_ns >= GLANCE_EVERY_NS)
    jank_watch_post_tell (self, tracker, now_ns, JANK_TELL_GLANCE);
}

/* Returns: (transfer full): of the busy period under way, else of this moment */
static JankStallTracker *
jank_watch_post_begin_dump (JankWatchPost *self, gboolean is_busy, gint64 since_ns)
{
  gint64 now_ns = jank_clock_now_ns ();
  JankMoment began;

  if (is_busy)
    jank_watch_post_estimate (self, since_ns, now_ns, &began);
  else
    jank_watch_post_read_moment (self, now_ns, &began);
  return jank_stall_tracker_new (JANK_STALL_DUMP, self->rule.threshold_ns, &began);
}

/* What the program does now, which somebody has asked for. */
static void
jank_watch_post_tell_dump (JankWatchPost *self)
{
  JankStallTracker *tracker = self->tracker;
  uint64_t word = jank_beat_load (self->beat);
  gboolean is_busy = jank_beat_word_state (word) != JANK_BEAT_WAITING;
  g_autoptr (JankThreadSnapshot) threads = NULL;
  g_autoptr (JankStallTracker) own = NULL;
  guint64 n_samples;
  gint64 now_ns;
  JankStall shown;
  Work work;

  if (!jank_watch_post_begin_work (self, &work))
    return;
  if (tracker == NULL)
    tracker = own = jank_watch_post_begin_dump (self, is_busy, jank_beat_word_ns (word));
  n_samples = jank_stall_tracker_peek (tracker)->n_samples;
  for (guint i = 0; i < DUMP_LOOKS && jank_stall_tracker_peek (tracker)->n_samples == n_samples; i++)
    jank_watch_post_sample (self, tracker);
  threads = jank_snapshot_take (self->sampler, self->task_folder, jank_thread_get_info (self->own)->tid,
                                JANK_SNAPSHOT_MAX_THREADS);
  now_ns = is_busy ? jank_clock_now_ns () : jank_stall_tracker_peek (tracker)->began_ns;
  shown = *jank_watch_post_get_stall (self, tracker, now_ns, own != NULL);
  shown.kind = JANK_STALL_DUMP;
  shown.threads = threads;
  shown.ended_ns = now_ns;
  JANK_SINKS_TELL (jank_watch_post_get_sinks (self), dump, &shown);
  jank_watch_post_end_work (self, tracker, &work);
}

guint64
jank_watch_post_find_heaviest (JankWatchPost *self, JankStallTracker *tracker)
{
  JankStall newest;

  if (self->sinks->find_heaviest == NULL)
    return 0;
  jank_stall_tracker_get_newest (tracker, &newest);
  return self->sinks->find_heaviest (&newest, self->rule.pick);
}

void
jank_watch_post_tell_brief (JankWatchPost *self, JankStallTracker *tracker, gint64 ended_ns)
{
  const JankStall *stall;

  if (jank_stall_tracker_peek (tracker)->n_samples == 0)
    return;
  stall = jank_watch_post_get_stall (self, tracker, ended_ns, TRUE);
  JANK_SINKS_TELL (jank_watch_post_get_sinks (self), brief, stall);
}

gboolean
jank_watch_post_next_frame (JankWatchPost *self, JankFrameTime *ret_frame)
{
  if (!jank_frame_times_pop (&self->beat->frames, ret_frame))
    return FALSE;
  JANK_SINKS_TELL (self->sinks, frame, ret_frame);
  return TRUE;
}

/* Where no rule asks for frames, nobody else takes them. */
static void
jank_watch_post_take_frames (JankWatchPost *self)
{
  JankFrameTime frame;

  while (!jank_rule_is_frames (&self->rule) && jank_watch_post_next_frame (self, &frame))
    ;
}

/* Returns: when to call again although the loop is idle; G_MAXINT64: never */
static gint64
jank_watch_post_tick (JankWatchPost *self)
{
  gint64 now_ns = jank_clock_now_ns (), due_ns = 0;

  jank_watch_post_take_frames (self);
  if (self->tracker != NULL && now_ns < MIN (self->ticked_ns + TICK_NS, self->tick_due_ns))
    return self->tick_due_ns;
  JANK_SINKS_TELL (jank_watch_post_get_sinks (self), tick, now_ns, &due_ns);
  self->ticked_ns = now_ns;
  self->tick_due_ns = due_ns != 0 ? due_ns : G_MAXINT64;
  return self->tick_due_ns;
}

/* What others ask, ahead of the look at the loop. */
static gint64
jank_watch_post_look (gpointer data, JankWatchPost *self)
{
  gint64 due_ns = jank_watch_post_tick (self);

  jank_beat_end_works (self->beat);
  if (self->sinks->record.is_dump_asked)
    jank_watch_post_tell_dump (self);
  self->sinks->record.is_dump_asked = FALSE;
  self->word = jank_beat_load (self->beat);
  return due_ns;
}

const JankFinder jank_watch_post_ticks = { .look = jank_watch_post_look };

void
jank_watch_post_tell_exiting (JankWatchPost *self)
{
  jank_watch_post_take_frames (self);
  JANK_SINKS_TELL (jank_watch_post_get_sinks (self), exiting);
}
