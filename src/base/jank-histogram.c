/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-histogram-private.h"

#include <stdlib.h>

#define SUB_BITS JANK_HISTOGRAM_SUB_BITS
#define MIN_BITS JANK_HISTOGRAM_MIN_BITS
#define N_SUB    (1u << SUB_BITS)

unsigned
jank_histogram_bucket (int64_t value_ns)
{
  uint64_t value = value_ns > 0 ? (uint64_t) value_ns : 0;
  unsigned bits;

  if (value < (UINT64_C (1) << MIN_BITS))
    return (unsigned) (value >> (MIN_BITS - SUB_BITS));
  if (value >= (UINT64_C (1) << JANK_HISTOGRAM_MAX_BITS))
    return JANK_HISTOGRAM_N_BUCKETS - 1;
  bits = 63 - (unsigned) __builtin_clzll (value);
  return ((bits - MIN_BITS + 1) << SUB_BITS) + (unsigned) (value >> (bits - SUB_BITS) & (N_SUB - 1));
}

int64_t
jank_histogram_bucket_ns (unsigned bucket)
{
  unsigned octave = bucket >> SUB_BITS;
  unsigned shift = MIN_BITS - SUB_BITS + (octave > 0 ? octave - 1 : 0);
  int64_t sub = (bucket & (N_SUB - 1)) + (octave > 0 ? N_SUB : 0);

  return (sub << shift) + ((INT64_C (1) << shift) >> 1);
}

void
jank_histogram_add (JankHistogram *self, int64_t value_ns)
{
  self->counts[jank_histogram_bucket (value_ns)]++;
  if (self->n_values == 0 || value_ns < self->min_ns)
    self->min_ns = value_ns;
  if (self->n_values == 0 || value_ns > self->max_ns)
    self->max_ns = value_ns;
  self->n_values++;
}

void
jank_histogram_merge (JankHistogram *self, const JankHistogram *other)
{
  if (other->n_values == 0)
    return;
  for (unsigned i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    self->counts[i] += other->counts[i];
  if (self->n_values == 0 || other->min_ns < self->min_ns)
    self->min_ns = other->min_ns;
  if (self->n_values == 0 || other->max_ns > self->max_ns)
    self->max_ns = other->max_ns;
  self->n_values += other->n_values;
}

/* How many values a share is: rounded up, within 1..n_values. */
static uint64_t
jank_histogram_share_to_rank (const JankHistogram *self, double share)
{
  double exact = share * (double) self->n_values;
  uint64_t rank = exact > 0 ? (uint64_t) exact : 0;

  /* 0.99 * 100 is a little more than 99, but means the 99th. */
  if (exact - (double) rank > 1e-6)
    rank++;
  if (rank < 1)
    rank = 1;
  return rank < self->n_values ? rank : self->n_values;
}

/* Never outside the values seen. */
static int64_t
jank_histogram_bucket_value (const JankHistogram *self, unsigned bucket)
{
  int64_t value_ns = jank_histogram_bucket_ns (bucket);

  return bucket == JANK_HISTOGRAM_N_BUCKETS - 1 || value_ns > self->max_ns ? self->max_ns
         : value_ns > self->min_ns ? value_ns : self->min_ns;
}

int64_t
jank_histogram_percentile (const JankHistogram *self, double share)
{
  uint64_t rank, n = 0;

  if (self->n_values == 0)
    return 0;
  rank = jank_histogram_share_to_rank (self, share);
  for (unsigned i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    {
      n += self->counts[i];
      if (n >= rank)
        return jank_histogram_bucket_value (self, i);
    }
  return self->max_ns;
}

int64_t
jank_histogram_tail_mean (const JankHistogram *self, double share)
{
  uint64_t rank, n = 0;
  double sum_ns = 0;

  if (self->n_values == 0)
    return 0;
  rank = jank_histogram_share_to_rank (self, share);
  for (unsigned i = JANK_HISTOGRAM_N_BUCKETS; i-- > 0 && n < rank;)
    {
      uint64_t n_here = self->counts[i] < rank - n ? self->counts[i] : rank - n;

      sum_ns += (double) n_here * (double) jank_histogram_bucket_value (self, i);
      n += n_here;
    }
  return n > 0 ? (int64_t) (sum_ns / (double) n) : 0;
}

void
jank_times_read (const JankTimes *self, JankTimeFigures *ret_figures)
{
  JankHistogram *histogram;

  *ret_figures = (JankTimeFigures) {
    .n = atomic_load_explicit (&self->n, memory_order_acquire),
    .total_ns = atomic_load_explicit (&self->total_ns, memory_order_acquire),
    .longest_ns = atomic_load_explicit (&self->longest_ns, memory_order_acquire),
  };
  if (ret_figures->n == 0 || (histogram = calloc (1, sizeof *histogram)) == NULL)
    return;
  for (unsigned i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    histogram->n_values += histogram->counts[i] = atomic_load_explicit (&self->counts[i], memory_order_relaxed);
  histogram->max_ns = ret_figures->longest_ns;
  ret_figures->p50_ns = jank_histogram_percentile (histogram, 0.5);
  ret_figures->p75_ns = jank_histogram_percentile (histogram, 0.75);
  ret_figures->p95_ns = jank_histogram_percentile (histogram, 0.95);
  ret_figures->p98_ns = jank_histogram_percentile (histogram, 0.98);
  ret_figures->p99_ns = jank_histogram_percentile (histogram, 0.99);
  free (histogram);
}
