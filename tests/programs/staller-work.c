/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plain stalls: computing, sleeping, and known shares of both. Each function works in its own body, so that the
 * right culprit is known. */

#include "kinds.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "demo/demo-stall-compute.h"

#define MIXED_TURN_NS (50 * NS_PER_MS)

typedef void (*StallFunc) (gint64 length_ns);

guint64 staller_sink;

/* Differs from the loops of the demo, so that the compiler merges none of them. */
STALL (mixed_compute)
{
  gint64 until_ns = read_clock_ns (CLOCK_THREAD_CPUTIME_ID) + length_ns;

  for (guint64 seed = 1; read_clock_ns (CLOCK_THREAD_CPUTIME_ID) < until_ns; seed++)
    {
      guint64 x = seed;

      for (int i = 0; i < 2000; i++)
        x = x * UINT64_C (6364136223846793005) + 1442695040888963407;
      staller_sink += x;
    }
}

STALL (stall_sleep)
{
  staller_sink += usleep ((useconds_t) (length_ns / 1000)) != 0;
}

STALL (mixed_sleep)
{
  staller_sink += usleep ((useconds_t) (length_ns / 1000)) != 0;
  staller_sink++;
}

static void
add_part (int part, StallFunc stall, gint64 length_ns)
{
  gint64 began_ns = now_ns ();

  stall (length_ns);
  truth.part_ns[part] += now_ns () - began_ns;
}

STALL (stall_split)
{
  const int n_turns = 5;

  for (int i = 0; i < n_turns; i++)
    {
      add_part (0, split_heavy, length_ns * 60 / 100 / n_turns);
      add_part (1, split_medium, length_ns * 25 / 100 / n_turns);
      add_part (2, split_light, length_ns * 15 / 100 / n_turns);
    }
  staller_sink++;
}

/* One kind of work, and then another. */
STALL (stall_change)
{
  add_part (0, split_heavy, length_ns / 2);
  add_part (1, split_light, length_ns / 2);
  staller_sink++;
}

STALL (stall_mixed)
{
  gint64 until_ns = now_ns () + length_ns;

  for (gint64 left_ns = length_ns; left_ns > 0; left_ns = until_ns - now_ns ())
    {
      gint64 turn_ns = MIN (left_ns, MIXED_TURN_NS);

      add_part (0, mixed_sleep, turn_ns * 60 / 100);
      add_part (1, mixed_compute, turn_ns * 40 / 100);
    }
  staller_sink++;
}

STALL (stall_masked)
{
  sigset_t all, old;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  stall_compute (length_ns);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}

PREPARES (prepare_sleep, truth.timeout_ns = length_ns)

const Kind kinds_work[] = {
  { "compute", KIND (stall_compute), "computing" },
  { "sleep", KIND (stall_sleep), "blocked", "sleep", "clock_nanosleep", prepare_sleep },
  { "split", KIND (stall_split), "computing" },  /* part_ns: heavy, medium, light */
  { "change", KIND (stall_change), "computing" }, /* part_ns: heavy, light */
  { "mixed", KIND (stall_mixed) },               /* part_ns: sleeping, computing */
  { "masked", KIND (stall_masked), "computing" },
};
const guint n_kinds_work = G_N_ELEMENTS (kinds_work);
