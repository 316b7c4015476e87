/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls on a machine whose CPUs others want, too. What is expected is relative to the CPU time that the kernel gave
 * to the stalled thread: no load can break that. */

#include "test.h"
#include "watched.h"

typedef struct
{
  GThread *threads[1024]; /* (owned) */
  guint    n_threads;
  gint     is_over; /* (atomic) */
} Load;

static gpointer
load_run (gpointer data)
{
  Load *self = data;

  while (!g_atomic_int_get (&self->is_over))
    continue;
  return NULL;
}

static void
load_begin (Load *self, guint n_a_cpu)
{
  *self = (Load) { .n_threads = MIN (n_a_cpu * g_get_num_processors (), G_N_ELEMENTS (self->threads)) };
  for (guint i = 0; i < self->n_threads; i++)
    self->threads[i] = g_thread_new ("load", load_run, self);
}

static void
load_end (Load *self)
{
  g_atomic_int_set (&self->is_over, 1);
  for (guint i = 0; i < self->n_threads; i++)
    g_thread_join (self->threads[i]);
}

/* A look for each 16 ms that the thread computed and the watcher had a CPU, most samples with what it does, and nothing
 * lost in the time in which it had none. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, load)
{
  Work work = { watched_compute, 1500 * MS };
  static Load load;
  gint64 cpu_ns;
  guint n_looks;
  Said one;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  load_begin (&load, 4);
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  watched_run (fixture, &work);
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
  load_end (&load);
  one = watched_await_work (fixture, &work);

  n_looks = (guint) (one.stall.n_samples + one.stall.n_starved);
  g_test_message ("%.0f ms computed: %u looks, %u lost; %u of %u show the work", (double) cpu_ns / MS, n_looks,
                  (guint) one.stall.n_lost, one.n_with_culprit, one.n_in_ring);
  g_assert_cmpint (n_looks * 16 * MS + one.stall.watcher_late_ns, >=, cpu_ns);
  g_assert_cmpuint (one.stall.n_lost, <=, n_looks / 4);
  g_assert_cmpuint (one.n_with_culprit * 2, >=, one.n_in_ring);
}

TESTS ("/watch/busy")
