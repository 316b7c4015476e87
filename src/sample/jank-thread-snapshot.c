/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-thread-snapshot-private.h"

#include "base/jank-clock-private.h"
#include "base/jank-each-private.h"
#include "proc/jank-thread-private.h"

static void
jank_thread_snapshot_clear_thread (gpointer data)
{
  jank_sample_clear (&((JankSnapshotThread *) data)->sample);
}

JankThreadSnapshot *
jank_thread_snapshot_new (void)
{
  JankThreadSnapshot *self = g_new0 (JankThreadSnapshot, 1);

  self->threads = g_array_sized_new (FALSE, TRUE, sizeof (JankSnapshotThread), JANK_SNAPSHOT_MAX_THREADS);
  g_array_set_clear_func (self->threads, jank_thread_snapshot_clear_thread);
  self->chain = g_array_new (FALSE, FALSE, sizeof (guint));
  return self;
}

void
jank_thread_snapshot_free (JankThreadSnapshot *self)
{
  g_array_unref (self->threads);
  g_array_unref (self->chain);
  g_free (self);
}

gboolean
jank_thread_snapshot_is_old (const JankThreadSnapshot *self, gint64 stall_began_ns)
{
  gint64 next_ns = JANK_NS_PER_S;

  while (next_ns <= self->at_ns - stall_began_ns)
    next_ns *= 5;
  return !self->cycle && jank_clock_now_ns () - stall_began_ns >= next_ns;
}

void
jank_thread_snapshot_continue (JankThreadSnapshot *self, const JankThreadSnapshot *before)
{
  self->since_ns = before->since_ns;
  self->cost_ns += before->cost_ns;
  JANK_EACH_IN (JankSnapshotThread, thread, self->threads)
    JANK_EACH_IN (const JankSnapshotThread, earlier, before->threads)
      if (thread->task.tid == earlier->task.tid && thread->task.began_ns == earlier->task.began_ns)
        thread->task.cpu_ns = earlier->task.cpu_ns;
}

static void
jank_thread_snapshot_update_thread (JankSnapshotThread *thread, gint64 elapsed_ns)
{
  gint64 cpu_ns;

  if (elapsed_ns <= 0 || thread->task.cpu_ns < 0)
    return;
  cpu_ns = jank_clock_read_ns (jank_cpu_clock_of (thread->task.tid));
  /* Less than before is another thread, with an ID that was free again. */
  thread->is_gone |= cpu_ns < thread->task.cpu_ns + MAX (thread->stall_cpu_ns, 0);
  if (!thread->is_gone)
    thread->stall_cpu_ns = MIN (cpu_ns - thread->task.cpu_ns, elapsed_ns);
  if (thread->stall_cpu_ns >= 0)
    thread->share = (double) thread->stall_cpu_ns / (double) elapsed_ns;
}

void
jank_thread_snapshot_update (JankThreadSnapshot *self, gint64 now_ns)
{
  for (guint i = 0; i < self->threads->len; i++)
    jank_thread_snapshot_update_thread (&g_array_index (self->threads, JankSnapshotThread, i), now_ns - self->since_ns);
}

const JankSnapshotThread *
jank_thread_snapshot_get_busiest (const JankThreadSnapshot *self)
{
  const JankSnapshotThread *busiest = NULL;

  JANK_EACH_IN (const JankSnapshotThread, thread, self->threads)
    if (!thread->is_gone && thread->stall_cpu_ns >= 0 &&
        (busiest == NULL || thread->stall_cpu_ns > busiest->stall_cpu_ns))
      busiest = thread;
  return busiest;
}
