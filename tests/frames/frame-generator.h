/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame clock that never ran: events as a program on a real one would make them, and the truth about them.
 * Time is that of the display: frames begin at its refreshes (or, with a timer for a clock, one interval
 * after the other), a frame that is not done by then waits for the next. */

#pragma once

#include <glib.h>

#include "frames/jank-frame-meter-private.h"
#include "frames/jank-frame-summary-private.h"

#define MS JANK_NS_PER_MS

typedef struct
{
  gint64   interval_ns, refresh_ns;
  guint    n_dropped;
} LateTruth;

typedef struct
{
  /* how it is */
  JankFrameMeter *stats;
  GRand          *random;       /* (owned) */
  gint64          refresh_ns;   /* of the display */
  gint64          told_ns;      /* what frames say it is; 0 for refresh_ns */
  gboolean        has_timer;    /* paced by a timer, not by a display */
  gboolean        presents;     /* tells presentation times */
  double          jitter;       /* a frame begins late by up to so much of a refresh interval */
  double          work;         /* of every frame: share of a refresh interval */
  JankFrameFlags  flags;        /* of every frame from now on */

  /* where it is */
  gint64          tick_ns;      /* the refresh, or the time, that the next frame belongs to */
  gint64          begin_ns;
  gint64          gap_busy_ns, gap_over_ns, gap_idle_ns, presented_ns, drawn_for_ns;
  gboolean        running;      /* the clock was, after the last frame */

  LateTruth       last;         /* of the interval after the last frame */
  gboolean        last_counts;

  /* the truth, of intervals that have ended */
  guint           n_frames, n_intervals, n_dropped;
  gint64          active_ns, excess_ns;
  GArray         *late;         /* (owned) of LateTruth */
} Generator;

void generator_init    (Generator *self, JankFrameMeter *stats, gint64 refresh_ns, guint32 seed);
void generator_clear   (Generator *self);

/* A frame that works for work_ns more than usual, in phase or, with JANK_FRAME_BETWEEN, after it. */
void generator_frame   (Generator *self, gint64 work_ns, JankFramePhase phase);
void generator_frames  (Generator *self, guint n);

/* A frame after which the clock is kept waiting for wait_ns longer than it had to. Not in the truth, as
 * intervals are in which the clock stopped. */
void generator_wait    (Generator *self, gint64 wait_ns);

/* The clock stops after the last frame, and starts again. */
void generator_idle    (Generator *self, gint64 idle_ns);

/* From the next frame on. */
void generator_set_hz  (Generator *self, double hz);

/* The figures of all frames that the meter has. */
void read_figures      (JankFrameMeter *meter, JankFrameNumbers *ret_numbers);
