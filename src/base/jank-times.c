/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-times-private.h"

#include <stdlib.h>

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
