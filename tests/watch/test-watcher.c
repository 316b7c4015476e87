/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "watched.h"

TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, short)
{
  Work work = { watched_compute, 20 * MS };
  guint n_long = 0;

  for (guint i = 0; i < 21; i++)
    {
      gint64 began_ns = jank_clock_now_ns ();

      if (i == 0)
        watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
      else
        watched_run (fixture, &work);
      /* By the machine, not by the work; told of again at each Fibonacci multiple. */
      n_long += (guint) ((jank_clock_now_ns () - began_ns + 10 * MS) / watched_rule.threshold_ns);
    }
  g_usleep (50000);
  watched_stop (fixture);
  g_assert_cmpuint (fixture->ended->len, <=, n_long);
  g_assert_cmpuint (fixture->ongoing->len, <=, n_long);
}

static const JankRule fast = {
  .threshold_ns = 20 * MS, .first_stack_ns = 5 * MS, .stack_interval_ns = 5 * MS, .park_ns = 100 * MS,
};

static Watched *telling;

/* Lasts until the watcher has told of it: once it may tell of what was before. */
static void
wait_until_told (gint64 duration_ns)
{
  watched_await (telling, telling->ongoing, watched_count (telling, telling->ongoing) + 2);
}

/* The report of a stall that still lasts comes at the threshold, and at Fibonacci multiples of it. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, ongoing)
{
  Work work = { wait_until_told };
  gint64 began_ns = jank_clock_now_ns (), next_ns = 2 * watched_rule.threshold_ns;
  guint n_ongoing = 0, n_most = 0;
  Said one;

  telling = fixture;
  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  watched_run (fixture, &work);
  one = watched_await_work (fixture, &work);
  watched_stop (fixture);
  g_assert_cmpint (fixture->ongoing_at_ns, >=, began_ns + watched_rule.threshold_ns);
  for (guint i = 0; i < fixture->ongoing->len; i++)
    n_ongoing += watched_get (fixture, fixture->ongoing, i).stall.period_ns == one.stall.period_ns;
  for (gint64 at_ns = watched_rule.threshold_ns; at_ns <= one.duration_ns + one.stall.stopped_ns; n_most++)
    {
      next_ns += at_ns;
      at_ns = next_ns - at_ns;
    }
  g_assert_true (n_ongoing >= 1 && n_ongoing <= n_most);
  g_assert_cmpuint (watched_count_work (fixture, &work), ==, 1);
}

/* Stops this process after delay_ms for stop_ms. */
static pid_t
fork_stopper (guint delay_ms, guint stop_ms)
{
  pid_t parent = getpid ();
  pid_t pid = fork ();

  if (pid != 0)
    return pid;
  usleep (delay_ms * 1000);
  kill (parent, SIGSTOP);
  usleep (stop_ms * 1000);
  kill (parent, SIGCONT);
  _exit (0);
}

/* The time in which nothing ran is not the program's fault. What is left is a stall, also if the machine stops, too. */
static void
test_stopped (Watched *fixture, gconstpointer data)
{
  const Work *wanted = data;
  gint64 most_ns = 0;

  watched_start (fixture, &fast, fast.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < N_TRIES && most_ns < 450 * MS; i++)
    {
      Work work = *wanted;
      Said one;
      pid_t stopper = fork_stopper (300, 500);

      watched_run (fixture, &work);
      g_assert_cmpint (waitpid (stopper, NULL, 0), ==, stopper);
      one = watched_await_work (fixture, &work);

      g_assert_cmpint (one.stall.traced_ns, ==, 0);
      g_assert_cmpint (one.duration_ns + one.stall.stopped_ns, >=, work.took_ns);
      if (one.n_in_ring > 0)
        g_assert_cmpint (ABS (one.weights_ns - one.duration_ns), <=, MS);
      most_ns = MAX (most_ns, one.stall.stopped_ns);
    }
  g_assert_cmpint (most_ns, >=, 450 * MS);
}

