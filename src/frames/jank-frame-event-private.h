/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One cycle of a frame clock, from its first signal to its last, and the gap since the frame before. Filled on the
 * observed thread, in order. All times are CLOCK_MONOTONIC nanoseconds.
 *
 *        frame k-1: begin ──phases── end        gap: handlers, waiting        frame k: begin ── …
 *                   ◀──────────────────── interval of frame k ──────────────────▶
 *
 * What makes an interval late is inside it: the work of frame k-1, and the gap. So an event completes the story of
 * its predecessor; its own work is judged when the next one arrives. */

#pragma once

#include <stdint.h>

/* What a frame clock does in one of its cycles, in this order. */
typedef enum
{
  JANK_FRAME_FLUSH_EVENTS, /* input events that had been held back are delivered */
  JANK_FRAME_BEFORE_PAINT, /* the first of the frame's own phases */
  JANK_FRAME_UPDATE,       /* animations and tick callbacks */
  JANK_FRAME_LAYOUT,
  JANK_FRAME_PAINT,
  JANK_FRAME_AFTER_PAINT,
  JANK_FRAME_BETWEEN,      /* no phase: other work of the loop, between two frames */
} JankFramePhase;

/* Who made a frame late. */
typedef enum
{
  JANK_FRAME_ON_TIME,
  JANK_FRAME_LATE_PROGRAM,    /* the main loop was busy */
  JANK_FRAME_LATE_COMPOSITOR, /* the main loop waited: the compositor's or the GPU's doing */
} JankFrameWho;

/* Assumed where nothing tells the display's rate. */
#define JANK_FRAME_ASSUMED_REFRESH_NS INT64_C (16666667)

#define JANK_FRAME_N_PHASES JANK_FRAME_BETWEEN

typedef enum
{
  JANK_FRAME_ANIMATING       = 1 << 0, /* the clock was still running after the predecessor */
  JANK_FRAME_REFRESH_ASSUMED = 1 << 1, /* refresh_ns is unknown */
  JANK_FRAME_UNPACED         = 1 << 2, /* the predecessor's timings never completed: it changed nothing on
                                          screen, so the toolkit's own timer and no display paced this one */
  JANK_FRAME_STARTUP         = 1 << 3, /* among the first of a new window: counted apart */
  JANK_FRAME_OVERLAY_ONLY    = 1 << 4, /* drawn for our overlay alone: excluded */
  JANK_FRAME_INSPECTOR       = 1 << 5, /* in a window of the toolkit's inspector: excluded */
  JANK_FRAME_UNDRAWN         = 1 << 6, /* the clock ran, but nothing was painted: no frame */
  JANK_FRAME_UNSEEN          = 1 << 7, /* the compositor discarded the predecessor */
} JankFrameFlags;

typedef struct
{
  int64_t        begin_ns, end_ns;
  int64_t        phase_ns[JANK_FRAME_N_PHASES];
  int64_t        cpu_ns;                   /* of the observed thread, between begin and end */
  int64_t        refresh_ns;               /* for this frame; 0: unknown */

  /* since the predecessor */
  int64_t        gap_busy_ns;              /* busy time of the loop between its end and this begin */
  int64_t        gap_over_ns;              /* of that, behind jank_frame_deadline_ns() */
  int64_t        gap_idle_ns;              /* time in the gap that counts for nobody: clock stopped and started
                                              again, process stopped */
  int64_t        predecessor_presented_ns; /* when the display showed it; 0: unknown */
  int64_t        predecessor_drawn_for_ns; /* the time that its animations were drawn for; 0: unknown */

  JankFrameFlags flags;
} JankFrameEvent;
