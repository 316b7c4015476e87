/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the watcher is told while it runs: another rule, a pause; and what it says of busy periods too short for a
 * stall. Why a stall took so long: module/kinds, module/computing. */

#include "test.h"
#include "watched.h"

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
  for (guint i = 0; i < 10 && n_brief < 3; i++)
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

TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, paused)
{
  Work work = { watched_sleep, 300 * MS };

  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  jank_watcher_set_paused (watched->watcher, TRUE);
  g_usleep (20000);
  watched_run (watched, &work);
  watched_run (watched, &work);
  g_usleep (50000);
  g_assert_cmpuint (watched_count (watched, watched->ended), ==, 0);
  g_assert_cmpuint (watched_count (watched, watched->ongoing), ==, 0);

  jank_watcher_set_paused (watched->watcher, FALSE);
  g_usleep (20000);
  watched_run (watched, &work);
  watched_await (watched, watched->ended, 1);
  g_usleep (50000);
  g_assert_cmpuint (watched_count (watched, watched->ended), ==, 1);
}

static gpointer
pause_thread (gpointer data)
{
  g_usleep (400000);
  jank_watcher_set_paused (((Watched *) data)->watcher, TRUE);
  return NULL;
}

/* What was told to be ongoing is told to have ended. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, paused_in_stall)
{
  Work work = { watched_sleep, 800 * MS };
  GThread *thread;
  Said said;

  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  thread = g_thread_new ("pauses", pause_thread, watched);
  watched_run (watched, &work);
  g_thread_join (thread);
  watched_await (watched, watched->ended, 1);
  g_usleep (50000);
  g_assert_cmpuint (watched_count (watched, watched->ended), ==, 1);
  said = watched_get (watched, watched->ended, 0);
  g_assert_cmpint (said.duration_ns, <, work.took_ns);
}

TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, rule)
{
  JankRule rule = watched_rule;
  Work work = { watched_sleep, 500 * MS };

  watched_start (watched, &rule, rule.threshold_ns, WORKER_TASKS);
  rule.threshold_ns = 30 * MS;
  jank_watcher_set_rule (watched->watcher, &rule);
  g_usleep (20000);
  watched_run (watched, &work);
  watched_await (watched, watched->ended, 1);
  g_assert_cmpint (watched_get (watched, watched->ended, 0).stall.threshold_ns, ==, 30 * MS);
}

TESTS ("/watch/changes")