/* A thread answers behind the call in which it computed: that call has all the time since it was asked. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, kernel)
{
  gboolean is_whole = FALSE;

  /* An answer that comes after 200 ms is taken for a stop of the program, and nothing is left of the stall. */
  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  watched_start (fixture, &fast, fast.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < N_TRIES && !is_whole; i++)
    {
      Work work = { watched_call_kernel, 300 * MS, 0, 0 };
      Said one;

      watched_run (fixture, &work);
      one = watched_await_work (fixture, &work);
      if (one.n_in_ring > 0)
        g_assert_cmpint (one.tree_ns, ==, one.weights_ns);
      is_whole = one.n_in_ring > 0 && one.n_with_culprit == one.n_in_ring && one.stall.n_lost == 0 &&
                 ABS (one.weights_ns - one.duration_ns) <= MS;
    }
  g_assert_true (is_whole);
}

/* More stalls than the ring of ended ones holds, while the watcher cannot look: each is reported or counted. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, starved)
{
  Work works[10 * JANK_BEAT_N_ENDED], last = { watched_sleep, 400 * MS };
  guint n_works = 0, n_lost = 0;
  gint64 last_began_ns = 0;
  JankBeat *beat;

  g_atomic_int_set (&fixture->is_held, 1);
  watched_start (fixture, &fast, fast.threshold_ns, WORKER_TASKS);
  beat = jank_loop_observer_get_beat (fixture->observer);
  /* Without a CPU the watcher may take the first ones out of the ring before it is held. */
  while (n_works < G_N_ELEMENTS (works) && (n_works < JANK_BEAT_N_ENDED + 8 || atomic_load (&beat->n_dropped) == 0))
    {
      /* A stop of the machine hides none of those that are not dropped. */
      works[n_works] = (Work) { watched_sleep, n_works == 0 ? 400 * MS : 40 * MS };
      watched_run (fixture, &works[n_works++]);
    }
  g_atomic_int_set (&fixture->is_held, 0);
  while (atomic_load (&beat->n_popped) != atomic_load (&beat->n_pushed))
    g_usleep (1000);
  watched_run (fixture, &last);
  watched_await_work (fixture, &last);
  watched_stop (fixture);

  for (guint i = 0; i < n_works; i++)
    n_lost += watched_count_work (fixture, &works[i]) == 0;
  g_assert_cmpuint (n_lost, <=, fixture->counts.n_dropped);
  g_assert_cmpuint (fixture->counts.n_dropped, >=, 1);
  g_assert_cmpuint (fixture->counts.n_missed, >=, JANK_BEAT_N_ENDED - 2);
  for (guint i = 0; i < fixture->ended->len; i++)
    {
      Said one = watched_get (fixture, fixture->ended, i);

      g_assert_cmpint (one.stall.began_ns, >, last_began_ns);
      g_assert_cmpint (one.duration_ns + one.stall.stopped_ns, >=, fast.threshold_ns);
      last_began_ns = one.stall.began_ns;
    }
}

/* The observed thread did not find long what the watcher has announced: it ends all the same. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, lost_end)
{
  Work work = { wait_until_told };
  Said one;

  telling = fixture;
  watched_start (fixture, &watched_rule, 3600 * JANK_NS_PER_S, WORKER_TASKS);
  watched_run (fixture, &work);
  one = watched_await_work (fixture, &work);
  g_assert_cmpint (one.duration_ns, >=, watched_rule.threshold_ns);
  watched_stop (fixture);
  g_assert_cmpuint (watched_count_work (fixture, &work), ==, 1);
}

static gint64 let_go_ns;

static gpointer
let_go_thread (gpointer data)
{
  Watched *fixture = data;
  JankBeat *beat = jank_loop_observer_get_beat (fixture->observer);

  AWAIT (atomic_load (&beat->closed_ns) != 0, g_usleep (1000));
  g_usleep (100000);
  let_go_ns = jank_clock_now_ns ();
  g_atomic_int_set (&fixture->is_held, 0);
  return NULL;
}

/* A busy period that ends with waiting for the watcher, which is at its first report until then. */
static gint64
begin_held (Watched *fixture, GThread **ret_thread)
{
  guint n_before;
  gint64 began_ns;

  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  /* By the machine. */
  n_before = watched_count (fixture, fixture->ongoing);
  g_atomic_int_set (&fixture->is_held, 1);
  began_ns = jank_clock_now_ns ();
  jank_beat_begin (jank_loop_observer_get_beat (fixture->observer));
  while (watched_count (fixture, fixture->ongoing) == n_before)
    g_usleep (1000);
  *ret_thread = g_thread_new ("let go", let_go_thread, fixture);
  return began_ns;
}

