/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_MS INT64_C (1000000)
#define NS_PER_S INT64_C (1000000000)

static inline gint64
read_clock_ns (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (gint64) now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline gint64
now_ns (void)
{
  return read_clock_ns (CLOCK_MONOTONIC);
}

static inline struct timespec
timespec_from_ns (gint64 time_ns)
{
  return (struct timespec) { .tv_sec = time_ns / NS_PER_S, .tv_nsec = time_ns % NS_PER_S };
}
