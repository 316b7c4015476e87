/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A histogram of times in fixed memory, after HdrHistogram: 32 buckets per power of two, from 1 µs to 73 min. A bucket
 * is at most 1/32 of its value wide and stands for its middle, so every answer is within 1.6 % of the truth. */

#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define JANK_HISTOGRAM_SUB_BITS  5
#define JANK_HISTOGRAM_MIN_BITS  10 /* below 2^10 ns buckets are 32 ns wide */
#define JANK_HISTOGRAM_MAX_BITS  42 /* from 2^42 ns on everything shares the last bucket */
#define JANK_HISTOGRAM_N_BUCKETS \
  ((JANK_HISTOGRAM_MAX_BITS - JANK_HISTOGRAM_MIN_BITS + 1) << JANK_HISTOGRAM_SUB_BITS)

typedef struct
{
  uint64_t n_values;
  int64_t  min_ns, max_ns;   /* exact; 0 while empty */
  uint32_t counts[JANK_HISTOGRAM_N_BUCKETS];
} JankHistogram;

/* Negative values count as 0. */
unsigned jank_histogram_bucket     (int64_t value_ns);
/* The middle of a bucket. */
int64_t  jank_histogram_bucket_ns  (unsigned bucket);

void     jank_histogram_add        (JankHistogram *self, int64_t value_ns);
void     jank_histogram_merge      (JankHistogram *self, const JankHistogram *other);

/* The smallest value that a share (0..1) of all values does not exceed; 0 while empty. */
int64_t  jank_histogram_percentile (const JankHistogram *self, double share);

/* The mean of the largest share of all values, at least of one; 0 while empty. */
int64_t  jank_histogram_tail_mean  (const JankHistogram *self, double share);

/* How long many things took: written by one thread, read by any. Fixed memory, no lock, no system call; all zero is
 * empty. A reader may miss what is being added, or have it in some of the sums only. */
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
