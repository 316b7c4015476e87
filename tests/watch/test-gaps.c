/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-clock-private.h"
#include "watch/jank-stall-tracker-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS

TEST (overlap)
{
  JankGaps gaps = { 0 };

  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, G_MAXINT64, JANK_GAP_STOPPED), ==, 0);
  jank_gaps_add (&gaps, 100, 200, JANK_GAP_STOPPED);
  jank_gaps_add (&gaps, 300, 350, JANK_GAP_TRACED);
  jank_gaps_add (&gaps, 400, 500, JANK_GAP_STOPPED);

  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 1000, JANK_GAP_STOPPED), ==, 200);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 1000, JANK_GAP_TRACED), ==, 50);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 150, 450, JANK_GAP_STOPPED), ==, 100);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 120, 130, JANK_GAP_STOPPED), ==, 10);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 200, 400, JANK_GAP_STOPPED), ==, 0);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 310, 320, JANK_GAP_TRACED), ==, 10);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 500, 100, JANK_GAP_STOPPED), ==, 0);
}

/* Only the last ones are remembered. */
TEST (many)
{
  JankGaps gaps = { 0 };

  for (gint64 i = 0; i < 3 * JANK_GAPS_SIZE; i++)
    jank_gaps_add (&gaps, i * 10, i * 10 + 1, JANK_GAP_STOPPED);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 1000000, JANK_GAP_STOPPED), ==, JANK_GAPS_SIZE);
  g_assert_cmpint (jank_gaps_overlap (&gaps, 0, 20 * JANK_GAPS_SIZE, JANK_GAP_STOPPED), ==, 0);
}

TEST (stopped)
{
  /* On time, early, or late by no more than noise. */
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 1000 * MS, 0), ==, 0);
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 990 * MS, 0), ==, 0);
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 1020 * MS - 1, 0), ==, 0);
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 1020 * MS, 0), ==, 20 * MS);
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 4000 * MS, 0), ==, 3000 * MS);
  /* The machine was busy: runnable for all of its lateness, or for part of it. */
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 4000 * MS, 3000 * MS), ==, 0);
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 4000 * MS, 1000 * MS), ==, 2000 * MS);
  g_assert_cmpint (jank_gaps_stopped (1000 * MS, 4000 * MS, G_MAXINT64 / 2), ==, 0);
}

/* The watcher slept from 1000 ms on and was to wake at 1016 ms. */
static gboolean
is_shared (gint64 stopped_ms, gint64 computed_ms)
{
  return jank_gaps_is_shared (1000 * MS, 1016 * MS, (1016 + stopped_ms) * MS, stopped_ms * MS, computed_ms * MS);
}

TEST (shared)
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
  g_assert_true (jank_gaps_is_shared (1000 * MS, 1002 * MS - 1, 1062 * MS, 60 * MS, 0));
  g_assert_false (jank_gaps_is_shared (1000 * MS, 1002 * MS, 1062 * MS, 60 * MS, 0));
}

static gint64
find_in_work (gint64 took_ms, gint64 own_ms, gint64 observed_ms, gint64 computed_ms, guint64 n_turns)
{
  return jank_gaps_in_work (took_ms * MS, own_ms * MS, observed_ms * MS, computed_ms * MS, n_turns) / MS;
}

TEST (in_work)
{
  /* A thread that computed, one that slept, and one that waited for a CPU before and after the stop. */
  g_assert_cmpint (find_in_work (410, 10, 8, 8, 1), ==, 400);
  g_assert_cmpint (find_in_work (410, 10, 0, 0, 2), ==, 400);
  g_assert_cmpint (find_in_work (450, 20, 50, 32, 20), ==, 400);
  /* Short. A slow disk: the other one went on, slept on, or slept and woke. */
  g_assert_cmpint (find_in_work (108, 10, 8, 8, 1), ==, 0);
  g_assert_cmpint (find_in_work (410, 10, 405, 405, 1), ==, 0);
  g_assert_cmpint (find_in_work (410, 10, 0, 0, 0), ==, 0);
  g_assert_cmpint (find_in_work (410, 10, 1, 1, 40), ==, 0);
  /* A busy machine. */
  g_assert_cmpint (find_in_work (410, 390, 0, 0, 2), ==, 0);
  g_assert_cmpint (find_in_work (410, 10, 390, 200, 100), ==, 0);
  /* A slow disk on a busy machine: it slept and woke, and waited for a CPU each time. */
  g_assert_cmpint (find_in_work (1600, 400, 300, 4, 40), ==, 0);
}

TESTS ("/watch/gaps")
