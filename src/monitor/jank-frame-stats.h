/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib-object.h>
#include "jank-frame-enums.h"
#include "jank-version-macros.h"

G_BEGIN_DECLS

#define JANK_TYPE_FRAME_STATS (jank_frame_stats_get_type ())

/**
 * JankFrameStats:
 *
 * One frame of one window. Immutable and reference counted; any thread may read it.
 *
 * Times are nanoseconds, moments those of `CLOCK_MONOTONIC`. A frame is measured against the one before it, and only
 * while the frame clock runs: the first frame after a pause is never late.
 */
typedef struct _JankFrameStats JankFrameStats;

JANK_AVAILABLE_IN_0_1 GType           jank_frame_stats_get_type                   (void) G_GNUC_CONST;
JANK_AVAILABLE_IN_0_1 JankFrameStats *jank_frame_stats_ref                        (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 void            jank_frame_stats_unref                      (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 const char     *jank_frame_stats_get_window                 (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_began_ns               (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_ended_ns               (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_previous_presented_ns  (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_phase_ns               (JankFrameStats *self, JankFramePhase phase);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_cpu_ns                 (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_refresh_ns             (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gboolean        jank_frame_stats_is_refresh_assumed         (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gboolean        jank_frame_stats_is_startup                 (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_interval_ns            (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_busy_ns                (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 JankFrameWho    jank_frame_stats_get_who                    (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 gint64          jank_frame_stats_get_late_ns                (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 guint           jank_frame_stats_get_n_dropped              (JankFrameStats *self);
JANK_AVAILABLE_IN_0_1 JankFramePhase  jank_frame_stats_get_busiest                (JankFrameStats *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankFrameStats, jank_frame_stats_unref)

G_END_DECLS
