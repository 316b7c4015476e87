/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All frame clocks of a program: one statistics per clock, in memory that is fixed from the start, and
 * their summary. Most programs have one clock per window.
 *
 * A clock that is closed stays listed; when its place is needed for a new one, the longest closed gives way
 * and its numbers go to `retired`: the summary never forgets a frame. When all clocks are open, one
 * more is refused and counted.
 *
 * Opening, closing and naming happen on the observed thread; `lock` makes each of them one step for readers. */

#pragma once

#include "frames/jank-frame-meter-private.h"
#include "frames/jank-frame-summary-private.h"

#define JANK_FRAME_MAX_CLOCKS   16
#define JANK_FRAME_NAME_N_WORDS 8
#define JANK_FRAME_NAME_N_BYTES (JANK_FRAME_NAME_N_WORDS * 8)

typedef enum
{
  JANK_FRAME_CLOCK_UNUSED,
  JANK_FRAME_CLOCK_OPEN,
  JANK_FRAME_CLOCK_CLOSED,
} JankFrameClockState;

typedef struct
{
  uint64_t         closed_at; /* observed thread only: counts closings */
  _Atomic uint32_t state;     /* JankFrameClockState */
  _Atomic uint64_t name[JANK_FRAME_NAME_N_WORDS];
  JankFrameMeter   stats;
} JankFrameClock;

/* All zero is empty. Large: not for the stack. */
typedef struct
{
  uint64_t         n_closed;  /* observed thread only: ever */

  JankSeqlock      lock;      /* while clocks come and go */
  _Atomic uint32_t n_refused;
  JankFrameMeter   retired;
  JankFrameClock   clocks[JANK_FRAME_MAX_CLOCKS];
} JankFrameClocks;

typedef struct
{
  char             name[JANK_FRAME_NAME_N_BYTES];
  bool             is_open;
  JankFrameNumbers numbers;
} JankFrameWindow;

typedef struct
{
  JankFrameNumbers total;
  unsigned         n_windows, n_refused;
  JankFrameWindow  windows[JANK_FRAME_MAX_CLOCKS];
} JankFrameSummary;

/* Observed thread. name: of the window, cut to what fits. Returns: (nullable) its statistics, all clocks'
 * places are taken otherwise */
JankFrameMeter *jank_frame_clocks_open      (JankFrameClocks *self, const char *name);

/* Observed thread, with what jank_frame_clocks_open() returned. */
void            jank_frame_clocks_rename    (JankFrameClocks *self, JankFrameMeter *stats, const char *name);
void            jank_frame_clocks_close     (JankFrameClocks *self, JankFrameMeter *stats);

/* Any thread. merged holds all clocks together afterwards (late frames, bars, histogram); scratch is room to
 * work in. False as in jank_frame_board_read(): nothing of the three is of use then. */
bool            jank_frame_clocks_summarize (JankFrameClocks *self, int64_t now_ns, JankFrameSnapshot *merged,
                                             JankFrameSnapshot *scratch, JankFrameSummary *summary);
