/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Why a stall took so long: what its samples and its snapshot of threads say, against the truth. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processor.h"
#include "watched.h"

/* Of one stall, once the watcher has said all. */
static Said
stall (Watched *watched, StallFunc func, gint64 duration_ns)
{
  Work work = { func, duration_ns };
  Said said;

  watched_run (watched, &work);
  watched_await (watched, watched->ended, 1);
  said = watched_get (watched, watched->ended, 0);
  g_assert_cmpint (said.duration_ns + said.stall.stopped_ns, >=, work.took_ns);
  return said;
}

static void
assert_sum (const Said *said)
{
  gint64 sum_ns = 0;

  for (guint i = 0; i < JANK_N_STATES; i++)
    sum_ns += said->stall.state_ns[i];
  g_assert_cmpint (sum_ns, ==, said->duration_ns);
}

static guint
get_percent (const Said *said, JankThreadState state)
{
  return (guint) (said->stall.state_ns[state] * 100 / said->duration_ns);
}

static gint64 computed_ns; /* on a CPU: less than it took where the host of a virtual machine takes CPUs away */

static void
compute_and_count (gint64 duration_ns)
{
  gint64 began_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);

  watched_compute (duration_ns);
  computed_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

static void
test_computing (Watched *watched, gconstpointer data)
{
  Said said;

  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  said = stall (watched, compute_and_count, 400 * MS);
  assert_sum (&said);
  g_test_message ("%u %% computing, %u %% preempted; in truth %d ms of computing in %d ms",
                  get_percent (&said, JANK_STATE_COMPUTING), get_percent (&said, JANK_STATE_PREEMPTED),
                  (int) (computed_ns / MS), (int) (said.duration_ns / MS));
  g_assert_cmpint (said.stall.state_ns[JANK_STATE_COMPUTING] + said.stall.state_ns[JANK_STATE_PREEMPTED], >=,
                   MIN (computed_ns, said.duration_ns) * 8 / 10);
  g_assert_cmpuint (said.n_states[JANK_STATE_BLOCKED], <=, said.n_in_ring / 5);
  g_assert_cmpuint (said.n_waits[JANK_WAIT_SLEEP] + said.n_waits[JANK_WAIT_LOCK], ==, 0);
  /* By whoever was asked, for as long as it took. */
  g_assert_true (said.has_threads);
  g_assert_cmpuint (said.n_chain, ==, 0);
}

static void
test_sleeping (Watched *watched, gconstpointer data)
{
  Said said;

  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  said = stall (watched, watched_sleep, 400 * MS);
  assert_sum (&said);
  g_assert_cmpuint (get_percent (&said, JANK_STATE_BLOCKED), >=, 80);
  g_assert_cmpuint (said.n_states[JANK_STATE_COMPUTING], <=, 1);
  g_assert_cmpuint (said.n_waits[JANK_WAIT_SLEEP], >=, said.n_in_ring - 1);
  g_assert_cmpstr (said.detail, !=, "");
}

/* On the books of a busy machine: what the thread wanted to compute and could not. */
static void
test_preempted (Watched *watched, gconstpointer data)
{
  pid_t pids[6];
  Said said;

  for (guint i = 0; i < G_N_ELEMENTS (pids); i++)
    {
      pids[i] = fork ();
      if (pids[i] == 0)
        for (;;)
          PROCESSOR_PAUSE ();
    }
  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  said = stall (watched, watched_compute, 600 * MS);
  for (guint i = 0; i < G_N_ELEMENTS (pids); i++)
    {
      kill (pids[i], SIGKILL);
      g_assert_cmpint (waitpid (pids[i], NULL, 0), ==, pids[i]);
    }
  assert_sum (&said);
  g_test_message ("%u %% computing, %u %% preempted, the watcher %" G_GINT64_FORMAT " ms late",
                  get_percent (&said, JANK_STATE_COMPUTING), get_percent (&said, JANK_STATE_PREEMPTED),
                  said.stall.watcher_late_ns / MS);
  g_assert_cmpuint (get_percent (&said, JANK_STATE_PREEMPTED), >=, 25);
  g_assert_cmpuint (get_percent (&said, JANK_STATE_BLOCKED), <=, 20);
  g_assert_cmpint (said.stall.watcher_late_ns, >, 0);
}

/* In system calls most of the time, on a CPU for a part of it: no more is called computing. */
static void
write_and_sync (gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;
  g_autofree char *block = g_malloc0 (1 << 20);
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("jank-sync-XXXXXX", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  while (jank_clock_now_ns () < until_ns)
    {
      g_assert_cmpint (pwrite (fd, block, 1 << 20, 0), ==, 1 << 20);
      g_assert_cmpint (fsync (fd), ==, 0);
    }
  close (fd);
  unlink (path);
}

static void
test_sync (Watched *watched, gconstpointer data)
{
  struct timespec before, after;
  gint64 cpu_ns;
  Said said;

  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &before);
  said = stall (watched, write_and_sync, 500 * MS);
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &after);
  cpu_ns = (after.tv_sec - before.tv_sec) * JANK_NS_PER_S + after.tv_nsec - before.tv_nsec;
  assert_sum (&said);
  g_test_message ("%u %% computing, %u %% blocked, %u samples of it blocked", get_percent (&said, JANK_STATE_COMPUTING),
                  get_percent (&said, JANK_STATE_BLOCKED), said.n_states[JANK_STATE_BLOCKED]);
  g_assert_cmpint (said.stall.state_ns[JANK_STATE_COMPUTING], <=, cpu_ns);
}

