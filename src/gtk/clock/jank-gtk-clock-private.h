/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One GdkFrameClock as we see it: the frame that is being drawn, and whether the clock ran on after the
 * last one. Takes times and requests, holds no reference and asks GDK nothing. GTK's thread only. */

#pragma once

#include <gtk/gtk.h>

#include "frames/jank-frame-meter-private.h"

typedef struct
{
  GdkFrameClock *gdk;                     /* (unowned): the table of clocks lets go of it in time */
  GtkWindow     *window;                  /* (weak) (nullable): of the toplevel, unknown for drags and the like */
  GdkSurface    *surface;                 /* (weak) (nullable) */
  JankFrameMeter *stats;                  /* (nullable): no place for one more clock */
  gulong         handlers[2];             /* on gdk */
  gulong         surface_handlers[3];     /* on surface */
  guint          n_lookups;               /* of the window, that found none */
  gboolean       is_inspector;
  gboolean       is_own_time;             /* what is under way is counted as ours */

  /* the display */
  gint64         refresh_ns;              /* as the timings last said, 0: never */
  gint64         monitor_refresh_ns;      /* as the monitor says, 0: unknown */
  gboolean       monitor_is_stale;
  gboolean       has_presentation;
  gboolean       is_remote;               /* its presentation times are when the other end answered */

  /* what is wanted of the clock */
  gboolean       sees_requests;           /* else the next six stay as they are */
  GdkFrameClockPhase requested;
  int            n_updating;
  gint64         wanted_ns;               /* first request since the clock came to rest, 0: none */
  gboolean       is_wanted_late;          /* it was made sooner, but kept back until then */
  gboolean       is_wanted_by_program;
  gboolean       runs_on;                 /* since the end of the last frame */
  gboolean       is_wanted_by_us;
  gboolean       is_away, was_away;       /* not on screen now, and for some time since the last frame */

  /* frames */
  gint64         first_ns;                /* begin of the first one, 0: none yet */
  gint64         last_begin_ns, last_end_ns;
  gint64         flush_began_ns, flush_ended_ns;
  gint64         phase_began_ns;
  int            phase;                   /* JankFramePhase, -1: between two frames */
  gint64         cpu_began_ns;
  JankFrameEvent event;                   /* being filled while phase >= 0 */
} JankGtkClock;

/* What the caller reads from the toolkit for the beginning of a frame. */
typedef struct
{
  gint64   now_ns;
  gint64   cpu_ns;               /* CPU clock of this thread */
  gint64   refresh_ns;           /* of the predecessor's timings, 0: they do not say */
  gint64   presented_ns;         /* 0: not known */
  gboolean predecessor_unpaced;  /* the display has not told of it, and maybe never will: nothing had changed */
} JankGtkClockReading;

/* Signals of the clock. */
void     jank_gtk_clock_flush_began (JankGtkClock *self, gint64 now_ns);
void     jank_gtk_clock_flush_ended (JankGtkClock *self, gint64 now_ns);
void     jank_gtk_clock_begin       (JankGtkClock *self, const JankGtkClockReading *reading);
void     jank_gtk_clock_phase       (JankGtkClock *self, JankFramePhase phase, gint64 now_ns);
/* The event is complete, except for what happened in the gap before it; FALSE when it has no beginning. */
gboolean jank_gtk_clock_end         (JankGtkClock *self, gint64 now_ns, gint64 cpu_ns);

/* Of the frame that began: whether it is worth to ask what the loop did since last_end_ns. */
gboolean jank_gtk_clock_may_be_late (const JankGtkClock *self);

/* Whether a request now is the first since the clock came to rest. */
gboolean jank_gtk_clock_is_at_rest  (const JankGtkClock *self);

/* Requests to the clock. is_late: the first one comes now that the display lets go of the last frame, and may be older. */
void     jank_gtk_clock_request     (JankGtkClock *self, GdkFrameClockPhase phase, gboolean is_ours, gboolean is_late);
void     jank_gtk_clock_updating    (JankGtkClock *self, int change);
