/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "sample/jank-spin-finder-private.h"

#include "base/jank-clock-private.h"

#define WINDOW_NS (100 * JANK_NS_PER_MS)

/* Of a window, the thread is awake for at least so much: what remains are page faults and the host's doing. */
#define AWAKE_PERCENT 80

int64_t
jank_spin_finder_next_look (const JankSpinFinder *self)
{
  return self->marked_ns != 0 ? self->marked_ns + WINDOW_NS : 0;
}

/* A thread that is given a fraction of a CPU makes as many turns less. */
#define MIN_FRACTION 4

static bool
are_many (const JankStallRule *rule, uint64_t n_turns, int64_t length_ns)
{
  return (double) n_turns * JANK_NS_PER_S > (double) rule->spin_turns * (double) length_ns;
}

bool
jank_spin_finder_may_spin (JankSpinFinder *self, const JankStallRule *rule, int64_t now_ns, uint64_t n_turns)
{
  bool many = self->marked_ns != 0 && are_many (rule, n_turns - self->n_marked, (now_ns - self->marked_ns) / MIN_FRACTION);

  if (!many)
    *self = (JankSpinFinder) { .verdict = JANK_SPIN_NONE };
  self->marked_ns = now_ns;
  self->n_marked = n_turns;
  return many;
}

static bool
is_spin (const JankStallRule *rule, const JankSpinReading *from, const JankSpinReading *to)
{
  uint64_t n_turns = to->n_turns - from->n_turns;
  uint64_t n_sleeps = to->n_sleeps - from->n_sleeps;
  int64_t length_ns = to->at_ns - from->at_ns;
  int64_t delay_ns = to->delay_ns - from->delay_ns;
  int64_t awake_ns = to->cpu_ns - from->cpu_ns + delay_ns;

  /* A delay is on the books when it is over, maybe more than the window is long. */
  if (delay_ns > length_ns - length_ns / MIN_FRACTION)
    delay_ns = length_ns - length_ns / MIN_FRACTION;
  return n_sleeps < n_turns && are_many (rule, n_turns - n_sleeps, length_ns - delay_ns) &&
         awake_ns * 100 >= length_ns * AWAKE_PERCENT;
}

JankSpinVerdict
jank_spin_finder_look (JankSpinFinder *self, const JankStallRule *rule, const JankSpinReading *now)
{
  if (!self->has_last || !is_spin (rule, &self->last, now))
    self->verdict = JANK_SPIN_NONE;
  else
    {
      if (self->verdict == JANK_SPIN_NONE)
        self->began = self->last;
      self->verdict = now->at_ns - self->began.at_ns >= rule->spin_ns ? JANK_SPIN_FOUND : JANK_SPIN_MAYBE;
    }
  self->last = *now;
  self->has_last = true;
  return self->verdict;
}
