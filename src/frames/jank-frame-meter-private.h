/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics of one frame clock, fed one frame at a time on the observed thread; the board in it is what
 * other threads read. Per frame no lock, no allocation, no system call. All zero is a clock without frames.
 *
 * What looks late because the display kept the clock waiting stays pending for up to two frames: a refresh
 * interval that changed shows up in the timings only later, and a throttled clock only by persisting. */

#pragma once

#include "frames/jank-frame-board-private.h"

#define JANK_FRAME_N_PENDING 2

typedef struct
{
  /* observed thread only */
  JankFrameTotals  totals;
  JankFrameEvent   before;            /* the frame before, if has_before */
  JankFrameVerdict pending[JANK_FRAME_N_PENDING];
  unsigned         n_pending;
  bool             has_before;
  bool             before_on_time;
  int64_t          throttled_pace_ns; /* last interval of a throttled clock, 0: not throttled */
  JankFrameVerdict last;              /* on the newest frame, if has_last; what is pending may be judged again */
  bool             has_last;

  /* shared, atomic */
  JankFrameBoard  board;
} JankFrameMeter;

/* Observed thread: the next frame of this clock. */
void jank_frame_meter_add      (JankFrameMeter *self, const JankFrameEvent *frame);

/* Observed thread: on the frame that was added last. Returns: (nullable): it had nothing to be measured against */
const JankFrameVerdict *jank_frame_meter_get_verdict (const JankFrameMeter *self);

/* Observed thread: no frame will follow for now, so what is pending counts. */
void jank_frame_meter_settle   (JankFrameMeter *self);

/* Observed thread: takes the other's numbers and late frames to its own. */
void jank_frame_meter_absorb   (JankFrameMeter *self, JankFrameMeter *other);

/* Observed thread: back to no frames. */
void jank_frame_meter_reset    (JankFrameMeter *self);

/* Any thread, as jank_frame_board_read(). */
bool jank_frame_meter_snapshot (JankFrameMeter *self, JankFrameSnapshot *snapshot);
