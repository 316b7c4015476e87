/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "monitor/jank-frame-private.h"

struct _JankFrame
{
  gint             n_refs;  /* (atomic) */
  JankFrameEvent   event;
  JankFrameVerdict verdict; /* all 0 without one */
  char            *window;  /* (owned) */
};

G_DEFINE_BOXED_TYPE (JankFrame, jank_frame, jank_frame_ref, jank_frame_unref)

JankFrame *
jank_frame_new (const JankFrameEvent *event, const JankFrameVerdict *verdict, const char *window)
{
  JankFrame *self = g_new0 (JankFrame, 1);

  self->n_refs = 1;
  self->event = *event;
  if (verdict != NULL)
    self->verdict = *verdict;
  self->window = g_strdup (window != NULL ? window : "");
  return self;
}

/* 0 and NULL, where self is NULL, are the first value of every enumeration here. */
#define GETTER(type, name, value)            \
  type name (JankFrame *self)                \
  {                                          \
    g_return_val_if_fail (self != NULL, 0);  \
    return value;                            \
  }

/**
 * jank_frame_ref:
 * @self: a frame
 *
 * Acquires a reference. Any thread.
 *
 * Returns: (transfer full): @self
 */
JankFrame *
jank_frame_ref (JankFrame *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_int_inc (&self->n_refs);
  return self;
}

/**
 * jank_frame_unref:
 * @self: (transfer full): a frame
 *
 * Releases a reference; the last one frees the frame. Any thread.
 */
void
jank_frame_unref (JankFrame *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_int_dec_and_test (&self->n_refs))
    return;
  g_free (self->window);
  g_free (self);
}

/**
 * jank_frame_get_window:
 * @self: a frame
 *
 * The window that the frame was drawn for.
 *
 * Returns: (transfer none): its title, or an empty string for a window without one
 */
GETTER (const char *, jank_frame_get_window, self->window)

/**
 * jank_frame_get_began_ns:
 * @self: a frame
 *
 * When the frame clock began the frame.
 *
 * Returns: nanoseconds of `CLOCK_MONOTONIC`
 */
GETTER (gint64, jank_frame_get_began_ns, self->event.begin_ns)

/**
 * jank_frame_get_ended_ns:
 * @self: a frame
 *
 * When the last phase of the frame was over.
 *
 * Returns: nanoseconds of `CLOCK_MONOTONIC`
 */
GETTER (gint64, jank_frame_get_ended_ns, self->event.end_ns)

/**
 * jank_frame_get_previous_presented_ns:
 * @self: a frame
 *
 * When the display showed the frame before this one, which it has not shown yet.
 *
 * Returns: nanoseconds of `CLOCK_MONOTONIC`, or 0 where the display does not tell
 */
GETTER (gint64, jank_frame_get_previous_presented_ns, self->event.predecessor_presented_ns)

/**
 * jank_frame_get_phase_ns:
 * @self: a frame
 * @phase: a phase, other than %JANK_FRAME_BETWEEN
 *
 * How long one phase of the frame took.
 *
 * Returns: nanoseconds
 */
gint64
jank_frame_get_phase_ns (JankFrame *self, JankFramePhase phase)
{
  g_return_val_if_fail (self != NULL, 0);
  g_return_val_if_fail ((guint) phase < JANK_FRAME_N_PHASES, 0);

  return self->event.phase_ns[phase];
}

/**
 * jank_frame_get_cpu_ns:
 * @self: a frame
 *
 * CPU time of the main thread during the frame.
 *
 * Returns: nanoseconds
 */
GETTER (gint64, jank_frame_get_cpu_ns, self->event.cpu_ns)

/**
 * jank_frame_get_refresh_ns:
 * @self: a frame
 *
 * The display's refresh interval.
 *
 * Returns: nanoseconds, such as 16666667 at 60 Hz
 */
GETTER (gint64, jank_frame_get_refresh_ns,
        self->verdict.refresh_ns > 0 ? self->verdict.refresh_ns : jank_frame_refresh (&self->event))

/**
 * jank_frame_is_refresh_assumed:
 * @self: a frame
 *
 * Whether the refresh interval is unknown, so that 60 Hz are assumed.
 *
 * Returns: whether it is assumed
 */
GETTER (gboolean, jank_frame_is_refresh_assumed, (self->event.flags & JANK_FRAME_REFRESH_ASSUMED) != 0)

/**
 * jank_frame_is_startup:
 * @self: a frame
 *
 * Whether this is one of the first frames of a new window, which are never late.
 *
 * Returns: whether it is
 */
GETTER (gboolean, jank_frame_is_startup, (self->event.flags & JANK_FRAME_STARTUP) != 0)

/**
 * jank_frame_get_interval_ns:
 * @self: a frame
 *
 * The time from the beginning of the frame before to the beginning of this one.
 *
 * Returns: nanoseconds, or 0 when the frame clock rested in between
 */
GETTER (gint64, jank_frame_get_interval_ns, self->verdict.interval_ns)

/**
 * jank_frame_get_busy_ns:
 * @self: a frame
 *
 * How long the main loop was busy during the interval. Of a frame that cannot be late, only the time that the frame
 * before took.
 *
 * Returns: nanoseconds
 */
GETTER (gint64, jank_frame_get_busy_ns, self->verdict.busy_ns)

/**
 * jank_frame_get_who:
 * @self: a frame
 *
 * Who made the frame late. A frame is late when its interval is over 1.5 refresh intervals.
 *
 * Returns: the program, the compositor, or %JANK_FRAME_ON_TIME
 */
GETTER (JankFrameWho, jank_frame_get_who, self->verdict.who)

/**
 * jank_frame_get_late_ns:
 * @self: a frame
 *
 * By how much the interval of a late frame was longer than the refresh interval.
 *
 * Returns: nanoseconds, 0 for a frame on time
 */
GETTER (gint64, jank_frame_get_late_ns, self->verdict.program_ns + self->verdict.compositor_ns)

/**
 * jank_frame_get_n_dropped:
 * @self: a frame
 *
 * How many refreshes of the display went by without a frame.
 *
 * Returns: the number of dropped frames
 */
GETTER (guint, jank_frame_get_n_dropped, (guint) CLAMP (self->verdict.n_dropped, 0, G_MAXUINT))

/**
 * jank_frame_get_busiest:
 * @self: a late frame
 *
 * What made a frame late happened before it: the work of the frame before, or other work of the loop between the two.
 *
 * Returns: the phase with most of that work, or %JANK_FRAME_BETWEEN; for a frame on time, too
 */
JankFramePhase
jank_frame_get_busiest (JankFrame *self)
{
  g_return_val_if_fail (self != NULL, JANK_FRAME_BETWEEN);

  return self->verdict.who != JANK_FRAME_ON_TIME ? self->verdict.busiest : JANK_FRAME_BETWEEN;
}
