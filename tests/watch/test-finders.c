/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is decided from readings alone: spins, a busy CPU, chains of locks, when to report. */

#include <glib.h>

#include "base/jank-clock-private.h"
#include "rules/jank-cpu-finder-private.h"
#include "sample/jank-thread-snapshot-private.h"
#include "rules/jank-spin-finder-private.h"
#include "test.h"

#define MS JANK_NS_PER_MS
#define S  JANK_NS_PER_S

static const JankRule rule = { .spin_turns = 2000, .spin_ns = 2 * S, .cpu_percent = 80, .cpu_ns = 3 * S };

/* A loop in a steady state. */
typedef struct
{
  const char     *name;
  double          turns_per_s, sleeps_per_s, computing, preempted;
  JankSpinVerdict after_1_s, after_5_s;
  double          resting; /* of the peeks */
} Loop;

static const Loop loops[] = {
  { "idle", 0, 0, 0, 0, JANK_SPIN_NONE, JANK_SPIN_NONE, 1 },
  { "60 Hz", 180, 120, 0.1, 0, JANK_SPIN_NONE, JANK_SPIN_NONE, 0.9 },
  { "144 Hz, busy", 600, 300, 0.95, 0, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "a timer of 1 ms", 1000, 1000, 0.05, 0, JANK_SPIN_NONE, JANK_SPIN_NONE, 0.95 },
  { "20000 events a second, one by one", 20000, 20000, 0.9, 0, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "an idle source that does nothing", 1000000, 5, 0.99, 0, JANK_SPIN_MAYBE, JANK_SPIN_FOUND },
  { "small chunks of work", 3000, 10, 0.99, 0, JANK_SPIN_MAYBE, JANK_SPIN_FOUND },
  { "the same with half a CPU", 1500, 10, 0.5, 0.5, JANK_SPIN_MAYBE, JANK_SPIN_FOUND },
  { "the same with a tenth of a CPU", 300, 10, 0.1, 0.9, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "chunks of 5 ms", 200, 0, 0.99, 0, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "the same with half a CPU", 100, 0, 0.5, 0.5, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "bursts, with rests", 100000, 10, 0.5, 0, JANK_SPIN_NONE, JANK_SPIN_NONE, 0.5 },
  { "turns that wait for a disk", 5000, 5000, 0.3, 0, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "an idle source beside frames that threads render", 200000, 500, 0.4, 0.1, JANK_SPIN_MAYBE, JANK_SPIN_FOUND },
  { "the same on a slow machine", 20000, 450, 0.15, 0.1, JANK_SPIN_MAYBE, JANK_SPIN_FOUND },
  { "frames that threads render", 120, 530, 0.1, 0.05, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "the same, never in time", 60, 450, 0.1, 0.05, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "the same, and a mouse of 1000 Hz", 1000, 450, 0.2, 0.05, JANK_SPIN_NONE, JANK_SPIN_NONE },
  { "bursts, with rests that are a fifth", 100000, 10, 0.7, 0, JANK_SPIN_NONE, JANK_SPIN_NONE, 0.21 },
  { "the same with rests that are less", 100000, 10, 0.7, 0, JANK_SPIN_MAYBE, JANK_SPIN_FOUND, 0.19 },
};

static JankSpinVerdict
look (JankSpinFinder *finder, const JankSpinReading *reading)
{
  return jank_spin_finder_may_spin (finder, &rule, reading->at_ns, reading->n_turns)
         ? jank_spin_finder_look (finder, &rule, reading) : finder->verdict;
}

/* Peeks are made where the finder asks for them, 100 a window. */
static void
go_on (JankSpinReading *reading, const Loop *loop, const JankSpinFinder *finder, gint64 length_ns)
{
  double s = (double) length_ns / S;

  reading->n_peeks += finder->asks_peeks ? 100 : 0;
  reading->n_rests += finder->asks_peeks ? (guint64) (loop->resting * 100 + 0.5) : 0;

  reading->at_ns += length_ns;
  reading->n_turns += (guint64) (loop->turns_per_s * s);
  reading->n_sleeps += (guint64) (loop->sleeps_per_s * s);
  reading->cpu_ns += (gint64) (loop->computing * (double) length_ns);
  reading->delay_ns += (gint64) (loop->preempted * (double) length_ns);
}

