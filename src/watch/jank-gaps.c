/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-stall-tracker-private.h"

#include "base/jank-clock-private.h"

#define STOPPED_MIN_NS (20 * JANK_NS_PER_MS)

/* A thread that computed next to nothing for this long before the watcher was due counts as asleep; shorter stops of a
 * sleeping thread are ignored. */
#define SLEEPS_NS          (2 * JANK_NS_PER_MS)
#define STOP_OF_SLEEPER_NS (100 * JANK_NS_PER_MS)

/* Beside the turns of a stop, a thread has one for so much computing: fewer than one that waits over and over, also
 * where it waits for a CPU at each. */
#define TURN_NS         (2 * JANK_NS_PER_MS)
#define N_TURNS_OF_STOP 4

void
jank_gaps_add (JankGaps *self, gint64 from_ns, gint64 to_ns, JankGapKind kind)
{
  JankGap *last = &self->gaps[(self->n_gaps - 1) % JANK_GAPS_SIZE];

  if (self->n_gaps > 0 && last->kind == kind && last->to_ns == from_ns)
    last->to_ns = to_ns;
  else
    self->gaps[self->n_gaps++ % JANK_GAPS_SIZE] = (JankGap) { from_ns, to_ns, kind };
}

gint64
jank_gaps_overlap (const JankGaps *self, gint64 from_ns, gint64 to_ns, JankGapKind kind)
{
  gint64 sum_ns = kind == JANK_GAP_OWN && self->own != NULL ? jank_spans_get (&self->own->spans, from_ns, to_ns) : 0;

  for (guint i = 0; i < MIN (self->n_gaps, JANK_GAPS_SIZE); i++)
    {
      const JankGap *gap = &self->gaps[i];
      gint64 overlap_ns = MIN (gap->to_ns, to_ns) - MAX (gap->from_ns, from_ns);

      if (gap->kind == kind && overlap_ns > 0)
        sum_ns += overlap_ns;
    }
  return sum_ns;
}

gint64
jank_gaps_excluded (const JankGaps *self, gint64 from_ns, gint64 to_ns)
{
  return jank_gaps_overlap (self, from_ns, to_ns, JANK_GAP_STOPPED) +
         jank_gaps_overlap (self, from_ns, to_ns, JANK_GAP_TRACED) +
         jank_gaps_overlap (self, from_ns, to_ns, JANK_GAP_OWN);
}

gint64
jank_gaps_last_own (const JankGaps *self)
{
  const JankGap *last = &self->gaps[(self->n_gaps - 1) % JANK_GAPS_SIZE];

  return self->n_gaps > 0 && last->kind == JANK_GAP_OWN ? last->to_ns : 0;
}

gint64
jank_gaps_stopped (gint64 deadline_ns, gint64 now_ns, gint64 run_delay_ns)
{
  gint64 stopped_ns = now_ns - deadline_ns - run_delay_ns;

  return stopped_ns >= STOPPED_MIN_NS ? stopped_ns : 0;
}

gboolean
jank_gaps_is_shared (gint64 slept_ns, gint64 deadline_ns, gint64 now_ns, gint64 stopped_ns, gint64 computed_ns)
{
  gboolean sleeps = deadline_ns - slept_ns >= SLEEPS_NS && computed_ns < (deadline_ns - slept_ns) / 10;

  if (computed_ns < 0)
    return stopped_ns >= STOPPED_MIN_NS;
  if (sleeps && stopped_ns < STOP_OF_SLEEPER_NS)
    return FALSE;
  return stopped_ns >= STOPPED_MIN_NS && now_ns - slept_ns - computed_ns >= STOPPED_MIN_NS;
}

gint64
jank_gaps_in_work (gint64 took_ns, gint64 own_ns, gint64 observed_ns, gint64 computed_ns, guint64 n_turns)
{
  gint64 stopped_ns = took_ns - MAX (own_ns, observed_ns);

  return stopped_ns >= STOP_OF_SLEEPER_NS && n_turns > 0 &&
         n_turns <= N_TURNS_OF_STOP + (guint64) computed_ns / TURN_NS ? stopped_ns : 0;
}