/* The program waits for us: that is in no report. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, stop_held)
{
  GThread *thread;
  Work stall = { .began_ns = begin_held (fixture, &thread) };
  guint n_ongoing = watched_count (fixture, fixture->ongoing);

  g_clear_pointer (&fixture->watcher, jank_watcher_free);
  g_thread_join (thread);
  watched_stop (fixture);
  g_assert_cmpuint (fixture->ongoing->len, ==, n_ongoing);
  g_assert_cmpuint (watched_count_work (fixture, &stall), ==, 0);
}

TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, exit_held)
{
  GThread *thread;
  gint64 began_ns = begin_held (fixture, &thread);
  Said one;

  jank_watcher_exit (fixture->watcher, AWAIT_NS);
  g_thread_join (thread);
  g_assert_cmpuint (fixture->ended->len, >, 0);
  one = watched_get (fixture, fixture->ended, fixture->ended->len - 1);
  g_assert_true (one.exiting);
  g_assert_cmpint (one.duration_ns, <, let_go_ns - began_ns);
}

static gint64 waits_since_ns;

static gpointer
exit_thread (gpointer data)
{
  Watched *fixture = data;

  g_usleep (1500000);
  waits_since_ns = jank_beat_word_ns (jank_beat_load (jank_loop_observer_get_beat (fixture->observer)));
  jank_watcher_exit (fixture->watcher, AWAIT_NS);
  g_main_context_wakeup (fixture->context);
  return NULL;
}

/* Parked, the watcher does not wake at all. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, idle)
{
  gint64 began_ns = jank_clock_now_ns ();
  GThread *thread;

  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  thread = g_thread_new ("exit", exit_thread, fixture);
  g_main_context_iteration (fixture->context, TRUE);
  g_thread_join (thread);
  /* Some 100 ms at a tick of 16, and the beginning and the end; before, each 10 ms if the machine kept the loop. */
  g_assert_cmpint (fixture->counts.n_wakeups, <=, 20 + (waits_since_ns - began_ns) / (10 * MS));
}

#define CALM_NS    (2 * JANK_NS_PER_S)
#define CALM_STALL (600 * MS)
#define CALM_BUSY  (600 * MS) /* before the stall: then half of each turn, */
#define CALM_TURN  (5 * MS)   /* this long, is computed */
#define CALM_CYCLE (15 * MS)

/* began_ns: when it is to be done */
static gboolean
turn_cb (gpointer data)
{
  Work *stall = data;
  gint64 left_ns = stall->began_ns - jank_clock_now_ns ();

  if (stall->took_ns != 0)
    return G_SOURCE_CONTINUE;
  if (left_ns <= 0)
    {
      stall->began_ns = jank_clock_now_ns ();
      watched_sleep (CALM_STALL);
      stall->took_ns = jank_clock_now_ns () - stall->began_ns;
    }
  else if (left_ns < CALM_BUSY)
    watched_compute (CALM_TURN);
  return G_SOURCE_CONTINUE;
}

/* Works for longer than it takes a timer to be late by. */
static gboolean
work_cb (gpointer data)
{
  gint64 *next_ns = data;

  watched_compute (CALM_TURN);
  *next_ns += CALM_CYCLE;
  g_source_set_ready_time (g_main_current_source (), *next_ns / JANK_NS_PER_US);
  return G_SOURCE_CONTINUE;
}

