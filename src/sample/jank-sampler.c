/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sample/jank-sampler-private.h"

#include <sys/auxv.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "elf/jank-loaded-private.h"
#include "javascript/jank-javascript-private.h"
#include "gobject/jank-handlers-private.h"
#include "python/jank-python-private.h"
#include "sample/jank-blocked-sampler-private.h"

/* A thread that falls asleep and wakes while we look is retried for up to this long. */
#define TRY_NS (20 * JANK_NS_PER_MS)

/* Tries to find what a call waits for, for a call that sleeps and wakes, such as fsync(). */
#define WAIT_TRIES 16
#define MAX_READS  (1 << 16) /* of memory, for a sample: 0.1 s; a thread of a large program takes some hundred */

struct _JankSampler
{
  JankCodeMap       *map;      /* (owned) */
  JankUnwinder      *unwinder; /* (owned) */
  JankSignalSampler *signals;  /* (owned) (nullable): of another process */
  JankSamplerCopyFunc copy_running; /* in place of signals */
  JankThread        *thread;   /* (owned) (nullable) */
  JankPython        *python;   /* (owned) */
  const JankJavascriptPlugin *engine; /* (nullable): NULL until there is an engine */
  JankJavascript    *javascript; /* (owned): the engine's */
  JankHandlers      *handlers; /* (owned) */
  JankStackCopy     *copy;     /* (owned): of a blocked thread */
  JankPythonCalls   *calls;    /* (owned): of the same */
  gboolean           ran;      /* the last sample was of a running thread */
  JankThreadTurns    turns;    /* of the thread, as read in the take under way */
  JankThreadTimes    times;    /* when the last take was over */
  gint64             late_cpu_ns; /* the thread's when it first failed to answer what it is asked; -1: it did not */
  gint64             late_since_ns; /* when it had hardly computed yet since it was asked */
  gboolean           is_in_kernel;  /* it has computed since then, and stays asked */
  JankSyscall        last_call; /* the one last_stack was read in */
  JankStack         *last_stack; /* (owned) (nullable) */
  gboolean           is_asked;   /* the engine, for the stack that was read last */
  JankWait          *last_wait;  /* (owned) (nullable) */
  JankSamplerCounts  counts;
};

static JankSampler *
jank_sampler_new_bare (void)
{
  JankSampler *self = g_new0 (JankSampler, 1);

  self->map = jank_code_map_new ();
  self->unwinder = jank_unwinder_new (self->map);
  self->python = jank_python_new (self->map);
  self->copy = g_new0 (JankStackCopy, 1);
  self->calls = g_new0 (JankPythonCalls, 1);
  return self;
}

JankSampler *
jank_sampler_new (int signal)
{
  JankSampler *self = jank_sampler_new_bare ();

  self->signals = jank_signal_sampler_new (signal);
  /* The first stack may be the only one. */
  jank_code_map_find (self->map, getauxval (AT_ENTRY));
  jank_python_look (self->python);
  self->handlers = jank_handlers_new (self->map);
  return self;
}

JankSampler *
jank_sampler_new_of_other (JankSamplerCopyFunc copy_running)
{
  JankSampler *self = jank_sampler_new_bare ();
  guint64 start;

  self->copy_running = copy_running;
  for (guint i = 0; (start = jank_loaded_get (i)) != 0; i++)
    jank_code_map_find (self->map, start);
  jank_python_look (self->python);
  return self;
}

static void
jank_sampler_forget_last (JankSampler *self)
{
  g_clear_pointer (&self->last_stack, jank_stack_unref);
  g_clear_pointer (&self->last_wait, jank_wait_unref);
  self->last_call = (JankSyscall) { .kind = JANK_SYSCALL_UNKNOWN };
}

void
jank_sampler_free (JankSampler *self)
{
  jank_sampler_forget_last (self);
  g_clear_pointer (&self->thread, jank_thread_free);
  g_clear_pointer (&self->handlers, jank_handlers_free);
  g_clear_pointer (&self->python, jank_python_free);
  if (self->engine != NULL)
    self->engine->free (self->javascript);
  g_clear_pointer (&self->unwinder, jank_unwinder_free);
  g_clear_pointer (&self->map, jank_code_map_free);
  g_clear_pointer (&self->signals, jank_signal_sampler_free);
  g_free (self->copy);
  g_free (self->calls);
  g_free (self);
}

