/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A histogram of times in fixed memory, after HdrHistogram: 32 buckets per power of two, from 1 µs to 73 min. A bucket
 * is at most 1/32 of its value wide and stands for its middle, so every answer is within 1.6 % of the truth. */

#pragma once

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
