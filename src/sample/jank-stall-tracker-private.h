/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathers what is learned of one busy period while it lasts: samples with their share of the time, the
 * source, CPU time. Becomes a stall when the period is long enough. Watcher thread only. */

#pragma once

#include "observe/jank-dispatch-slot-private.h"
#include "sample/jank-gaps-private.h"
#include "sample/jank-sampler-private.h"
#include "sample/jank-stall-private.h"

typedef struct _JankStallTracker JankStallTracker;

/* cpu_ns: of the observed thread when the period began, -1 unknown. */
JankStallTracker *jank_stall_tracker_new           (gint64 began_ns, gboolean startup, gint64 threshold_ns, gint64 cpu_ns);
void              jank_stall_tracker_free          (JankStallTracker *self);

gint64            jank_stall_tracker_get_began     (const JankStallTracker *self);
gint64            jank_stall_tracker_get_last      (const JankStallTracker *self); /* sample, 0: none yet */

/* Takes a sample, and asks slot for the source. */
void              jank_stall_tracker_take          (JankStallTracker *self, JankSampler *sampler, const JankDispatchSlot *slot,
                                                    JankSample *ret_sample);
/* Steals the sample's stack. gaps: those up to now, also one that the sampler was stopped in. */
void              jank_stall_tracker_add           (JankStallTracker *self, JankSample *sample, const JankGaps *gaps);

/* The facts until now_ns, or for good when ended. Valid until the tracker changes.
 * cpu_ns: of the observed thread now, -1 unknown. */
const JankStall  *jank_stall_tracker_get_stall     (JankStallTracker *self, gint64 now_ns, gboolean ended,
                                                    gint64 cpu_ns, const JankGaps *gaps);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankStallTracker, jank_stall_tracker_free)
