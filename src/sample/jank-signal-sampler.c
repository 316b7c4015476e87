/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-signal-sampler-private.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"

/* A thread that runs answers in some 10 to 50 µs. Then a nap, as long as the kernel's timer slack (50 µs), leaves the CPU to
 * a thread that waits for it; sooner, it would cost more than it saves. */
#define SPIN_NS   (60 * JANK_NS_PER_US)
/* One that was preempted right after we looked answers in a slice. */
#define BOUND_NS  (20 * JANK_NS_PER_MS)
/* In the handler, which takes microseconds: only a debugger that stops that one thread keeps it there. */
#define COPY_BOUND_NS JANK_NS_PER_S

/* CPU time that a thread has behind it once it has woken and its call has returned; a few µs are usual. */
#define AWAKE_NS  (20 * JANK_NS_PER_US)
/* The longest between a look at the thread and the signal: more, and it may be in another call. */
#define STALE_NS  (200 * JANK_NS_PER_US)

/* When the thread was first seen after it last went to sleep. */
typedef struct
{
  pid_t    tid;
  uint64_t n_sleeps;
  gint64   cpu_ns;
} Sight;

struct _JankSignalSampler
{
  int              signal;
  gboolean         chosen; /* by the user: never replaced by another */
  gboolean         silent; /* the thread has not answered since n_no_answer was counted */
  Sight            sight;
  JankSignalCounts counts;
};

/* Held from take to release: one slot, maybe several watchers. */
static GMutex slot_mutex;
static pid_t asked_tid; /* under slot_mutex: whom the last signal went to */

static gboolean
is_ours (int signal)
{
  struct sigaction current;

  return sigaction (signal, NULL, &current) == 0 && (current.sa_flags & SA_SIGINFO) != 0 &&
         current.sa_sigaction == jank_signal_handler;
}

static gboolean
is_free (int signal)
{
  struct sigaction current;

  return sigaction (signal, NULL, &current) == 0 && (current.sa_flags & SA_SIGINFO) == 0 &&
         current.sa_handler == SIG_DFL;
}

static gboolean
install (int signal)
{
  struct sigaction action = { .sa_sigaction = jank_signal_handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

  if (is_ours (signal))
    return TRUE;
  if (!is_free (signal))
    return FALSE;
  sigfillset (&action.sa_mask);
  return sigaction (signal, &action, NULL) == 0;
}

static gboolean
install_first_free (JankSignalSampler *self)
{
  for (self->signal = SIGRTMAX; self->signal >= SIGRTMIN; self->signal--)
    if (install (self->signal))
      return TRUE;
  return FALSE;
}

JankSignalSampler *
jank_signal_sampler_new (int signal, GError **error)
{
  g_autoptr (JankSignalSampler) self = g_new0 (JankSignalSampler, 1);

  self->signal = signal;
  self->chosen = signal != 0;
  if (self->chosen ? install (signal) : install_first_free (self))
    return g_steal_pointer (&self);

  if (self->chosen)
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("Could not use signal %d to read stacks: the program has a handler for it. "
                   "Stalls are timed, but have no stacks"), signal);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
                 _("Could not find a real-time signal to read stacks with: the program uses all of %d to %d. "
                   "Stalls are timed, but have no stacks"),
                 SIGRTMIN, SIGRTMAX);
  return NULL;
}

void
jank_signal_sampler_free (JankSignalSampler *self)
{
  g_free (self);
}

/* The program may have put its own handler where ours was; then our signal would be its. */
static gboolean
still_installed (JankSignalSampler *self)
{
  if (is_ours (self->signal))
    return TRUE;
  return !self->chosen && install_first_free (self);
}

static guint32
slot_state (void)
{
  return atomic_load_explicit (&jank_signal_slot.state, memory_order_acquire);
}

/* Until the handler is done, or bound_ns is over and it has not begun. */
static gboolean
wait_for_answer (gint64 sent_ns, gint64 bound_ns)
{
  for (;;)
    {
      guint32 state = slot_state ();
      gint64 waited_ns = jank_clock_now_ns () - sent_ns;

      if (state == JANK_SLOT_DONE)
        return TRUE;
      if (waited_ns > bound_ns && state == JANK_SLOT_ASKED &&
          atomic_compare_exchange_strong_explicit (&jank_signal_slot.state, &state, JANK_SLOT_GIVEN_UP,
                                                   memory_order_acq_rel, memory_order_acquire))
        return FALSE;
      if (waited_ns > COPY_BOUND_NS)
        return FALSE;
      if (waited_ns < SPIN_NS)
        __builtin_ia32_pause ();
      else
        nanosleep (&(struct timespec) { 0, 1 }, NULL);
    }
}

/* That the observed thread blocks the signal is one fact, however often we look. */
static JankAnswer
count_no_answer (JankSignalSampler *self, gboolean is_observed)
{
  if (!self->silent && is_observed)
    self->counts.n_no_answer++;
  self->silent = self->silent || is_observed;
  return JANK_ANSWER_NONE;
}

