/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread that waits is read without touching it, and again where it went on meanwhile; one that runs is stopped while
 * its stack is copied. All else is done by the stages that do it inside of a watched program.
 *
 * Each thread is stopped by a tracer thread of its own: the kernel lets go of all that a tracer has attached when that
 * ends, whether it returns, or the process is killed. PTRACE_O_EXITKILL is never set. Nobody can stop the tracer in the
 * meantime from a terminal, as it is started with those signals blocked.
 *
 * Most of a stop is the time that the tracer waits for a CPU. So it sleeps until the kernel wakes it for the stop, with
 * a priority by which it runs at once; how long it waited nevertheless, the kernel counts. What neither clock shows is
 * the way of the two wake-ups from one CPU to another, some 50 µs in a virtual machine. */

#include "outside/jank-outside-dump-private.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "dbus/jank-dbus-parts-private.h"
#include "elf/jank-loaded-private.h"
#include "proc/jank-proc-private.h"
#include "report/jank-report-build-private.h"
#include "sample/jank-blocked-sampler-private.h"
#include "sample/jank-thread-snapshot-private.h"
#include "verdict/jank-verdict-private.h"

#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Until it must have stopped. That costs the thread nothing: it runs on, or waits for a CPU or inside of the kernel. */
#define WAIT_NS  (50 * JANK_NS_PER_MS)
#define SLICE_NS (100 * JANK_NS_PER_US) /* the shortest that the kernel takes */

typedef struct
{
  pid_t                    pid, tid;
  const JankStackRanges   *ranges;
  const JankPythonRequest *python;
  JankStackCopy           *copy;
  JankPythonCalls         *calls;
  gint64                   stopped_ns;
  gboolean                 is_copied;
} JankStoppedThread;

/* What sched_setattr(2) takes; older versions of the kernel's header for it and glibc's exclude each other. */
typedef struct
{
  uint32_t size, policy;
  uint64_t flags;
  int32_t  nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
} SchedAttributes;

/* Real time, where the user may; else, since Linux 6.12, by the scheduler's earliest deadline. */
static void
jank_stopped_thread_hurry (void)
{
  const struct sched_param first = { .sched_priority = 1 };
  const SchedAttributes shortest = { .size = sizeof shortest, .policy = SCHED_OTHER,
                                     .nice = getpriority (PRIO_PROCESS, 0), .runtime = SLICE_NS };

  if (sched_setscheduler (0, SCHED_FIFO, &first) != 0)
    syscall (SYS_sched_setattr, 0, &shortest, 0);
}

/* schedstat: the tracer's. Returns: for how long it was ready to run, and had no CPU */
static gint64
jank_stopped_thread_get_delay_ns (int schedstat)
{
  char text[80] = "", *end;

  (void) !pread (schedstat, text, sizeof text - 1, 0);
  g_ascii_strtoll (text, &end, 10);
  return g_ascii_strtoll (end, NULL, 10);
}

/* ret_since_ns: when the tracer was woken for the stop, or had not yet slept.
 * Returns: the signal that it has stopped on the way to, 0: none, -1: it has not stopped */
static int
jank_stopped_thread_wait (pid_t tid, int schedstat, gint64 *ret_since_ns)
{
  gint64 left_ns = WAIT_NS, until_ns = *ret_since_ns + WAIT_NS;
  sigset_t stops;
  int status;

  sigemptyset (&stops);
  sigaddset (&stops, SIGCHLD);
  for (;;)
    {
      pid_t found = waitpid (tid, &status, __WALL | WNOHANG);
      gint64 delay_ns;

      if (found == tid && WIFSTOPPED (status))
        return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG (status);
      if (found != 0 || left_ns <= 0)
        return -1;
      delay_ns = jank_stopped_thread_get_delay_ns (schedstat);
      sigtimedwait (&stops, NULL, &(struct timespec) { .tv_nsec = left_ns });
      *ret_since_ns = jank_clock_now_ns ();
      left_ns = until_ns - *ret_since_ns;
      *ret_since_ns -= jank_stopped_thread_get_delay_ns (schedstat) - delay_ns;
    }
}

