/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loops that compute, of the demo and of programs under test. Each takes so much of its thread's CPU time, in
 * nanoseconds: on a busy machine it lasts longer, and is still what the time went to. */

#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t
read_cpu_ns (void)
{
  struct timespec used;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &used);
  return (int64_t) used.tv_sec * 1000000000 + used.tv_nsec;
}

/* Where results go, so that no loop can be optimised away. */
extern uint64_t demo_sink;

void stall_compute (int64_t cpu_ns);
void split_heavy   (int64_t cpu_ns);
void split_medium  (int64_t cpu_ns);
void split_light   (int64_t cpu_ns);
