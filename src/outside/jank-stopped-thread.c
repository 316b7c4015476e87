/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each thread is stopped by a tracer thread of its own: the kernel lets go of all that a tracer has attached when that
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
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "sample/jank-blocked-sampler-private.h"

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

gboolean
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
