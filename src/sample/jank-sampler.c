/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-sampler-private.h"

#include <time.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-error.h"
#include "sample/jank-blocked-sampler-private.h"

/* A thread that goes to sleep and wakes while we look is looked at again for so long, with naps between. */
#define TRY_NS (5 * JANK_NS_PER_MS)
#define NAP_NS (50 * JANK_NS_PER_US)

struct _JankSampler
{
  JankCodeMap       *map;      /* (owned) */
  JankUnwinder      *unwinder; /* (owned) */
  JankSignalSampler *signals;  /* (owned) */
  JankThread        *thread;   /* (owned) (nullable) */
  JankStackCopy     *copy;     /* (owned): of a blocked thread */
  JankCall           last_call;  /* that last_stack was read in */
  JankStack         *last_stack; /* (owned) (nullable) */
  JankSamplerCounts  counts;
};

JankSampler *
jank_sampler_new (int signal, GError **error)
{
  g_autoptr (JankSampler) self = g_new0 (JankSampler, 1);

  self->signals = jank_signal_sampler_new (signal, error);
  if (self->signals == NULL)
    return NULL;
  self->map = jank_code_map_new ();
  self->unwinder = jank_unwinder_new (self->map);
  self->copy = g_new0 (JankStackCopy, 1);
  return g_steal_pointer (&self);
}

static void
forget_last (JankSampler *self)
{
  g_clear_pointer (&self->last_stack, jank_stack_unref);
  self->last_call = (JankCall) { .kind = JANK_CALL_UNKNOWN };
}

void
jank_sampler_free (JankSampler *self)
{
  forget_last (self);
  g_clear_pointer (&self->thread, jank_thread_free);
  g_clear_pointer (&self->unwinder, jank_unwinder_free);
  g_clear_pointer (&self->map, jank_code_map_free);
  g_clear_pointer (&self->signals, jank_signal_sampler_free);
  g_free (self->copy);
  g_free (self);
}

gboolean
jank_sampler_set_thread (JankSampler *self, const JankThreadInfo *info, const char *task_folder, GError **error)
{
  int saved_errno;

  forget_last (self);
  g_clear_pointer (&self->thread, jank_thread_free);
  self->thread = jank_thread_new (info, task_folder);
  if (jank_thread_can_read_call (self->thread, &saved_errno))
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

static JankStack *
unwind (JankSampler *self, const JankStackCopy *copy)
{
  gint64 began_ns = jank_clock_now_ns ();
  JankStack *stack = jank_unwinder_run (self->unwinder, copy);

  self->counts.last_unwind_ns = jank_clock_now_ns () - began_ns;
  if (stack != NULL && stack->complete)
    self->counts.n_complete++;
  return stack;
}

/* ret_again: whether it may succeed the next time */
static gboolean
take_running (JankSampler *self, JankSample *sample, gboolean *ret_again)
{
  JankAnswer answer = jank_signal_sampler_take (self->signals, self->thread);

  *ret_again = answer == JANK_ANSWER_BLOCKED;
  if (answer != JANK_ANSWER_COPIED)
    return FALSE;
  sample->method = JANK_SAMPLE_SIGNAL;
  sample->syscall = -1;
  sample->at_ns = jank_signal_slot.entered_ns;
  sample->stack = unwind (self, &jank_signal_slot.copy);
  self->counts.last_handler_ns = jank_signal_slot.left_ns - jank_signal_slot.entered_ns;
  jank_signal_sampler_release (self->signals);
  forget_last (self);
  return TRUE;
}

static gboolean
take_blocked (JankSampler *self, const JankCall *call, JankSample *sample)
{
  sample->method = JANK_SAMPLE_BLOCKED;
  sample->syscall = (gint) call->number;
  if (self->last_stack != NULL && jank_thread_is_same_call (&self->last_call, call) && call->n_switches != 0)
    {
      sample->stack = jank_stack_ref (self->last_stack);
      self->counts.n_reused++;
      self->counts.n_complete += sample->stack->complete;
      return TRUE;
    }
  if (!jank_blocked_sampler_take (self->thread, call, self->copy))
    return FALSE;

  sample->stack = unwind (self, self->copy);
  forget_last (self);
  self->last_call = *call;
  self->last_stack = sample->stack != NULL ? jank_stack_ref (sample->stack) : NULL;
  return TRUE;
}

gboolean
jank_sampler_take (JankSampler *self, JankSample *ret_sample)
{
  JankSample sample = { .at_ns = jank_clock_now_ns (), .syscall = -1 };
  gint64 began_ns = sample.at_ns;
  gboolean taken = FALSE, again = self->thread != NULL;

  while (!taken && again)
    {
      JankCall call;

      jank_thread_read_call (self->thread, &call);
      if (call.kind == JANK_CALL_RUNNING)
        taken = take_running (self, &sample, &again);
      else if (call.kind == JANK_CALL_BLOCKED)
        taken = take_blocked (self, &call, &sample);
      else
        again = FALSE;

      again = again && jank_clock_now_ns () - began_ns < TRY_NS;
      if (!taken && again && call.kind == JANK_CALL_RUNNING)
        nanosleep (&(struct timespec) { 0, NAP_NS }, NULL);
    }

  sample.cost_ns = jank_clock_now_ns () - began_ns;
  self->counts.cost_ns += sample.cost_ns;
  if (sample.stack != NULL)
    self->counts.n_samples++;
  else
    self->counts.n_lost++;
  *ret_sample = sample;
  return sample.stack != NULL;
}

JankCodeMap *
jank_sampler_get_map (JankSampler *self)
{
  return self->map;
}

const JankSamplerCounts *
jank_sampler_get_counts (JankSampler *self)
{
  return &self->counts;
}

const JankSignalCounts *
jank_sampler_get_signal_counts (JankSampler *self)
{
  return jank_signal_sampler_get_counts (self->signals);
}
