/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mirrors what GdkFrameClock does with requests: a requested phase is cleared when it begins; a phase still requested
 * at the end of the frame, or an animation under way, starts the next frame.
 *
 * A clock at rest that gets a request before its next refresh loses no time, so it counts as running. That covers
 * programs that animate from a timer. */

#include "gtk/clock/jank-gtk-clock-private.h"

#include "base/jank-clock-private.h"

/* Fonts, shaders and the first layout make every window slow at first. */
#define STARTUP_NS JANK_NS_PER_S

/* Motion events are flushed right before a frame. */
#define FLUSH_BELONGS_NS (2 * JANK_NS_PER_MS)

/* For how many refreshes the display may hold a request back while the clock counts as running. */
#define N_REFRESHES_HELD 4

#define NO_FRAME (GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS | GDK_FRAME_CLOCK_PHASE_RESUME_EVENTS)

static const GdkFrameClockPhase gdk_phases[JANK_FRAME_N_PHASES] = {
  GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS, GDK_FRAME_CLOCK_PHASE_BEFORE_PAINT, GDK_FRAME_CLOCK_PHASE_UPDATE,
  GDK_FRAME_CLOCK_PHASE_LAYOUT, GDK_FRAME_CLOCK_PHASE_PAINT, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT,
};

static gint64
jank_gtk_clock_known_refresh (const JankGtkClock *self)
{
  return self->refresh_ns != 0 ? self->refresh_ns : self->monitor_refresh_ns;
}

static gint64
jank_gtk_clock_refresh_or_assumed (const JankGtkClock *self)
{
  gint64 refresh_ns = jank_gtk_clock_known_refresh (self);

  return refresh_ns != 0 ? refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;
}

void
jank_gtk_clock_flush_began (JankGtkClock *self, gint64 now_ns)
{
  self->requested &= ~GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS;
  self->flush_began_ns = now_ns;
  self->flush_ended_ns = 0;
}

static gboolean
jank_gtk_clock_was_running (JankGtkClock *self, gint64 begin_ns)
{
  if (self->last_end_ns == 0 || self->was_away)
    return FALSE;
  if (!self->sees_requests)
    return begin_ns - self->last_begin_ns <= 2 * jank_gtk_clock_refresh_or_assumed (self);
  if (self->runs_on)
    return TRUE;

  /* No request: an animation is running that began before we watched. */
  if (self->wanted_ns == 0)
    {
      self->n_updating = MAX (self->n_updating, 1);
      return TRUE;
    }
  return self->wanted_ns - self->last_begin_ns
         <= (self->is_wanted_late ? N_REFRESHES_HELD : 1) * jank_gtk_clock_refresh_or_assumed (self);
}

static JankFrameFlags
jank_gtk_clock_find_flags (JankGtkClock *self, const JankGtkClockReading *reading)
{
  JankFrameFlags flags = JANK_FRAME_UNDRAWN;

  if (jank_gtk_clock_was_running (self, reading->now_ns))
    flags |= JANK_FRAME_ANIMATING;
  if (jank_gtk_clock_known_refresh (self) == 0)
    flags |= JANK_FRAME_REFRESH_ASSUMED;
  if (reading->predecessor_unpaced)
    flags |= JANK_FRAME_UNPACED;
  if (reading->predecessor_unseen)
    flags |= JANK_FRAME_UNSEEN;
  if (reading->now_ns - self->first_ns < STARTUP_NS)
    flags |= JANK_FRAME_STARTUP;
  if (self->is_wanted_by_us && !self->is_wanted_by_program && !self->runs_on)
    flags |= JANK_FRAME_OVERLAY_ONLY;
  if (self->is_inspector)
    flags |= JANK_FRAME_INSPECTOR;
  return flags;
}