/* Returns: how many looks more were due to turns that the machine made long: those and the next ones are followed */
static gint64
turn_until (Watched *self, gint64 until_ns)
{
  JankBeat *beat = jank_loop_observer_get_beat (self->observer);
  gint64 busy_ns = jank_beat_read_live (beat).busy_ns, n_looks = 0;

  for (gint64 before_ns = busy_ns; jank_clock_now_ns () < until_ns; before_ns = busy_ns)
    {
      g_main_context_iteration (self->context, TRUE);
      busy_ns = jank_beat_read_live (beat).busy_ns;
      if (busy_ns - before_ns >= 10 * MS)
        n_looks += 10 + (busy_ns - before_ns) / (10 * MS);
    }
  return n_looks;
}

/* The next turn is under way when the watcher looks again, 16 ms after it found one that has begun: such a loop is
 * calm, too. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, in_step)
{
  GSource *source = g_timeout_source_new (0);
  gint64 next_ns = jank_clock_now_ns (), n_looks;

  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  g_source_set_callback (source, work_cb, &next_ns, NULL);
  g_source_attach (source, fixture->context);
  n_looks = turn_until (fixture, next_ns + CALM_NS);
  g_source_destroy (source);
  g_source_unref (source);
  jank_watcher_exit (fixture->watcher, AWAIT_NS);
  g_assert_cmpint (fixture->counts.n_wakeups, <=, 75 + n_looks);
}

/* While a loop turns all the time and is never late the watcher wakes every 64 ms, not every 16. When it is late
 * then, the watcher sees that, and does not count what the thread computed before. */
TEST_WITH (Watched, watched_set_up, watched_tear_down, fixture, calm)
{
  GSource *source = g_timeout_source_new (10);
  gint64 began_ns = jank_clock_now_ns (), delay_ns = watched_get_run_delay_ns (fixture), n_looks;
  Work stall = { .began_ns = began_ns + CALM_NS };
  Said one;

  watched_start (fixture, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  g_source_set_callback (source, turn_cb, &stall, NULL);
  g_source_attach (source, fixture->context);
  n_looks = turn_until (fixture, began_ns + CALM_NS + 2 * CALM_STALL);
  g_source_destroy (source);
  g_source_unref (source);
  one = watched_await_work (fixture, &stall);
  delay_ns = watched_get_run_delay_ns (fixture) - delay_ns;
  jank_watcher_exit (fixture->watcher, AWAIT_NS);

  g_test_message ("%u wake-ups, of them %u samples of the stall; %.1f ms computed", (guint) fixture->counts.n_wakeups,
                  (guint) one.stall.n_samples, one.stall.cpu_ns / 1e6);
  g_assert_cmpint (one.duration_ns + one.stall.stopped_ns, >=, CALM_STALL);
  /* 53 come after the latest first look, at 64 ms. A watcher that waits for a CPU, or was stopped, takes fewer. */
  g_assert_cmpint (one.stall.n_samples + (delay_ns + one.stall.stopped_ns) / (10 * MS), >=, 20);
  g_assert_cmpint (fixture->counts.n_wakeups, <=, 75 + n_looks);
  /* Known at the last look: not what all turns have computed. */
  g_assert_cmpint (one.stall.cpu_ns, <, CALM_BUSY / 4 + delay_ns);
}

#define ADD(path, data, func) WATCHED_ADD ("/watch/watcher/" path, data, func)

static void
add (void)
{
  static const Work long_compute = { watched_compute, 1100 * MS };
  static const Work long_sleep = { watched_sleep, 1100 * MS };
  static const Work sleep_over = { watched_sleep, 550 * MS };

  ADD ("stopped/computing", &long_compute, test_stopped);
  ADD ("stopped/sleeping", &long_sleep, test_stopped);
  /* The sleep is over before the stop is. */
  ADD ("stopped/sleep-over", &sleep_over, test_stopped);
}

TESTS_AND ("/watch/watcher", add, FALSE)