gboolean
jank_sampler_set_thread (JankSampler *self, const JankThreadInfo *info, const char *task_folder, GError **error)
{
  int saved_errno;

  if (self->signals != NULL)
    jank_signal_sampler_rest (self->signals);
  jank_sampler_forget_last (self);
  self->ran = FALSE;
  self->times.known = false;
  self->late_cpu_ns = -1;
  g_clear_pointer (&self->thread, jank_thread_free);
  self->thread = jank_thread_new (info, task_folder);
  /* Threads that take a loop by turns may end meanwhile. */
  if (jank_thread_can_read_syscall (self->thread, &saved_errno) || jank_thread_read_cpu_ns (self->thread) < 0)
    return TRUE;
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("Could not read “%s/%d/syscall”, which tells whether the program computes or waits: %s. "
                 "Stalls are timed, but have no stacks"),
               task_folder, (int) info->tid, g_strerror (saved_errno));
  return FALSE;
}

JankThread *
jank_sampler_get_thread (JankSampler *self)
{
  return self->thread;
}

/* python (nullable): to be merged later */
static JankStack *
jank_sampler_unwind (JankSampler *self, const JankStackCopy *copy, const JankPythonCalls *python)
{
  JankStack *stack = jank_unwinder_run (self->unwinder, copy);

  if (self->handlers != NULL)
    jank_handlers_describe (self->handlers, stack, copy);
  return python != NULL ? jank_python_merge (self->python, stack, copy, python) : stack;
}

void
jank_sampler_request_python (JankSampler *self, JankThread *thread, JankPythonRequest *ret_request)
{
  const JankThreadInfo *info = jank_thread_get_info (thread);

  jank_python_request (self->python, info->tid, info->stack_low, info->stack_base, ret_request);
}

/* Returns: as the engine's begin() */
static guint32
jank_sampler_begin_javascript (JankSampler *self, JankThread *thread)
{
  if (!jank_javascript_make (self->map, &self->engine, &self->javascript))
    return 0;
  return self->engine->begin (self->javascript, jank_thread_get_info (thread)->tid);
}

/* As the engine's mark() */
static JankStack *
jank_sampler_mark_javascript (JankSampler *self, JankThread *thread, JankStack *stack, guint32 number, gint64 at_ns)
{
  pid_t tid = jank_thread_get_info (thread)->tid;

  return self->engine != NULL ? self->engine->mark (self->javascript, tid, stack, number, at_ns) : stack;
}

static JankAnswer
jank_sampler_copy_running (JankSampler *self, JankThread *thread, const JankStackRanges *ranges, JankSample *sample)
{
  JankPythonRequest python;
  JankStack *stack;
  JankAnswer answer;

  jank_sampler_request_python (self, thread, &python);
  answer = jank_signal_sampler_take (self->signals, thread, ranges, &python,
                                     jank_sampler_begin_javascript (self, thread));
  if (answer != JANK_ANSWER_COPIED)
    return answer;
  sample->method = JANK_SAMPLE_SIGNAL;
  sample->syscall = -1;
  sample->at_ns = jank_signal_slot.entered_ns;
  sample->handler_ns = jank_signal_slot.left_ns - jank_signal_slot.entered_ns;
  stack = jank_sampler_unwind (self, &jank_signal_slot.copy, &jank_signal_slot.python_calls);
  sample->stack = jank_sampler_mark_javascript (self, thread, stack, jank_signal_slot.engine_request, sample->at_ns);
  jank_python_look (self->python);
  jank_signal_sampler_release (self->signals);
  return answer;
}

/* A thread that had to wait for a CPU may soon have to again: it answers the next look when it has one. */
static void
jank_sampler_ask_ahead (JankSampler *self)
{
  JankPythonRequest python;

  jank_sampler_request_python (self, self->thread, &python);
  jank_signal_sampler_ask (self->signals, self->thread, &python, jank_sampler_begin_javascript (self, self->thread));
}

/* Whether the thread is still to answer what it failed to answer first: not where the signal got lost, or another
 * thread was asked meanwhile. */
static gboolean
jank_sampler_stays_asked (JankSampler *self)
{
  return self->late_cpu_ns >= 0 && jank_signal_sampler_get_asked_ns (self->signals) <= self->late_since_ns;
}

static gboolean
jank_sampler_has_late (JankSampler *self)
{
  return jank_sampler_stays_asked (self) &&
         jank_signal_sampler_has_answer (self->signals, jank_thread_get_info (self->thread)->tid);
}

