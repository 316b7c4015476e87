/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Was this frame late, by how much, and who made it late? Pure functions of two successive frames of one clock.
 *
 * Late: an interval of more than 1.5 refresh intervals. The excess over one refresh interval is split: the program's
 * part ends at the first refresh for which a loop that busy could have been ready; the rest is the compositor's or
 * the GPU's. Time while the clock was not running is taken out first. */

#pragma once

#include <stdbool.h>

#include "base/jank-clock-private.h"
#include "frames/jank-frame-event-private.h"

/* Android's frozen frame. */
#define JANK_FRAME_FROZEN_NS     (700 * JANK_NS_PER_MS)

/* A clock that waits this long once, or the shorter time again and again, is not late but throttled: its window is not
 * shown (hidden, obscured, Broadway without a browser). */
#define JANK_FRAME_NOT_SHOWN_NS  (500 * JANK_NS_PER_MS)
#define JANK_FRAME_THROTTLED_NS  (100 * JANK_NS_PER_MS)

/* WeChat Matrix's levels of smoothness, by dropped frames: < 3, 3-8, 9-23, 24-41, >= 42. */
typedef enum
{
  JANK_FRAME_BEST,
  JANK_FRAME_NORMAL,
  JANK_FRAME_MIDDLE,
  JANK_FRAME_HIGH,
  JANK_FRAME_FROZEN,
  JANK_FRAME_N_LEVELS,
} JankFrameLevel;

/* How a bar of frame times is coloured. */
typedef enum
{
  JANK_FRAME_BAND_ON_TIME,
  JANK_FRAME_BAND_LATE,       /* 1 or 2 dropped */
  JANK_FRAME_BAND_VERY_LATE,  /* 3 dropped or more */
  JANK_FRAME_BAND_FROZEN,     /* 700 ms or more */
  JANK_FRAME_BAND_COMPOSITOR, /* late, not the program's doing */
} JankFrameBand;

typedef struct
{
  int64_t        began_ns, ended_ns;           /* the interval: begin of the predecessor, begin of this one */
  int64_t        interval_ns;                  /* without time while the clock was not running */
  int64_t        judged_ns;                   /* the clock's interval, or the display's where only the display was
                                                  late */
  int64_t        refresh_ns;                   /* what it was judged against */
  int64_t        busy_ns;                      /* the loop's work in the interval */
  int64_t        program_ns, compositor_ns;    /* parts of the excess; 0 unless late */
  int64_t        over_ns;                      /* with so much less work it had been on time; 0: no saving of the
                                                  program's would do, or it was on time */
  int64_t        busiest_ns, phase_ns;
  int64_t        cpu_ns;                       /* of the frame at the interval's beginning */
  int64_t        n_dropped;
  JankFramePhase busiest;                      /* phase with the most work in the interval */
  JankFramePhase phase;                        /* the same without BETWEEN: it took phase_ns */
  JankFrameWho   who;
} JankFrameVerdict;

/* pace_ns: the clock's own interval where it is known to be longer than the display's, else 0. Returns: false where
 * the frames are not in order */
bool           jank_frame_judge         (const JankFrameEvent *before, const JankFrameEvent *frame,
                                         int64_t pace_ns, JankFrameVerdict *ret_verdict);

/* Where the clock was on time: was the display? shown_ns: between the last two presentations. */
void           jank_frame_judge_display (JankFrameVerdict *verdict, int64_t shown_ns);

/* Judges a late frame again, by a refresh interval that became known later. */
void           jank_frame_judge_again   (JankFrameVerdict *verdict, int64_t refresh_ns);

/* Until when the loop's work for the next frame must be done. */
int64_t        jank_frame_deadline_ns   (int64_t begin_ns, int64_t refresh_ns);

/* How far what moved on screen was from where it belonged: PresentMon's animation error, the difference between the
 * time that animations moved on by and the time between the two presentations. Returns: -1 where one of them is
 * unknown */
int64_t        jank_frame_animation_error (const JankFrameEvent *before, const JankFrameEvent *frame);

/* The display's interval, or the one that is assumed. */
int64_t        jank_frame_refresh       (const JankFrameEvent *frame);
JankFrameLevel jank_frame_level         (int64_t n_dropped);
JankFrameBand  jank_frame_band          (const JankFrameVerdict *verdict);
