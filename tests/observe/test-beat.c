/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <unistd.h>
#include <glib.h>

#include "base/jank-clock-private.h"
#include "observe/jank-beat-private.h"
#include "processor.h"
#include "test.h"

#define N_STRESS_TURNS 50000
#define N_STRESS_ENDS  5000

/* A wake-up that takes longer is lost, however busy the machine. */
#define LOST_NS (30 * JANK_NS_PER_S)

static const JankBell no_bell = { .word = NULL };

static gint64 told_ns;
static guint n_told;

static void
ended_cb (int64_t ended_ns)
{
  told_ns = ended_ns;
  n_told++;
}

/* Once, and not in the middle of a turn. */
TEST (call_at_end)
{
  g_autofree JankBusyLog *log = g_new0 (JankBusyLog, 1);
  JankBeat beat;
  gint64 before_ns;

  jank_beat_init (&beat, JANK_NS_PER_S, 0);
  jank_beat_set_log (&beat, log);
  jank_beat_begin (&beat);
  before_ns = jank_clock_now_ns ();
  beat.ended_func = ended_cb;
  g_assert_cmpuint (n_told, ==, 0);
  jank_beat_end (&beat);
  g_assert_cmpuint (n_told, ==, 1);
  g_assert_cmpint (told_ns, >=, before_ns);
  g_assert_cmpint (told_ns, <=, jank_clock_now_ns ());
  jank_beat_begin (&beat);
  jank_beat_end (&beat);
  g_assert_cmpuint (n_told, ==, 1);
}

static JankBeatState
turn (JankBeat *beat)
{
  jank_beat_end (beat);
  beat->n_sleeps = jank_beat_count_sleeps ();
  jank_beat_begin (beat);
  return jank_beat_word_state (jank_beat_load (beat));
}

/* A program starts up until its loop waits or draws a frame, however often that is turned by hand; not for ever. */
TEST (starting)
{
  gint64 began_ns = jank_clock_now_ns ();
  JankBusyPeriod period;
  JankBeat beat;
  guint n = 0;

  jank_beat_init (&beat, 0, began_ns);
  g_assert_cmpint (jank_beat_word_state (jank_beat_load (&beat)), ==, JANK_BEAT_STARTUP);
  g_assert_cmpint (turn (&beat), ==, JANK_BEAT_STARTING);
  g_assert_true (jank_beat_pop (&beat, &period) && period.startup && period.began_ns == began_ns);
  g_assert_cmpint (turn (&beat), ==, JANK_BEAT_STARTING);
  beat.is_starting = false;
  g_assert_cmpint (turn (&beat), ==, JANK_BEAT_BUSY);

  jank_beat_init (&beat, JANK_NS_PER_S, jank_clock_now_ns ());
  g_assert_cmpint (turn (&beat), ==, JANK_BEAT_STARTING);
  g_usleep (1000);
  jank_beat_begin (&beat);
  g_assert_cmpint (jank_beat_word_state (jank_beat_load (&beat)), ==, JANK_BEAT_BUSY);

  for (jank_beat_init (&beat, JANK_NS_PER_S, jank_clock_now_ns ()); turn (&beat) == JANK_BEAT_STARTING;)
    g_assert_cmpuint (++n, <=, 1000);
}

TEST (sleep)
{
  gint64 deadline_ns = jank_clock_now_ns () + 30 * JANK_NS_PER_MS;
  JankBeat beat;
  guint32 rung;

  jank_beat_init (&beat, 0, 0);
  rung = jank_beat_get_rung (&beat);
  g_assert_false (jank_beat_sleep (&beat, rung, deadline_ns));
  g_assert_cmpint (jank_clock_now_ns (), >=, deadline_ns);
  /* A deadline that is over. */
  g_assert_false (jank_beat_sleep (&beat, rung, 1));

  jank_beat_ring (&beat);
  g_assert_true (jank_beat_sleep (&beat, rung, G_MAXINT64 / 2));
  g_assert_false (jank_beat_sleep (&beat, jank_beat_get_rung (&beat), jank_clock_now_ns () + JANK_NS_PER_MS));
}

