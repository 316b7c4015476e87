/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "report/jank-report-builder-private.h"

#include <sched.h>

#include "proc/jank-syscalls-private.h"

/* Those that took the most time. */
#define MAX_SOURCES 32

/* To start a thread, which then waits for work, takes so much of its time at most, on a busy machine too. */
#define START_NS (500 * JANK_NS_PER_US)

/* Returns: (transfer full) (nullable): nothing for an empty text */
static char *
jank_report_build_threads_dup_text (const char *text)
{
  return text[0] != '\0' ? g_utf8_make_valid (text, -1) : NULL;
}

static void
jank_report_build_threads_add_dbus (const JankDBusCall *call, JankReportWait *wait)
{
  const struct { const char *from; char **to; } texts[] = {
    { call->name, &wait->dbus.name }, { call->owner, &wait->dbus.owner }, { call->path, &wait->dbus.path },
    { call->interface, &wait->dbus.interface }, { call->method, &wait->dbus.method },
    { call->property, &wait->dbus.property }, { call->bus, &wait->dbus.bus },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    *texts[i].to = jank_report_build_threads_dup_text (texts[i].from);
}

JankReportWait *
jank_report_wait_from (const JankWait *wait, gint number)
{
  JankReportWait *self;

  if (wait == NULL && number < 0)
    return NULL;
  self = jank_report_wait_new ();
  if (wait != NULL)
    number = wait->syscall;
  if (number >= 0)
    self->syscall = jank_syscall_to_text (number);
  if (wait == NULL)
    return self;

  self->kind = g_strdup (jank_wait_kind_to_nick (wait->kind));
  self->target = jank_report_build_threads_dup_text (wait->target);
  self->filesystem = jank_report_build_threads_dup_text (wait->filesystem);
  self->mount = jank_report_build_threads_dup_text (wait->mount);
  self->detail = jank_report_build_threads_dup_text (wait->detail);
  self->n_bytes = wait->n_bytes;
  self->timeout_ns = wait->timeout_ns;
  self->peer_pid = MAX (wait->peer_pid, 0);
  self->peer = jank_report_build_threads_dup_text (wait->peer);
  if (wait->dbus != NULL)
    jank_report_build_threads_add_dbus (wait->dbus, self);
  if (wait->kind == JANK_WAIT_LOCK)
    {
      self->lock.kind = g_strdup (jank_lock_kind_to_nick (wait->lock.kind));
      self->lock.address = wait->lock.address;
      if (jank_lock_has_owner (&wait->lock))
        self->lock.owner = wait->lock.owner;
      else if (wait->lock.owner > 0)
        self->detail[strcspn (self->detail, " ")] = '\0';
    }
  return self;
}

/* Returns: (nullable): an unknown policy */
static const char *
jank_report_build_threads_policy_to_nick (int policy)
{
  /* SCHED_DEADLINE is missing from <sched.h>. */
  static const char *const nicks[] = { [SCHED_OTHER] = "other", [SCHED_FIFO] = "fifo", [SCHED_RR] = "rr",
                                       [SCHED_BATCH] = "batch", [SCHED_IDLE] = "idle", [6] = "deadline" };
  guint i = (guint) (policy & ~SCHED_RESET_ON_FORK);

  return i < G_N_ELEMENTS (nicks) ? nicks[i] : NULL;
}

/* In the stall, it was as busy before the first look as after that. The kernel says in ticks when it began. */
static double
jank_report_build_threads_get_before (const JankStall *stall, const JankSnapshotThread *thread)
{
  double lived_ns = thread->task.began_ns >= 0 ? (double) (stall->began_ns - thread->task.began_ns) : 0;
  double since_ns = MAX (thread->share, 0) * (double) (stall->threads->since_ns - stall->began_ns);

  return lived_ns > 10 * JANK_NS_PER_MS
         ? CLAMP (((double) (thread->task.cpu_ns - START_NS) - since_ns) / lived_ns, 0, 1) : -1;
}

static void
jank_report_build_threads_add_thread (JankReportBuilder *self, const JankSnapshotThread *thread)
{
  JankReportThread *report_thread = jank_report_thread_new ();

  report_thread->tid = thread->task.tid;
  report_thread->name = jank_report_build_threads_dup_text (thread->task.name);
  report_thread->state = thread->sample.state;
  report_thread->policy = g_strdup (jank_report_build_threads_policy_to_nick (thread->task.policy));
  report_thread->priority = thread->task.priority;
  report_thread->nice = thread->task.nice;
  report_thread->cpu_ns = thread->task.cpu_ns;
  /* One that has ended has run, to do so. */
  report_thread->stall_cpu_ns = thread->is_gone && thread->stall_cpu_ns == 0 ? -1 : thread->stall_cpu_ns;
  report_thread->share = thread->share;
  report_thread->before_share = jank_report_build_threads_get_before (self->stall, thread);
  report_thread->stack = jank_report_builder_add_stack (self, thread->sample.stack);
  report_thread->wait = jank_report_wait_from (thread->sample.wait, -1);
  report_thread->waits_for = report_thread->wait != NULL ? report_thread->wait->lock.owner : 0;
  report_thread->observed = thread->observed;
  g_ptr_array_add (self->report->threads, report_thread);
}

void
jank_report_add_threads (JankReportBuilder *self)
{
  const JankThreadSnapshot *snapshot = self->stall->threads;
  JankReport *report = self->report;
  gint64 cpu_ns = report->process.cpu_ns; /* until now; the snapshot was taken when the stall was found */

  if (snapshot == NULL)
    return;
  for (guint i = 0; i < snapshot->threads->len; i++)
    jank_report_build_threads_add_thread (self, &g_array_index (snapshot->threads, JankSnapshotThread, i));
  for (guint i = 0; snapshot->chain != NULL && snapshot->chain->len > 1 && i < snapshot->chain->len; i++)
    {
      guint thread = g_array_index (snapshot->chain, guint, i);

      g_array_append_val (report->locks.chain, g_array_index (snapshot->threads, JankSnapshotThread, thread).task.tid);
    }
  report->locks.deadlock = snapshot->cycle && report->locks.chain->len > 0;
  report->self.snapshot_ns = snapshot->cost_ns;
  report->process = snapshot->process;
  report->process.cpu_ns = MAX (report->process.cpu_ns, cpu_ns);
}

void
jank_report_add_sources (JankReportBuilder *self)
{
  guint n = MIN (self->n_rows, MAX_SOURCES);

  for (guint i = 0; i < n; i++)
    {
      const JankLedgerRow *row = &self->rows[i];
      JankReportSource *source = jank_report_source_new ();

      source->name = g_utf8_make_valid (row->name, -1);
      source->callback = jank_report_builder_add_callback (self, row->callback);
      source->priority = row->priority;
      source->count = (gint64) MIN (row->count, G_MAXINT64);
      source->total_ns = row->total_ns;
      source->longest_ns = row->longest_ns;
      g_ptr_array_add (self->report->sources, source);
    }
}
