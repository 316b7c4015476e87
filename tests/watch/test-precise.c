/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What needs a machine that has nothing else to do: stalls measured to the millisecond, samples of periods as short. */

#include "watched.h"

#define N_ENDS 500

/* What the threads of this process may wait for a CPU, all together, in a stall that is measured to the millisecond. */
#define CALM_DELAY_NS (5 * MS)

/* Runs work until a try is as precise as it is meant to be; what holds in every try is asserted. Returns: FALSE if the
 * machine was too busy */
static gboolean
stall_precisely (Watched *fixture, const Work *wanted, Said *ret_one)
{
  guint n_calm = 0;

  for (guint i = 0; i < N_TRIES; i++)
    {
      Work work = *wanted;
      gint64 delay_ns = watched_get_run_delay_ns ();
      Said one;

      watched_run (fixture, &work);
      delay_ns = watched_get_run_delay_ns () - delay_ns;
      one = watched_await_work (fixture, &work);
      g_assert_cmpint (one.duration_ns + one.stall.stopped_ns, >=, work.took_ns);
      /* No time is without a sample, none is counted twice. */
      if (one.n_in_ring > 0)
        {
          g_assert_cmpint (ABS (one.weights_ns - one.duration_ns), <=, MS);
          g_assert_cmpint (one.tree_ns, ==, one.weights_ns);
        }
      if (delay_ns > CALM_DELAY_NS)
        continue;
      n_calm++;
      if (one.duration_ns - work.took_ns <= MS && one.stall.stopped_ns == 0 && one.stall.n_samples >= 10 &&
          one.stall.n_lost == 0)
        {
          *ret_one = one;
          return TRUE;
        }
    }
  if (n_calm >= N_TRIES / 2)
    g_error ("no stall in %d was measured to the millisecond with 10 samples", N_TRIES);
  g_test_skip_printf ("The machine was too busy: in %u of %d tries this process waited for a CPU for more than %d ms. "
                      "What holds in every try does.", N_TRIES - n_calm, N_TRIES, (int) (CALM_DELAY_NS / MS));
  return FALSE;
}

static void
test_stall (Watched *fixture, gconstpointer data)
{
  const Work *work = data;
  gboolean sleeps = work->func == watched_sleep;
  Said one;

  if (HAS_TSAN && !sleeps)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  if (!stall_precisely (fixture, work, &one))
    return;

  g_assert_cmpuint (one.n_in_ring, >=, 10);
  g_assert_cmpuint (one.n_in_ring, <=, JANK_SAMPLE_RING_SIZE);
  g_assert_cmpuint (one.n_with_culprit, >=, one.n_in_ring - 1);
  if (sleeps)
    {
      g_assert_cmpuint (one.n_blocked, ==, one.n_in_ring);
      g_assert_cmpuint (one.stall.n_signals, ==, 0);
      g_assert_cmpint (one.stall.cpu_ns, <, one.duration_ns / 4);
    }
  else
    {
      g_assert_cmpuint (one.n_blocked, <=, 1);
      g_assert_cmpuint (one.stall.n_signals, >=, one.stall.n_samples / 2);
      g_assert_cmpint (one.stall.cpu_ns, >, one.duration_ns / 10);
    }
  g_assert_cmpint (one.stall.cpu_ns, <=, one.duration_ns);
  g_assert_cmpint (one.stall.threshold_ns, ==, watched_rule.threshold_ns);
  g_assert_cmpuint (fixture->n_started, ==, 1);
  g_assert_cmpuint (fixture->ongoing->len, >, 0);
  g_assert_cmpuint (fixture->failures->len, ==, 0);
}

/* Periods that end when a sample is taken: what the thread does after them is in no report of theirs. What it does
 * then is a period too, and where the machine makes that a long one it has its own samples. */
static void
test_end_in_sample (Watched *fixture, gconstpointer data)
{
  static const JankRule rule =
      { .threshold_ns = MS, .first_stack_ns = 2 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS };
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autofree gint64 *began_ns = g_new (gint64, N_ENDS), *worked_ns = g_new (gint64, N_ENDS);
  guint n_samples = 0, n_works = 0, at = 0;

  watched_start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < N_ENDS; i++)
    {
      Work work = { watched_compute, 2 * MS + g_rand_int_range (random, -20, 8000) * 1000 };

      began_ns[i] = jank_clock_now_ns ();
      watched_run (fixture, &work);
      worked_ns[i] = work.took_ns;
      watched_rest (MS);
    }
  watched_await (fixture, fixture->ended, N_ENDS);
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

int
main (int argc, char **argv)
{
  static const Work compute = { watched_compute, 300 * MS };
  static const Work sleeping = { watched_sleep, 300 * MS };

  g_test_init (&argc, &argv, NULL);
  WATCHED_ADD ("/watch/precise/computing", &compute, test_stall);
  WATCHED_ADD ("/watch/precise/sleeping", &sleeping, test_stall);
  WATCHED_ADD ("/watch/precise/end-in-sample", NULL, test_end_in_sample);
  return g_test_run ();
}
