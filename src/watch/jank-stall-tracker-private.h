/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathers what is learned of one busy period, or of a spin, while it lasts: samples with their share of the time,
 * the source, what the thread did. Becomes a stall when it is long enough. Watcher thread only. */

#pragma once

#include "observe/jank-dispatch-slot-private.h"
#include "watch/jank-gaps-private.h"
#include "sample/jank-sampler-private.h"
#include "watch/jank-stall-private.h"

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

/* Before the first sample: as jank_sample_ring_keep_newest(). */
void              jank_stall_tracker_keep_newest   (JankStallTracker *self);

/* What has been counted so far, without what is only known of a time: that jank_stall_tracker_get_stall() asks for. */
/* When the newest sample was added, or it began. */
gint64            jank_stall_tracker_get_last      (const JankStallTracker *self);
/* Of a stall of the loop: whether the sample that was taken last found the source with that address dispatched. */
gboolean          jank_stall_tracker_is_in         (const JankStallTracker *self, guint64 source);
/* Likewise: found nothing dispatched. */
gboolean          jank_stall_tracker_is_outside    (const JankStallTracker *self);
const JankStall  *jank_stall_tracker_peek          (const JankStallTracker *self);

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
void              jank_stall_tracker_set_n_turns   (JankStallTracker *self, guint64 n_turns);
/* How long the thread has been ready without a CPU, -1: not known. */
gint64            jank_stall_tracker_get_run_delay (const JankStallTracker *self, const JankMoment *now);
/* Of input: STARVED, answered soon, but the frame for that came late. Of a stall of the loop: STARTUP, of no source. */
void              jank_stall_tracker_set_kind      (JankStallTracker *self, JankStallKind kind, gint64 threshold_ns);
/* ledger (nullable): what was dispatched, until until_ns; turns: and how long turns were before */
void              jank_stall_tracker_set_works     (JankStallTracker *self, const JankSourceLedger *ledger,
                                                    const JankWorkLog *turns, gint64 until_ns);
void              jank_stall_tracker_set_fps       (JankStallTracker *self, double fps);
/* The busy period that it is in, which began before it. */
void              jank_stall_tracker_set_period    (JankStallTracker *self, gint64 period_ns);
/* Of a spin: the source that was counted most, in place of what samples say. */
void              jank_stall_tracker_set_source    (JankStallTracker *self, const JankSourceInfo *source);
/* That none was: of few turns one may have been, which says nothing. */
void              jank_stall_tracker_set_no_source (JankStallTracker *self);

/* The facts until now, or for good when ended. Valid until the tracker changes. */
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
/* What is left of self then. Valid until the tracker changes. */
const JankStall  *jank_stall_tracker_get_part      (JankStallTracker *self, const JankStallTracker *rest,
                                                    const JankGaps *gaps, const JankSourceLedger *ledger);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankStallTracker, jank_stall_tracker_free)