static pthread_mutex_t mutexes[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

typedef struct
{
  guint    holds;
  gint     wants;  /* -1: nothing, it sleeps meanwhile */
  guint    sleeps_ms;
  gint     is_held; /* (atomic) */
  GThread *thread;
} Holder;

static gpointer
holder_thread (gpointer data)
{
  Holder *self = data;

  pthread_mutex_lock (&mutexes[self->holds]);
  g_atomic_int_set (&self->is_held, 1);
  if (self->wants >= 0)
    {
      pthread_mutex_lock (&mutexes[self->wants]);
      pthread_mutex_unlock (&mutexes[self->wants]);
    }
  else
    g_usleep (self->sleeps_ms * 1000);
  pthread_mutex_unlock (&mutexes[self->holds]);
  return NULL;
}

static void
hold (Holder *self)
{
  self->thread = g_thread_new ("holder", holder_thread, self);
  while (!g_atomic_int_get (&self->is_held))
    g_usleep (100);
}

static void
lock_first (gint64 duration_ns)
{
  pthread_mutex_lock (&mutexes[0]);
  pthread_mutex_unlock (&mutexes[0]);
}

/* The owner of the lock, and whom that one waits for. */
static void
test_lock (Watched *watched, gconstpointer data)
{
  Holder last = { .holds = 1, .wants = -1, .sleeps_ms = 500 }, first = { .holds = 0, .wants = 1 };
  Said said;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer stands between a thread and its lock");
      return;
    }
  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  hold (&last);
  hold (&first);
  said = stall (watched, lock_first, 0);
  g_thread_join (first.thread);
  g_thread_join (last.thread);
  g_test_message ("%s", said.detail);
  g_assert_cmpuint (get_percent (&said, JANK_STATE_BLOCKED), >=, 80);
  g_assert_cmpuint (said.n_waits[JANK_WAIT_LOCK], >=, said.n_in_ring - 1);
  g_assert_cmpint (said.owner, >, 0);
  g_assert_cmpuint (said.n_chain, ==, 3);
  g_assert_false (said.cycle);
}

/* The first is held; wants the second, and gives up at last, so that the test ends. */
static void
lock_in_a_circle (gint64 duration_ns)
{
  struct timespec until;

  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  g_assert_cmpint (pthread_mutex_timedlock (&mutexes[1], &until), ==, ETIMEDOUT);
  pthread_mutex_unlock (&mutexes[0]);
}

/* What never ends is told while it lasts. */
static void
test_deadlock (Watched *watched, gconstpointer data)
{
  guint n_others = GPOINTER_TO_UINT (data);
  Holder others[2] = { { .holds = 1, .wants = n_others == 1 ? 0 : 2 }, { .holds = 2, .wants = 0 } };
  Work work = { lock_in_a_circle };
  Said said;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer stands between a thread and its lock");
      return;
    }
  watched_start (watched, &watched_rule, watched_rule.threshold_ns, WORKER_TASKS);
  pthread_mutex_lock (&mutexes[0]);
  for (guint i = n_others; i > 0; i--)
    hold (&others[i - 1]);
  watched_run (watched, &work);
  watched_await (watched, watched->ended, 1);
  for (guint i = 0; i < n_others; i++)
    g_thread_join (others[i].thread);
  g_assert_cmpuint (watched_count (watched, watched->ongoing), >=, 1);
  said = watched_get (watched, watched->ongoing, 0);
  g_assert_true (said.has_threads);
  g_assert_true (said.cycle);
  g_assert_cmpuint (said.n_chain, ==, n_others + 2);
}

/* Too short for a stall, but with a stack: told for late frames. */
static void
test_brief (Watched *watched, gconstpointer data)
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
      g_assert_cmpint (said.duration_ns, <, watched_rule.threshold_ns + 20 * MS);
      g_assert_cmpint (ABS (said.weights_ns - said.duration_ns), <=, MS);
    }
}

static void
test_paused (Watched *watched, gconstpointer data)
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
static void
test_paused_in_stall (Watched *watched, gconstpointer data)
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
  g_assert_cmpint (said.duration_ns, <, 750 * MS);
}

static void
test_rule (Watched *watched, gconstpointer data)
{
  JankRule rule = watched_rule;
  Work work = { watched_sleep, 60 * MS };

  watched_start (watched, &rule, rule.threshold_ns, WORKER_TASKS);
  rule.threshold_ns = 30 * MS;
  jank_watcher_set_rule (watched->watcher, &rule);
  g_usleep (20000);
  watched_run (watched, &work);
  watched_await (watched, watched->ended, 1);
  g_assert_cmpint (watched_get (watched, watched->ended, 0).stall.threshold_ns, ==, 30 * MS);
}

#define ADD(path, data, func) WATCHED_ADD ("/watch/reasons/" path, data, func)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("computing", NULL, test_computing);
  ADD ("sleeping", NULL, test_sleeping);
  ADD ("preempted", NULL, test_preempted);
  ADD ("sync", NULL, test_sync);
  ADD ("lock", NULL, test_lock);
  ADD ("deadlock/two", GUINT_TO_POINTER (1), test_deadlock);
  ADD ("deadlock/three", GUINT_TO_POINTER (2), test_deadlock);
  ADD ("brief", NULL, test_brief);
  ADD ("paused", NULL, test_paused);
  ADD ("paused/in-stall", NULL, test_paused_in_stall);
  ADD ("rule", NULL, test_rule);
  return g_test_run ();
}