static JankAnswer
jank_sampler_take_running (JankSampler *self, JankSample *sample)
{
  JankAnswer answer = jank_sampler_copy_running (self, self->thread, NULL, sample);

  if (answer != JANK_ANSWER_COPIED)
    return answer;
  sample->since_ns = self->is_in_kernel && jank_sampler_stays_asked (self) ? self->late_since_ns : 0;
  self->is_in_kernel = FALSE;
  self->turns.n_turns = 0; /* it had some since */
  if (self->late_cpu_ns >= 0)
    jank_sampler_ask_ahead (self);
  self->late_cpu_ns = -1;
  jank_sampler_forget_last (self);
  return answer;
}

/* What the thread waits for, if it still waits: otherwise the answer may belong to another call, with other
 * descriptors and locks. */
static JankWait *
jank_sampler_find_wait (JankSampler *self, JankThread *thread, const JankSyscall *call, const JankStack *stack)
{
  pid_t tid = jank_thread_get_info (thread)->tid;
  JankWait *wait;
  JankSyscall now = *call;

  for (guint i = 0; i < WAIT_TRIES && jank_thread_is_same_place (call, &now); i++)
    {
      wait = jank_wait_new (&now, tid, stack->calls, stack->n_calls);
      jank_python_explain_wait (self->python, tid, wait);
      if (jank_thread_is_still_in (thread, &now))
        return wait;
      g_clear_pointer (&wait, jank_wait_unref);
      now.kind = JANK_SYSCALL_RUNNING;
      for (guint k = 0; now.kind == JANK_SYSCALL_RUNNING && k < WAIT_TRIES; k++)
        jank_thread_read_syscall (thread, &now);
    }
  return NULL;
}

/* The engine answers when the call has ended, or is not to be asked yet. */
static JankStack *
jank_sampler_add_javascript (JankSampler *self, JankThread *thread, JankStack *stack)
{
  guint32 number = jank_sampler_begin_javascript (self, thread);

  self->is_asked = number != 0;
  stack = jank_sampler_mark_javascript (self, thread, stack, number, jank_clock_now_ns ());
  if (number != 0 && self->engine->awaits (self->javascript, number))
    jank_engine_ask ();
  return stack;
}

/* Returns: whether the stack has its JavaScript */
static gboolean
jank_sampler_read_javascript (JankSampler *self, JankThread *thread, const JankSyscall *call, JankStack **stack)
{
  JankStack *named = NULL;

  if (jank_javascript_make (self->map, &self->engine, &self->javascript))
    named = self->engine->read (self->javascript, jank_thread_get_info (thread)->tid, *stack,
                                self->copy->regs[JANK_REG_SP], self->copy->base);
  if (named == NULL || !jank_thread_is_still_in (thread, call))
    {
      g_clear_pointer (&named, jank_stack_unref);
      return FALSE;
    }
  jank_stack_unref (*stack);
  *stack = named;
  return TRUE;
}

/* A thread that sleeps in call. FALSE: it went on. */
static gboolean
jank_sampler_look_at_blocked (JankSampler *self, JankThread *thread, const JankSyscall *call,
                              const JankStackRanges *ranges, JankSample *sample)
{
  JankPythonRequest python;
  JankStack *stack = NULL;

  do
    {
      g_clear_pointer (&stack, jank_stack_unref);
      jank_sampler_request_python (self, thread, &python);
      if (!jank_blocked_sampler_take (thread, call, ranges, &python, self->copy, self->calls))
        return FALSE;
      stack = jank_sampler_unwind (self, self->copy, NULL);
    }
  while (jank_python_look (self->python)); /* that Python is there is known once it is on a stack */
  sample->wait = jank_sampler_find_wait (self, thread, call, stack);
  self->is_asked = self->calls->n_calls == 0 && jank_sampler_read_javascript (self, thread, call, &stack);
  /* Once all is known that the native stack alone tells. */
  stack = jank_python_merge (self->python, stack, self->copy, self->calls);
  sample->stack = self->is_asked ? stack : jank_sampler_add_javascript (self, thread, stack);
  return TRUE;
}

static gboolean
jank_sampler_take_blocked (JankSampler *self, const JankSyscall *call, JankSample *sample)
{
  sample->at_ns = jank_clock_now_ns ();
  sample->method = JANK_SAMPLE_BLOCKED;
  sample->syscall = (gint) call->number;
  if (self->last_stack == NULL || !jank_thread_is_same_syscall (&self->last_call, call) || call->n_switches == 0)
    {
      if (!jank_sampler_look_at_blocked (self, self->thread, call, NULL, sample))
        return FALSE;
      jank_sampler_forget_last (self);
      self->last_call = *call;
      self->last_stack = sample->stack;
      self->last_wait = sample->wait;
    }
  else if (!self->is_asked)
    self->last_stack = jank_sampler_add_javascript (self, self->thread, self->last_stack);
  sample->stack = jank_stack_ref (self->last_stack);
  sample->wait = self->last_wait != NULL ? jank_wait_ref (self->last_wait) : NULL;
  return TRUE;
}

