/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "input/jank-input-clock-private.h"

#include "base/jank-clock-private.h"

/* Motion waits for the next frame, a stamp may be of the coarse clock, and the machine may be busy. */
#define FRESH_MS 40
#define AHEAD_MS 2
/* Nobody's loop stands for longer and still gets its events: such a stamp is no time. */
#define OLDEST_MS (10 * 60 * 1000)
/* The events of a display come in order: one so much older than the one before is an old one that is sent again. */
#define BEHIND_MS 100
/* After one from the future. */
#define N_FRESH 8

/* The loop was busy since then, but for what a fresh event takes: it has waited behind that. */
static bool
jank_input_clock_has_waited (const JankInputClock *self, int32_t age_ms, int64_t now_ns, JankInputBusyFunc get_busy_ns)
{
  int64_t age_ns = age_ms * JANK_NS_PER_MS;

  return self->n_fresh == 0 && get_busy_ns != NULL && age_ms <= OLDEST_MS &&
         age_ns - get_busy_ns (now_ns - age_ns, now_ns) <= FRESH_MS * JANK_NS_PER_MS;
}

bool
jank_input_clock_read (JankInputClock *self, uint32_t stamp_ms, int64_t now_ns, JankInputBusyFunc get_busy_ns,
                       int64_t *ret_stamp_ns)
{
  uint32_t now_ms = (uint32_t) (now_ns / JANK_NS_PER_MS);
  int32_t age_ms = (int32_t) (now_ms - stamp_ms);

  if (stamp_ms == 0 || (self->is_trusted && (int32_t) (self->newest_ms - stamp_ms) > BEHIND_MS))
    return false;
  if (age_ms < -AHEAD_MS)
    {
      *self = (JankInputClock) { .n_fresh = 1 };
      return false;
    }
  if (age_ms <= FRESH_MS && (self->n_fresh == 0 || self->n_fresh++ >= N_FRESH))
    self->is_trusted = true;
  if (age_ms > OLDEST_MS || (!self->is_trusted && !jank_input_clock_has_waited (self, age_ms, now_ns, get_busy_ns)))
    return false;
  self->newest_ms = stamp_ms;
  *ret_stamp_ns = (now_ns / JANK_NS_PER_MS - (age_ms > 0 ? age_ms : 0)) * JANK_NS_PER_MS;
  return true;
}
