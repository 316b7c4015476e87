/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "observe/jank-loop-observer-private.h"
#include "sample/jank-watcher-private.h"
#include "worker.h"

#define MS JANK_NS_PER_MS

/* A busy machine may keep the watcher from its work; once in so many tries it does not. */
#define N_TRIES 5

#define AWAIT_NS (30 * JANK_NS_PER_S)

/* What the watcher said of one stall when it ended. */
typedef struct
{
  JankStall stall;          /* ring and tree are gone */
  gint64    duration_ns;
  gint64    weights_ns;     /* of the samples in the ring */
  gint64    tree_ns;        /* of the call tree's root */
  guint     n_in_ring;
  guint     n_with_culprit; /* in the ring, with a function of `culprits` on their stack */
  guint     n_blocked;
  gboolean  exiting;
} Ended;

typedef struct
{
  GMainContext     *context;  /* (owned) */
  JankLoopObserver *observer; /* (owned) */
  JankWatcher      *watcher;  /* (owned) (nullable) */

  /* the watcher's words, under mutex */
  pthread_mutex_t   mutex;    /* not GLib's, which no thread sanitizer sees */
  GArray           *ended;    /* (owned) of Ended */
  guint             n_started, n_ongoing, n_exiting;
  GPtrArray        *failures; /* (owned) of char */
  JankWatcherCounts counts;
  gint64            ongoing_at_ns;

  gint              is_held;  /* (atomic): the watcher stays in ongoing() until this is cleared */
} Fixture;

extern void watcher_compute (gint64 duration_ns);
extern void watcher_sleep   (gint64 duration_ns);

static _Atomic guint sink;

G_GNUC_NO_INLINE void
watcher_compute (gint64 duration_ns)
{
  gint64 until_ns = jank_clock_now_ns () + duration_ns;

  while (jank_clock_now_ns () < until_ns)
    sink++;
  sink++;
}

G_GNUC_NO_INLINE void
watcher_sleep (gint64 duration_ns)
{
  usleep ((useconds_t) (duration_ns / 1000));
  sink++;
}

static gboolean
has_culprit (const JankStack *stack)
{
  for (guint i = 0; stack != NULL && i < stack->n_frames; i++)
    if (stack->frames[i].function == (guintptr) watcher_compute || stack->frames[i].function == (guintptr) watcher_sleep)
      return TRUE;
  return FALSE;
}

static void
started (const JankWatcherCounts *counts, gpointer data)
{
  Fixture *fixture = data;

  pthread_mutex_lock (&fixture->mutex);
  fixture->n_started++;
  pthread_mutex_unlock (&fixture->mutex);
}

static void
ongoing (const JankStall *stall, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  Fixture *fixture = data;

  g_assert_nonnull (map);
  g_assert_cmpint (stall->ended_ns, ==, 0);
  pthread_mutex_lock (&fixture->mutex);
  if (fixture->n_ongoing++ == 0)
    fixture->ongoing_at_ns = jank_clock_now_ns ();
  pthread_mutex_unlock (&fixture->mutex);
  while (g_atomic_int_get (&fixture->is_held))
    g_usleep (1000);
}

static void
ended (const JankStall *stall, gboolean exiting, JankCodeMap *map, const JankWatcherCounts *counts, gpointer data)
{
  Fixture *fixture = data;
  Ended one = { .stall = *stall, .exiting = exiting };
  guint n_nodes;

  g_assert_nonnull (map);
  one.duration_ns = jank_stall_duration_ns (stall, stall->ended_ns);
  one.tree_ns = jank_call_tree_get_nodes (stall->tree, &n_nodes)->total_ns;
  one.n_in_ring = jank_sample_ring_get_size (stall->ring);
  for (guint i = 0; i < one.n_in_ring; i++)
    {
      const JankSample *sample = jank_sample_ring_get (stall->ring, i);

      one.weights_ns += sample->weight_ns;
      one.n_with_culprit += has_culprit (sample->stack);
      one.n_blocked += sample->stack != NULL && sample->method == JANK_SAMPLE_BLOCKED;
    }
  pthread_mutex_lock (&fixture->mutex);
  g_array_append_val (fixture->ended, one);
  fixture->counts = *counts;
  pthread_mutex_unlock (&fixture->mutex);
}

