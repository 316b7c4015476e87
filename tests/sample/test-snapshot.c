/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "sample/jank-thread-snapshot-private.h"
#include "processor.h"
#include "test.h"
#include "worker.h"

#define MS JANK_NS_PER_MS
#define US JANK_NS_PER_US

/* Threads of all sorts, until stopped. */
typedef struct
{
  gint    stopped, n_running; /* (atomic) */
  GMutex  mutex;
  GCond   cond;
} Crowd;

/* A thread of the crowd, and what it does until all are stopped. */
#define CROWD(name, ...)                            \
  static gpointer name##_thread (gpointer data)     \
  {                                                 \
    Crowd *crowd = data;                            \
                                                    \
    prctl (PR_SET_NAME, "crowd-" #name "s");        \
    g_atomic_int_inc (&crowd->n_running);           \
    while (!g_atomic_int_get (&crowd->stopped))     \
      {                                             \
        __VA_ARGS__;                                \
      }                                             \
    return NULL;                                    \
  }

CROWD (wait, g_mutex_lock (&crowd->mutex); if (!g_atomic_int_get (&crowd->stopped))
       g_cond_wait (&crowd->cond, &crowd->mutex); g_mutex_unlock (&crowd->mutex))
CROWD (sleep, g_usleep (20000))
CROWD (compute, PROCESSOR_PAUSE (); jank_clock_now_ns ())

static GPtrArray *
crowd_new (Crowd *crowd, GThreadFunc func, guint n)
{
  GPtrArray *threads = g_ptr_array_new ();

  g_mutex_init (&crowd->mutex);
  g_cond_init (&crowd->cond);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (threads, g_thread_new ("crowd", func, crowd));
  while (g_atomic_int_get (&crowd->n_running) < (gint) n)
    g_usleep (1000);
  return threads;
}

static void
crowd_free (Crowd *crowd, GPtrArray *threads)
{
  g_mutex_lock (&crowd->mutex);
  g_atomic_int_set (&crowd->stopped, 1);
  g_cond_broadcast (&crowd->cond);
  g_mutex_unlock (&crowd->mutex);
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
  g_ptr_array_unref (threads);
  g_mutex_clear (&crowd->mutex);
  g_cond_clear (&crowd->cond);
}

static JankSampler *
new_sampler (Worker *worker)
{
  JankSampler *sampler = jank_sampler_new (0);

  g_assert_true (jank_sampler_set_thread (sampler, worker_get_info (worker), WORKER_TASKS, NULL));
  return sampler;
}

static JankThreadSnapshot *
take (JankSampler *sampler)
{
  return jank_snapshot_take (sampler, WORKER_TASKS, (pid_t) syscall (SYS_gettid), JANK_SNAPSHOT_MAX_THREADS);
}

static const JankSnapshotThread *
get (const JankThreadSnapshot *snapshot, guint i)
{
  return &g_array_index (snapshot->threads, JankSnapshotThread, i);
}

static guint
count_stacks (const JankThreadSnapshot *snapshot, const char *name, gboolean only_whole)
{
  guint n = 0;

  for (guint i = 0; i < snapshot->threads->len; i++)
    if (strcmp (get (snapshot, i)->task.name, name) == 0)
      n += get (snapshot, i)->sample.stack != NULL && (!only_whole || get (snapshot, i)->sample.stack->complete);
  return n;
}

static guint
count_asleep (const char *name)
{
  g_autoptr (GArray) tasks = jank_task_list (WORKER_TASKS, 1000, 0, NULL);
  guint n = 0;

  for (guint i = 0; i < tasks->len; i++)
    n += g_array_index (tasks, JankTask, i).state == 'S' && strcmp (g_array_index (tasks, JankTask, i).name, name) == 0;
  return n;
}

/* 32 threads that wait: nothing is taken from any, and little from the watcher. */
TEST (blocked)
{
  g_autoptr (Worker) worker = worker_new (worker_sleep, NULL);
  g_autoptr (JankSampler) sampler = new_sampler (worker);
  Crowd crowd = { 0 };
  GPtrArray *threads = crowd_new (&crowd, wait_thread, 32);
  gint64 best_ns = G_MAXINT64;
  guint n_cut = 0;

  AWAIT (count_asleep ("crowd-waits") == 32, g_usleep (1000));
  for (guint i = 0; i < 10; i++)
    {
      gint64 began_ns = jank_clock_now_ns ();
      g_autoptr (JankThreadSnapshot) snapshot = take (sampler);

      /* It ends after 50 ms, whatever is left to read: on a busy machine, with a sanitizer, that is most. */
      if (jank_clock_now_ns () - began_ns >= 50 * MS)
        {
          n_cut++;
          continue;
        }
      g_assert_cmpuint (snapshot->threads->len, >=, 33);
      g_assert_true (get (snapshot, 0)->observed);
      g_assert_cmpint (get (snapshot, 0)->task.tid, ==, worker_get_info (worker)->tid);
      g_assert_cmpuint (count_stacks (snapshot, "crowd-waits", TRUE), >=, 30);
      for (guint j = 0; j < snapshot->threads->len; j++)
        {
          g_assert_cmpint (get (snapshot, j)->task.tid, !=, syscall (SYS_gettid));
          if (strcmp (get (snapshot, j)->task.name, "crowd-waits") != 0)
            continue;
          g_assert_cmpint (get (snapshot, j)->sample.method, ==, JANK_SAMPLE_BLOCKED);
          g_assert_cmpint (get (snapshot, j)->sample.handler_ns, ==, 0);
          g_assert_cmpint (get (snapshot, j)->sample.state, ==, JANK_STATE_BLOCKED);
          g_assert_nonnull (get (snapshot, j)->sample.wait);
          g_assert_cmpint (get (snapshot, j)->sample.wait->kind, ==, JANK_WAIT_LOCK);
        }
      best_ns = MIN (best_ns, snapshot->cost_ns);
    }
  crowd_free (&crowd, threads);
  g_test_message ("32 threads: %.2f ms, %u of 10 cut short", (double) best_ns / MS, n_cut);
  g_assert_cmpuint (n_cut, <, HAS_TSAN ? 11 : 10);
}

/* Threads that run are asked. */
TEST (running)
{
  g_autoptr (Worker) worker = worker_new (worker_sleep, NULL);
  g_autoptr (JankSampler) sampler = new_sampler (worker);
  Crowd crowd = { 0 };
  GPtrArray *threads;
  guint n_complete = 0, n_taken = 0;

  if (HAS_TSAN)
    {
      g_test_skip ("a thread sanitizer delivers signals late");
      return;
    }
  threads = crowd_new (&crowd, compute_thread, 2);
  for (gint64 until_ns = jank_clock_now_ns () + 60 * JANK_NS_PER_S; n_taken < 20 && jank_clock_now_ns () < until_ns; )
    {
      g_autoptr (JankThreadSnapshot) snapshot = take (sampler);

      n_complete += count_stacks (snapshot, "crowd-computes", TRUE);
      for (guint j = 0; j < snapshot->threads->len; j++)
        n_taken += get (snapshot, j)->sample.handler_ns != 0;
    }
  crowd_free (&crowd, threads);
  g_assert_cmpuint (n_taken, >=, 20);
  g_assert_cmpuint (n_complete, >=, n_taken * 9 / 10);
}

static gpointer
filtered_thread (gpointer data)
{
  /* All that it does is allowed, but nobody else knows that. */
  struct sock_filter allow = BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { 1, &allow };

  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    g_error ("no seccomp: %s", g_strerror (errno));
  return compute_thread (data);
}

/* One that may not make the calls that its answer needs is not asked. */
TEST (filtered)
{
  g_autoptr (Worker) worker = worker_new (worker_sleep, NULL);
  g_autoptr (JankSampler) sampler = new_sampler (worker);
  Crowd crowd = { 0 };
  GPtrArray *threads = crowd_new (&crowd, filtered_thread, 1);

  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (JankThreadSnapshot) snapshot = take (sampler);

      g_assert_cmpuint (count_stacks (snapshot, "crowd-computes", FALSE), ==, 0);
    }
  g_assert_cmpuint (jank_signal_sampler_get_counts (jank_sampler_get_signals (sampler))->n_sent, ==, 0);
  crowd_free (&crowd, threads);
}

