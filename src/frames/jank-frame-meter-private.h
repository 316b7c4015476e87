/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The statistics of one frame clock, fed one frame at a time on the observed thread; other threads read its board. Per
 * frame no lock, no allocation, no system call. All zero is empty.
 *
 * A frame that the display delayed stays pending for up to two frames: a changed refresh interval shows in the
 * timings only later, and a throttled clock only by going on. */

#pragma once

#include "base/jank-seqlock-private.h"
#include "frames/jank-frame-totals-private.h"

/* What other threads may see of a frame clock: written by the observed thread, read by any. Fixed memory, no
 * lock, no allocation, no system call on the observed thread. All data are atomic words under a JankSeqlock. */

#define JANK_FRAME_N_INTERVALS 1024 /* the FPS of one second, up to so many Hz */

#define JANK_FRAME_TOTALS_N_WORDS  (sizeof (JankFrameTotals) / sizeof (uint64_t))
#define JANK_FRAME_VERDICT_N_WORDS (sizeof (JankFrameVerdict) / sizeof (uint64_t))

/* All shared and atomic; all zero is empty. */
typedef struct
{
  JankSeqlock      lock;
  _Atomic uint32_t n_late;                               /* ever */
  _Atomic uint64_t n_intervals;                          /* ever */
  _Atomic uint64_t words[JANK_FRAME_TOTALS_N_WORDS];     /* JankFrameTotals */
  _Atomic uint32_t counts[JANK_HISTOGRAM_N_BUCKETS];     /* JankHistogram */
  _Atomic uint64_t intervals[JANK_FRAME_N_INTERVALS];    /* (ns << 3) | JankFrameBand, at n_intervals % N */
  _Atomic uint64_t late[JANK_FRAME_N_LATE][JANK_FRAME_VERDICT_N_WORDS]; /* JankFrameVerdict, at n_late % N */
} JankFrameBoard;

/* Observed thread: after jank_seqlock_begin() and all changes that belong together. */
void     jank_frame_board_end           (JankFrameBoard *self, const JankFrameTotals *totals);

/* Observed thread, between the two. */
void     jank_frame_board_push_interval (JankFrameBoard *self, int64_t interval_ns, JankFrameBand band);
void     jank_frame_board_push_late     (JankFrameBoard *self, const JankFrameVerdict *late);
void     jank_frame_board_absorb        (JankFrameBoard *self, JankFrameBoard *other);
void     jank_frame_board_clear         (JankFrameBoard *self);

/* Observed thread: n_back 0 is the newest interval; there must be one. */
int64_t  jank_frame_board_get_interval  (JankFrameBoard *self, uint64_t n_back);

/* Any thread: one consistent moment. False where the observed thread is held up in mid-write: keep what you
 * had, ask again later; the snapshot then holds nothing of use. */
bool     jank_frame_board_read          (JankFrameBoard *self, JankFrameSnapshot *snapshot);

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
