/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames/jank-frame-meter-private.h"

#include <assert.h>

#define BAND_BITS 3

static_assert (sizeof (JankFrameTotals) % sizeof (uint64_t) == 0, "totals are whole words");
static_assert (sizeof (JankFrameVerdict) % sizeof (uint64_t) == 0, "late frames are whole words");

static void
jank_frame_board_add_count (JankFrameBoard *self, unsigned bucket, uint32_t n)
{
  uint32_t count = atomic_load_explicit (&self->counts[bucket], memory_order_relaxed);

  atomic_store_explicit (&self->counts[bucket], count + n, memory_order_release);
}

void
jank_frame_board_end (JankFrameBoard *self, const JankFrameTotals *totals)
{
  jank_seqlock_store (self->words, totals, JANK_FRAME_TOTALS_N_WORDS);
  jank_seqlock_end (&self->lock);
}

void
jank_frame_board_push_interval (JankFrameBoard *self, int64_t interval_ns, JankFrameBand band)
{
  uint64_t n = atomic_load_explicit (&self->n_intervals, memory_order_relaxed);
  uint64_t slot = ((uint64_t) interval_ns << BAND_BITS) | (uint64_t) band;

  jank_frame_board_add_count (self, jank_histogram_bucket (interval_ns), 1);
  atomic_store_explicit (&self->intervals[n % JANK_FRAME_N_INTERVALS], slot, memory_order_release);
  atomic_store_explicit (&self->n_intervals, n + 1, memory_order_release);
}

int64_t
jank_frame_board_get_interval (JankFrameBoard *self, uint64_t n_back)
{
  uint64_t n = atomic_load_explicit (&self->n_intervals, memory_order_relaxed);
  uint64_t slot = atomic_load_explicit (&self->intervals[(n - 1 - n_back) % JANK_FRAME_N_INTERVALS],
                                        memory_order_relaxed);

  return (int64_t) (slot >> BAND_BITS);
}

void
jank_frame_board_push_late (JankFrameBoard *self, const JankFrameVerdict *late)
{
  uint32_t n = atomic_load_explicit (&self->n_late, memory_order_relaxed);

  jank_seqlock_store (self->late[n % JANK_FRAME_N_LATE], late, JANK_FRAME_VERDICT_N_WORDS);
  atomic_store_explicit (&self->n_late, n + 1, memory_order_release);
}

void
jank_frame_board_absorb (JankFrameBoard *self, JankFrameBoard *other)
{
  uint32_t n_late = atomic_load_explicit (&other->n_late, memory_order_relaxed);
  JankFrameVerdict late;

  for (unsigned i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    jank_frame_board_add_count (self, i, atomic_load_explicit (&other->counts[i], memory_order_relaxed));
  for (uint32_t i = n_late > JANK_FRAME_N_LATE ? n_late - JANK_FRAME_N_LATE : 0; i < n_late; i++)
    {
      jank_seqlock_load (other->late[i % JANK_FRAME_N_LATE], &late, JANK_FRAME_VERDICT_N_WORDS);
      jank_frame_board_push_late (self, &late);
    }
}

void
jank_frame_board_clear (JankFrameBoard *self)
{
  atomic_store_explicit (&self->n_late, 0, memory_order_release);
  atomic_store_explicit (&self->n_intervals, 0, memory_order_release);
  for (unsigned i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    atomic_store_explicit (&self->counts[i], 0, memory_order_release);
}

static void
jank_frame_board_load_bars (JankFrameBoard *self, JankFrameSnapshot *to)
{
  uint64_t n = atomic_load_explicit (&self->n_intervals, memory_order_acquire);

  to->n_bars = n < JANK_FRAME_N_BARS ? (unsigned) n : JANK_FRAME_N_BARS;
  for (unsigned i = 0; i < to->n_bars; i++)
    {
      uint64_t index = (n - to->n_bars + i) % JANK_FRAME_N_INTERVALS;
      uint64_t slot = atomic_load_explicit (&self->intervals[index], memory_order_acquire);

      to->bars[i].interval_ns = (int64_t) (slot >> BAND_BITS);
      to->bars[i].band = (JankFrameBand) (slot & ((1 << BAND_BITS) - 1));
    }
}

static void
jank_frame_board_load_late (JankFrameBoard *self, JankFrameSnapshot *to)
{
  uint32_t n = atomic_load_explicit (&self->n_late, memory_order_acquire);

  to->n_late = n < JANK_FRAME_N_LATE ? n : JANK_FRAME_N_LATE;
  for (unsigned i = 0; i < to->n_late; i++)
    jank_seqlock_load (self->late[(n - to->n_late + i) % JANK_FRAME_N_LATE], &to->late[i], JANK_FRAME_VERDICT_N_WORDS);
}

static void
jank_frame_board_load (JankFrameBoard *self, JankFrameSnapshot *to)
{
  jank_seqlock_load (self->words, &to->totals, JANK_FRAME_TOTALS_N_WORDS);
  for (unsigned i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    to->histogram.counts[i] = atomic_load_explicit (&self->counts[i], memory_order_acquire);
  jank_frame_board_load_bars (self, to);
  jank_frame_board_load_late (self, to);
  to->histogram.n_values = to->totals.n_judged;
  to->histogram.min_ns = to->totals.shortest_ns;
  to->histogram.max_ns = to->totals.longest_ns;
}

bool
jank_frame_board_read (JankFrameBoard *self, JankFrameSnapshot *snapshot)
{
  JankSeqlockReader reader = { 0 };

  while (jank_seqlock_read_begin (&self->lock, &reader))
    {
      jank_frame_board_load (self, snapshot);
      if (jank_seqlock_read_end (&self->lock, &reader))
        return true;
    }
  return false;
}