static const JankSnapshotThread *
find (const JankThreadSnapshot *snapshot, pid_t tid)
{
  for (guint i = 0; i < snapshot->threads->len; i++)
    if (get (snapshot, i)->task.tid == tid)
      return get (snapshot, i);
  g_assert_not_reached ();
}

/* What a thread has computed is not forgotten with the thread; but it is nobody to look at any more. */
TEST (gone)
{
  Worker *busy = worker_new (worker_compute, NULL);
  g_autoptr (Worker) idle = worker_new (worker_sleep, NULL);
  g_autoptr (JankSampler) sampler = new_sampler (idle);
  g_autoptr (JankThreadSnapshot) snapshot = take (sampler);
  const JankSnapshotThread *thread = find (snapshot, worker_get_info (busy)->tid);
  gint64 computed_ns;

  AWAIT (thread->stall_cpu_ns > 20 * MS, jank_thread_snapshot_update (snapshot, jank_clock_now_ns ()));
  g_assert_true (jank_thread_snapshot_get_busiest (snapshot) == thread);
  computed_ns = thread->stall_cpu_ns;

  worker_free (busy);
  AWAIT (thread->is_gone, jank_thread_snapshot_update (snapshot, jank_clock_now_ns ()));
  g_assert_cmpint (thread->stall_cpu_ns, >=, computed_ns);
  g_assert_cmpfloat (thread->share, >, 0);
  g_assert_true (jank_thread_snapshot_get_busiest (snapshot) != thread);
}

