/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One GdkFrameClock: the frame being drawn, and whether the clock ran on after the last one. Takes times and
 * requests; holds no reference and asks GDK nothing. GTK's thread only. */

#pragma once

#include "frames/jank-frame-meter-private.h"
#include "gtk/jank-gtk-names-private.h"

typedef struct
{
  GdkFrameClock *gdk;                     /* (unowned): the clock is removed before gdk goes */
  GtkWindow     *window;                  /* (weak) (nullable): NULL for drags and the like */
  GdkSurface    *surface;                 /* (weak) (nullable) */
  JankFrameMeter *stats;                  /* (nullable): NULL when there are too many clocks */
  gulong         handlers[2];             /* on gdk */
  gulong         display_handlers[3];     /* on surface; in GTK 3, on window */
  guint          n_lookups;               /* that found no window */
  gboolean       is_inspector;
  gboolean       is_own_time;             /* a span of own time is under way */

  /* the display */
  gint64         refresh_ns;              /* by the last timings; 0: unknown */
  gint64         monitor_refresh_ns;      /* by the monitor; 0: unknown */
  gboolean       monitor_is_stale;
  gboolean       has_presentation;
  gboolean       is_remote;               /* presentation times are when the other end answered */

  /* requests to the clock */
  guint          n_tries;                 /* to see them */
  gboolean       sees_requests;           /* FALSE: the fields down to is_wanted_by_us never change */
  GdkFrameClockPhase requested;
  int            n_updating;
  gint64         wanted_ns;               /* first request since the clock came to rest; 0: none */
  gboolean       is_wanted_late;          /* it was made earlier, but held back */
  gboolean       is_wanted_by_program;
  gboolean       runs_on;                 /* since the end of the last frame */
  gboolean       is_wanted_by_us;
  gboolean       is_away, was_away;       /* not on screen: now; at any time since the last frame */

  /* frames */
  gint64         first_ns;                /* begin of the first one, 0: none yet */
  gint64         last_begin_ns, last_end_ns;
  gint64         flush_began_ns, flush_ended_ns;
  gint64         phase_began_ns;
  int            phase;                   /* JankFramePhase, -1: between two frames */
  gint64         cpu_began_ns;
  JankFrameEvent event;                   /* being filled while phase >= 0 */
} JankGtkClock;

/* What the caller reads from GTK when a frame begins. */
typedef struct
{
  gint64   now_ns;
  gint64   cpu_ns;               /* CPU clock of this thread */
  gint64   refresh_ns;           /* by the predecessor's timings; 0: unknown */
  gint64   presented_ns;         /* 0: unknown */
  gint64   drawn_for_ns;         /* the predecessor's frame time; 0: unknown */
  gboolean predecessor_unseen;   /* the compositor discarded it */
  gboolean predecessor_unpaced;  /* its timings are incomplete, maybe for good: nothing changed on screen */
} JankGtkClockReading;

void     jank_gtk_clock_flush_began (JankGtkClock *self, gint64 now_ns);
void     jank_gtk_clock_begin       (JankGtkClock *self, const JankGtkClockReading *reading);
void     jank_gtk_clock_phase       (JankGtkClock *self, JankFramePhase phase, gint64 now_ns);
/* Completes the event, except for the gap before it. Returns: FALSE when its beginning was not seen */
gboolean jank_gtk_clock_end         (JankGtkClock *self, gint64 now_ns, gint64 cpu_ns);

/* When a frame began: whether to ask what the loop did since last_end_ns. */
gboolean jank_gtk_clock_may_be_late (const JankGtkClock *self);

/* Of that frame, or the last one's end where that was later. */
gint64   jank_gtk_clock_get_deadline_ns (const JankGtkClock *self);

/* Whether a request now would be the first since the clock came to rest. */
gboolean jank_gtk_clock_is_at_rest  (const JankGtkClock *self);

/* is_late: the display held the request back until now. */
void     jank_gtk_clock_request     (JankGtkClock *self, GdkFrameClockPhase phase, gboolean is_ours, gboolean is_late);
void     jank_gtk_clock_updating    (JankGtkClock *self, int change);

/* What GDK knows of a clock's display. */

/* Keeps neither the window nor its surface alive. */
void jank_gtk_clock_display_attach (JankGtkClock *self, GtkWindow *window);
void jank_gtk_clock_display_detach (JankGtkClock *self);

/* Whether the display still holds the last frame. GDK then keeps requests back, and passes them on right before it
 * notes that the frame was taken. Before GTK 4.24, a frame that changed nothing looks the same and holds nothing
 * back. */
gboolean jank_gtk_clock_display_holds (JankGtkClock *self);

/* When a frame begins: fills ret_reading, except now_ns and cpu_ns. */
void jank_gtk_clock_display_read   (JankGtkClock *self, JankGtkClockReading *ret_reading);

/* Sees requests to frame clocks: phases, and animations that begin and end. Only they tell a late clock from an idle
 * one. */

typedef struct
{
  void (*requested) (GdkFrameClock *gdk, GdkFrameClockPhase phase);
  void (*updating)  (GdkFrameClock *gdk, int change);
} JankGtkClockRequestFuncs;

/* funcs: static; the same at every call. Returns: whether requests to clocks of gdk's class are seen from now on */
gboolean jank_gtk_clock_requests_watch (GdkFrameClock *gdk, const JankGtkClockRequestFuncs *funcs);
