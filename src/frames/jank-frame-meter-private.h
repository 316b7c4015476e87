/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics of one frame clock, fed one frame at a time on the observed thread; other threads read its board. Per
 * frame no lock, no allocation, no system call. All zero is empty.
 *
 * A frame that the display delayed stays pending for up to two frames: a changed refresh interval shows in the
 * timings only later, and a throttled clock only by going on. */

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
  int64_t          undrawn_ns;        /* cycles that painted nothing, since the last counted interval */
  JankFrameVerdict last;              /* of the newest frame, if has_last; pending ones may be judged again */
  bool             has_last;

  /* shared, atomic */
  JankFrameBoard  board;
} JankFrameMeter;

/* Observed thread: the next frame of this clock. */
void jank_frame_meter_add      (JankFrameMeter *self, const JankFrameEvent *frame);

/* Observed thread: of the frame added last. Returns: (nullable): NULL when nothing came before it */
const JankFrameVerdict *jank_frame_meter_get_verdict (const JankFrameMeter *self);

/* Observed thread: no frame follows for now; counts what is pending. */
void jank_frame_meter_settle   (JankFrameMeter *self);

/* Observed thread: adds the other's numbers and late frames. */
void jank_frame_meter_absorb   (JankFrameMeter *self, JankFrameMeter *other);

/* Observed thread: makes it empty. */
void jank_frame_meter_reset    (JankFrameMeter *self);

