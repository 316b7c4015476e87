/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <glib.h>

#include "base/jank-clock-private.h"
#include "rules/jank-stall-rule-private.h"

#define MS JANK_NS_PER_MS

static const JankStallRule rule = {
  .threshold_ns = 100 * MS, .first_sample_ns = 16 * MS, .interval_ns = 10 * MS, .park_ns = 100 * MS,
};

static void
test_is_stall (void)
{
  g_assert_false (jank_stall_rule_is_stall (&rule, 1000 * MS, 1000 * MS, 0));
  g_assert_false (jank_stall_rule_is_stall (&rule, 1000 * MS, 1100 * MS - 1, 0));
  g_assert_true (jank_stall_rule_is_stall (&rule, 1000 * MS, 1100 * MS, 0));
  g_assert_true (jank_stall_rule_is_stall (&rule, 1000 * MS, 9999 * MS, 0));
}

static void
test_excluded (void)
{
  g_assert_false (jank_stall_rule_is_stall (&rule, 1000 * MS, 1100 * MS, 1));
  g_assert_false (jank_stall_rule_is_stall (&rule, 1000 * MS, 4050 * MS, 3000 * MS));
  g_assert_true (jank_stall_rule_is_stall (&rule, 1000 * MS, 4100 * MS, 3000 * MS));
  g_assert_false (jank_stall_rule_is_stall (&rule, 1000 * MS, 1200 * MS, 300 * MS));
}

static void
test_next_sample (void)
{
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 0), ==, 1016 * MS);
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 1016 * MS), ==, 1026 * MS);
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 1499 * MS), ==, 1509 * MS);
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 1500 * MS), ==, 1510 * MS);
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 2000 * MS), ==, 2020 * MS);
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 3000 * MS), ==, 3040 * MS);
  g_assert_cmpint (jank_stall_rule_next_sample (&rule, 1000 * MS, 5000 * MS), ==, 5040 * MS);
}

static void
test_waiting (void)
{
  JankStallRule close = rule;

  g_assert_false (jank_stall_rule_is_calm (0));
  g_assert_false (jank_stall_rule_is_calm (7));
  g_assert_true (jank_stall_rule_is_calm (8));
  g_assert_cmpint (jank_stall_rule_calm_look (&rule), ==, 64 * MS);
  close.threshold_ns = 63 * MS;
  g_assert_cmpint (jank_stall_rule_calm_look (&close), ==, 32 * MS);
  close.threshold_ns = 31 * MS;
  g_assert_cmpint (jank_stall_rule_calm_look (&close), ==, 16 * MS);
  g_assert_false (jank_stall_rule_may_park (&rule, 1000 * MS, 1000 * MS));
  g_assert_false (jank_stall_rule_may_park (&rule, 1000 * MS, 1100 * MS - 1));
  g_assert_true (jank_stall_rule_may_park (&rule, 1000 * MS, 1100 * MS));
}

static void
test_shortest (void)
{
  JankStallRule recorded = rule;

  g_assert_cmpint (jank_stall_rule_shortest (&rule), ==, 100 * MS);
  recorded.record_ns = MS;
  g_assert_cmpint (jank_stall_rule_shortest (&recorded), ==, MS);
  recorded.record_ns = 200 * MS;
  g_assert_cmpint (jank_stall_rule_shortest (&recorded), ==, 100 * MS);
}

static void
test_stopped (void)
{
  /* On time, early, or late by no more than noise. */
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 1000 * MS, 0), ==, 0);
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 990 * MS, 0), ==, 0);
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 1020 * MS - 1, 0), ==, 0);
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 1020 * MS, 0), ==, 20 * MS);
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 4000 * MS, 0), ==, 3000 * MS);
  /* The machine was busy: runnable for all of its lateness, or for part of it. */
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 4000 * MS, 3000 * MS), ==, 0);
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 4000 * MS, 1000 * MS), ==, 2000 * MS);
  g_assert_cmpint (jank_stall_rule_stopped (1000 * MS, 4000 * MS, G_MAXINT64 / 2), ==, 0);
}

/* The watcher slept from 1000 ms on and was to wake at 1016 ms. */
static gboolean
is_shared (gint64 stopped_ms, gint64 computed_ms)
{
  return jank_stall_rule_is_shared (1000 * MS, 1016 * MS, (1016 + stopped_ms) * MS, stopped_ms * MS, computed_ms * MS);
}

static void
test_shared (void)
{
  /* It computed until then, and not for the stop; or for all of it, on the other CPU; or for all but noise. */
  g_assert_true (is_shared (20, 10));
  g_assert_true (is_shared (60, 16));
  g_assert_false (is_shared (60, 76));
  g_assert_false (is_shared (60, 57));
  g_assert_true (is_shared (60, 56));
  g_assert_true (is_shared (3000, 16));
  g_assert_false (is_shared (3000, 3010));
  /* It slept: only a long stop is one of its own. */
  g_assert_false (is_shared (60, 0));
  g_assert_false (is_shared (99, 1));
  g_assert_true (is_shared (99, 2));
  g_assert_true (is_shared (100, 0));
  g_assert_true (is_shared (3000, 0));
  /* Its clock can't be read, or no stop is left once the watcher's wait for a CPU is taken off. */
  g_assert_true (is_shared (20, -1));
  g_assert_false (is_shared (19, -1));
  g_assert_false (is_shared (0, 10));
  /* The watcher slept too short to say that the thread slept, too. */
  g_assert_true (jank_stall_rule_is_shared (1000 * MS, 1002 * MS - 1, 1062 * MS, 60 * MS, 0));
  g_assert_false (jank_stall_rule_is_shared (1000 * MS, 1002 * MS, 1062 * MS, 60 * MS, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rules/stall-rule/is-stall", test_is_stall);
  g_test_add_func ("/rules/stall-rule/excluded", test_excluded);
  g_test_add_func ("/rules/stall-rule/next-sample", test_next_sample);
  g_test_add_func ("/rules/stall-rule/waiting", test_waiting);
  g_test_add_func ("/rules/stall-rule/shortest", test_shortest);
  g_test_add_func ("/rules/stall-rule/stopped", test_stopped);
  g_test_add_func ("/rules/stall-rule/shared", test_shared);
  return g_test_run ();
}