static void
jank_stopped_thread_read (JankStoppedThread *self)
{
  const JankThreadInfo info = { .tid = self->tid };
  struct user_regs_struct registers;
  struct iovec room = { &registers, sizeof registers };

  if (ptrace (PTRACE_GETREGSET, self->tid, NT_PRSTATUS, &room) != 0 || room.iov_len != sizeof registers)
    return;
  jank_processor_get_registers_of_stopped (&registers, self->copy->regs);
  self->copy->known = JANK_REGS_ALL;
  jank_blocked_sampler_copy_stack (&info, self->copy->regs[JANK_REG_SP], self->ranges, self->copy);
  jank_python_walk (self->python, self->copy, self->pid, self->calls);
  self->is_copied = self->copy->n_bytes > 0;
}

static gpointer
jank_stopped_thread_trace (gpointer data)
{
  JankStoppedThread *self = data;
  int schedstat = open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC), signal;
  gint64 began_ns, delay_ns;

  jank_memory_set_pid (self->pid);
  jank_stopped_thread_hurry ();
  memset (self->copy->bytes, 0, sizeof self->copy->bytes); /* no page fault later */
  began_ns = jank_clock_now_ns ();
  if (ptrace (PTRACE_SEIZE, self->tid, NULL, NULL) == 0 && ptrace (PTRACE_INTERRUPT, self->tid, NULL, NULL) == 0 &&
      (signal = jank_stopped_thread_wait (self->tid, schedstat, &began_ns)) >= 0)
    {
      jank_stopped_thread_read (self);
      delay_ns = jank_stopped_thread_get_delay_ns (schedstat);
      ptrace (PTRACE_DETACH, self->tid, NULL, GINT_TO_POINTER (signal));
      /* The thread goes on, and may have taken this CPU. */
      self->stopped_ns = jank_clock_now_ns () - began_ns - jank_stopped_thread_get_delay_ns (schedstat) + delay_ns;
    }
  if (schedstat >= 0)
    close (schedstat);
  return NULL;
}

/* Reads a thread of another process that runs, while it is stopped: for some 100 µs. As JankSamplerCopyFunc. A thread
 * that does not stop at once, since it is long inside the kernel or has no CPU, is let go. */
static gboolean
jank_stopped_thread_copy (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                          JankStackCopy *copy, JankPythonCalls *calls, gint64 *ret_stopped_ns)
{
  JankStoppedThread self = { jank_memory_get_pid (), tid, ranges, python, copy, calls, 0, FALSE };
  sigset_t all, before;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  signal (SIGCHLD, SIG_DFL); /* where a shell ignores it, it is not sent */
  g_thread_join (g_thread_new ("jankwatch-trace", jank_stopped_thread_trace, &self));
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  *ret_stopped_ns = self.stopped_ns;
  return self.is_copied;
}

/* Strings of a context. */
typedef struct
{
  char name[64];
  char exe[PATH_MAX];
} OutsideProgram;

static void
jank_outside_dump_describe (pid_t pid, OutsideProgram *program, JankReportContext *context)
{
  char path[48];

  jank_proc_get_name (pid, program->name, sizeof program->name);
  jank_proc_path (path, sizeof path, pid, "exe");
  if (jank_proc_read_link (path, program->exe, sizeof program->exe))
    {
      const char *file = strrchr (program->exe, '/') + 1;

      /* The kernel keeps the beginning of the name. */
      if (strlen (file) < sizeof program->name && g_str_has_prefix (file, program->name))
        g_strlcpy (program->name, file, sizeof program->name);
      context->app.exe = program->exe;
    }
  context->app.name = program->name;
  context->app.pid = pid;
  context->now_ns = jank_clock_now_ns ();
  context->now_real_us = g_get_real_time ();
}

/* The process's first thread stands for its main loop's. */
static void
jank_outside_dump_add_sample (JankStall *stall)
{
  const JankSnapshotThread *first = &g_array_index (stall->threads->threads, JankSnapshotThread, 0);
  JankSample sample = first->sample;

  if (sample.stack == NULL)
    return;
  sample.at_ns = stall->began_ns;
  sample.weight_ns = 1;
  jank_sample_ring_add (stall->ring, &sample);
  jank_call_tree_add (stall->tree, sample.stack, sample.weight_ns, 1);
  stall->n_samples = 1;
}

static void
jank_outside_dump_add_stops (const JankThreadSnapshot *threads, JankReport *report)
{
  for (guint i = 0; i < threads->threads->len; i++)
    {
      gint64 stopped_ns = g_array_index (threads->threads, JankSnapshotThread, i).sample.handler_ns;

      report->self.n_stopped += stopped_ns != 0;
      report->self.stopped_ns = MAX (report->self.stopped_ns, stopped_ns);
    }
}