/* No more than 64 are read, the observed one among them although it came last. */
TEST (many)
{
  Crowd crowd = { 0 };
  GPtrArray *threads = crowd_new (&crowd, sleep_thread, 500);
  g_autoptr (Worker) worker = worker_new (worker_sleep, NULL);
  g_autoptr (JankSampler) sampler = new_sampler (worker);
  gint64 began_ns = jank_clock_now_ns ();
  g_autoptr (JankThreadSnapshot) snapshot = take (sampler);

  g_assert_cmpuint (snapshot->n_threads, >=, 501);
  g_assert_cmpuint (snapshot->threads->len, <=, JANK_SNAPSHOT_MAX_THREADS);
  /* It ends after 50 ms, whatever is left to read. */
  g_assert_true (snapshot->threads->len >= 50 || jank_clock_now_ns () - began_ns >= 50 * MS);
  g_assert_true (get (snapshot, 0)->observed);
  g_test_message ("500 threads: %.2f ms", (double) snapshot->cost_ns / MS);
  crowd_free (&crowd, threads);
}

/* The owner of a lock is read though 500 threads come before it. */
static pthread_mutex_t far_mutex = PTHREAD_MUTEX_INITIALIZER;

static gpointer
owner_thread (gpointer data)
{
  Crowd *crowd = data;

  pthread_mutex_lock (&far_mutex);
  g_atomic_int_inc (&crowd->n_running);
  while (!g_atomic_int_get (&crowd->stopped))
    g_usleep (10000);
  pthread_mutex_unlock (&far_mutex);
  return NULL;
}

static void
want_far_mutex (Worker *worker, gpointer data)
{
  pthread_mutex_lock (&far_mutex);
  pthread_mutex_unlock (&far_mutex);
}

TEST (far_owner)
{
  Crowd crowd = { 0 }, owner = { 0 };
  GPtrArray *threads = crowd_new (&crowd, sleep_thread, 100), *owners = crowd_new (&owner, owner_thread, 1);
  g_autoptr (Worker) worker = worker_new (want_far_mutex, NULL);
  g_autoptr (JankThread) thread = jank_thread_new (worker_get_info (worker), WORKER_TASKS);
  JankSampler *sampler = new_sampler (worker);
  JankThreadSnapshot *snapshot;
  JankSyscall call;

  await_call (thread, JANK_SYSCALL_BLOCKED, &call);
  snapshot = take (sampler);
  g_assert_cmpuint (snapshot->chain->len, ==, 2);
  g_assert_false (snapshot->cycle);
  g_assert_cmpint (get (snapshot, 0)->sample.wait->lock.owner, ==,
                   get (snapshot, g_array_index (snapshot->chain, guint, 1))->task.tid);
  jank_thread_snapshot_free (snapshot);
  jank_sampler_free (sampler);
  crowd_free (&owner, owners);
  crowd_free (&crowd, threads);
}

TEST (ranges)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("jank-maps-XXXXXX", &path, NULL);
  static const char text[] =
    "1000-3000 rw-p 00000000 00:00 0 [heap]\n"
    "3000-4000 r--p 00000000 08:01 12 /usr/lib/x\n"
    "nonsense\n"
    "5000-4000 rw-p 00000000 00:00 0\n"
    "7f0000000000-7f0000800000 rw-p 00000000 00:00 0 \n";
  JankStackRanges *ranges;

  g_assert_cmpint (write (fd, text, strlen (text)), ==, strlen (text));
  close (fd);
  ranges = jank_stack_ranges_new (path);
  g_assert_cmpuint (ranges->n_ranges, ==, 2);
  g_assert_cmpuint (jank_stack_ranges_find (ranges, 0xfff).high, ==, 0);
  g_assert_cmpuint (jank_stack_ranges_find (ranges, 0x1000).high, ==, 0x3000);
  g_assert_cmpuint (jank_stack_ranges_find (ranges, 0x3000).high, ==, 0);
  g_assert_cmpuint (jank_stack_ranges_find (ranges, 0x7f00007fffff).high, ==, 0x7f0000800000);
  g_assert_cmpuint (jank_stack_ranges_find (ranges, 0x7f0000800000).high, ==, 0);
  jank_stack_ranges_free (ranges);
  unlink (path);

  ranges = jank_stack_ranges_new ("/nonexistent");
  g_assert_cmpuint (jank_stack_ranges_find (ranges, 0x1000).high, ==, 0);
  jank_stack_ranges_free (ranges);

  ranges = jank_stack_ranges_new ("/proc/self/maps");
  g_assert_cmpuint (jank_stack_ranges_find (ranges, (guintptr) &ranges).high, >, (guintptr) &ranges);
  jank_stack_ranges_free (ranges);
}

TESTS ("/sample/snapshot")