TEST (spin)
{
  for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
    {
      JankSpinFinder finder = { .verdict = JANK_SPIN_NONE };
      JankSpinReading reading = { .at_ns = 77 * S };
      JankSpinVerdict verdict = JANK_SPIN_NONE;

      g_test_message ("%s", loops[i].name);
      for (guint j = 0; j < 50; j++)
        {
          verdict = look (&finder, &reading);
          if (reading.at_ns >= 78 * S && reading.at_ns < 78 * S + 100 * MS)
            g_assert_cmpint (verdict, ==, loops[i].after_1_s);
          g_assert_cmpint (jank_spin_finder_next_look (&finder), ==, reading.at_ns + 100 * MS);
          go_on (&reading, &loops[i], &finder, 100 * MS);
        }
      g_assert_cmpint (verdict, ==, loops[i].after_5_s);
    }
}

/* Found when it has lasted for long enough, not before; it began when the turns did, and one window that is none
 * ends it. */
TEST (spin_edges)
{
  const Loop *idle = &loops[0], *spin = &loops[5];
  JankSpinFinder finder = { .verdict = JANK_SPIN_NONE };
  JankSpinReading reading = { .at_ns = S };
  gint64 began_ns, found_ns = 0;

  for (guint i = 0; i < 10; i++, go_on (&reading, idle, &finder, 100 * MS))
    g_assert_cmpint (look (&finder, &reading), ==, JANK_SPIN_NONE);
  began_ns = reading.at_ns;
  while (found_ns == 0)
    {
      go_on (&reading, spin, &finder, 100 * MS);
      if (look (&finder, &reading) == JANK_SPIN_FOUND)
        found_ns = reading.at_ns;
      g_assert_cmpint (reading.at_ns, <, began_ns + 3 * S);
    }
  g_assert_cmpint (finder.began.at_ns, >=, began_ns);
  g_assert_cmpint (finder.began.at_ns, <=, began_ns + 100 * MS);
  g_assert_cmpint (found_ns - finder.began.at_ns, ==, rule.spin_ns);

  go_on (&reading, idle, &finder, 100 * MS);
  g_assert_cmpint (look (&finder, &reading), ==, JANK_SPIN_NONE);
  go_on (&reading, spin, &finder, 100 * MS);
  g_assert_cmpint (look (&finder, &reading), ==, JANK_SPIN_NONE);
  go_on (&reading, spin, &finder, 100 * MS);
  g_assert_cmpint (look (&finder, &reading), ==, JANK_SPIN_MAYBE);
}

/* Windows with many turns in a row, then some without, as the loop had no time for them. */
static JankSpinVerdict
look_at_gaps (guint n_with, guint n_without, double resting)
{
  const Loop *spin = &loops[5];
  const Loop busy = { .turns_per_s = 40, .sleeps_per_s = 450, .computing = 0.1, .resting = resting };
  JankSpinFinder finder = { .verdict = JANK_SPIN_NONE };
  JankSpinReading reading = { .at_ns = S };
  JankSpinVerdict verdict, most = JANK_SPIN_NONE;

  look (&finder, &reading);
  for (guint i = 0; i < 60; i++)
    {
      go_on (&reading, i % (n_with + n_without) < n_with ? spin : &busy, &finder, 100 * MS);
      verdict = look (&finder, &reading);
      most = MAX (most, verdict);
    }
  return most;
}

/* Late frames leave no time to a spin for a window or two; a loop that computes for longer, or rests, does not spin. */
TEST (spin_gaps)
{
  g_assert_cmpint (look_at_gaps (3, 1, 0), ==, JANK_SPIN_FOUND);
  g_assert_cmpint (look_at_gaps (3, 2, 0), ==, JANK_SPIN_FOUND);
  g_assert_cmpint (look_at_gaps (3, 3, 0), ==, JANK_SPIN_MAYBE);
  g_assert_cmpint (look_at_gaps (3, 1, 0.5), ==, JANK_SPIN_MAYBE);
}