TEST (park_at_once)
{
  JankBeat beat;
  guint32 rung;

  /* Each of these would hang if it slept. */
  jank_beat_init (&beat, 0, jank_clock_now_ns ());
  jank_beat_park (&beat, jank_beat_get_rung (&beat), 0, &no_bell);
  jank_beat_begin (&beat);
  jank_beat_park (&beat, jank_beat_get_rung (&beat), 0, &no_bell);

  jank_beat_end (&beat);
  rung = jank_beat_get_rung (&beat);
  jank_beat_ring (&beat);
  jank_beat_park (&beat, rung, 0, &no_bell);
  g_assert_cmpuint (atomic_load (&beat.parked), ==, 0);
}

typedef struct
{
  JankBeat         beat;
  _Atomic uint64_t seen;     /* the last busy word that the watcher saw */
  _Atomic uint32_t n_parked; /* how often it went to park */
  _Atomic uint32_t n_popped;
  _Atomic bool     stop;
} Shared;

static gpointer
parking_thread (gpointer data)
{
  Shared *shared = data;

  while (!atomic_load (&shared->stop))
    {
      guint32 rung = jank_beat_get_rung (&shared->beat);
      uint64_t word = jank_beat_load (&shared->beat);

      if (atomic_load (&shared->stop))
        break;
      if (jank_beat_word_state (word) == JANK_BEAT_BUSY)
        {
          atomic_store (&shared->seen, word);
          continue;
        }
      atomic_fetch_add (&shared->n_parked, 1);
      jank_beat_park (&shared->beat, rung, 0, &no_bell);
    }
  return NULL;
}

/* A watcher that parks whenever it may, against turns of every length: whenever a turn waits to be seen, it
 * must be. */
TEST (park_stress)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  Shared shared = { 0 };
  GThread *thread;

  jank_beat_init (&shared.beat, G_MAXINT64, 0);
  thread = g_thread_new ("watcher", parking_thread, &shared);
  for (guint i = 0; i < N_STRESS_TURNS; i++)
    {
      guint32 dice = g_rand_int (random);

      jank_beat_begin (&shared.beat);
      if (dice % 128 == 0)
        AWAIT (atomic_load (&shared.seen) == jank_beat_load (&shared.beat), g_thread_yield ());
      jank_beat_end (&shared.beat);
      for (guint k = dice >> 8 & (dice % 16 == 0 ? 1023 : 15); k > 0; k--)
        PROCESSOR_PAUSE ();
      if (dice % 256 == 0)
        AWAIT (atomic_load (&shared.beat.parked) >= 1, g_thread_yield ());
    }
  atomic_store (&shared.stop, true);
  jank_beat_ring (&shared.beat);
  g_thread_join (thread);
  g_test_message ("parked %u times", atomic_load (&shared.n_parked));
  g_assert_cmpuint (atomic_load (&shared.n_parked), >, N_STRESS_TURNS / 1024);
}

static gpointer
sleeping_thread (gpointer data)
{
  Shared *shared = data;
  gint64 last_began_ns = 0;

  while (!atomic_load (&shared->stop))
    {
      guint32 rung = jank_beat_get_rung (&shared->beat);
      JankBusyPeriod period;

      while (jank_beat_pop (&shared->beat, &period))
        {
          g_assert_cmpint (period.began_ns, >, last_began_ns);
          g_assert_cmpint (period.ended_ns, >=, period.began_ns);
          last_began_ns = period.began_ns;
          atomic_fetch_add (&shared->n_popped, 1);
        }
      if (!atomic_load (&shared->stop))
        g_assert_true (jank_beat_sleep (&shared->beat, rung, jank_clock_now_ns () + LOST_NS));
    }
  return NULL;
}

