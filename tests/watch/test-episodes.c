/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What goes on while no turn of the loop is long: spins, and a CPU that is kept busy. */

#include "test.h"
#include "watched.h"

/* Nor is it a stall here. */
static const JankRule starved_rule = {
  .threshold_ns = 1000 * MS, .first_stack_ns = 16 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS,
};

/* A turn that a machine which is shared makes long is no stall, and ends no spin. */
static const JankRule spin_rule = {
  .threshold_ns = 1000 * MS, .first_stack_ns = 16 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS,
  .spin_turns = 500, .spin_ns = 600 * MS,
};

/* Low, for a machine that is shared; under a sanitizer the idle watcher alone takes 5 %. */
static const JankRule cpu_rule = {
  .threshold_ns = 2000 * MS, .first_stack_ns = 16 * MS, .stack_interval_ns = 10 * MS, .park_ns = 100 * MS,
  .cpu_percent = HAS_INTERCEPTORS ? 20 : 5, .cpu_ns = 600 * MS,
};

typedef struct
{
  gint64        until_ns, chunk_ns;
  Watched      *until_told; /* (nullable): of what lasts, of that kind */
  JankStallKind kind;
  guint64       n_calls;
} Turns;

static gboolean
is_told (Watched *watched, JankStallKind kind)
{
  return watched_find_kind (watched, watched->ongoing, kind, NULL) > 0;
}

static gboolean
turn_cb (gpointer data)
{
  Turns *turns = data;
  gint64 now_ns = jank_clock_now_ns ();

  turns->n_calls++;
  while (jank_clock_now_ns () < now_ns + turns->chunk_ns)
    ;
  return now_ns < turns->until_ns ||
         (turns->until_told != NULL && !is_told (turns->until_told, turns->kind));
}

/* The machine does not keep it from its CPU for long, however busy it is. */
static gboolean
nap_cb (gpointer data)
{
  Turns *turns = data;

  turns->n_calls++;
  g_usleep (150000);
  return jank_clock_now_ns () < turns->until_ns;
}

static gboolean
stop_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/* The loop waits, as it should. */
static void
wait_in_loop (Watched *watched, guint ms)
{
  g_autoptr (GSource) source = g_timeout_source_new (ms);
  gboolean stopped = FALSE;

  g_source_set_callback (source, stop_cb, &stopped, NULL);
  g_source_attach (source, watched->context);
  while (!stopped)
    g_main_context_iteration (watched->context, TRUE);
}

static void
run_turns (Watched *watched, GSource *source, Turns *turns)
{
  g_source_set_callback (source, turn_cb, turns, NULL);
  g_source_attach (source, watched->context);
  while (!g_source_is_destroyed (source))
    g_main_context_iteration (watched->context, TRUE);
  g_source_unref (source);
}

static gint64
read_others_cpu (void)
{
  return jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID) - jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
}

TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, spin)
{
  GSource *source = g_idle_source_new ();
  Turns turns = { .chunk_ns = 100 * JANK_NS_PER_US, .until_told = watched, .kind = JANK_STALL_SPIN };
  gint64 began_ns, ended_ns, cost_ns, last_ns = 0;
  Said said;

  watched_start (watched, &spin_rule, spin_rule.threshold_ns, WORKER_TASKS);
  wait_in_loop (watched, 150);
  g_source_set_static_name (source, "spinner");
  began_ns = jank_clock_now_ns ();
  turns.until_ns = began_ns + 2000 * MS;
  cost_ns = read_others_cpu ();
  run_turns (watched, source, &turns);
  cost_ns = read_others_cpu () - cost_ns;
  ended_ns = jank_clock_now_ns ();
  wait_in_loop (watched, 300);
  watched_find_kind (watched, watched->ongoing, JANK_STALL_SPIN, &said);
  g_assert_true (said.has_threads);
  said = watched_await_kind (watched, JANK_STALL_SPIN);
  g_assert_cmpint (said.stall.threshold_ns, ==, spin_rule.spin_ns);
  g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " turns, %u samples, began %" G_GINT64_FORMAT
                  " ms late, ended %" G_GINT64_FORMAT " ms early, watcher %.2f %% of a CPU",
                  said.stall.n_turns, turns.n_calls, (guint) said.stall.n_samples,
                  (said.stall.began_ns - began_ns) / MS, (ended_ns - said.stall.ended_ns) / MS,
                  (double) cost_ns * 100 / (double) (ended_ns - began_ns));
  g_assert_cmpint (said.stall.began_ns, >=, began_ns - 120 * MS);
  g_assert_cmpint (said.stall.ended_ns, >, said.stall.began_ns + spin_rule.spin_ns);
  g_assert_cmpuint (said.stall.n_turns, <=, turns.n_calls + 1000);
  g_assert_cmpint (said.stall.n_samples + said.stall.n_lost, <=, 1 + said.duration_ns / (50 * MS));
  if (!HAS_TSAN)
    {
      g_assert_true (said.stall.source.known);
      g_assert_cmpstr (said.stall.source.name, ==, "spinner");
      g_assert_cmpuint (said.stall.source.callback, ==, (guintptr) turn_cb);
    }
  watched_stop (watched);
  /* A machine that stops it for a while cuts it in two: no part of it is told twice. */
  for (guint i = 0; i < watched->ended->len; i++)
    {
      said = watched_get (watched, watched->ended, i);
      g_assert_cmpint (said.stall.began_ns, >=, last_ns);
      last_ns = said.stall.ended_ns;
    }
}