/* Without peeks, or with too few, a thread that sleeps is taken to rest. */
TEST (spin_few_peeks)
{
  for (guint n_peeks = 0; n_peeks <= 5; n_peeks++)
    {
      JankSpinFinder finder = { .verdict = JANK_SPIN_NONE };
      JankSpinReading reading = { .at_ns = S };
      JankSpinVerdict verdict = JANK_SPIN_NONE;

      for (guint i = 0; i < 30; i++)
        {
          verdict = look (&finder, &reading);
          reading.at_ns += 100 * MS;
          reading.n_turns += 10000;
          reading.cpu_ns += 50 * MS;
          reading.n_peeks += n_peeks;
        }
      g_assert_cmpint (verdict, ==, n_peeks < 5 ? JANK_SPIN_NONE : JANK_SPIN_FOUND);
      g_assert_true (finder.asks_peeks);
    }
}

TEST (cpu)
{
  JankCpuFinder finder = { .verdict = JANK_CPU_NORMAL };
  gint64 now_ns = 5 * S, cpu_ns = 100 * S;

  g_assert_cmpint (jank_cpu_finder_next_look (&finder, &rule), ==, 0);
  g_assert_cmpint (jank_cpu_finder_look (&finder, &rule, now_ns, cpu_ns), ==, JANK_CPU_NORMAL);
  for (guint i = 0; i < 5; i++)
    {
      g_assert_cmpint (jank_cpu_finder_next_look (&finder, &rule), ==, now_ns + S);
      now_ns += S;
      cpu_ns += S * 80 / 100;
      g_assert_cmpint (jank_cpu_finder_look (&finder, &rule, now_ns, cpu_ns), ==, JANK_CPU_NORMAL);
    }
  for (guint i = 1; i <= 5; i++)
    {
      now_ns += S;
      cpu_ns += S * 81 / 100;
      g_assert_cmpint (jank_cpu_finder_look (&finder, &rule, now_ns, cpu_ns), ==, i < 3 ? JANK_CPU_HIGH
                       : JANK_CPU_FOUND);
    }
  g_assert_cmpint (finder.began_ns, ==, 10 * S);
  g_assert_cmpint (jank_cpu_finder_look (&finder, &rule, now_ns + S, cpu_ns), ==, JANK_CPU_NORMAL);
}

typedef struct
{
  const char *name;
  pid_t       tids[5], owners[5];
  guint       chain[6], n_chain;
  gboolean    cycle;
} Chain;

static const Chain chains[] = {
  { "waits for nothing", { 10, 11, 12 }, { 0, 10, 11 }, { 0 }, 0, FALSE },
  { "waits for one that runs", { 10, 11, 12 }, { 12, 0, 0 }, { 0, 2 }, 2, FALSE },
  { "waits for one that waits", { 10, 11, 12 }, { 12, 0, 11 }, { 0, 2, 1 }, 3, FALSE },
  { "waits for one that is not known", { 10, 11, 12 }, { 99, 0, 0 }, { 0 }, 0, FALSE },
  { "of two", { 10, 11, 12 }, { 11, 10, 0 }, { 0, 1, 0 }, 3, TRUE },
  { "of three", { 10, 11, 12 }, { 12, 10, 11 }, { 0, 2, 1, 0 }, 4, TRUE },
  { "of two others", { 10, 11, 12 }, { 11, 12, 11 }, { 0, 1, 2, 1 }, 4, TRUE },
  { "with itself", { 10, 11, 12 }, { 10, 0, 0 }, { 0, 0 }, 2, TRUE },
};

TEST (chain)
{
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autoptr (GArray) chain = g_array_new (FALSE, FALSE, sizeof (guint));

      g_test_message ("%s", chains[i].name);
      g_assert_cmpint (jank_lock_chain_find (chains[i].tids, chains[i].owners, 3, 0, chain), ==, chains[i].cycle);
      g_assert_cmpmem (chain->data, chain->len * sizeof (guint), chains[i].chain, chains[i].n_chain * sizeof (guint));
    }
}

TESTS ("/watch/finders")
