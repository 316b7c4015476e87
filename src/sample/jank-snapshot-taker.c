/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-thread-snapshot-private.h"

#include "base/jank-clock-private.h"
#include "guest/jank-errands-private.h"
#include "base/jank-memory-private.h"
#include "guest/jank-rest-private.h"
#include "proc/jank-proc-private.h"

#define BOUND_NS        (50 * JANK_NS_PER_MS)
/* Of another process, which does not wait for it. */
#define OTHER_BOUND_NS  (2 * JANK_NS_PER_S)
/* For a thread that runs, or would if it had a CPU. */
#define THREAD_BOUND_NS (5 * JANK_NS_PER_MS)

/* Of a process with more threads than are read: left for owners of locks. */
#define N_RESERVED 8

typedef struct
{
  JankSampler        *sampler;
  const char         *task_folder;
  pid_t               skip;
  guint               max;
  gint64              deadline_ns;
  JankStackRanges    *ranges;    /* (owned) */
  JankThreadSnapshot *snapshot;
  GArray             *calls;     /* (owned) of JankSyscall: what each thread was in */
} Taker;

static JankSnapshotThread *
jank_snapshot_taker_get (Taker *self, guint i)
{
  return &g_array_index (self->snapshot->threads, JankSnapshotThread, i);
}

static pid_t
jank_snapshot_taker_get_observed (Taker *self)
{
  JankThread *thread = jank_sampler_get_thread (self->sampler);

  return thread != NULL ? jank_thread_get_info (thread)->tid : 0;
}

static void
jank_snapshot_taker_add_task (Taker *self, const JankTask *task)
{
  JankSnapshotThread thread = { .task = *task, .stall_cpu_ns = -1, .share = -1 };
  JankSyscall no_call = { .kind = JANK_SYSCALL_UNKNOWN };

  thread.observed = task->tid == jank_snapshot_taker_get_observed (self);
  thread.sample.state = task->state == 'S' || task->state == 'D' ? JANK_STATE_BLOCKED : JANK_STATE_UNKNOWN;
  g_array_append_val (self->snapshot->threads, thread);
  g_array_append_val (self->calls, no_call);
}

/* The observed thread first. */
static void
jank_snapshot_taker_list_tasks (Taker *self)
{
  g_autoptr (GArray) tasks = jank_task_list (self->task_folder, self->max, self->skip, &self->snapshot->n_threads);
  guint n_left = tasks->len < self->snapshot->n_threads - 1 ? self->max - MIN (self->max, N_RESERVED) : tasks->len;
  JankTask observed;

  if (jank_task_read (self->task_folder, jank_snapshot_taker_get_observed (self), &observed))
    jank_snapshot_taker_add_task (self, &observed);
  for (guint i = 0; i < tasks->len && self->snapshot->threads->len < n_left; i++)
    {
      const JankTask *task = &g_array_index (tasks, JankTask, i);

      if (task->tid != jank_snapshot_taker_get_observed (self) && task->tid != jank_errands_get_tid ())
        jank_snapshot_taker_add_task (self, task);
    }
}

/* For the observed thread, all is known, its stack too; for another thread, only the ID. */
static JankThread *
jank_snapshot_taker_open_thread (Taker *self, pid_t tid)
{
  JankThreadInfo info = { .tid = tid, .cpu_clock = jank_cpu_clock_of (tid) };

  return tid == jank_snapshot_taker_get_observed (self)
         ? jank_sampler_get_thread (self->sampler) : jank_thread_new (&info, self->task_folder);
}

static void
jank_snapshot_taker_close_thread (Taker *self, JankThread *thread)
{
  if (thread != jank_sampler_get_thread (self->sampler))
    jank_thread_free (thread);
}

static void
jank_snapshot_taker_read_thread (Taker *self, guint i)
{
  gint64 now_ns = jank_clock_now_ns ();
  JankSnapshotThread *thread = jank_snapshot_taker_get (self, i);
  JankThread *opened;
  JankThreadState state = thread->sample.state;
  JankSyscall *call = &g_array_index (self->calls, JankSyscall, i);

  jank_rest_yield ();
  if (now_ns >= self->deadline_ns)
    return;
  opened = jank_snapshot_taker_open_thread (self, thread->task.tid);
  jank_sampler_take_other (self->sampler, opened, self->ranges, MIN (self->deadline_ns, now_ns + THREAD_BOUND_NS),
                           call, &thread->sample);
  jank_snapshot_taker_close_thread (self, opened);
  if (call->kind == JANK_SYSCALL_UNKNOWN)
    thread->sample.state = state;
}