/* A stall ends the spin first: one thing at a time is ongoing. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, spin_then_stall)
{
  Turns turns = { .until_told = watched, .kind = JANK_STALL_SPIN };
  Work work = { watched_sleep, 1200 * MS };
  Said spin, stall;

  watched_start (watched, &spin_rule, spin_rule.threshold_ns, WORKER_TASKS);
  turns.until_ns = jank_clock_now_ns () + 1200 * MS;
  run_turns (watched, g_idle_source_new (), &turns);
  watched_run (watched, &work);
  stall = watched_await_work (watched, &work);
  spin = watched_await_kind (watched, JANK_STALL_SPIN);
  g_assert_cmpint (spin.stall.ended_ns, <, stall.stall.ended_ns);
}

static bool
is_held_cb (gpointer data)
{
  return *(gboolean *) data;
}

/* Turns without waiting, for as long as a frame is wanted and nothing is told. */
static void
run_while_wanted (Watched *watched, JankBeat *beat)
{
  atomic_store (&beat->frame_wanted_ns, jank_clock_now_ns ());
  while (atomic_load (&beat->frame_wanted_ns) != 0 && !is_told (watched, JANK_STALL_STARVED))
    {
      Turns turns = { .chunk_ns = 2 * MS, .until_ns = jank_clock_now_ns () + 300 * MS };

      run_turns (watched, g_idle_source_new (), &turns);
    }
}

