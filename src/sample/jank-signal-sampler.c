/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-signal-sampler-private.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "base/jank-memory-private.h"
#include "guest/jank-rest-private.h"
#include "gobject/jank-emissions-private.h"

/* Between the tick and the end of the handler. */
#define SLACK_NS      (500 * JANK_NS_PER_US)
/* The handler takes microseconds: only a debugger that stops this one thread can keep it in there. */
#define COPY_BOUND_NS JANK_NS_PER_S
#define MAX_TICK_NS   (10 * JANK_NS_PER_MS)

struct _JankSignalSampler
{
  int              signal;
  gint64           tick_ns;
  JankThread      *own;       /* (owned): the watcher's */
  timer_t          timer;     /* on the CPU clock of tid */
  pid_t            tid;       /* 0: there is no timer */
  uintptr_t        timer_id;  /* as in JankSignalSlot */
  gint64           asked_ns;  /* when the timer was armed last */
  gboolean         silent;    /* the thread has not answered since n_no_answer was counted */
  gboolean         is_safe;
  gboolean         was_said;
  GError          *error;     /* (owned) (nullable): not yet taken */
  JankSignalCounts counts;
};

/* Held from take to release: one slot serves all watchers. Not a GMutex, which no thread sanitizer sees. */
static pthread_mutex_t slot_mutex = PTHREAD_MUTEX_INITIALIZER;
static guint n_timers; /* under slot_mutex */

/* Whether a CPU-time timer expires in task work. */
gboolean
jank_signal_sampler_is_safe_on (const char *release)
{
  guint major = 0, minor = 0;

  sscanf (release, "%u.%u", &major, &minor);
  return major > JANK_TASK_WORK_MAJOR || (major == JANK_TASK_WORK_MAJOR && minor >= JANK_TASK_WORK_MINOR);
}

static gboolean
jank_signal_sampler_is_ours (int signal)
{
  struct sigaction current;

  return sigaction (signal, NULL, &current) == 0 && (current.sa_flags & SA_SIGINFO) != 0 &&
         current.sa_sigaction == jank_signal_handler;
}

/* The program's own handler keeps its flags and its mask: ours calls it. */
static void
jank_signal_sampler_install (int signal)
{
  struct sigaction action, *before = &jank_signal_before[signal];

  if (jank_signal_sampler_is_ours (signal) || sigaction (signal, NULL, before) != 0)
    return;
  action = *before;
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
    {
      action.sa_flags = SA_RESTART | SA_ONSTACK;
      sigfillset (&action.sa_mask);
    }
  action.sa_flags = (action.sa_flags & ~(int) SA_RESETHAND) | SA_SIGINFO;
  action.sa_sigaction = jank_signal_handler;
  sigaction (signal, &action, before);
}

/* The watcher that had asked is not there. */
static void
jank_signal_sampler_in_child_cb (void)
{
  slot_mutex = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
  atomic_store_explicit (&jank_signal_slot.state, JANK_SLOT_EMPTY, memory_order_relaxed);
}

static void
jank_signal_sampler_watch_forks (void)
{
  pthread_atfork (NULL, NULL, jank_signal_sampler_in_child_cb);
}

JankSignalSampler *
jank_signal_sampler_new (int signal)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  JankSignalSampler *self = g_new0 (JankSignalSampler, 1);
  JankThreadInfo own;
  struct timespec tick;
  struct utsname system;

  pthread_once (&once, jank_signal_sampler_watch_forks);
  jank_thread_describe_self (&own);
  self->own = jank_thread_new (&own, "/proc/self/task");
  self->signal = signal != 0 ? signal : SIGURG;
  self->is_safe = uname (&system) == 0 && jank_signal_sampler_is_safe_on (system.release);
  self->tick_ns = clock_getres (CLOCK_MONOTONIC_COARSE, &tick) == 0 ? tick.tv_nsec : 0;
  self->tick_ns = CLAMP (self->tick_ns, JANK_NS_PER_MS, MAX_TICK_NS);
  if (self->is_safe)
    jank_signal_sampler_install (self->signal);
  return self;
}

static void
jank_signal_sampler_drop_timer (JankSignalSampler *self)
{
  if (self->tid != 0)
    timer_delete (self->timer);
  self->tid = 0;
}

void
jank_signal_sampler_free (JankSignalSampler *self)
{
  jank_signal_sampler_rest (self);
  jank_signal_sampler_drop_timer (self);
  jank_thread_free (self->own);
  g_clear_error (&self->error);
  g_free (self);
}

static gboolean
jank_signal_sampler_make_timer (JankSignalSampler *self, pid_t tid)
{
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = self->signal };

  if (self->tid == tid)
    return TRUE;
  jank_signal_sampler_drop_timer (self);
  self->timer_id = (uintptr_t) &jank_signal_slot + ++n_timers % sizeof jank_signal_slot;
  event.sigev_value.sival_ptr = (void *) self->timer_id;
  event._sigev_un._tid = tid;
  /* EAGAIN: RLIMIT_SIGPENDING counts timers; EINVAL: the thread is gone. */
  if (timer_create (jank_cpu_clock_of (tid), &event, &self->timer) != 0)
    return FALSE;
  self->tid = tid;
  return TRUE;
}