/* Sleeping threads first: reading them takes no time. */
static void
jank_snapshot_taker_read_threads (Taker *self)
{
  guint n = self->snapshot->threads->len;

  for (guint i = 0; i < n; i++)
    if (jank_snapshot_taker_get (self, i)->task.state != 'R')
      jank_snapshot_taker_read_thread (self, i);
  for (guint i = 0; i < n; i++)
    if (jank_snapshot_taker_get (self, i)->task.state == 'R')
      jank_snapshot_taker_read_thread (self, i);
}

static pid_t
jank_snapshot_taker_get_owner (const JankSnapshotThread *thread)
{
  const JankWait *wait = thread->sample.wait;

  return wait != NULL && wait->kind == JANK_WAIT_LOCK ? wait->lock.owner : 0;
}

static gboolean
jank_snapshot_taker_find_chain (Taker *self)
{
  guint n = self->snapshot->threads->len;
  pid_t tids[JANK_SNAPSHOT_MAX_THREADS], owners[JANK_SNAPSHOT_MAX_THREADS];

  for (guint i = 0; i < n; i++)
    {
      tids[i] = jank_snapshot_taker_get (self, i)->task.tid;
      owners[i] = jank_snapshot_taker_get_owner (jank_snapshot_taker_get (self, i));
    }
  g_array_set_size (self->snapshot->chain, 0);
  return n > 0 && jank_snapshot_taker_get (self, 0)->observed && jank_lock_chain_find (tids, owners, n, 0,
                                                                                       self->snapshot->chain);
}

/* Follows the chain to a thread that was not listed. */
static gboolean
jank_snapshot_taker_add_missing_owner (Taker *self)
{
  GArray *chain = self->snapshot->chain;
  guint end = chain->len > 0 ? g_array_index (chain, guint, chain->len - 1) : 0;
  JankTask task;

  if (self->snapshot->threads->len == 0 || self->snapshot->threads->len >= self->max ||
      jank_snapshot_taker_get_owner (jank_snapshot_taker_get (self, end)) == 0 ||
      !jank_task_read (self->task_folder, jank_snapshot_taker_get_owner (jank_snapshot_taker_get (self, end)), &task))
    return FALSE;
  jank_snapshot_taker_add_task (self, &task);
  jank_snapshot_taker_read_thread (self, self->snapshot->threads->len - 1);
  return TRUE;
}

static gboolean
jank_snapshot_taker_is_still_in_call (Taker *self, guint i)
{
  JankThread *thread = jank_snapshot_taker_open_thread (self, jank_snapshot_taker_get (self, i)->task.tid);
  const JankSyscall *call = &g_array_index (self->calls, JankSyscall, i);
  bool is_still_in = call->kind == JANK_SYSCALL_BLOCKED && jank_thread_is_still_in (thread, call);

  jank_snapshot_taker_close_thread (self, thread);
  return is_still_in;
}

/* Threads were read one after the other. Those that still wait have waited ever since, so at one moment the whole chain
 * held. The chain is cut at the first thread that went on. */
static void
jank_snapshot_taker_verify_chain (Taker *self)
{
  GArray *chain = self->snapshot->chain;

  for (guint i = 0; i + 1 < chain->len; i++)
    if (!jank_snapshot_taker_is_still_in_call (self, g_array_index (chain, guint, i)))
      {
        g_array_set_size (chain, i > 0 ? i + 1 : 0);
        self->snapshot->cycle = FALSE;
        return;
      }
}

static void
jank_snapshot_taker_follow_locks (Taker *self)
{
  self->snapshot->cycle = jank_snapshot_taker_find_chain (self);
  while (!self->snapshot->cycle && jank_snapshot_taker_add_missing_owner (self))
    self->snapshot->cycle = jank_snapshot_taker_find_chain (self);
  jank_snapshot_taker_verify_chain (self);
}

JankThreadSnapshot *
jank_snapshot_take (JankSampler *sampler, const char *task_folder, pid_t skip, guint max)
{
  gint64 began_cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  Taker self = { .sampler = sampler, .task_folder = task_folder, .skip = skip, .max = max };
  char maps[48];

  self.snapshot = jank_thread_snapshot_new ();
  self.snapshot->at_ns = self.snapshot->since_ns = jank_clock_now_ns ();
  self.deadline_ns = self.snapshot->at_ns + (jank_memory_get_other () != 0 ? OTHER_BOUND_NS : BOUND_NS);
  self.calls = g_array_new (FALSE, FALSE, sizeof (JankSyscall));
  jank_proc_path (maps, sizeof maps, 0, "maps");
  self.ranges = jank_stack_ranges_new (maps);
  jank_snapshot_taker_list_tasks (&self);
  jank_snapshot_taker_read_threads (&self);
  jank_snapshot_taker_follow_locks (&self);
  jank_process_facts_read (&self.snapshot->process);

  jank_sampler_free_ranges (sampler, self.ranges);
  g_array_unref (self.calls);
  self.snapshot->cost_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - began_cpu_ns;
  return self.snapshot;
}
