/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads of ours that work and rest while others fork. */

#include "guest/jank-rest-private.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "test.h"

#define MS        JANK_NS_PER_MS
#define N_WORKERS 3

/* FORKS are fewer where each takes long. */
static guint n_forks = 300;

typedef struct
{
  _Atomic bool stop, is_at_work, has_yielded;
} Worker;

/* What a child finds must be 0: the work, done in parts, was not interrupted. */
static _Atomic int n_in_parts;

static gpointer
busy_thread (gpointer data)
{
  Worker *worker = data;

  jank_rest_join ();
  while (!atomic_load (&worker->stop))
    {
      atomic_fetch_add (&n_in_parts, 1);
      for (gint64 until_ns = jank_clock_now_ns () + MS / 5; jank_clock_now_ns () < until_ns;)
        ;
      atomic_fetch_sub (&n_in_parts, 1);
      jank_rest_yield ();
      jank_rest_begin ();
      g_usleep (100);
      jank_rest_end ();
    }
  jank_rest_leave ();
  return NULL;
}

TEST (forks)
{
  GThread *threads[N_WORKERS];
  Worker worker = { 0 };
  guint n_wrong = 0;

  for (guint i = 0; i < N_WORKERS; i++)
    threads[i] = g_thread_new ("worker", busy_thread, &worker);
  for (guint i = 0; i < n_forks; i++)
    {
      int status;
      pid_t pid;

      jank_rest_before_fork ();
      pid = fork ();
      if (pid == 0)
        {
          jank_rest_in_child ();
          _exit (atomic_load (&n_in_parts));
        }
      jank_rest_in_parent ();
      g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
      n_wrong += status != 0;
    }
  atomic_store (&worker.stop, true);
  for (guint i = 0; i < N_WORKERS; i++)
    g_thread_join (threads[i]);
  /* The machine may stop a thread for longer than fork() waits. */
  g_assert_cmpuint (n_wrong, <, n_forks / 20);
}

static gpointer
stuck_thread (gpointer data)
{
  Worker *worker = data;

  jank_rest_join ();
  atomic_store (&worker->is_at_work, true);
  while (!atomic_load (&worker->stop))
    g_usleep (1000);
  jank_rest_yield ();
  atomic_store (&worker->has_yielded, true);
  jank_rest_leave ();
  return NULL;
}

/* One of ours that hangs does not make fork() hang; it goes no further while the fork is under way. */
TEST (bound)
{
  Worker worker = { 0 };
  GThread *thread = g_thread_new ("stuck", stuck_thread, &worker);
  gint64 began_ns;

  while (!atomic_load (&worker.is_at_work))
    g_usleep (100);
  began_ns = jank_clock_now_ns ();
  errno = EXDEV;
  jank_rest_before_fork ();
  g_assert_cmpint (errno, ==, EXDEV);
  g_assert_cmpint (jank_clock_now_ns () - began_ns, >=, 100 * MS);
  atomic_store (&worker.stop, true);
  g_usleep (20000);
  g_assert_false (atomic_load (&worker.has_yielded));
  jank_rest_in_parent ();
  g_thread_join (thread);
  g_assert_true (atomic_load (&worker.has_yielded));
}

/* A thread that is none of ours is neither waited for nor held up. */
TEST (others)
{
  jank_rest_before_fork ();
  jank_rest_begin ();
  jank_rest_end ();
  jank_rest_yield ();
  jank_rest_in_parent ();
}

static void
add (void)
{
  if (g_getenv ("FORKS") != NULL)
    n_forks = (guint) g_ascii_strtoull (g_getenv ("FORKS"), NULL, 10);
}

TESTS_AND ("/guest/rest", add, FALSE)
