/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-stall-private.h"
#include "test.h"

#define N_ROUNDS    2000
#define MAX_SAMPLES 3000

static JankStack *
make_stack (guint64 pc)
{
  JankCall frame = { pc, pc, 0 };

  return jank_stack_new (&frame, 1, TRUE);
}

static gint64
sum_weights (const JankSampleRing *ring)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < jank_sample_ring_get_size (ring); i++)
    sum_ns += jank_sample_ring_get (ring, i)->weight_ns;
  return sum_ns;
}

static void
add (JankSampleRing *ring, gint64 at_ns, gint64 weight_ns, guint64 pc)
{
  g_autoptr (JankStack) stack = pc != 0 ? make_stack (pc) : NULL;
  JankSample sample = { .at_ns = at_ns, .weight_ns = weight_ns, .stack = stack };

  jank_sample_ring_add (ring, &sample);
}

/* Of two neighbours the heavier keeps its stack, the newer when equal, and one is better than none. */
TEST (merge)
{
  static const struct { gint64 older_ns, newer_ns; guint64 older, newer, stays; } pairs[] = {
    { 5, 3, 1, 2, 1 }, { 3, 5, 1, 2, 2 }, { 4, 4, 1, 2, 2 }, { 9, 1, 0, 2, 2 }, { 1, 9, 1, 0, 1 }, { 1, 1, 0, 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
      const JankSample *first;

      add (ring, 0, pairs[i].older_ns, pairs[i].older);
      add (ring, 1, pairs[i].newer_ns, pairs[i].newer);
      for (gint64 k = 2; k <= JANK_SAMPLE_RING_SIZE; k++)
        add (ring, k, 1, 7);

      first = jank_sample_ring_get (ring, 0);
      g_assert_cmpuint (jank_sample_ring_get_size (ring), ==, JANK_SAMPLE_RING_SIZE / 2 + 1);
      g_assert_cmpint (first->at_ns, ==, 0);
      g_assert_cmpint (first->weight_ns, ==, pairs[i].older_ns + pairs[i].newer_ns);
      g_assert_cmpuint (first->stack != NULL ? first->stack->calls[0].pc : 0, ==, pairs[i].stays);
      if (pairs[i].stays != 0)
        g_assert_cmpint (first->taken_ns, ==, pairs[i].stays == pairs[i].newer ? 1 : 0);
    }
}

/* Whatever comes: nothing of the time is lost, and the ring reaches from the first sample to the newest,
 * with no hole in it that is longer than what one of its samples stands for. */
static void
check_span (const JankSampleRing *ring, gint64 n_taken, gint64 total_ns)
{
  guint size = jank_sample_ring_get_size (ring);
  gint64 stride = 1;

  g_assert_cmpint (sum_weights (ring), ==, total_ns);
  g_assert_cmpuint (size, ==, n_taken == 0 ? 0 : CLAMP (size, 1, JANK_SAMPLE_RING_SIZE));
  if (n_taken == 0)
    return;
  g_assert_cmpuint (size, >=, MIN (n_taken, JANK_SAMPLE_RING_SIZE / 2));
  g_assert_cmpint (jank_sample_ring_get (ring, 0)->at_ns, ==, 0);
  while (stride * JANK_SAMPLE_RING_SIZE < n_taken)
    stride *= 2;
  for (guint i = 1; i < size; i++)
    g_assert_cmpint (jank_sample_ring_get (ring, i)->at_ns - jank_sample_ring_get (ring, i - 1)->at_ns, ==, stride);
  g_assert_cmpint (n_taken - jank_sample_ring_get (ring, size - 1)->at_ns, <=, stride);
}

TEST (property)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20);

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
      gint64 n = g_rand_int_range (random, 0, round % 20 == 0 ? MAX_SAMPLES : 100);
      gint64 total_ns = 0;

      /* at_ns is the number of the sample. */
      for (gint64 i = 0; i < n; i++)
        {
          gint64 weight_ns = g_rand_int_range (random, 0, 1000000);
          gint64 more_ns = g_rand_int_range (random, 0, 1000);

          add (ring, i, weight_ns, (guint64) g_rand_int_range (random, 0, 4));
          jank_sample_ring_add_weight (ring, more_ns);
          total_ns += weight_ns + more_ns;
          if (n < 100)
            check_span (ring, i + 1, total_ns);
        }
      check_span (ring, n, total_ns);
    }
}

/* WeChat Matrix's ring: 20 samples, and nothing of what came before. */
TEST (newest)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  const gint64 n = 3 * JANK_SAMPLE_RING_SIZE + 7;

  jank_sample_ring_keep_newest (ring);
  for (gint64 i = 0; i < n; i++)
    {
      add (ring, i, 10, (guint64) i + 1);
      jank_sample_ring_add_weight (ring, 1);
    }
  g_assert_cmpuint (jank_sample_ring_get_size (ring), ==, JANK_SAMPLE_RING_SIZE);
  for (guint i = 0; i < JANK_SAMPLE_RING_SIZE; i++)
    {
      const JankSample *sample = jank_sample_ring_get (ring, i);

      g_assert_cmpint (sample->at_ns, ==, n - JANK_SAMPLE_RING_SIZE + i);
      g_assert_cmpint (sample->weight_ns, ==, 11);
      g_assert_cmpuint (sample->stack->calls[0].pc, ==, (guint64) sample->at_ns + 1);
    }
}

TESTS ("/watch/sample-ring")
