/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/jank-frame-stats-private.h"

struct _JankFrameStats
{
  gint             n_refs;  /* (atomic) */
  JankFrameEvent   event;
  JankFrameVerdict verdict; /* all 0 without one */
  char            *window;  /* (owned) */
};

G_DEFINE_BOXED_TYPE (JankFrameStats, jank_frame_stats, jank_frame_stats_ref, jank_frame_stats_unref)

JankFrameStats *
jank_frame_stats_new (const JankFrameEvent *event, const JankFrameVerdict *verdict, const char *window)
{
  JankFrameStats *self = g_new0 (JankFrameStats, 1);

  self->n_refs = 1;
  self->event = *event;
  if (verdict != NULL)
    self->verdict = *verdict;
  self->window = g_strdup (window != NULL ? window : "");
  return self;
}

/**
 * jank_frame_stats_ref:
 * @self: a frame
 *
 * Returns: (transfer full): @self
 */
JankFrameStats *
jank_frame_stats_ref (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_int_inc (&self->n_refs);
  return self;
}

/**
 * jank_frame_stats_unref:
 * @self: (transfer full): a frame
 *
 * Lets go of @self.
 */
void
jank_frame_stats_unref (JankFrameStats *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_int_dec_and_test (&self->n_refs))
    return;
  g_free (self->window);
  g_free (self);
}

/**
 * jank_frame_stats_get_window:
 * @self: a frame
 *
 * Returns: the title of the window it was drawn for, or an empty string for a window without one
 */
const char *
jank_frame_stats_get_window (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->window;
}

/**
 * jank_frame_stats_get_began_ns:
 * @self: a frame
 *
 * Returns: when the frame clock began the frame, in nanoseconds of `CLOCK_MONOTONIC`
 */
gint64
jank_frame_stats_get_began_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->event.begin_ns;
}

/**
 * jank_frame_stats_get_ended_ns:
 * @self: a frame
 *
 * Returns: when the last phase of the frame was over, in nanoseconds of `CLOCK_MONOTONIC`
 */
gint64
jank_frame_stats_get_ended_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->event.end_ns;
}

/**
 * jank_frame_stats_get_previous_presented_ns:
 * @self: a frame
 *
 * When this frame has just been drawn, the display has not shown it yet; what can be known is when it
 * showed the frame before.
 *
 * Returns: that moment in nanoseconds of `CLOCK_MONOTONIC`, or 0 where the display does not tell
 */
gint64
jank_frame_stats_get_previous_presented_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->event.predecessor_presented_ns;
}

/**
 * jank_frame_stats_get_phase_ns:
 * @self: a frame
 * @phase: a phase, other than %JANK_FRAME_BETWEEN
 *
 * Returns: how long the phase took, in nanoseconds
 */
gint64
jank_frame_stats_get_phase_ns (JankFrameStats *self, JankFramePhase phase)
{
  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail ((guint) phase < JANK_FRAME_N_PHASES, 0);

  return self->event.phase_ns[phase];
}

/**
 * jank_frame_stats_get_cpu_ns:
 * @self: a frame
 *
 * Returns: CPU time of the main thread during the frame, in nanoseconds
 */
gint64
jank_frame_stats_get_cpu_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->event.cpu_ns;
}

/**
 * jank_frame_stats_get_refresh_ns:
 * @self: a frame
 *
 * Returns: the display's refresh interval in nanoseconds, such as 16666667 at 60 Hz
 */
gint64
jank_frame_stats_get_refresh_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->verdict.refresh_ns > 0 ? self->verdict.refresh_ns : jank_frame_refresh (&self->event);
}

/**
 * jank_frame_stats_is_refresh_assumed:
 * @self: a frame
 *
 * Returns: whether nothing told the refresh interval, so that 60 Hz were assumed
 */
gboolean
jank_frame_stats_is_refresh_assumed (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return (self->event.flags & JANK_FRAME_REFRESH_ASSUMED) != 0;
}

/**
 * jank_frame_stats_is_startup:
 * @self: a frame
 *
 * Returns: whether this is among the first frames of a new window, which are never called late
 */
gboolean
jank_frame_stats_is_startup (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return (self->event.flags & JANK_FRAME_STARTUP) != 0;
}

/**
 * jank_frame_stats_get_interval_ns:
 * @self: a frame
 *
 * Returns: the time from the beginning of the frame before to the beginning of this one, in nanoseconds,
 *   or 0 when the frame clock had come to rest in between
 */
gint64
jank_frame_stats_get_interval_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->verdict.interval_ns;
}

/**
 * jank_frame_stats_get_busy_ns:
 * @self: a frame
 *
 * Returns: how much of the interval the main loop was busy, in nanoseconds, as far as it was asked for:
 *   of frames that cannot be late, only what the frame before took
 */
gint64
jank_frame_stats_get_busy_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->verdict.busy_ns;
}

/**
 * jank_frame_stats_get_who:
 * @self: a frame
 *
 * A frame is late when its interval is over 1.5 refresh intervals.
 *
 * Returns: who made it late, if anybody
 */
JankFrameWho
jank_frame_stats_get_who (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, JANK_FRAME_ON_TIME);

  return self->verdict.who;
}

/**
 * jank_frame_stats_get_late_ns:
 * @self: a frame
 *
 * Returns: by how much the interval of a late frame was longer than the refresh interval, in nanoseconds;
 *   0 for a frame on time
 */
gint64
jank_frame_stats_get_late_ns (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->verdict.program_ns + self->verdict.compositor_ns;
}

/**
 * jank_frame_stats_get_n_dropped:
 * @self: a frame
 *
 * Returns: how many refreshes of the display went by without a frame
 */
guint
jank_frame_stats_get_n_dropped (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return (guint) CLAMP (self->verdict.n_dropped, 0, G_MAXUINT);
}

/**
 * jank_frame_stats_get_busiest:
 * @self: a late frame
 *
 * An interval is late because of what is inside it: the work of the frame before, or what the loop did
 * between the two.
 *
 * Returns: in which phase most of the interval's work was done, or %JANK_FRAME_BETWEEN; that, too, for a
 *   frame on time
 */
JankFramePhase
jank_frame_stats_get_busiest (JankFrameStats *self)
{
  g_return_val_if_fail (self != NULL, JANK_FRAME_BETWEEN);

  return self->verdict.who != JANK_FRAME_ON_TIME ? self->verdict.busiest : JANK_FRAME_BETWEEN;
}