static JankAnswer
send_and_wait (JankSignalSampler *self, const JankThreadInfo *info, const JankStackRanges *ranges, gint64 bound_ns)
{
  JankSignalSlot *slot = &jank_signal_slot;

  asked_tid = info->tid;
  slot->thread = info->pthread;
  slot->tid = info->tid;
  slot->ranges = ranges;
  slot->stack_low = info->stack_low;
  slot->stack_base = info->stack_base;
  slot->sent_ns = jank_clock_now_ns ();
  atomic_store_explicit (&slot->state, JANK_SLOT_ASKED, memory_order_release);
  if (syscall (SYS_tgkill, getpid (), info->tid, self->signal) != 0)
    {
      /* EAGAIN: the queue of real-time signals is full; ESRCH: the thread is gone. */
      atomic_store_explicit (&slot->state, JANK_SLOT_EMPTY, memory_order_release);
      return count_no_answer (self, ranges == NULL);
    }

  self->counts.n_sent++;
  if (!wait_for_answer (slot->sent_ns, bound_ns))
    return count_no_answer (self, ranges == NULL);
  self->silent = self->silent && ranges != NULL;
  self->counts.n_restarted += slot->restarted;
  self->counts.max_handler_ns = MAX (self->counts.max_handler_ns, slot->left_ns - slot->entered_ns);
  return JANK_ANSWER_COPIED;
}

/* A thread that wakes in a system call counts as running before that call is done; interrupted there, a
 * poll() whose time is over returns EINTR, and cannot be made again without waiting for all of it again.
 * One that has computed since it last slept is not about to return from such a call. */
static gboolean
is_awake (JankSignalSampler *self, pid_t tid, gint64 cpu_ns, guint64 n_sleeps)
{
  Sight now = { .tid = tid, .cpu_ns = cpu_ns, .n_sleeps = n_sleeps };

  if (now.tid != self->sight.tid || now.n_sleeps != self->sight.n_sleeps)
    self->sight = now;
  return now.cpu_ns - self->sight.cpu_ns >= AWAKE_NS;
}

/* As late as can be: a signal would end a blocking call. */
static JankAnswer
look_and_send (JankSignalSampler *self, JankThread *thread, const JankStackRanges *ranges, gint64 bound_ns)
{
  gint64 cpu_ns = jank_thread_read_cpu_ns (thread), began_ns; /* before the status: it may sleep in between */
  JankThreadStatus status;
  JankSyscall call;

  /* Sent all the same, it would reach a program that waits for signals with sigwait() or signalfd(). */
  if (!jank_thread_read_status (thread, &status) || ((status.blocked_signals >> (self->signal - 1)) & 1) != 0)
    return count_no_answer (self, ranges == NULL);
  if (!is_awake (self, jank_thread_get_info (thread)->tid, cpu_ns, status.n_sleeps))
    return JANK_ANSWER_BLOCKED;
  began_ns = jank_clock_now_ns ();
  jank_thread_read_syscall (thread, &call);
  if (call.kind != JANK_SYSCALL_RUNNING || jank_clock_now_ns () - began_ns > STALE_NS)
    return JANK_ANSWER_BLOCKED;
  return send_and_wait (self, jank_thread_get_info (thread), ranges, bound_ns);
}

/* Makes room where nobody will: an answer that came after COPY_BOUND_NS, to nobody, or one that comes late or
 * never and is not what tid is asked for. */
static void
clear_slot (pid_t tid)
{
  guint32 state = slot_state ();

  if (state == JANK_SLOT_DONE)
    atomic_store_explicit (&jank_signal_slot.state, JANK_SLOT_EMPTY, memory_order_release);
  if (state == JANK_SLOT_GIVEN_UP &&
      (asked_tid != tid || (syscall (SYS_tgkill, getpid (), asked_tid, 0) != 0 && errno == ESRCH)))
    atomic_compare_exchange_strong_explicit (&jank_signal_slot.state, &state, JANK_SLOT_EMPTY,
                                             memory_order_acq_rel, memory_order_relaxed);
}

JankAnswer
jank_signal_sampler_take_other (JankSignalSampler *self, JankThread *thread, const JankStackRanges *ranges,
                                gint64 bound_ns)
{
  JankAnswer answer;

  g_mutex_lock (&slot_mutex);
  clear_slot (jank_thread_get_info (thread)->tid);
  if (slot_state () != JANK_SLOT_EMPTY)
    answer = JANK_ANSWER_BUSY;
  else if (!still_installed (self))
    answer = count_no_answer (self, ranges == NULL);
  else
    answer = look_and_send (self, thread, ranges, bound_ns);

  if (answer != JANK_ANSWER_COPIED)
    g_mutex_unlock (&slot_mutex);
  return answer;
}

JankAnswer
jank_signal_sampler_take (JankSignalSampler *self, JankThread *thread)
{
  return jank_signal_sampler_take_other (self, thread, NULL, BOUND_NS);
}

gboolean
jank_signal_sampler_is_copying (JankSignalSampler *self)
{
  return slot_state () == JANK_SLOT_COPYING;
}

void
jank_signal_sampler_release (JankSignalSampler *self)
{
  atomic_store_explicit (&jank_signal_slot.state, JANK_SLOT_EMPTY, memory_order_release);
  g_mutex_unlock (&slot_mutex);
}

int
jank_signal_sampler_get_signal (JankSignalSampler *self)
{
  return self->signal;
}

const JankSignalCounts *
jank_signal_sampler_get_counts (JankSignalSampler *self)
{
  return &self->counts;
}