static JankReport *
jank_outside_dump_build (pid_t pid, const char *id, JankSampler *sampler, JankThreadSnapshot *threads)
{
  g_autoptr (JankSampleRing) ring = jank_sample_ring_new ();
  g_autoptr (JankCallTree) tree = jank_call_tree_new ();
  g_autofree OutsideProgram *program = g_new0 (OutsideProgram, 1);
  JankReportContext context = { .id = id, .from_outside = TRUE };
  JankStall stall = { .kind = JANK_STALL_DUMP, .cpu_ns = -1, .ring = ring, .tree = tree, .threads = threads,
                      .began_ns = threads->at_ns, .period_ns = threads->at_ns, .ended_ns = threads->at_ns };
  JankReport *report;

  jank_outside_dump_describe (pid, program, &context);
  jank_outside_dump_add_sample (&stall);
  report = jank_report_build (&stall, jank_sampler_get_map (sampler), JANK_PICK_PATH, &context);
  jank_outside_dump_add_stops (threads, report);
  jank_verdict_update (report);
  return report;
}

/* The kernel says no more than no. */
static char *
jank_outside_dump_explain (pid_t pid)
{
  g_autofree char *user = jank_proc_read_field (pid, "Uid:", "status");
  char text[16] = "";

  if (user != NULL && strtoul (user, NULL, 10) != geteuid ())
    return g_strdup_printf (_("No stacks are shown: process %d belongs to user %lu"), (int) pid,
                            strtoul (user, NULL, 10));
  if (jank_proc_read (YAMA, text, sizeof text) && text[0] != '0')
    return g_strdup_printf (_("No stacks are shown: kernel.yama.ptrace_scope is %s, so only root may trace process %d"),
                            g_strchomp (text), (int) pid);
  return g_strdup_printf (_("No stacks are shown: process %d may not be traced"), (int) pid);
}

/* Whether the process has ended and its parent has not asked how. Others may go on without their first thread. */
static gboolean
jank_outside_dump_has_ended (pid_t pid, guint n_threads)
{
  g_autofree char *state = jank_proc_read_field (pid, "State:", "status");

  return n_threads == 0 || (n_threads == 1 && state != NULL && strchr ("ZX", state[0]) != NULL);
}

/* What is learned of this process itself comes first. */
static gboolean
jank_outside_dump_open (pid_t pid)
{
  jank_dbus_message_prepare ();
  return jank_loaded_open (pid);
}

/* copy: of a thread that runs; n_threads: at most, beginning with tid. Returns: (nullable) */
static JankReport *
jank_outside_dump_read (pid_t pid, pid_t tid, const char *id, JankSamplerCopyFunc copy, guint n_threads)
{
  JankThreadInfo info = { .tid = tid };
  g_autoptr (JankThreadSnapshot) threads = NULL;
  g_autoptr (JankSampler) sampler = NULL;
  char folder[48];

  jank_proc_path (folder, sizeof folder, pid, "task");
  sampler = jank_sampler_new_of_other (copy);
  jank_sampler_set_thread (sampler, &info, folder, NULL);
  threads = jank_snapshot_take (sampler, folder, 0, n_threads);
  return jank_outside_dump_has_ended (pid, threads->threads->len) ? NULL
                                                                 : jank_outside_dump_build (pid, id, sampler, threads);
}

JankReport *
jank_outside_dump (pid_t pid, const char *id, char **ret_lack)
{
  gboolean may_read = jank_outside_dump_open (pid);
  JankReport *report = jank_outside_dump_read (pid, pid, id, jank_stopped_thread_copy, JANK_SNAPSHOT_MAX_THREADS);

  if (report != NULL)
    *ret_lack = may_read ? NULL : jank_outside_dump_explain (pid);
  jank_loaded_open (0);
  return report;
}

static gboolean
jank_outside_dump_copy_nothing (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                                JankStackCopy *ret_copy, JankPythonCalls *ret_calls, gint64 *ret_stopped_ns)
{
  return FALSE;
}

JankReport *
jank_outside_dump_thread (pid_t pid, pid_t tid)
{
  gboolean may_read = jank_outside_dump_open (pid);
  JankReport *report = may_read ? jank_outside_dump_read (pid, tid, "", jank_outside_dump_copy_nothing, 1) : NULL;

  jank_loaded_open (0);
  return report;
}
