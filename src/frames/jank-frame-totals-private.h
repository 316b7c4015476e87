/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums over the frames of one clock or of several, and copies of the newest frames. Plain data.
 *
 * Definitions: dropped frames and their levels from WeChat Matrix (FrameTracer); hitch time from Apple; frozen frames
 * from Android; jank, big jank and stutter from PerfDog. Jank is a frame time above twice the mean of the three before
 * and above two film frames, 83.3 ms; big jank is above three, 125 ms; stutter is the share of time in such frames. */

#pragma once

#include "frames/jank-frame-verdict-private.h"
#include "base/jank-histogram-private.h"

#define JANK_FRAME_N_LATE 20
#define JANK_FRAME_N_BARS 120

/* Only 8-byte fields: they are published word by word, and those up to shortest_ns are sums. */
typedef struct
{
  uint64_t n_frames;          /* drawn by the program, start-up included */
  uint64_t n_startup;
  uint64_t n_excluded;        /* the overlay's and the inspector's, in no other number */
  uint64_t n_unseen;          /* of another one's refresh, or discarded: the compositor never showed them */

  uint64_t n_animated;        /* whose animation error is known */
  int64_t  animation_error_ns; /* their sum */

  uint64_t n_judged;          /* active frames: those at whose end the clock was still running */
  int64_t  active_ns;         /* their sum */
  uint64_t n_window;          /* the newest of them … */
  int64_t  window_ns;         /* … at least 1 s of them, once there is so much */

  uint64_t n_late_program, n_late_compositor;
  uint64_t n_dropped_program, n_dropped_compositor;
  uint64_t n_slow;            /* the loop's work took more than one refresh interval */
  uint64_t n_frozen;
  uint64_t n_jank, n_big_jank;
  int64_t  jank_ns;
  int64_t  late_program_ns, late_compositor_ns; /* excess */
  uint64_t n_level[JANK_FRAME_N_LEVELS];        /* judged frames by level, and the frames they dropped */
  uint64_t n_level_dropped[JANK_FRAME_N_LEVELS];

  uint64_t n_throttled;       /* frames of a window that is not shown: neither active nor late */
  int64_t  throttled_ns;

  int64_t  shortest_ns, longest_ns;             /* judged intervals; 0 while there is none */
  int64_t  refresh_ns;                          /* of the newest frame; 0 before the first */
  uint64_t refresh_assumed;                     /* boolean */
  int64_t  last_ns;                             /* end of the newest frame */
} JankFrameTotals;

typedef struct
{
  int64_t       interval_ns;
  JankFrameBand band;
} JankFrameBar;

typedef struct
{
  JankFrameTotals totals;
  JankHistogram   histogram;                /* of judged intervals */
  unsigned        n_bars, n_late;
  JankFrameBar    bars[JANK_FRAME_N_BARS];  /* oldest first; of one clock */
  JankFrameVerdict late[JANK_FRAME_N_LATE]; /* of the program's, oldest first */
} JankFrameSnapshot;

/* A frame of the program, whether judged or not. */
void jank_frame_totals_count_frame (JankFrameTotals *self, const JankFrameEvent *frame);

/* One judged interval; mean_ns of the three before it, 0 for fewer. */
void jank_frame_totals_count       (JankFrameTotals *self, const JankFrameVerdict *verdict, int64_t mean_ns);

/* Keeps the refresh interval of the one that was active for longer. */
void jank_frame_totals_merge       (JankFrameTotals *self, const JankFrameTotals *other);

/* Sums, histogram, and the newest late frames of both; bars of the clock that drew last. */
void jank_frame_snapshot_merge     (JankFrameSnapshot *self, const JankFrameSnapshot *other);
