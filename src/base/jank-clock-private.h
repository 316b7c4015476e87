/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The one internal time type: int64 nanoseconds of CLOCK_MONOTONIC, which stands still while the
 * system is suspended. Everything here may be called from any thread and from a signal handler. */

#pragma once

#include <stdint.h>
#include <time.h>

#define JANK_NS_PER_US INT64_C (1000)
#define JANK_NS_PER_MS INT64_C (1000000)
#define JANK_NS_PER_S  INT64_C (1000000000)

static inline int64_t
jank_clock_to_ns (const struct timespec *time)
{
  return (int64_t) time->tv_sec * JANK_NS_PER_S + time->tv_nsec;
}

static inline int64_t
jank_clock_read_ns (clockid_t clock)
{
  struct timespec ts;

  return clock_gettime (clock, &ts) == 0 ? jank_clock_to_ns (&ts) : 0;
}

static inline int64_t
jank_clock_now_ns (void)
{
  return jank_clock_read_ns (CLOCK_MONOTONIC);
}

/* Total time for which the system has been suspended since boot. */
static inline int64_t
jank_clock_suspended_ns (void)
{
  return jank_clock_read_ns (CLOCK_BOOTTIME) - jank_clock_read_ns (CLOCK_MONOTONIC);
}