/* Every long period arrives, whole and in order, at a watcher that sleeps until it is told. */
TEST (ended_stress)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (8);
  Shared shared = { 0 };
  GThread *thread;

  jank_beat_init (&shared.beat, 0, 0);
  thread = g_thread_new ("watcher", sleeping_thread, &shared);
  for (guint i = 1; i <= N_STRESS_ENDS; i++)
    {
      jank_beat_begin (&shared.beat);
      jank_beat_end (&shared.beat);
      if (g_rand_int_range (random, 0, JANK_BEAT_N_ENDED / 2) == 0)
        AWAIT (atomic_load (&shared.n_popped) + atomic_load (&shared.beat.n_dropped) >= i, g_thread_yield ());
    }
  AWAIT (atomic_load (&shared.n_popped) + atomic_load (&shared.beat.n_dropped) >= N_STRESS_ENDS, g_thread_yield ());
  atomic_store (&shared.stop, true);
  jank_beat_ring (&shared.beat);
  g_thread_join (thread);
  g_assert_cmpuint (atomic_load (&shared.n_popped) + atomic_load (&shared.beat.n_dropped), ==, N_STRESS_ENDS);
}

/* What is dispatched is counted from a turn on that makes a frame late: one that was wanted before, and is not the
 * turn's own. */
TEST (delay)
{
  const struct { gint64 before_ns; gboolean is_drawn; } cases[] = {
    { 0, FALSE }, { JANK_NS_PER_MS, FALSE }, { 30 * JANK_NS_PER_MS, FALSE }, { 30 * JANK_NS_PER_MS, TRUE },
    { JANK_NS_PER_S, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 began_ns, waited_ns;
      gboolean is_late;
      JankBeat beat;

      jank_beat_init (&beat, JANK_NS_PER_S, 0);
      g_usleep (1000);
      jank_beat_begin (&beat);
      began_ns = jank_beat_word_ns (jank_beat_load (&beat));
      if (cases[i].before_ns > 0)
        atomic_store (&beat.frame_wanted_ns, began_ns - cases[i].before_ns);
      g_usleep (4000);
      if (cases[i].is_drawn)
        atomic_store (&beat.frame_wanted_ns, jank_clock_now_ns ());
      jank_beat_end (&beat);
      /* On a busy machine any of them takes longer. */
      waited_ns = jank_beat_word_ns (jank_beat_load (&beat)) - began_ns + cases[i].before_ns;
      is_late = cases[i].before_ns > 0 && !cases[i].is_drawn && waited_ns >= JANK_BEAT_LATE_NS &&
                waited_ns < JANK_BEAT_HELD_NS;
      g_assert_cmpint ((atomic_load (&beat.asks) & JANK_BEAT_ASKS_WORKS) != 0, ==, is_late);
    }
}

/* Busy for half of the time: in turns of 10 ms, which are measured exactly, and then in turns of next to nothing. */
TEST (live)
{
  JankBeat beat;
  JankLoopLive from, to;
  gint64 busy_ns = 0;

  jank_beat_init (&beat, 100 * JANK_NS_PER_MS, 0);
  from = jank_beat_read_live (&beat);
  for (guint i = 0; i < 5; i++)
    {
      gint64 began_ns = jank_clock_now_ns ();

      jank_beat_begin (&beat);
      g_usleep (10000);
      jank_beat_end (&beat);
      busy_ns += jank_clock_now_ns () - began_ns;
      g_usleep (10000);
    }
  to = jank_beat_read_live (&beat);
  g_assert_cmpuint (to.n_turns - from.n_turns, ==, 5);
  g_assert_cmpint (to.busy_ns - from.busy_ns, >=, 50 * JANK_NS_PER_MS);
  g_assert_cmpint (to.busy_ns - from.busy_ns, <=, busy_ns);

  /* The period under way counts. */
  jank_beat_begin (&beat);
  g_usleep (10000);
  from = to;
  to = jank_beat_read_live (&beat);
  g_assert_cmpint (to.busy_ns - from.busy_ns, >=, 10 * JANK_NS_PER_MS);
  jank_beat_end (&beat);

  from = jank_beat_read_live (&beat);
  for (guint i = 0; i < 100000; i++)
    {
      jank_beat_begin (&beat);
      jank_beat_end (&beat);
    }
  to = jank_beat_read_live (&beat);
  g_assert_cmpuint (to.n_turns - from.n_turns, ==, 100000);
}

TESTS ("/observe/beat")
