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

/* What adds up over clocks and over programs; only 8-byte fields. */
typedef struct
{
  uint64_t frames, startup_frames; /* drawn by the program, start-up included */
  uint64_t excluded_frames;        /* the overlay's and the inspector's, in no other number */
  uint64_t unseen;                 /* of another one's refresh, or discarded: the compositor never showed them */
  uint64_t animated;               /* whose animation error is known */
  int64_t  active_ns;              /* sum of the judged frames */
  uint64_t late, late_program, late_compositor;
  uint64_t dropped, dropped_program;
  uint64_t slow;                   /* the loop's work took more than one refresh interval */
  uint64_t frozen, jank, big_jank;
  uint64_t throttled;              /* frames of a window that is not shown: neither active nor late */
  int64_t  throttled_ns;
  struct { uint64_t frames, dropped; } buckets[JANK_FRAME_N_LEVELS]; /* judged frames, and what they dropped */
} JankFrameCounts;

#define JANK_FRAME_COUNTS_N_WORDS (sizeof (JankFrameCounts) / sizeof (uint64_t))

/* Only 8-byte fields: they are published word by word, and those up to shortest_ns are sums. */
typedef struct
{
  JankFrameCounts counts;
  uint64_t n_judged;          /* active frames: those at whose end the clock was still running */
  uint64_t n_window;          /* the newest of them … */
  int64_t  window_ns;         /* … at least 1 s of them, once there is so much */
  int64_t  jank_ns, late_program_ns, late_compositor_ns; /* late: the excess */
  int64_t  animation_error_ns;                  /* of the animated frames */

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