static void
failed (const GError *error, gpointer data)
{
  Fixture *fixture = data;

  g_assert_true (error->domain == JANK_ERROR);
  pthread_mutex_lock (&fixture->mutex);
  g_ptr_array_add (fixture->failures, g_strdup (error->message));
  pthread_mutex_unlock (&fixture->mutex);
}

static void
exiting (const JankWatcherCounts *counts, gpointer data)
{
  Fixture *fixture = data;

  pthread_mutex_lock (&fixture->mutex);
  fixture->n_exiting++;
  fixture->counts = *counts;
  pthread_mutex_unlock (&fixture->mutex);
}

static const JankWatcherFuncs funcs = { started, ongoing, ended, failed, exiting };

static const JankStallRule rule = {
  .threshold_ns = 100 * MS, .first_sample_ns = 16 * MS, .interval_ns = 10 * MS, .park_ns = 100 * MS,
};

static void
thread_cb (gpointer data)
{
  Fixture *fixture = data;
  JankThreadInfo info;

  jank_thread_describe_self (&info);
  jank_watcher_set_thread (fixture->watcher, &info);
}

/* report_ns: what the observed thread takes for a stall. */
static void
start (Fixture *fixture, const JankStallRule *with_rule, gint64 report_ns, const char *task_folder)
{
  g_autoptr (GError) error = NULL;

  fixture->context = g_main_context_new ();
  fixture->observer = jank_loop_observer_new (report_ns, 0, thread_cb, fixture);
  fixture->watcher = jank_watcher_new (jank_loop_observer_get_beat (fixture->observer), with_rule, 0, task_folder,
                                       &funcs, fixture, &error);
  g_assert_no_error (error);
  jank_loop_observer_attach (fixture->observer, fixture->context);
  g_main_context_iteration (fixture->context, FALSE);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  pthread_mutex_init (&fixture->mutex, NULL);
  fixture->ended = g_array_new (FALSE, TRUE, sizeof (Ended));
  fixture->failures = g_ptr_array_new_with_free_func (g_free);
}

static void
stop (Fixture *fixture)
{
  g_atomic_int_set (&fixture->is_held, 0);
  g_clear_pointer (&fixture->watcher, jank_watcher_free);
  g_clear_pointer (&fixture->observer, jank_loop_observer_free);
  g_clear_pointer (&fixture->context, g_main_context_unref);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  stop (fixture);
  g_array_unref (fixture->ended);
  g_ptr_array_unref (fixture->failures);
  pthread_mutex_destroy (&fixture->mutex);
}

static guint
count_ended (Fixture *fixture)
{
  guint n;

  pthread_mutex_lock (&fixture->mutex);
  n = fixture->ended->len;
  pthread_mutex_unlock (&fixture->mutex);
  return n;
}

static void
await_ended (Fixture *fixture, guint n)
{
  gint64 until_ns = jank_clock_now_ns () + AWAIT_NS;

  while (count_ended (fixture) < n)
    {
      g_assert_cmpint (jank_clock_now_ns (), <, until_ns);
      g_usleep (1000);
    }
}

typedef void (*StallFunc) (gint64 duration_ns);

typedef struct
{
  StallFunc func;
  gint64    duration_ns;
  gint64    took_ns; /* the truth */
} Work;

static gboolean
work_cb (gpointer data)
{
  Work *work = data;
  gint64 began_ns = jank_clock_now_ns ();

  work->func (work->duration_ns);
  work->took_ns = jank_clock_now_ns () - began_ns;
  return G_SOURCE_REMOVE;
}

/* The loop turns once to work, and back to waiting. */
static void
run_work (Fixture *fixture, Work *work)
{
  GSource *source = g_idle_source_new ();

  g_source_set_callback (source, work_cb, work, NULL);
  g_source_attach (source, fixture->context);
  g_source_unref (source);
  g_main_context_iteration (fixture->context, TRUE);
  g_main_context_iteration (fixture->context, FALSE);
}

