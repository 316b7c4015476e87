/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rules/jank-spin-finder-private.h"

#include "base/jank-clock-private.h"

#define WINDOW_NS (100 * JANK_NS_PER_MS)

/* Of a window, the loop rests for less: of the time off a CPU, some are page faults and the host's doing. */
#define REST_PERCENT 20
#define MIN_PEEKS    5

/* So many windows in a row may be without many turns. */
#define MAX_WITHOUT 2

int64_t
jank_spin_finder_next_look (const JankSpinFinder *self)
{
  return self->marked_ns != 0 ? self->marked_ns + WINDOW_NS : 0;
}

/* A thread that is given a fraction of a CPU makes as many turns less. */
#define MIN_FRACTION 4

static bool
jank_spin_finder_are_many (const JankRule *rule, uint64_t n_turns, int64_t length_ns)
{
  return (double) n_turns * JANK_NS_PER_S > (double) rule->spin_turns * (double) length_ns;
}

bool
jank_spin_finder_may_spin (JankSpinFinder *self, const JankRule *rule, int64_t now_ns, uint64_t n_turns)
{
  bool may = self->verdict != JANK_SPIN_NONE ||
             (self->marked_ns != 0 &&
              jank_spin_finder_are_many (rule, n_turns - self->n_marked, (now_ns - self->marked_ns) / MIN_FRACTION));

  if (!may)
    *self = (JankSpinFinder) { .verdict = JANK_SPIN_NONE };
  self->marked_ns = now_ns;
  self->n_marked = n_turns;
  return may;
}

/* Many in which the thread did not sleep, neither in poll nor elsewhere. */
static bool
jank_spin_finder_has_many_turns (const JankRule *rule, const JankSpinReading *from, const JankSpinReading *to)
{
  uint64_t n_turns = to->n_turns - from->n_turns;
  uint64_t n_sleeps = to->n_sleeps - from->n_sleeps;
  int64_t length_ns = to->at_ns - from->at_ns;
  int64_t delay_ns = to->delay_ns - from->delay_ns;

  /* A delay is on the books when it is over, maybe more than the window is long. */
  if (delay_ns > length_ns - length_ns / MIN_FRACTION)
    delay_ns = length_ns - length_ns / MIN_FRACTION;
  return n_sleeps < n_turns && jank_spin_finder_are_many (rule, n_turns - n_sleeps, length_ns - delay_ns);
}

/* As far as the counters tell: the thread slept, wherever that was. */
static bool
jank_spin_finder_may_rest (const JankSpinReading *from, const JankSpinReading *to)
{
  int64_t length_ns = to->at_ns - from->at_ns;
  int64_t awake_ns = to->cpu_ns - from->cpu_ns + to->delay_ns - from->delay_ns;

  return awake_ns * 100 < length_ns * (100 - REST_PERCENT);
}

static bool
jank_spin_finder_rests (const JankSpinReading *from, const JankSpinReading *to)
{
  uint64_t n_peeks = to->n_peeks - from->n_peeks;
  uint64_t n_rests = to->n_rests - from->n_rests;

  return jank_spin_finder_may_rest (from, to) && (n_peeks < MIN_PEEKS || n_rests * 100 >= n_peeks * REST_PERCENT);
}

/* A window that is part of a spin. */
static void
jank_spin_finder_go_on (JankSpinFinder *self, const JankRule *rule, const JankSpinReading *now)
{
  if (self->verdict == JANK_SPIN_NONE)
    self->began = self->last;
  self->verdict = now->at_ns - self->began.at_ns >= rule->spin_ns && jank_spin_finder_has_many_turns (rule,
                                                                                                      &self->began, now)
                  ? JANK_SPIN_FOUND : JANK_SPIN_MAYBE;
}

JankSpinVerdict
jank_spin_finder_look (JankSpinFinder *self, const JankRule *rule, const JankSpinReading *now)
{
  bool has_window = self->has_last;
  bool turns = has_window && jank_spin_finder_has_many_turns (rule, &self->last, now);

  self->n_without = turns ? 0 : self->n_without + 1;
  if (!has_window || self->n_without > MAX_WITHOUT || jank_spin_finder_rests (&self->last, now))
    self->verdict = JANK_SPIN_NONE;
  else if (turns)
    jank_spin_finder_go_on (self, rule, now);

  self->asks_peeks = self->verdict != JANK_SPIN_NONE || (turns && jank_spin_finder_may_rest (&self->last, now));
  self->has_last = !has_window || turns || self->verdict != JANK_SPIN_NONE;
  self->last = *now;
  return self->verdict;
}