/* What keeps a frame from being drawn is told, unless the display holds it back, or the loop only waits. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, starved)
{
  gboolean is_held = TRUE;
  gint64 began_ns;
  JankBeat *beat;
  Said said;

  watched_start (watched, &starved_rule, starved_rule.threshold_ns, WORKER_TASKS);
  beat = jank_loop_observer_get_beat (watched->observer);
  beat->held_func = is_held_cb;
  beat->look_data = &is_held;
  run_while_wanted (watched, beat);
  g_assert_cmpint (atomic_load (&beat->frame_wanted_ns), ==, 0);
  atomic_store (&beat->frame_wanted_ns, jank_clock_now_ns ());
  wait_in_loop (watched, 1500);
  g_assert_false (is_told (watched, JANK_STALL_STARVED));
  atomic_store (&beat->frame_wanted_ns, 0);
  wait_in_loop (watched, 150);

  is_held = FALSE;
  began_ns = jank_clock_now_ns ();
  run_while_wanted (watched, beat);
  atomic_store (&beat->frame_wanted_ns, 0);
  wait_in_loop (watched, 150);
  said = watched_await_kind (watched, JANK_STALL_STARVED);
  g_assert_cmpint (said.stall.began_ns, >=, began_ns);
  g_assert_cmpint (said.duration_ns, >=, starved_rule.threshold_ns * 9 / 10);
  g_assert_cmpuint (said.stall.n_turns, >, 20);
  g_assert_cmpuint (said.stall.n_samples + said.stall.n_starved, >, 0);
  g_assert_true (said.has_threads);
}

static void
answer_slowly (Watched *watched, JankBeat *beat, gint64 stamp_ns)
{
  atomic_store (&beat->slow_answered_ns, jank_clock_now_ns ());
  atomic_store (&beat->slow_stamp_ns, stamp_ns);
  atomic_store (&beat->waits_ns, 0);
  wait_in_loop (watched, 150);
}

static void
nap (Watched *watched, Turns *turns)
{
  GSource *source = g_idle_source_new ();
  guint64 n_calls = turns->n_calls;

  g_source_set_callback (source, nap_cb, turns, NULL);
  g_source_attach (source, watched->context);
  while (!g_source_is_destroyed (source))
    g_main_context_iteration (watched->context, TRUE);
  g_source_unref (source);
  g_assert_cmpuint (turns->n_calls, >, n_calls);
}

/* Many short turns: one report, with what they dispatched. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, slow_answer)
{
  Turns turns = { 0 };
  gint64 stamp_ns;
  JankBeat *beat;
  Said said;

  watched_start (watched, &starved_rule, starved_rule.threshold_ns, WORKER_TASKS);
  beat = jank_loop_observer_get_beat (watched->observer);
  jank_beat_ask_works (beat, jank_clock_now_ns ());
  stamp_ns = jank_clock_now_ns ();
  atomic_store (&beat->waits_ns, stamp_ns);
  turns.until_ns = stamp_ns + 2000 * MS;
  nap (watched, &turns);
  answer_slowly (watched, beat, stamp_ns);
  said = watched_await_kind (watched, JANK_STALL_INPUT);
  g_assert_cmpint (said.stall.began_ns, ==, stamp_ns);
  g_assert_cmpint (said.duration_ns, >=, 2000 * MS);
  g_assert_cmpuint (said.stall.n_samples + said.stall.n_starved, >, 0);
  g_assert_cmpuint (said.stall.n_works, >=, 1);
  g_assert_cmpuint (said.stall.works[0].count, >=, turns.n_calls - 1);
}

/* What waited before it was handled is told afterwards; what waited for a stall has a report, and so has the time. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, slow_answer_behind)
{
  Turns turns = { 0 };
  Work work = { watched_compute, 2000 * MS };
  gint64 stamp_ns;
  JankBeat *beat;

  watched_start (watched, &starved_rule, starved_rule.threshold_ns, WORKER_TASKS);
  beat = jank_loop_observer_get_beat (watched->observer);
  stamp_ns = jank_clock_now_ns ();
  turns.until_ns = stamp_ns + 2000 * MS;
  nap (watched, &turns);
  answer_slowly (watched, beat, stamp_ns);
  watched_await_kind (watched, JANK_STALL_INPUT);

  stamp_ns = jank_clock_now_ns ();
  watched_run (watched, &work);
  answer_slowly (watched, beat, stamp_ns);
  watched_await_work (watched, &work);
  wait_in_loop (watched, 150);
  g_assert_cmpuint (watched_find_kind (watched, watched->ended, JANK_STALL_INPUT, NULL), ==, 1);
}

/* The loop is idle, another thread is not. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, watched, cpu)
{
  Worker *worker;
  gint64 began_ns, ended_ns, cpu_ns;
  gboolean had_cpu;
  Said said;

  watched_start (watched, &cpu_rule, cpu_rule.threshold_ns, WORKER_TASKS);
  wait_in_loop (watched, 500);
  g_assert_false (is_told (watched, JANK_STALL_CPU));
  worker = worker_new (worker_compute, NULL);
  began_ns = jank_clock_now_ns ();
  cpu_ns = read_others_cpu ();
  wait_in_loop (watched, 1500);
  worker_free (worker);
  cpu_ns = read_others_cpu () - cpu_ns;
  ended_ns = jank_clock_now_ns ();
  had_cpu = cpu_ns >= (ended_ns - began_ns) * 9 / 10;
  wait_in_loop (watched, 500);
  said = watched_await_kind (watched, JANK_STALL_CPU);
  g_test_message ("began %" G_GINT64_FORMAT " ms late, %u samples, %u of the thread, which %s nine tenths of a CPU",
                  (said.stall.began_ns - began_ns) / MS, said.n_in_ring, said.n_states[JANK_STATE_COMPUTING],
                  had_cpu ? "had" : "lacked");
  g_assert_true (said.has_threads);
  g_assert_cmpint (said.stall.began_ns, >=, began_ns - 250 * MS);
  g_assert_cmpint (said.stall.cpu_ns, >, 50 * MS);
  /* Beside other programs it may have no CPU whenever it is asked, and does not answer. */
  if (had_cpu && !HAS_TSAN)
    g_assert_cmpuint (said.n_states[JANK_STATE_COMPUTING], >, said.n_in_ring / 2);
}

TESTS ("/watch/episodes")