/* Runs work until a try is as precise as it is meant to be; what holds in every try is asserted. */
static const Ended *
stall_precisely (Fixture *fixture, const Work *wanted)
{
  const Ended *one = NULL;

  for (guint i = 0; i < N_TRIES; i++)
    {
      Work work = *wanted;

      run_work (fixture, &work);
      await_ended (fixture, i + 1);
      one = &g_array_index (fixture->ended, Ended, i);
      g_assert_cmpint (one->duration_ns + one->stall.stopped_ns, >=, work.took_ns);
      /* No time is without a sample, none is counted twice. */
      if (one->n_in_ring > 0)
        {
          g_assert_cmpint (ABS (one->weights_ns - one->duration_ns), <=, MS);
          g_assert_cmpint (one->tree_ns, ==, one->weights_ns);
        }
      if (one->duration_ns - work.took_ns <= MS && one->stall.stopped_ns == 0 && one->stall.n_samples >= 10 &&
          one->stall.n_lost == 0)
        return one;
    }
  g_error ("no stall in %d was measured to the millisecond with 10 samples", N_TRIES);
}

static void
test_stall (Fixture *fixture, gconstpointer data)
{
  const Work *work = data;
  gboolean sleeps = work->func == watcher_sleep;
  const Ended *one;

  if (HAS_TSAN && !sleeps)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  one = stall_precisely (fixture, work);

  g_assert_cmpuint (one->n_in_ring, >=, 10);
  g_assert_cmpuint (one->n_in_ring, <=, JANK_SAMPLE_RING_SIZE);
  g_assert_cmpuint (one->n_with_culprit, >=, one->n_in_ring - 1);
  if (sleeps)
    {
      g_assert_cmpuint (one->n_blocked, ==, one->n_in_ring);
      g_assert_cmpuint (one->stall.n_signals, ==, 0);
      g_assert_cmpint (one->stall.cpu_ns, <, one->duration_ns / 4);
    }
  else
    {
      g_assert_cmpuint (one->n_blocked, <=, 1);
      g_assert_cmpuint (one->stall.n_signals, >=, one->stall.n_samples / 2);
      g_assert_cmpint (one->stall.cpu_ns, >, one->duration_ns / 10);
    }
  g_assert_cmpint (one->stall.cpu_ns, <=, one->duration_ns);
  g_assert_cmpint (one->stall.threshold_ns, ==, rule.threshold_ns);
  g_assert_cmpuint (fixture->n_started, ==, 1);
  g_assert_cmpuint (fixture->n_ongoing, >, 0);
  g_assert_cmpuint (fixture->failures->len, ==, 0);
}

static void
test_short (Fixture *fixture, gconstpointer data)
{
  Work work = { watcher_compute, 20 * MS };
  guint n_long = 0;

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < 20; i++)
    {
      run_work (fixture, &work);
      /* By the machine, not by the work. */
      n_long += work.took_ns >= rule.threshold_ns - 10 * MS;
    }
  g_usleep (50000);
  stop (fixture);
  g_assert_cmpuint (fixture->ended->len, <=, n_long);
  g_assert_cmpuint (fixture->n_ongoing, <=, n_long);
}

/* The report of a stall that still lasts comes at the threshold, and at Fibonacci multiples of it. */
static void
test_ongoing (Fixture *fixture, gconstpointer data)
{
  Work work = { watcher_sleep, 850 * MS };
  gint64 began_ns = jank_clock_now_ns ();

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  run_work (fixture, &work);
  await_ended (fixture, 1);
  stop (fixture);
  g_assert_cmpint (fixture->ongoing_at_ns, >=, began_ns + rule.threshold_ns);
  /* 100, 200, 300, 500, 800 ms; a busy machine may miss some. */
  g_assert_cmpuint (fixture->n_ongoing, >=, 2);
  g_assert_cmpuint (fixture->n_ongoing, <=, 5);
  g_assert_cmpuint (fixture->ended->len, ==, 1);
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

/* The time in which nothing ran is not the program's fault. */
static void
test_stopped (Fixture *fixture, gconstpointer data)
{
  const Work *wanted = data;
  gint64 best_ns = G_MAXINT64;

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < N_TRIES && best_ns > 50 * MS; i++)
    {
      Work work = *wanted;
      const Ended *one;
      pid_t stopper = fork_stopper (200, 1000);

      run_work (fixture, &work);
      g_assert_cmpint (waitpid (stopper, NULL, 0), ==, stopper);
      await_ended (fixture, i + 1);
      one = &g_array_index (fixture->ended, Ended, i);

      g_assert_cmpint (one->stall.traced_ns, ==, 0);
      g_assert_cmpint (one->duration_ns + one->stall.stopped_ns, >=, work.took_ns);
      if (one->n_in_ring > 0)
        g_assert_cmpint (ABS (one->weights_ns - one->duration_ns), <=, MS);
      best_ns = MIN (best_ns, ABS (one->stall.stopped_ns - 1000 * MS));
    }
  g_test_message ("%" G_GINT64_FORMAT " ms off", best_ns / MS);
  g_assert_cmpint (best_ns, <=, 50 * MS);
}

