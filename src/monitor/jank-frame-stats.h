/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

#include <glib-object.h>
#include "base/jank-version-macros.h"
#include "frames/jank-frame-enums.h"

G_BEGIN_DECLS

#define JANK_TYPE_FRAME_STATS (jank_frame_stats_get_type ())

/**
 * JankFrameStats:
 *
 * What is known of one frame of one window. Immutable and reference counted; any thread may read it.
 *
 * All times are nanoseconds, moments are those of `CLOCK_MONOTONIC`. A frame is measured against the one
 * before it, and only if the frame clock was still running after that: the first frame after a pause is
 * never late.
 */
typedef struct _JankFrameStats JankFrameStats;

JANK_API GType           jank_frame_stats_get_type            (void) G_GNUC_CONST;
JANK_API JankFrameStats *jank_frame_stats_ref                 (JankFrameStats *self);
JANK_API void            jank_frame_stats_unref               (JankFrameStats *self);
JANK_API const char     *jank_frame_stats_get_window          (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_began           (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_ended           (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_previous_presented (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_phase           (JankFrameStats *self, JankFramePhase phase);
JANK_API gint64          jank_frame_stats_get_cpu             (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_refresh         (JankFrameStats *self);
JANK_API gboolean        jank_frame_stats_is_refresh_assumed  (JankFrameStats *self);
JANK_API gboolean        jank_frame_stats_is_startup          (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_interval        (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_busy            (JankFrameStats *self);
JANK_API JankFrameWho    jank_frame_stats_get_who             (JankFrameStats *self);
JANK_API gint64          jank_frame_stats_get_late            (JankFrameStats *self);
JANK_API guint           jank_frame_stats_get_dropped         (JankFrameStats *self);
JANK_API JankFramePhase  jank_frame_stats_get_busiest         (JankFrameStats *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankFrameStats, jank_frame_stats_unref)

G_END_DECLS