/* No more once it has sent its signal. */
static gboolean
jank_signal_sampler_is_armed (JankSignalSampler *self)
{
  struct itimerspec left;

  return timer_gettime (self->timer, &left) == 0 && (left.it_value.tv_sec != 0 || left.it_value.tv_nsec != 0);
}

static guint32
jank_signal_sampler_slot_state (void)
{
  return atomic_load_explicit (&jank_signal_slot.state, memory_order_acquire);
}

/* Drops a request or an answer that nobody waits for. FALSE: a thread is in the handler. */
static gboolean
jank_signal_sampler_clear_slot (void)
{
  guint32 state = jank_signal_sampler_slot_state ();

  if (state == JANK_SLOT_DONE)
    atomic_store_explicit (&jank_signal_slot.state, JANK_SLOT_EMPTY, memory_order_release);
  return state == JANK_SLOT_EMPTY || state == JANK_SLOT_DONE ||
         (state == JANK_SLOT_ASKED &&
          atomic_compare_exchange_strong_explicit (&jank_signal_slot.state, &state, JANK_SLOT_EMPTY,
                                                   memory_order_acq_rel, memory_order_acquire));
}

/* It stays pending where the thread has blocked it meanwhile. */
static void
jank_signal_sampler_disarm (JankSignalSampler *self)
{
  if (self->tid == 0 || jank_signal_slot.timer != self->timer_id ||
      jank_signal_sampler_slot_state () == JANK_SLOT_EMPTY)
    return;
  timer_settime (self->timer, 0, &(struct itimerspec) { 0 }, NULL);
  jank_signal_sampler_clear_slot ();
}

static void
jank_signal_sampler_fail (JankSignalSampler *self, const char *text)
{
  if (!self->was_said)
    g_set_error_literal (&self->error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, text);
  self->was_said = TRUE;
}

/* A signal that the thread blocks would stay pending, and its sigwait() or signalfd() would find it. A seccomp filter
 * that the watcher does not share might end the program for the system call that the handler makes. */
static gboolean
jank_signal_sampler_may_ask (JankSignalSampler *self, JankThread *thread, JankThreadStatus *ret_status)
{
  JankThreadStatus own;

  if (!self->is_safe)
    {
      /* Translators: %d.%d is a version of Linux. */
      g_autofree char *text = g_strdup_printf (_("This kernel, older than Linux %d.%d, would interrupt system calls if "
                                                 "computing threads were sampled: only waiting threads have stacks"),
                                               JANK_TASK_WORK_MAJOR, JANK_TASK_WORK_MINOR);

      jank_signal_sampler_fail (self, text);
    }
  else if (!jank_signal_sampler_is_ours (self->signal))
    jank_signal_sampler_fail (self,
                              _("The program now handles the signal that samples computing threads: only waiting "
                                "threads have stacks. Choose another signal with “signal”"));
  else
    return jank_thread_read_status (thread, ret_status) &&
           ((ret_status->blocked_signals >> (self->signal - 1)) & 1) == 0 &&
           (ret_status->n_filters == 0 ||
            (jank_thread_read_status (self->own, &own) && ret_status->n_filters == own.n_filters));
  return FALSE;
}

static gboolean
jank_signal_sampler_ask_thread (JankSignalSampler *self, const JankThreadInfo *info,
                                const JankStackRanges *ranges, const JankPythonRequest *python,
                                guint32 engine_request)
{
  /* Relative, and not 0: a time that is already over would be signalled from this thread, as if we had sent it. */
  struct itimerspec soon = { .it_value = { 0, 1 } };
  JankSignalSlot *slot = &jank_signal_slot;
  const JankEmissions *emissions = jank_emissions_get ();

  if (!jank_signal_sampler_clear_slot () || !jank_signal_sampler_make_timer (self, info->tid))
    return FALSE;
  slot->timer = self->timer_id;
  slot->ranges = ranges;
  slot->stack_low = info->stack_low;
  slot->stack_base = info->stack_base;
  slot->pid = jank_memory_get_pid ();
  slot->engine_request = engine_request;
  slot->emission = emissions != NULL ? (const uint64_t *) (guintptr) emissions->head : NULL;
  slot->python = python != NULL ? *python : (JankPythonRequest) { .n_states = 0 };
  self->asked_ns = jank_clock_now_ns ();
  atomic_store_explicit (&slot->state, JANK_SLOT_ASKED, memory_order_release);
  if (timer_settime (self->timer, 0, &soon, NULL) == 0)
    return TRUE;
  /* The thread is gone, and another may get its ID. */
  jank_signal_sampler_clear_slot ();
  jank_signal_sampler_drop_timer (self);
  return FALSE;
}

static void
jank_signal_sampler_sleep_until (gint64 until_ns)
{
  jank_rest_begin ();
  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME,
                   &(struct timespec) { until_ns / JANK_NS_PER_S, until_ns % JANK_NS_PER_S }, NULL);
  jank_rest_end ();
}

