/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each thread is stopped by a tracer thread of its own: the kernel lets go of all that a tracer has attached when that
 * ends, whether it returns, or the process is killed. PTRACE_O_EXITKILL is never set. Nobody can stop the tracer in the
 * meantime from a terminal, as it is started with those signals blocked. */

#include "outside/jank-stopped-thread-private.h"

#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "sample/jank-blocked-sampler-private.h"

/* Until it must have stopped: from a CPU it has at once, without one it is not held up. */
#define WAIT_NS (5 * JANK_NS_PER_MS)

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

/* ret_since_ns: when it had not yet stopped.
 * Returns: the signal that it has stopped on the way to, 0: none, -1: it has not stopped */
static int
jank_stopped_thread_wait (pid_t tid, gint64 *ret_since_ns)
{
  gint64 until_ns = jank_clock_now_ns () + WAIT_NS;
  int status;

  do
    {
      gint64 now_ns = jank_clock_now_ns ();
      pid_t found = waitpid (tid, &status, __WALL | WNOHANG);

      if (found == tid && WIFSTOPPED (status))
        return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG (status);
      if (found != 0)
        return -1;
      *ret_since_ns = now_ns;
      sched_yield ();
    }
  while (jank_clock_now_ns () < until_ns);
  return -1;
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
  jank_python_walk (self->python, self->copy, self->pid, FALSE, self->calls);
  self->is_copied = self->copy->n_bytes > 0;
}

static gpointer
jank_stopped_thread_trace (gpointer data)
{
  JankStoppedThread *self = data;
  gint64 began_ns;
  int signal;

  jank_memory_set_pid (self->pid);
  if (ptrace (PTRACE_SEIZE, self->tid, NULL, NULL) != 0)
    return NULL;
  began_ns = jank_clock_now_ns ();
  if (ptrace (PTRACE_INTERRUPT, self->tid, NULL, NULL) == 0 &&
      (signal = jank_stopped_thread_wait (self->tid, &began_ns)) >= 0)
    {
      jank_stopped_thread_read (self);
      ptrace (PTRACE_DETACH, self->tid, NULL, GINT_TO_POINTER (signal));
      self->stopped_ns = jank_clock_now_ns () - began_ns;
    }
  return NULL;
}

gboolean
jank_stopped_thread_copy (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                          JankStackCopy *copy,
                     JankPythonCalls *calls, gint64 *ret_stopped_ns)
{
  JankStoppedThread self = { jank_memory_get_pid (), tid, ranges, python, copy, calls, 0, FALSE };
  sigset_t all, before;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  g_thread_join (g_thread_new ("jankwatch-trace", jank_stopped_thread_trace, &self));
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  *ret_stopped_ns = self.stopped_ns;
  return self.is_copied;
}