/* More stalls than the ring of ended ones holds, while the watcher cannot look: each is reported or counted. */
static void
test_starved (Fixture *fixture, gconstpointer data)
{
  static const JankStallRule fast = {
    .threshold_ns = 20 * MS, .first_sample_ns = 5 * MS, .interval_ns = 5 * MS, .park_ns = 100 * MS,
  };
  const guint n_stalls = JANK_BEAT_N_ENDED + 8;
  Work work = { watcher_sleep, 40 * MS };
  gint64 last_began_ns = 0;

  g_atomic_int_set (&fixture->is_held, 1);
  start (fixture, &fast, fast.threshold_ns, WORKER_TASKS);
  for (guint i = 0; i < n_stalls; i++)
    run_work (fixture, &work);
  g_atomic_int_set (&fixture->is_held, 0);
  await_ended (fixture, JANK_BEAT_N_ENDED);
  run_work (fixture, &work);
  await_ended (fixture, JANK_BEAT_N_ENDED + 1);
  stop (fixture);

  g_assert_cmpuint (fixture->ended->len + fixture->counts.n_dropped, ==, n_stalls + 1);
  g_assert_cmpuint (fixture->counts.n_dropped, >=, 1);
  g_assert_cmpuint (fixture->counts.n_missed, >=, JANK_BEAT_N_ENDED - 2);
  for (guint i = 0; i < fixture->ended->len; i++)
    {
      const Ended *one = &g_array_index (fixture->ended, Ended, i);

      g_assert_cmpint (one->stall.began_ns, >, last_began_ns);
      g_assert_cmpint (one->duration_ns + one->stall.stopped_ns, >=, work.duration_ns);
      last_began_ns = one->stall.began_ns;
    }
}

/* The observed thread did not find long what the watcher has announced: it ends all the same. */
static void
test_lost_end (Fixture *fixture, gconstpointer data)
{
  Work work = { watcher_sleep, 300 * MS };
  const Ended *one;

  start (fixture, &rule, 3600 * JANK_NS_PER_S, WORKER_TASKS);
  run_work (fixture, &work);
  await_ended (fixture, 1);
  one = &g_array_index (fixture->ended, Ended, 0);
  g_assert_cmpint (one->duration_ns, >=, rule.threshold_ns);
  stop (fixture);
  g_assert_cmpuint (fixture->ended->len, ==, 1);
}

static void
test_stop_in_stall (Fixture *fixture, gconstpointer data)
{
  JankBeat *beat;

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  beat = jank_loop_observer_get_beat (fixture->observer);
  jank_beat_begin (beat);
  g_usleep (200000);
  stop (fixture);
  g_assert_cmpuint (fixture->ended->len, ==, 0);
  g_assert_cmpuint (fixture->n_exiting, ==, 0);
}

static void
test_exit (Fixture *fixture, gconstpointer data)
{
  const Ended *one;
  JankBeat *beat;

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  beat = jank_loop_observer_get_beat (fixture->observer);
  jank_beat_begin (beat);
  g_usleep (400000);
  jank_watcher_exit (fixture->watcher, AWAIT_NS);

  g_assert_cmpuint (fixture->n_exiting, ==, 1);
  g_assert_cmpuint (fixture->ended->len, ==, 1);
  one = &g_array_index (fixture->ended, Ended, 0);
  g_assert_true (one->exiting);
  g_assert_cmpint (one->duration_ns + one->stall.stopped_ns, >=, 400 * MS);
}