void
jank_gtk_clock_begin (JankGtkClock *self, const JankGtkClockReading *reading)
{
  if (self->first_ns == 0)
    self->first_ns = reading->now_ns;
  if (reading->refresh_ns != 0)
    self->refresh_ns = reading->refresh_ns;
  if (reading->presented_ns != 0)
    self->has_presentation = TRUE;

  self->event = (JankFrameEvent) {
    .begin_ns = reading->now_ns,
    .refresh_ns = jank_gtk_clock_known_refresh (self),
    .predecessor_presented_ns = reading->presented_ns,
    .predecessor_drawn_for_ns = reading->drawn_for_ns,
    .flags = jank_gtk_clock_find_flags (self, reading),
  };
  if (self->flush_ended_ns > self->last_end_ns && reading->now_ns - self->flush_ended_ns < FLUSH_BELONGS_NS)
    {
      self->event.begin_ns = self->flush_began_ns;
      self->event.phase_ns[JANK_FRAME_FLUSH_EVENTS] = self->flush_ended_ns - self->flush_began_ns;
    }
  self->was_away = self->is_away;
  self->is_wanted_by_us = self->is_wanted_by_program = FALSE;
  self->requested &= ~GDK_FRAME_CLOCK_PHASE_BEFORE_PAINT;
  self->phase = JANK_FRAME_BEFORE_PAINT;
  self->phase_began_ns = reading->now_ns;
  self->cpu_began_ns = reading->cpu_ns;
}

gboolean
jank_gtk_clock_may_be_late (const JankGtkClock *self)
{
  return (self->event.flags & JANK_FRAME_ANIMATING) != 0 &&
         4 * (self->event.begin_ns - self->last_begin_ns) > 5 * jank_gtk_clock_refresh_or_assumed (self);
}

gint64
jank_gtk_clock_get_deadline_ns (const JankGtkClock *self)
{
  return MAX (jank_frame_deadline_ns (self->last_begin_ns, jank_gtk_clock_refresh_or_assumed (self)),
              self->last_end_ns);
}

void
jank_gtk_clock_phase (JankGtkClock *self, JankFramePhase phase, gint64 now_ns)
{
  if (self->phase < 0)
    return;
  self->event.phase_ns[self->phase] += now_ns - self->phase_began_ns;
  self->phase = (int) phase;
  self->phase_began_ns = now_ns;
  self->requested &= ~gdk_phases[phase];
  if (phase == JANK_FRAME_PAINT) /* GDK leaves it out when no surface has something to paint */
    self->event.flags &= ~JANK_FRAME_UNDRAWN;
}

gboolean
jank_gtk_clock_end (JankGtkClock *self, gint64 now_ns, gint64 cpu_ns)
{
  if (self->phase < 0)
    return FALSE;

  self->event.phase_ns[self->phase] += now_ns - self->phase_began_ns;
  self->event.end_ns = now_ns;
  self->event.cpu_ns = cpu_ns - self->cpu_began_ns;
  self->phase = -1;
  self->last_begin_ns = self->event.begin_ns;
  self->last_end_ns = now_ns;
  self->runs_on = (self->requested & ~NO_FRAME) != 0 || self->n_updating > 0;
  self->wanted_ns = 0;
  self->is_wanted_late = FALSE;
  if (!self->runs_on)
    self->is_wanted_by_us = self->is_wanted_by_program = FALSE;
  return TRUE;
}

gboolean
jank_gtk_clock_is_at_rest (const JankGtkClock *self)
{
  return self->phase < 0 && !self->runs_on && self->wanted_ns == 0;
}

/* Runs for every widget that queues a draw; reads the time for the first only. */
static void
jank_gtk_clock_want (JankGtkClock *self, gboolean is_ours, gboolean is_late)
{
  if (is_ours)
    self->is_wanted_by_us = TRUE;
  else
    self->is_wanted_by_program = TRUE;
  if (self->phase < 0 && self->wanted_ns == 0)
    {
      self->wanted_ns = jank_clock_now_ns ();
      self->is_wanted_late = is_late;
    }
}

void
jank_gtk_clock_request (JankGtkClock *self, GdkFrameClockPhase phase, gboolean is_ours, gboolean is_late)
{
  self->requested |= phase;
  if ((phase & ~NO_FRAME) != 0)
    jank_gtk_clock_want (self, is_ours, is_late);
}

void
jank_gtk_clock_updating (JankGtkClock *self, int change)
{
  self->n_updating = MAX (self->n_updating + change, 0);
  if (change > 0)
    jank_gtk_clock_want (self, FALSE, FALSE);
  else if (self->phase < 0 && self->n_updating == 0 && (self->requested & ~NO_FRAME) == 0)
    self->runs_on = FALSE;
}
