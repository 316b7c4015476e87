/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher is told while it runs: another rule, a pause; and what it says of busy periods too short for a
 * stall. Why a stall took so long: module/kinds, module/computing. */

#include "test.h"
#include "watched.h"

#define N_ENDS 500

/* Too short for a stall, but with a stack: told for late frames. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, brief)
{
  Work work = { watched_compute, 60 * MS };
  guint n_brief = 0;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < 50 && n_brief < 3; i++)
    {
      watched_run (watched, &work);
      g_usleep (30000);
      n_brief = watched_count (watched, watched->brief);
    }
  g_assert_cmpuint (n_brief, >=, 3);
  for (guint i = 0; i < n_brief; i++)
    {
      Said said = watched_get (watched, watched->brief, i);

      g_assert_cmpuint (said.stall.n_samples, >=, 1);
      g_assert_cmpint (ABS (said.weights_ns - said.duration_ns), <=, MS);
    }
}

static Watched *pausing;

/* Lasts until the watcher, paused once it has told of it, says that it is over. */
static void
pause_when_told (gint64 duration_ns)
{
  guint n_ended;

  watched_await (pausing, pausing->ongoing, watched_count (pausing, pausing->ongoing) + 2);
  n_ended = watched_count (pausing, pausing->ended);
  jank_watcher_set_paused (pausing->watcher, TRUE);
  watched_await (pausing, pausing->ended, n_ended + 1);
}

/* What was told to be ongoing is told to have ended. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, paused_in_stall)
{
  Work work = { pause_when_told };

  pausing = watched;
  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  watched_run (watched, &work);
  g_usleep (50000);
  g_assert_cmpuint (watched_count_work (watched, &work), ==, 1);
  g_assert_cmpint (watched_await_work (watched, &work).duration_ns, <, work.took_ns);
}

/* Periods that end when a sample is taken: what the thread does after them is in no report of theirs. What it does
 * then is a period too, and where the machine makes that a long one it has its own samples. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, end_in_sample)
{
  static const JankRule rule =
      { .threshold_ns = MS, .first_stack_ns = 2 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS };
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autofree gint64 *began_ns = g_new (gint64, N_ENDS), *worked_ns = g_new (gint64, N_ENDS);
  guint n_samples = 0, n_works = 0, at = 0;
  JankBeat *beat;

  watched_start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < N_ENDS; i++)
    {
      Work work = { watched_compute, 2 * MS + g_rand_int_range (random, -20, 8000) * 1000 };

      began_ns[i] = jank_clock_now_ns ();
      watched_run (fixture, &work);
      worked_ns[i] = work.took_ns;
      watched_rest (MS);
    }
  beat = jank_loop_observer_get_beat (fixture->observer);
  AWAIT (atomic_load (&beat->n_popped) == atomic_load (&beat->n_pushed), g_usleep (1000));
  watched_stop (fixture);
  for (guint i = 0; i < fixture->ended->len; i++)
    {
      Said one = watched_get (fixture, fixture->ended, i);

      while (at + 1 < N_ENDS && began_ns[at + 1] <= one.stall.began_ns)
        at++;
      if (one.stall.began_ns > began_ns[at] + worked_ns[at])
        continue;
      n_works++;
      n_samples += one.n_in_ring;
      g_assert_cmpuint (one.n_resting, ==, 0);
    }
  g_test_message ("%u samples of %u periods", n_samples, n_works);
  g_assert_cmpuint (n_works, >, N_ENDS / 2);
  /* The thread sanitizer's mmap(), by which a sample asks for room, takes longer than such a period. */
  if (!HAS_TSAN)
    g_assert_cmpuint (n_samples, >, 0);
}

TESTS ("/watch/changes")