static gpointer
exit_thread (gpointer data)
{
  Fixture *fixture = data;

  g_usleep (1500000);
  jank_watcher_exit (fixture->watcher, AWAIT_NS);
  g_main_context_wakeup (fixture->context);
  return NULL;
}

/* Parked, the watcher does not wake at all. */
static void
test_idle (Fixture *fixture, gconstpointer data)
{
  GThread *thread;

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  thread = g_thread_new ("exit", exit_thread, fixture);
  g_main_context_iteration (fixture->context, TRUE);
  g_thread_join (thread);
  g_assert_cmpuint (fixture->ended->len, ==, 0);
  /* Some 100 ms at a tick of 16, and the beginning and the end. */
  g_assert_cmpuint (fixture->counts.n_wakeups, <=, 20);
}

/* Where the kernel does not tell computing from waiting, stalls are timed and nothing is signalled. */
static void
test_no_syscall_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *tasks = g_dir_make_tmp ("jank-tasks-XXXXXX", &error);
  Work work = { watcher_compute, 300 * MS };
  const Ended *one;

  g_assert_no_error (error);
  start (fixture, &rule, rule.threshold_ns, tasks);
  run_work (fixture, &work);
  await_ended (fixture, 1);
  stop (fixture);
  one = &g_array_index (fixture->ended, Ended, 0);
  g_assert_cmpint (one->duration_ns + one->stall.stopped_ns, >=, work.took_ns);
  g_assert_cmpuint (one->stall.n_samples, ==, 0);
  g_assert_cmpuint (one->stall.n_signals, ==, 0);
  g_assert_cmpuint (fixture->failures->len, ==, 1);
  g_assert_nonnull (strstr (fixture->failures->pdata[0], tasks));
  g_rmdir (tasks);
}

/* A program that blocks our signal for all of a stall. */
static void
masked_compute (gint64 duration_ns)
{
  sigset_t all, old;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  watcher_compute (duration_ns);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}

static void
test_masked (Fixture *fixture, gconstpointer data)
{
  Work work = { masked_compute, 300 * MS };
  const Ended *one;

  start (fixture, &rule, rule.threshold_ns, WORKER_TASKS);
  run_work (fixture, &work);
  await_ended (fixture, 1);
  stop (fixture);
  one = &g_array_index (fixture->ended, Ended, 0);
  g_assert_cmpuint (one->stall.n_lost, >, 0);
  g_assert_cmpuint (fixture->counts.signals.n_no_answer, ==, 1);
  g_assert_cmpint (ABS (one->weights_ns - one->duration_ns), <=, MS);
}

#define ADD(path, data, func) g_test_add ("/sample/watcher/" path, Fixture, data, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  static const Work compute = { watcher_compute, 300 * MS };
  static const Work sleeping = { watcher_sleep, 300 * MS };
  static const Work long_compute = { watcher_compute, 1600 * MS };
  static const Work long_sleep = { watcher_sleep, 1600 * MS };
  static const Work sleep_over = { watcher_sleep, 400 * MS };

  g_test_init (&argc, &argv, NULL);
  ADD ("stall/computing", &compute, test_stall);
  ADD ("stall/sleeping", &sleeping, test_stall);
  ADD ("stall/masked", NULL, test_masked);
  ADD ("stall/short", NULL, test_short);
  ADD ("stall/ongoing", NULL, test_ongoing);
  ADD ("stopped/computing", &long_compute, test_stopped);
  ADD ("stopped/sleeping", &long_sleep, test_stopped);
  /* The sleep is over before the stop is. */
  ADD ("stopped/sleep-over", &sleep_over, test_stopped);
  ADD ("starved", NULL, test_starved);
  ADD ("lost-end", NULL, test_lost_end);
  ADD ("stop", NULL, test_stop_in_stall);
  ADD ("exit", NULL, test_exit);
  ADD ("idle", NULL, test_idle);
  ADD ("no-syscall-file", NULL, test_no_syscall_file);
  return g_test_run ();
}