/* A thread that could run has not answered, and stays asked. It had no CPU to do so, unless it computed for two ticks
 * since it failed to answer: then it is long inside the kernel, and answers when that call returns. */
static gboolean
jank_sampler_is_starved (JankSampler *self)
{
  gint64 cpu_ns = jank_thread_read_cpu_ns (self->thread), tick_ns = jank_signal_sampler_get_tick (self->signals);

  if (!jank_sampler_stays_asked (self))
    {
      self->late_cpu_ns = cpu_ns;
      self->is_in_kernel = FALSE;
    }
  /* In the first tick of its time on a CPU it may have been anywhere, and without a CPU before. */
  if (!self->is_in_kernel && cpu_ns - self->late_cpu_ns <= tick_ns)
    self->late_since_ns = jank_clock_now_ns ();
  if (cpu_ns >= 0 && cpu_ns - self->late_cpu_ns <= 2 * tick_ns)
    return TRUE;
  self->late_cpu_ns = cpu_ns;
  return FALSE;
}

/* A thread that ran at the last look mostly still runs, and a sleeping thread does not notice the request. What it has
 * answered since, before it fell asleep, comes first. */
static void
jank_sampler_look_at_call (JankSampler *self, JankSyscall *ret_call)
{
  *ret_call = (JankSyscall) { .kind = JANK_SYSCALL_RUNNING };
  if (self->ran || jank_sampler_has_late (self))
    return;
  jank_thread_read_turns (self->thread, &self->turns);
  jank_thread_read_syscall_after (self->thread, &self->turns, ret_call);
}

gboolean
jank_sampler_take (JankSampler *self, JankSample *ret_sample)
{
  JankSample sample = { .at_ns = jank_clock_now_ns (), .syscall = -1 };
  gint64 until_ns = sample.at_ns + TRY_NS;
  gboolean done = self->thread == NULL, is_late = FALSE;
  JANK_MEMORY_BUDGET (MAX_READS);

  self->turns.n_turns = 0;
  while (!done)
    {
      JankSyscall call;

      jank_sampler_look_at_call (self, &call);
      if (call.kind == JANK_SYSCALL_RUNNING && is_late)
        {
          sample.starved = jank_sampler_is_starved (self);
          sample.in_kernel = !sample.starved && self->late_cpu_ns >= 0;
          self->is_in_kernel |= sample.in_kernel;
          break;
        }
      if (call.kind == JANK_SYSCALL_RUNNING)
        {
          JankAnswer answer = jank_sampler_take_running (self, &sample);

          self->ran = answer == JANK_ANSWER_COPIED;
          is_late = answer == JANK_ANSWER_LATE;
          done = !is_late;
        }
      else
        {
          done = call.kind == JANK_SYSCALL_UNKNOWN || jank_sampler_take_blocked (self, &call, &sample);
          jank_signal_sampler_rest (self->signals);
          self->late_cpu_ns = -1;
          self->is_in_kernel = FALSE;
          done = done || jank_clock_now_ns () >= until_ns;
        }
    }
  /* After the sample: a thread that has just been given a CPU has its waiting for it on the books. */
  if (self->thread != NULL)
    {
      if (self->turns.n_turns == 0)
        jank_thread_read_turns (self->thread, &self->turns);
      jank_thread_read_times_since (self->thread, &self->times, &self->turns, &self->times);
    }
  self->counts.n_samples += sample.stack != NULL;
  self->counts.n_lost += sample.stack == NULL && !sample.starved && !sample.in_kernel;
  *ret_sample = sample;
  return sample.stack != NULL;
}

gboolean
jank_sampler_take_late (JankSampler *self, JankSample *ret_sample)
{
  *ret_sample = (JankSample) { .syscall = -1 };
  if (!jank_sampler_has_late (self) ||
      jank_sampler_take_running (self, ret_sample) != JANK_ANSWER_COPIED || ret_sample->stack == NULL)
    return FALSE;
  jank_thread_read_times (self->thread, &self->times);
  self->counts.n_samples++;
  return TRUE;
}

const JankThreadTimes *
jank_sampler_get_times (JankSampler *self)
{
  return &self->times;
}

void
jank_sampler_rest (JankSampler *self)
{
  self->late_cpu_ns = -1;
  self->is_in_kernel = FALSE;
  jank_signal_sampler_rest (self->signals);
  if (self->engine != NULL)
    self->engine->rest (self->javascript);
}

