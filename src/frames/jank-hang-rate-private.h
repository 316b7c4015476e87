/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Apple's hang rate: seconds in stalls of more than 250 ms, per hour of running time. */

#pragma once

#include <stdint.h>

#include "base/jank-clock-private.h"

#define JANK_HANG_MIN_NS (250 * JANK_NS_PER_MS)

typedef struct
{
  int64_t  hung_ns;
  uint64_t n_hangs;
} JankHangRate;

static inline void
jank_hang_rate_add (JankHangRate *self, int64_t stall_ns)
{
  if (stall_ns <= JANK_HANG_MIN_NS)
    return;
  self->hung_ns += stall_ns;
  self->n_hangs++;
}

/* Returns: seconds per hour; 0 before any time has passed */
static inline double
jank_hang_rate_get (const JankHangRate *self, int64_t running_ns)
{
  return running_ns > 0 ? 3600.0 * (double) self->hung_ns / (double) running_ns : 0.0;
}
