/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a thread did between two readings of its counters, and over a whole stall. CPU time and the time it was
 * runnable without a CPU are exact; what is left it slept, and a sample tells in what. Pure. */

#pragma once

#include <glib.h>

#include "proc/jank-thread-private.h"

/* How the thread was found at the end of the time. */
typedef enum
{
  JANK_FOUND_RUNNING,
  JANK_FOUND_WAITING_FOR_CPU, /* runnable, but it did not answer */
  JANK_FOUND_IN_CALL,
  JANK_FOUND_IN_FAULT,        /* blocked, but in no system call */
  JANK_FOUND_UNKNOWN,
} JankFound;

typedef struct
{
  gint64          computing_ns, preempted_ns;
  gint64          rest_ns;  /* on no CPU, and not wanting one */
  JankThreadState rest;     /* what that was */
} JankStateShare;

/* excluded_ns: of the time between, in which the whole process stood still. */
void            jank_state_share_get     (const JankThreadTimes *from, const JankThreadTimes *to, gint64 excluded_ns,
                                          JankFound found, JankStateShare *ret_share);
JankThreadState jank_state_share_largest (const JankStateShare *share);

/* Over a stall of duration_ns: exact times, and the rest as rest_ns[], the sum of its shares' rests by state, says.
 * All 0 when from or to is not known, else the sum is duration_ns. */
void            jank_state_sum_finish    (const gint64 rest_ns[JANK_N_STATES], const JankThreadTimes *from,
                                          const JankThreadTimes *to, gint64 duration_ns,
                                          gint64 ret_state_ns[JANK_N_STATES]);
