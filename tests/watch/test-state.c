/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-clock-private.h"
#include "watch/jank-stall-tracker-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

typedef struct
{
  const char     *name;
  gint64          length_ms, cpu_ms, delay_ms, excluded_ms;
  guint           n_faults, n_turns;
  JankFound       found;
  JankThreadState state, rest;
  gint64          rest_ms;
} Case;

static const Case cases[] = {
  { "computes", 10, 10, 0, 0, 0, 1, JANK_FOUND_RUNNING, JANK_STATE_COMPUTING, JANK_STATE_UNKNOWN, 0 },
  { "computes, with noise", 100, 95, 0, 0, 0, 1, JANK_FOUND_RUNNING, JANK_STATE_COMPUTING, JANK_STATE_UNKNOWN, 5 },
  { "had no CPU", 10, 2, 8, 0, 0, 1, JANK_FOUND_RUNNING, JANK_STATE_PREEMPTED, JANK_STATE_UNKNOWN, 0 },
  { "still has none", 10, 0, 0, 0, 0, 1, JANK_FOUND_WAITING_FOR_CPU, JANK_STATE_PREEMPTED, JANK_STATE_PREEMPTED, 10 },
  { "sleeps", 10, 0, 0, 0, 0, 1, JANK_FOUND_IN_CALL, JANK_STATE_BLOCKED, JANK_STATE_BLOCKED, 10 },
  { "computed, and sleeps now", 10, 9, 0, 0, 0, 1, JANK_FOUND_IN_CALL, JANK_STATE_COMPUTING, JANK_STATE_BLOCKED, 1 },
  { "slept, and runs now", 10, 1, 0, 0, 0, 1, JANK_FOUND_RUNNING, JANK_STATE_BLOCKED, JANK_STATE_BLOCKED, 9 },
  { "computed, of which the kernel counts but a tick", 10, 1, 0, 0, 0, 0, JANK_FOUND_RUNNING, JANK_STATE_COMPUTING,
    JANK_STATE_COMPUTING, 9 },
  { "waits for a page", 10, 0, 0, 0, 0, 1, JANK_FOUND_IN_FAULT, JANK_STATE_PAGE_FAULT, JANK_STATE_PAGE_FAULT, 10 },
  { "waited for pages", 10, 2, 0, 0, 40, 1, JANK_FOUND_RUNNING, JANK_STATE_PAGE_FAULT, JANK_STATE_PAGE_FAULT, 8 },
  { "was stopped for most of it", 1000, 10, 0, 990, 0, 1, JANK_FOUND_RUNNING, JANK_STATE_COMPUTING, JANK_STATE_UNKNOWN,
    0 },
  /* Clocks are not read at one moment; a delay is on the books when it is over. */
  { "more than all", 10, 8, 8, 0, 0, 1, JANK_FOUND_RUNNING, JANK_STATE_COMPUTING, JANK_STATE_UNKNOWN, 0 },
};

TEST (share)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *one = &cases[i];
      JankThreadTimes from = { .at_ns = 5 * MS, .cpu_ns = 7 * MS, .run_delay_ns = 3 * MS, .n_major_faults = 9,
                               .n_turns = 5, .known = true };
      JankThreadTimes to = from;
      JankStateShare share;

      to.at_ns += one->length_ms * MS;
      to.cpu_ns += one->cpu_ms * MS;
      to.run_delay_ns += one->delay_ms * MS;
      to.n_major_faults += one->n_faults;
      to.n_turns += one->n_turns;
      jank_state_share_get (&from, &to, one->excluded_ms * MS, one->found, &share);
      g_test_message ("%s", one->name);
      g_assert_cmpint (jank_state_share_largest (&share), ==, one->state);
      g_assert_cmpint (share.rest_ns, ==, one->rest_ms * MS);
      if (share.rest_ns > 0)
        g_assert_cmpint (share.rest, ==, one->rest);
      g_assert_cmpint (share.computing_ns + share.preempted_ns + share.rest_ns, ==,
                       (one->length_ms - one->excluded_ms) * MS);
    }
}

/* Whatever the samples say, the sum is the duration and what is exact stays so. */
TEST (sum)
{
  for (guint i = 0; i < 20000; i++)
    {
      JankThreadTimes from = { .at_ns = 0, .cpu_ns = 0, .run_delay_ns = 0, .known = true }, to = from;
      gint64 rest_ns[JANK_N_STATES] = { 0 }, state_ns[JANK_N_STATES], sum_ns = 0;
      gint64 duration_ns = g_test_rand_int_range (0, 1000000);

      to.cpu_ns = g_test_rand_int_range (0, 1000000);
      to.run_delay_ns = g_test_rand_int_range (0, 1000000);
      for (guint j = 0; j < JANK_N_STATES; j++)
        rest_ns[j] = g_test_rand_bit () ? g_test_rand_int_range (0, 1000000) : 0;
      jank_state_sum_finish (rest_ns, &from, &to, duration_ns, state_ns);
      for (guint j = 0; j < JANK_N_STATES; j++)
        {
          g_assert_cmpint (state_ns[j], >=, 0);
          sum_ns += state_ns[j];
        }
      g_assert_cmpint (sum_ns, ==, duration_ns);
      g_assert_cmpint (state_ns[JANK_STATE_COMPUTING], ==, MIN (to.cpu_ns, duration_ns));
    }
}

/* 300 ms, of which 100 on a CPU, 50 wanting one; of the rest samples saw twice as much blocked as in page faults. */
TEST (split)
{
  JankThreadTimes from = { .at_ns = 0, .cpu_ns = 20 * MS, .run_delay_ns = 5 * MS, .known = true }, to = from;
  gint64 rest_ns[JANK_N_STATES] = { 0 }, state_ns[JANK_N_STATES];

  to.cpu_ns += 100 * MS;
  to.run_delay_ns += 50 * MS;
  rest_ns[JANK_STATE_BLOCKED] = 80 * MS;
  rest_ns[JANK_STATE_PAGE_FAULT] = 40 * MS;
  rest_ns[JANK_STATE_PREEMPTED] = 70 * MS; /* on the books by now */
  jank_state_sum_finish (rest_ns, &from, &to, 300 * MS, state_ns);
  g_assert_cmpint (state_ns[JANK_STATE_COMPUTING], ==, 100 * MS);
  g_assert_cmpint (state_ns[JANK_STATE_PREEMPTED], ==, 50 * MS);
  g_assert_cmpint (state_ns[JANK_STATE_BLOCKED] / MS, ==, 100);
  g_assert_cmpint (state_ns[JANK_STATE_PAGE_FAULT] / MS, >=, 49);
}

TESTS ("/watch/state")
