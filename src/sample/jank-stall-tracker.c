/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-stall-tracker-private.h"

#include "base/jank-clock-private.h"

struct _JankStallTracker
{
  JankStall  stall;
  gint64     began_cpu_ns;
  gint64     began_suspended_ns;
  gint64     weighed_until_ns; /* all time before is in somebody's weight */
  gint64     last_at_ns;       /* of the newest sample */
  JankStack *last_stack;       /* (owned) (nullable) */
  gboolean   has_sample;
};

JankStallTracker *
jank_stall_tracker_new (gint64 began_ns, gboolean startup, gint64 threshold_ns, gint64 cpu_ns)
{
  JankStallTracker *self = g_new0 (JankStallTracker, 1);

  self->stall.startup = startup;
  self->stall.began_ns = began_ns;
  self->stall.threshold_ns = threshold_ns;
  self->stall.ring = jank_sample_ring_new ();
  self->stall.tree = jank_call_tree_new ();
  self->began_cpu_ns = cpu_ns;
  self->began_suspended_ns = jank_clock_suspended_ns ();
  self->weighed_until_ns = began_ns;
  return self;
}

void
jank_stall_tracker_free (JankStallTracker *self)
{
  g_clear_pointer (&self->last_stack, jank_stack_unref);
  jank_sample_ring_free (self->stall.ring);
  jank_call_tree_free (self->stall.tree);
  g_free (self);
}

gint64
jank_stall_tracker_get_began (const JankStallTracker *self)
{
  return self->stall.began_ns;
}

gint64
jank_stall_tracker_get_last (const JankStallTracker *self)
{
  return self->last_at_ns;
}

/* Time since the last weighing, without that in which nobody ran. */
static gint64
get_weight (const JankStallTracker *self, gint64 until_ns, const JankGaps *gaps)
{
  gint64 from_ns = self->weighed_until_ns;

  return MAX (until_ns - from_ns - jank_gaps_overlap (gaps, from_ns, until_ns, FALSE)
              - jank_gaps_overlap (gaps, from_ns, until_ns, TRUE), 0);
}

/* Gives the time since the last weighing to the newest sample. */
static void
weigh_until (JankStallTracker *self, gint64 until_ns, const JankGaps *gaps)
{
  gint64 weight_ns = get_weight (self, until_ns, gaps);

  if (!self->has_sample || weight_ns <= 0)
    return;
  jank_sample_ring_add_weight (self->stall.ring, weight_ns);
  jank_call_tree_add (self->stall.tree, self->last_stack, weight_ns, 0);
  self->weighed_until_ns = until_ns;
}

/* A sample stands for the time around it: from halfway to the one before to halfway to the next; the
 * first for all time before it, the last for all after. */
void
jank_stall_tracker_add (JankStallTracker *self, JankSample *sample, const JankGaps *gaps)
{
  if (self->has_sample)
    weigh_until (self, self->last_at_ns + (sample->at_ns - self->last_at_ns) / 2, gaps);

  sample->weight_ns = get_weight (self, sample->at_ns, gaps);
  self->weighed_until_ns = MAX (sample->at_ns, self->weighed_until_ns);
  jank_sample_ring_add (self->stall.ring, sample);
  jank_call_tree_add (self->stall.tree, sample->stack, sample->weight_ns, 1);

  g_clear_pointer (&self->last_stack, jank_stack_unref);
  self->last_stack = g_steal_pointer (&sample->stack);
  self->last_at_ns = sample->at_ns;
  self->has_sample = TRUE;
}

/* The first answer with a callback stays: a handler may destroy its own source while it runs. */
static void
ask_source (JankStallTracker *self, const JankDispatchSlot *slot)
{
  JankSourceInfo info;
  guint depth = jank_dispatch_slot_read (slot, &info);

  self->stall.loop_depth = MAX (self->stall.loop_depth, depth);
  if (info.known && (!self->stall.source.known || (self->stall.source.callback == 0 && info.callback != 0)))
    self->stall.source = info;
}

void
jank_stall_tracker_take (JankStallTracker *self, JankSampler *sampler, const JankDispatchSlot *slot,
                         JankSample *ret_sample)
{
  guint64 n_sent = jank_sampler_get_signal_counts (sampler)->n_sent;

  if (jank_sampler_take (sampler, ret_sample))
    self->stall.n_samples++;
  else
    self->stall.n_lost++;
  self->stall.n_signals += jank_sampler_get_signal_counts (sampler)->n_sent - n_sent;
  self->stall.cost_ns += ret_sample->cost_ns;
  if (!self->stall.startup)
    ask_source (self, slot);
}

const JankStall *
jank_stall_tracker_get_stall (JankStallTracker *self, gint64 now_ns, gboolean ended, gint64 cpu_ns, const JankGaps *gaps)
{
  JankStall *stall = &self->stall;

  if (ended)
    {
      stall->ended_ns = now_ns;
      weigh_until (self, now_ns, gaps);
    }
  stall->stopped_ns = jank_gaps_overlap (gaps, stall->began_ns, now_ns, FALSE);
  stall->traced_ns = jank_gaps_overlap (gaps, stall->began_ns, now_ns, TRUE);
  stall->suspended_ns = MAX (jank_clock_suspended_ns () - self->began_suspended_ns, 0);
  if (stall->suspended_ns < JANK_NS_PER_MS)
    stall->suspended_ns = 0; /* two clocks are not read at one moment */
  stall->cpu_ns = -1;
  if (cpu_ns >= 0 && self->began_cpu_ns >= 0)
    stall->cpu_ns = CLAMP (cpu_ns - self->began_cpu_ns, 0, jank_stall_duration_ns (stall, now_ns));
  return stall;
}
