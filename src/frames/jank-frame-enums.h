/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined (JANKWATCH_INSIDE) && !defined (JANKWATCH_COMPILATION)
#error "Only <jankwatch.h> can be included directly."
#endif

/**
 * JankFramePhase:
 * @JANK_FRAME_FLUSH_EVENTS: input events that had been held back are delivered
 * @JANK_FRAME_BEFORE_PAINT: the first of the frame's own phases
 * @JANK_FRAME_UPDATE: animations and tick callbacks
 * @JANK_FRAME_LAYOUT: sizes and places
 * @JANK_FRAME_PAINT: drawing
 * @JANK_FRAME_AFTER_PAINT: the last phase
 * @JANK_FRAME_BETWEEN: no phase: other work of the loop, between two frames
 *
 * What a frame clock does in one of its cycles, in this order.
 */
typedef enum
{
  JANK_FRAME_FLUSH_EVENTS,
  JANK_FRAME_BEFORE_PAINT,
  JANK_FRAME_UPDATE,
  JANK_FRAME_LAYOUT,
  JANK_FRAME_PAINT,
  JANK_FRAME_AFTER_PAINT,
  JANK_FRAME_BETWEEN,
} JankFramePhase;

/**
 * JankFrameWho:
 * @JANK_FRAME_ON_TIME: the frame was not late
 * @JANK_FRAME_LATE_PROGRAM: late because the main loop was busy
 * @JANK_FRAME_LATE_COMPOSITOR: late although the main loop waited: the compositor's or the GPU's doing
 *
 * Who made a frame late.
 */
typedef enum
{
  JANK_FRAME_ON_TIME,
  JANK_FRAME_LATE_PROGRAM,
  JANK_FRAME_LATE_COMPOSITOR,
} JankFrameWho;