void
jank_sampler_describe_source (JankSampler *self, JankSourceInfo *source)
{
  jank_handlers_describe_source (self->handlers, source);
}

gboolean
jank_sampler_has_names (JankSampler *self, gint64 until_ns)
{
  return self->engine != NULL && self->engine->has_answers (self->javascript, until_ns);
}

JankStack *
jank_sampler_name_stack (JankSampler *self, JankStack *stack, gint64 until_ns)
{
  return self->engine->name (self->javascript, stack, until_ns);
}

void
jank_sampler_forget_names (JankSampler *self, gint64 until_ns)
{
  self->engine->forget (self->javascript, until_ns);
}

static JankAnswer
jank_sampler_take_other_stopped (JankSampler *self, JankThread *thread, const JankStackRanges *ranges,
                                 JankSample *sample)
{
  JankPythonRequest python;

  jank_sampler_request_python (self, thread, &python);
  if (!self->copy_running (jank_thread_get_info (thread)->tid, ranges, &python, self->copy, self->calls,
                           &sample->handler_ns))
    return JANK_ANSWER_NONE;
  sample->stack = jank_sampler_unwind (self, self->copy, self->calls);
  return JANK_ANSWER_COPIED;
}

void
jank_sampler_take_other (JankSampler *self, JankThread *thread, const JankStackRanges *ranges, gint64 deadline_ns,
                         JankSyscall *ret_call, JankSample *ret_sample)
{
  gint64 cpu_ns = jank_thread_read_cpu_ns (thread);
  gboolean done = FALSE, may_ask = !self->is_in_kernel; /* one thread at a time */
  JANK_MEMORY_BUDGET (MAX_READS);

  *ret_sample = (JankSample) { .state = JANK_STATE_UNKNOWN, .syscall = -1 };
  while (!done)
    {
      jank_thread_read_syscall (thread, ret_call);
      done = TRUE;
      if (ret_call->kind == JANK_SYSCALL_BLOCKED)
        done = jank_sampler_look_at_blocked (self, thread, ret_call, ranges, ret_sample);
      else if (ret_call->kind == JANK_SYSCALL_RUNNING && may_ask)
        {
          JankAnswer answer = self->signals != NULL
                              ? jank_sampler_copy_running (self, thread, ranges, ret_sample)
                              : jank_sampler_take_other_stopped (self, thread, ranges, ret_sample);

          done = answer != JANK_ANSWER_LATE;
          if (answer == JANK_ANSWER_COPIED)
            ret_sample->state = JANK_STATE_COMPUTING;
        }
      done = done || jank_clock_now_ns () >= deadline_ns;
    }
  ret_sample->at_ns = jank_clock_now_ns ();
  if (may_ask && self->signals != NULL)
    jank_signal_sampler_rest (self->signals);
  if (ret_call->kind == JANK_SYSCALL_BLOCKED)
    {
      ret_sample->method = JANK_SAMPLE_BLOCKED;
      ret_sample->syscall = (gint) ret_call->number;
      if (ret_sample->stack != NULL)
        ret_sample->state = ret_call->number >= 0 ? JANK_STATE_BLOCKED : JANK_STATE_PAGE_FAULT;
    }
  if (!may_ask && thread == self->thread)
    ret_sample->state = JANK_STATE_COMPUTING;
  else if (may_ask && ret_sample->state == JANK_STATE_UNKNOWN && ret_call->kind == JANK_SYSCALL_RUNNING)
    ret_sample->state = jank_thread_read_cpu_ns (thread) > cpu_ns ? JANK_STATE_COMPUTING : JANK_STATE_PREEMPTED;
}

void
jank_sampler_free_ranges (JankSampler *self, JankStackRanges *ranges)
{
  if (self->signals == NULL || !jank_signal_sampler_is_copying (self->signals))
    jank_stack_ranges_free (ranges);
}

const GError *
jank_sampler_get_error (JankSampler *self)
{
  return jank_unwinder_get_error (self->unwinder);
}

JankCodeMap *
jank_sampler_get_map (JankSampler *self)
{
  return self->map;
}

GError *
jank_sampler_take_error (JankSampler *self)
{
  GError *error = jank_signal_sampler_take_error (self->signals);

  if (error == NULL)
    error = jank_python_take_error (self->python);
  return error != NULL || self->engine == NULL ? error : self->engine->take_error (self->javascript);
}

const JankSamplerCounts *
jank_sampler_get_counts (JankSampler *self)
{
  return &self->counts;
}

JankSignalSampler *
jank_sampler_get_signals (JankSampler *self)
{
  return self->signals;
}