/* The handler does not wake us: that would add 13 µs to the 20 µs of the thread's time that a sample takes. */
static gboolean
jank_signal_sampler_wait_for_answer (JankSignalSampler *self)
{
  gint64 until_ns = jank_clock_now_ns () + self->tick_ns + SLACK_NS;

  jank_signal_sampler_sleep_until (until_ns);
  for (guint i = 1; jank_signal_sampler_slot_state () == JANK_SLOT_COPYING && i * SLACK_NS < COPY_BOUND_NS; i++)
    jank_signal_sampler_sleep_until (until_ns + i * SLACK_NS);
  return jank_signal_sampler_slot_state () == JANK_SLOT_DONE;
}

/* Of a timer that is not armed. A thread that has lost its CPU on its way out of the kernel has the signal still to
 * come, and newer kernels drop it when the timer is armed anew, as they drop what the thread has used of its tick. A
 * signal that found nobody is lost: ignored for a while, or dropped by a sanitizer that has one already. */
static gboolean
jank_signal_sampler_is_on_its_way (JankSignalSampler *self, const JankThreadStatus *status)
{
  guint32 state = jank_signal_sampler_slot_state ();

  return state == JANK_SLOT_COPYING || state == JANK_SLOT_DONE ||
         (state == JANK_SLOT_ASKED && ((status->pending_signals >> (self->signal - 1)) & 1) != 0);
}

JankAnswer
jank_signal_sampler_take (JankSignalSampler *self, JankThread *thread, const JankStackRanges *ranges,
                          const JankPythonRequest *python, guint32 engine_request)
{
  const JankThreadInfo *info = jank_thread_get_info (thread);
  JankAnswer answer = JANK_ANSWER_LATE;
  gboolean is_own, is_armed;
  JankThreadStatus status;

  pthread_mutex_lock (&slot_mutex);
  is_own = self->tid == info->tid && jank_signal_slot.timer == self->timer_id;
  is_armed = is_own && jank_signal_sampler_slot_state () == JANK_SLOT_ASKED && jank_signal_sampler_is_armed (self);
  if (is_own && jank_signal_sampler_slot_state () == JANK_SLOT_DONE)
    answer = JANK_ANSWER_COPIED;
  else if (!jank_signal_sampler_may_ask (self, thread, &status) ||
           !(is_armed || (is_own && jank_signal_sampler_is_on_its_way (self, &status)) ||
             jank_signal_sampler_ask_thread (self, info, ranges, python, engine_request)))
    answer = JANK_ANSWER_NONE;
  else if (jank_signal_sampler_wait_for_answer (self))
    answer = JANK_ANSWER_COPIED;

  /* The program may have taken the signal since the last asking. */
  if (answer == JANK_ANSWER_NONE)
    jank_signal_sampler_disarm (self);
  self->counts.n_sent += answer == JANK_ANSWER_COPIED;
  /* A thread that cannot be asked counts once, however often we look. */
  self->counts.n_no_answer += answer == JANK_ANSWER_NONE && !self->silent;
  self->silent = answer == JANK_ANSWER_NONE;
  if (answer != JANK_ANSWER_COPIED)
    pthread_mutex_unlock (&slot_mutex);
  return answer;
}

gboolean
jank_signal_sampler_has_answer (JankSignalSampler *self, pid_t tid)
{
  gboolean has;

  pthread_mutex_lock (&slot_mutex);
  has = self->tid == tid && jank_signal_slot.timer == self->timer_id &&
        jank_signal_sampler_slot_state () == JANK_SLOT_DONE;
  pthread_mutex_unlock (&slot_mutex);
  return has;
}

gint64
jank_signal_sampler_get_asked_ns (JankSignalSampler *self)
{
  return self->asked_ns;
}

void
jank_signal_sampler_ask (JankSignalSampler *self, JankThread *thread, const JankPythonRequest *python,
                         guint32 engine_request)
{
  JankThreadStatus status;

  pthread_mutex_lock (&slot_mutex);
  if (jank_signal_sampler_may_ask (self, thread, &status))
    jank_signal_sampler_ask_thread (self, jank_thread_get_info (thread), NULL, python, engine_request);
  pthread_mutex_unlock (&slot_mutex);
}

void
jank_signal_sampler_release (JankSignalSampler *self)
{
  jank_signal_sampler_clear_slot ();
  pthread_mutex_unlock (&slot_mutex);
}

void
jank_signal_sampler_rest (JankSignalSampler *self)
{
  pthread_mutex_lock (&slot_mutex);
  jank_signal_sampler_disarm (self);
  pthread_mutex_unlock (&slot_mutex);
}

gboolean
jank_signal_sampler_is_copying (JankSignalSampler *self)
{
  return jank_signal_sampler_slot_state () == JANK_SLOT_COPYING;
}

GError *
jank_signal_sampler_take_error (JankSignalSampler *self)
{
  return g_steal_pointer (&self->error);
}

gint64
jank_signal_sampler_get_tick (JankSignalSampler *self)
{
  return self->tick_ns;
}

const JankSignalCounts *
jank_signal_sampler_get_counts (JankSignalSampler *self)
{
  return &self->counts;
}
