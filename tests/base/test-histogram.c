/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "base/jank-histogram-private.h"
#include "test.h"

#define HOUR_NS  (3600 * JANK_NS_PER_S)
#define N_VALUES 4000

static int
compare_values (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static gint64
exact_quantile (const gint64 *sorted, guint n, double share)
{
  guint rank = (guint) ceil (share * n - 1e-6);

  return sorted[CLAMP (rank, 1, n) - 1];
}

static void
assert_near (gint64 value_ns, gint64 exact_ns, double error)
{
  if (fabs ((double) (value_ns - exact_ns)) > error * (double) exact_ns + 32)
    g_error ("%" G_GINT64_FORMAT " instead of %" G_GINT64_FORMAT, value_ns, exact_ns);
}

TEST (buckets)
{
  guint last = 0;

  /* Every bucket begins where the one before ends, and its middle lies in it. */
  for (guint i = 0; i < JANK_HISTOGRAM_N_BUCKETS; i++)
    g_assert_cmpuint (jank_histogram_bucket (jank_histogram_bucket_ns (i)), ==, i);
  for (gint64 value_ns = 1; value_ns < 2 * HOUR_NS; value_ns += value_ns / 100 + 1)
    {
      guint bucket = jank_histogram_bucket (value_ns);

      g_assert_cmpuint (bucket, >=, last);
      g_assert_cmpuint (bucket, <=, last + 1);
      last = bucket;
      if (value_ns < HOUR_NS)
        assert_near (jank_histogram_bucket_ns (bucket), value_ns, 0.016);
    }
  g_assert_cmpuint (jank_histogram_bucket (G_MAXINT64), ==, JANK_HISTOGRAM_N_BUCKETS - 1);
  g_assert_cmpuint (jank_histogram_bucket (0), ==, 0);
  g_assert_cmpuint (jank_histogram_bucket (-5), ==, 0);
  g_assert_cmpuint (jank_histogram_bucket (G_MININT64), ==, 0);
}

typedef gint64 (*DrawFunc) (GRand *random);

static gint64
draw_uniform (GRand *random)
{
  return (gint64) (g_rand_double (random) * 50 * JANK_NS_PER_MS);
}

/* From 1 µs to an hour, every size as likely. */
static gint64
draw_any_size (GRand *random)
{
  return (gint64) exp (log (1000) + g_rand_double (random) * (log ((double) HOUR_NS) - log (1000)));
}

static gint64
draw_frames (GRand *random)
{
  gint64 jitter_ns = (gint64) (g_rand_double_range (random, -0.5, 0.5) * JANK_NS_PER_MS);

  return 16666667 * (g_rand_int_range (random, 0, 50) == 0 ? g_rand_int_range (random, 2, 60) : 1) + jitter_ns;
}

static gint64
draw_same (GRand *random)
{
  return 6944444;
}

static void
check_quantiles (const JankHistogram *histogram, const gint64 *sorted, guint n)
{
  for (guint i = 0; i <= 1000; i++)
    assert_near (jank_histogram_percentile (histogram, i / 1000.0), exact_quantile (sorted, n, i / 1000.0), 0.016);
}

static void
check_tail (const JankHistogram *histogram, const gint64 *sorted, guint n, double share)
{
  guint n_tail = CLAMP ((guint) ceil (share * n - 1e-6), 1, n);
  double sum_ns = 0;

  for (guint i = n - n_tail; i < n; i++)
    sum_ns += (double) sorted[i];
  assert_near (jank_histogram_tail_mean (histogram, share), (gint64) (sum_ns / n_tail), 0.016);
}

static void
test_quantiles (gconstpointer data)
{
  DrawFunc draw = *(const DrawFunc *) data;
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autofree gint64 *values = g_new (gint64, N_VALUES);

  for (guint round = 0; round < 20; round++)
    {
      guint n = round < 5 ? round + 1 : (guint) g_rand_int_range (random, 1, N_VALUES);
      JankHistogram histogram = { 0 }, half = { 0 };

      for (guint i = 0; i < n; i++)
        {
          values[i] = draw (random);
          jank_histogram_add (i % 2 == 0 ? &histogram : &half, values[i]);
        }
      jank_histogram_merge (&histogram, &half);
      g_assert_cmpuint (histogram.n_values, ==, n);
      qsort (values, n, sizeof *values, compare_values);
      check_quantiles (&histogram, values, n);
      check_tail (&histogram, values, n, 0.01);
      check_tail (&histogram, values, n, 0.3);
    }
}

static void
add (void)
{
  static const DrawFunc uniform = draw_uniform, any_size = draw_any_size, frames = draw_frames, same = draw_same;

  g_test_add_data_func ("/base/histogram/quantiles/uniform", &uniform, test_quantiles);
  g_test_add_data_func ("/base/histogram/quantiles/any-size", &any_size, test_quantiles);
  g_test_add_data_func ("/base/histogram/quantiles/frames", &frames, test_quantiles);
  g_test_add_data_func ("/base/histogram/quantiles/same", &same, test_quantiles);
}

TESTS_AND ("/base/histogram", add, FALSE)
