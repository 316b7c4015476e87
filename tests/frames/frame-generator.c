/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frame-generator.h"

void
generator_init (Generator *self, JankFrameMeter *stats, gint64 refresh_ns, guint32 seed)
{
  *self = (Generator) {
    .stats = stats,
    .random = g_rand_new_with_seed (seed),
    .refresh_ns = refresh_ns,
    .jitter = 0.1,
    .work = 0.25,
    .tick_ns = 1000 * JANK_NS_PER_S,
    .begin_ns = 1000 * JANK_NS_PER_S,
    .late = g_array_new (FALSE, FALSE, sizeof (LateTruth)),
  };
}

void
generator_clear (Generator *self)
{
  g_rand_free (self->random);
  g_array_unref (self->late);
}

static JankFrameEvent
make_event (Generator *self, gint64 work_ns, JankFramePhase phase)
{
  gint64 share_ns = (gint64) ((double) self->refresh_ns * self->work / JANK_FRAME_N_PHASES);
  JankFrameEvent event = {
    .begin_ns = self->begin_ns,
    .end_ns = self->begin_ns + share_ns * JANK_FRAME_N_PHASES,
    .cpu_ns = share_ns,
    .refresh_ns = self->told_ns != 0 ? self->told_ns : self->refresh_ns,
    .gap_busy_ns = self->gap_busy_ns,
    .gap_over_ns = self->gap_over_ns,
    .gap_idle_ns = self->gap_idle_ns,
    .predecessor_presented_ns = self->presents ? self->presented_ns : 0,
    .predecessor_drawn_for_ns = self->drawn_for_ns,
    .flags = self->flags | (self->running ? JANK_FRAME_ANIMATING : 0),
  };

  for (guint i = 0; i < JANK_FRAME_N_PHASES; i++)
    event.phase_ns[i] = share_ns;
  if (phase != JANK_FRAME_BETWEEN)
    {
      event.phase_ns[phase] += work_ns;
      event.end_ns += work_ns;
    }
  return event;
}

/* The first time from not_before_ns on at which a frame may begin. */
static gint64
next_tick (Generator *self, gint64 not_before_ns)
{
  gint64 next_ns = self->tick_ns + self->refresh_ns;

  if (next_ns >= not_before_ns)
    return next_ns;
  if (self->has_timer)
    return not_before_ns;
  return next_ns + (not_before_ns - next_ns + self->refresh_ns - 1) / self->refresh_ns * self->refresh_ns;
}

/* Feeds the frame, and moves on to where the next one begins. */
static void
advance (Generator *self, gint64 work_ns, JankFramePhase phase, gint64 wait_ns)
{
  JankFrameEvent event = make_event (self, work_ns, phase);
  gint64 done_ns = event.end_ns + (phase == JANK_FRAME_BETWEEN ? work_ns : 0);
  gint64 tick_ns;

  jank_frame_meter_add (self->stats, &event);
  self->n_frames++;
  tick_ns = next_tick (self, done_ns + wait_ns);
  self->presented_ns = next_tick (self, done_ns);
  self->drawn_for_ns = self->tick_ns;
  self->gap_busy_ns = done_ns - event.end_ns;
  self->gap_over_ns = MAX (done_ns - MAX (jank_frame_deadline_ns (event.begin_ns, jank_frame_refresh (&event)),
                                          event.end_ns), 0);
  self->gap_idle_ns = 0;
  self->tick_ns = tick_ns;
  self->begin_ns = tick_ns + (gint64) ((double) self->refresh_ns * self->jitter * g_rand_double (self->random));
  self->running = TRUE;
}

static void
count_last (Generator *self)
{
  if (!self->last_counts)
    return;
  self->last_counts = FALSE;
  self->n_intervals++;
  self->active_ns += self->last.interval_ns;
  if (self->last.n_dropped == 0)
    return;
  self->n_dropped += self->last.n_dropped;
  self->excess_ns += self->last.interval_ns - self->last.refresh_ns;
  g_array_append_val (self->late, self->last);
}

void
generator_frame (Generator *self, gint64 work_ns, JankFramePhase phase)
{
  gint64 refresh_ns = self->refresh_ns, tick_ns = self->tick_ns, begin_ns = self->begin_ns;
  gint64 interval_ns, lasted_ns;

  count_last (self);
  advance (self, work_ns, phase, 0);
  interval_ns = self->begin_ns - begin_ns;
  /* A display counts; with a timer there is only rounding. */
  lasted_ns = self->has_timer ? interval_ns : self->tick_ns - tick_ns;
  self->last = (LateTruth) {
    .interval_ns = interval_ns,
    .refresh_ns = refresh_ns,
    .n_dropped = (guint) ((lasted_ns + refresh_ns / 2) / refresh_ns - 1),
  };
  self->last_counts = TRUE;
}

void
generator_frames (Generator *self, guint n)
{
  for (guint i = 0; i < n; i++)
    generator_frame (self, 0, JANK_FRAME_BETWEEN);
}

void
generator_wait (Generator *self, gint64 wait_ns)
{
  count_last (self);
  advance (self, 0, JANK_FRAME_BETWEEN, wait_ns);
}

void
generator_idle (Generator *self, gint64 idle_ns)
{
  self->tick_ns += idle_ns;
  self->begin_ns += idle_ns;
  self->running = FALSE;
  self->last_counts = FALSE;
}

void
generator_set_hz (Generator *self, double hz)
{
  self->refresh_ns = (gint64) ((double) JANK_NS_PER_S / hz);
}

void
read_figures (JankFrameMeter *meter, JankFrameNumbers *ret_numbers)
{
  g_autofree JankFrameSnapshot *snapshot = g_new0 (JankFrameSnapshot, 1);

  g_assert_true (jank_frame_board_read (&meter->board, snapshot));
  jank_frame_numbers_from (snapshot, ret_numbers);
}
