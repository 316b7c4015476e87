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

#define JANK_TYPE_FRAME (jank_frame_get_type ())

/**
 * JankFrame:
 *
 * One frame of one window. Immutable and reference counted; any thread may read it.
 *
 * Times are nanoseconds, moments those of `CLOCK_MONOTONIC`. A frame is measured against the one before it, and only
 * while the frame clock runs: the first frame after a pause is never late.
 */
typedef struct _JankFrame JankFrame;

JANK_AVAILABLE_IN_0_1 GType          jank_frame_get_type                  (void) G_GNUC_CONST;
JANK_AVAILABLE_IN_0_1 JankFrame     *jank_frame_ref                       (JankFrame *self);
JANK_AVAILABLE_IN_0_1 void           jank_frame_unref                     (JankFrame *self);
JANK_AVAILABLE_IN_0_1 const char    *jank_frame_get_window                (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_began_ns              (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_ended_ns              (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_previous_presented_ns (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_phase_ns              (JankFrame *self, JankFramePhase phase);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_cpu_ns                (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_refresh_ns            (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gboolean       jank_frame_is_refresh_assumed        (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gboolean       jank_frame_is_startup                (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_interval_ns           (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_busy_ns               (JankFrame *self);
JANK_AVAILABLE_IN_0_1 JankFrameWho   jank_frame_get_who                   (JankFrame *self);
JANK_AVAILABLE_IN_0_1 gint64         jank_frame_get_late_ns               (JankFrame *self);
JANK_AVAILABLE_IN_0_1 guint          jank_frame_get_n_dropped             (JankFrame *self);
JANK_AVAILABLE_IN_0_1 JankFramePhase jank_frame_get_busiest               (JankFrame *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankFrame, jank_frame_unref)

G_END_DECLS
