/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last times that no stall is blamed for: the whole process stood still, or worked for us. Plain data, pure
 * functions. */

#pragma once

#include <glib.h>

#include "observe/jank-own-time-private.h"

#define JANK_GAPS_SIZE 16

typedef enum
{
  JANK_GAP_STOPPED,
  JANK_GAP_TRACED, /* a debugger was attached */
  JANK_GAP_OWN,    /* by samples; what is in JankOwnTime's spans is not among them */
} JankGapKind;

typedef struct
{
  gint64      from_ns, to_ns; /* CLOCK_MONOTONIC */
  JankGapKind kind;
} JankGap;

typedef struct
{
  JankGap            gaps[JANK_GAPS_SIZE];
  guint              n_gaps; /* ever added */
  const JankOwnTime *own;    /* (nullable) */
} JankGaps;

/* One that begins where the last one of its kind ends continues that. */
void     jank_gaps_add       (JankGaps *self, gint64 from_ns, gint64 to_ns, JankGapKind kind);

/* How much of [from_ns, to_ns] the gaps cover: those of one kind, or all. */
gint64   jank_gaps_overlap   (const JankGaps *self, gint64 from_ns, gint64 to_ns, JankGapKind kind);
gint64   jank_gaps_excluded  (const JankGaps *self, gint64 from_ns, gint64 to_ns);

/* The end of the newest gap, if that is JANK_GAP_OWN; else 0. */
gint64   jank_gaps_last_own  (const JankGaps *self);

/* A thread meant to wake at deadline_ns, woke at now_ns, and for run_delay_ns in between it was runnable
 * without a CPU. What is left of its lateness it spent stopped (SIGSTOP, cgroup freezer, debugger);
 * lateness under 20 ms is noise. */
gint64   jank_gaps_stopped   (gint64 deadline_ns, gint64 now_ns, gint64 run_delay_ns);

/* Whether the observed thread shared the watcher's stop of stopped_ns, having computed for computed_ns (-1: not
 * known) since the watcher fell asleep at slept_ns. Where the host takes one CPU of a virtual machine away, the
 * watcher stands still and a thread that computes on the other one does not; a thread that sleeps wakes when it
 * would have without that, and its stops under 100 ms are ignored: who stops a program stops it for longer. */
gboolean jank_gaps_is_shared (gint64 slept_ns, gint64 deadline_ns, gint64 now_ns, gint64 stopped_ns,
                              gint64 computed_ns);

/* While the watcher did something for took_ns, it computed or waited for a CPU for own_ns, and the observed thread
 * for observed_ns, of which it computed for computed_ns, after it was given a CPU n_turns times. Returns: for how
 * long both were stopped, 0: the watcher waited for a slow disk. Who is stopped gets a CPU to stop or to go on, and
 * none in between; under 100 ms the two look alike. */
gint64   jank_gaps_in_work   (gint64 took_ns, gint64 own_ns, gint64 observed_ns, gint64 computed_ns, guint64 n_turns);
