/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathers what is learned of one busy period, or of a spin, while it lasts: samples with their share of the time,
 * the source, what the thread did. Becomes a stall when it is long enough. Watcher thread only. */

#pragma once

#include "observe/jank-dispatch-slot-private.h"
#include "sample/jank-sampler-private.h"
#include "watch/jank-stall-private.h"
#include "observe/jank-own-time-private.h"
#include "proc/jank-thread-private.h"

/* The last times that no stall is blamed for: the whole process stood still, or worked for us. Plain data, pure
 * functions. */

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

/* What a thread did between two readings of its counters, and over a whole stall. CPU time and the time it was
 * runnable without a CPU are exact; what is left it slept, and a sample tells in what. Pure. */

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

/* The counters at one time. */
typedef struct
{
  gint64          at_ns;        /* CLOCK_MONOTONIC */
  JankThreadTimes times;        /* of the observed thread; of JANK_STALL_CPU, of the process */
  gint64          run_delay_ns; /* of the watcher thread, -1 unknown */
} JankMoment;

/* A time at which nobody looked at the counters. */
#define JANK_MOMENT_UNKNOWN(at) ((JankMoment) { .at_ns = (at), .times = { .cpu_ns = -1, .run_delay_ns = -1 }, \
                                                .run_delay_ns = -1 })

typedef struct _JankStallTracker JankStallTracker;

JankStallTracker *jank_stall_tracker_new           (JankStallKind kind, gint64 threshold_ns, const JankMoment *began);
void              jank_stall_tracker_free          (JankStallTracker *self);

/* What has been counted so far, without what is only known of a time: that jank_stall_tracker_get_stall() asks for. */
/* When the newest sample was added, or it began. */
gint64            jank_stall_tracker_get_last      (const JankStallTracker *self);
/* Of a stall of the loop: whether the sample that was taken last found the source with that address dispatched. */
gboolean          jank_stall_tracker_is_in         (const JankStallTracker *self, guint64 source);
/* Likewise: found nothing dispatched. */
gboolean          jank_stall_tracker_is_outside    (const JankStallTracker *self);
const JankStall  *jank_stall_tracker_peek          (const JankStallTracker *self);
/* The same, for the finder to set what it alone knows: its period, turns, frames. */
JankStall        *jank_stall_tracker_edit          (JankStallTracker *self);

/* Takes a sample, and asks slot for the source. */
void              jank_stall_tracker_take          (JankStallTracker *self, JankSampler *sampler,
                                                    JankDispatchSlot *slot, JankSample *ret_sample);
/* Counts what jank_stall_tracker_take() has taken, or it is not part of the stall; clears the sample, after setting its
 * weight and state. gaps: those up to now, also one that the sampler was stopped in. */
void              jank_stall_tracker_add           (JankStallTracker *self, JankSample *sample, const JankGaps *gaps);
/* When the stall is over. sample: taken since, else without a stack: then it is what jank_sampler_take_late() gives. */
void              jank_stall_tracker_take_late     (JankStallTracker *self, JankSampler *sampler, JankSample *sample);
/* The same of a thread that is not the loop's, for jank_stall_tracker_add(). */
void              jank_stall_tracker_take_other    (JankStallTracker *self, JankSampler *sampler, JankThread *thread,
                                                    const JankStackRanges *ranges, JankSample *ret_sample);
/* Names the interpreter's calls that have become known. until_ns: the stall lasted until then at least. */
void              jank_stall_tracker_name_calls    (JankStallTracker *self, JankSampler *sampler, gint64 until_ns);
/* threads: (transfer full): taken once, with n_signals */
void              jank_stall_tracker_set_threads   (JankStallTracker *self, JankThreadSnapshot *threads,
                                                    guint64 n_signals);
/* How long the thread has been ready without a CPU, -1: not known. */
gint64            jank_stall_tracker_get_run_delay (const JankStallTracker *self, const JankMoment *now);
/* Of input: STARVED, answered soon, but the frame for that came late. Of a stall of the loop: STARTUP, of no source. */
void              jank_stall_tracker_set_kind      (JankStallTracker *self, JankStallKind kind, gint64 threshold_ns);
/* ledger (nullable): what was dispatched, until until_ns; turns: and how long turns were before */
void              jank_stall_tracker_set_works     (JankStallTracker *self, const JankSourceLedger *ledger,
                                                    const JankWorkLog *turns, gint64 until_ns);
/* Of a spin: the source that was counted most, in place of what samples say. */
void              jank_stall_tracker_set_source    (JankStallTracker *self, const JankSourceInfo *source);
/* That none was: of few turns one may have been, which says nothing. */
void              jank_stall_tracker_set_no_source (JankStallTracker *self);

/* The facts until now (NULL: when they were asked for last) or for good when ended. Valid until the tracker changes. */
const JankStall  *jank_stall_tracker_get_stall     (JankStallTracker *self, const JankMoment *now, gboolean ended,
                                                    const JankGaps *gaps, const JankSourceLedger *ledger);

/* CPU time of the watcher thread that was not for samples. */
void              jank_stall_tracker_exclude_cost  (JankStallTracker *self, gint64 cost_ns);

/* From now on the stall shows the samples that it has, whatever follows. */
void              jank_stall_tracker_freeze        (JankStallTracker *self);
/* As far as stacks go: the stall with the newest samples, frozen or not. Valid until the tracker changes. */
void              jank_stall_tracker_get_newest    (JankStallTracker *self, JankStall *ret_newest);

/* What follows on the last time that the stall was asked for, with the samples since then: a tracker of the same busy
 * period. Returns: (transfer full) */
JankStallTracker *jank_stall_tracker_split         (JankStallTracker *self, gint64 threshold_ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankStallTracker, jank_stall_tracker_free)
