/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How long many things took: written by one thread, read by any. Fixed memory, no lock, no system call; all zero is
 * empty. A reader may miss what is being added, or have it in some of the sums only. */

#pragma once

#include <stdatomic.h>

#include "base/jank-histogram-private.h"

typedef struct
{
  /* shared, atomic; release/acquire, so that a JankSeqlock around them holds */
  _Atomic uint64_t n;
  _Atomic int64_t  total_ns, longest_ns;
  _Atomic uint32_t counts[JANK_HISTOGRAM_N_BUCKETS];
} JankTimes;

/* Percentiles are those of JankHistogram, within 1.6 %; all 0 while there is none. */
typedef struct
{
  uint64_t n;
  int64_t  total_ns, longest_ns;
  int64_t  p50_ns, p75_ns, p95_ns, p98_ns, p99_ns;
} JankTimeFigures;

/* The writer. n: 1; -1 takes back one that was not the longest, or that a longer one takes the place of */
static inline void
jank_times_count (JankTimes *self, int64_t took_ns, int32_t n)
{
  _Atomic uint32_t *count = &self->counts[jank_histogram_bucket (took_ns)];

  atomic_store_explicit (&self->n, atomic_load_explicit (&self->n, memory_order_relaxed) + (uint64_t) n,
                         memory_order_release);
  atomic_store_explicit (&self->total_ns, atomic_load_explicit (&self->total_ns, memory_order_relaxed) + n * took_ns,
                         memory_order_release);
  if (took_ns > atomic_load_explicit (&self->longest_ns, memory_order_relaxed))
    atomic_store_explicit (&self->longest_ns, took_ns, memory_order_release);
  atomic_store_explicit (count, atomic_load_explicit (count, memory_order_relaxed) + (uint32_t) n,
                         memory_order_relaxed);
}

static inline void
jank_times_add (JankTimes *self, int64_t took_ns)
{
  jank_times_count (self, took_ns, 1);
}

/* Any thread. */
void jank_times_read (const JankTimes *self, JankTimeFigures *ret_figures);
