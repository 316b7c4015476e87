/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames/jank-frame-totals-private.h"

#include <stddef.h>
#include <string.h>

/* Two and three film frames, at 24 per second. */
#define JANK_NS     (2 * JANK_NS_PER_S / 24)
#define BIG_JANK_NS (3 * JANK_NS_PER_S / 24)

void
jank_frame_totals_count_frame (JankFrameTotals *self, const JankFrameEvent *frame)
{
  self->counts.frames++;
  self->counts.startup_frames += (frame->flags & JANK_FRAME_STARTUP) != 0;
  self->refresh_ns = jank_frame_refresh (frame);
  self->refresh_assumed = frame->refresh_ns <= 0 || (frame->flags & JANK_FRAME_REFRESH_ASSUMED) != 0;
  self->last_ns = frame->end_ns;
}

static void
jank_frame_totals_count_late (JankFrameTotals *self, const JankFrameVerdict *verdict)
{
  bool by_program = verdict->who == JANK_FRAME_LATE_PROGRAM;

  self->counts.late++;
  self->counts.late_program += by_program;
  self->counts.late_compositor += !by_program;
  self->counts.dropped += (uint64_t) verdict->n_dropped;
  self->counts.dropped_program += by_program ? (uint64_t) verdict->n_dropped : 0;
  self->counts.frozen += verdict->interval_ns >= JANK_FRAME_FROZEN_NS;
  self->late_program_ns += verdict->program_ns;
  self->late_compositor_ns += verdict->compositor_ns;
}

void
jank_frame_totals_count (JankFrameTotals *self, const JankFrameVerdict *verdict, int64_t mean_ns)
{
  int64_t interval_ns = verdict->interval_ns;
  JankFrameLevel level = jank_frame_level (verdict->n_dropped);

  self->n_judged++;
  self->counts.active_ns += interval_ns;
  self->counts.buckets[level].frames++;
  self->counts.buckets[level].dropped += (uint64_t) verdict->n_dropped;
  self->counts.slow += verdict->busy_ns > verdict->refresh_ns;
  if (verdict->who != JANK_FRAME_ON_TIME)
    jank_frame_totals_count_late (self, verdict);
  if (mean_ns > 0 && interval_ns > 2 * mean_ns && interval_ns > JANK_NS)
    {
      self->counts.jank++;
      self->counts.big_jank += interval_ns > BIG_JANK_NS;
      self->jank_ns += interval_ns;
    }
  if (self->n_judged == 1 || interval_ns < self->shortest_ns)
    self->shortest_ns = interval_ns;
  if (interval_ns > self->longest_ns)
    self->longest_ns = interval_ns;
}

void
jank_frame_totals_merge (JankFrameTotals *self, const JankFrameTotals *other)
{
  uint64_t *sums = (uint64_t *) self;
  const uint64_t *others = (const uint64_t *) other;

  if (other->n_judged > 0 && (self->n_judged == 0 || other->shortest_ns < self->shortest_ns))
    self->shortest_ns = other->shortest_ns;
  if (other->longest_ns > self->longest_ns)
    self->longest_ns = other->longest_ns;
  if (other->last_ns > self->last_ns)
    self->last_ns = other->last_ns;
  if (other->refresh_ns != 0 && (self->refresh_ns == 0 || other->counts.active_ns > self->counts.active_ns))
    {
      self->refresh_ns = other->refresh_ns;
      self->refresh_assumed = other->refresh_assumed;
    }
  for (size_t i = 0; i < offsetof (JankFrameTotals, shortest_ns) / sizeof *sums; i++)
    sums[i] += others[i];
}

static void
jank_frame_totals_merge_late (JankFrameSnapshot *self, const JankFrameSnapshot *other)
{
  JankFrameVerdict newest[JANK_FRAME_N_LATE];
  unsigned n_a = self->n_late, n_b = other->n_late, n = n_a + n_b;

  if (n > JANK_FRAME_N_LATE)
    n = JANK_FRAME_N_LATE;
  for (unsigned i = n; i-- > 0;)
    {
      if (n_b == 0 || (n_a > 0 && self->late[n_a - 1].ended_ns > other->late[n_b - 1].ended_ns))
        newest[i] = self->late[--n_a];
      else
        newest[i] = other->late[--n_b];
    }
  if (n > 0)
    memcpy (self->late, newest, n * sizeof *newest);
  self->n_late = n;
}

void
jank_frame_snapshot_merge (JankFrameSnapshot *self, const JankFrameSnapshot *other)
{
  if (other->n_bars > 0 && (self->n_bars == 0 || other->totals.last_ns > self->totals.last_ns))
    {
      memcpy (self->bars, other->bars, other->n_bars * sizeof *other->bars);
      self->n_bars = other->n_bars;
    }
  jank_frame_totals_merge_late (self, other);
  jank_histogram_merge (&self->histogram, &other->histogram);
  jank_frame_totals_merge (&self->totals, &other->totals);
}
