/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames/jank-frame-meter-private.h"

#include <stddef.h>

#define WINDOW_NS JANK_NS_PER_S
#define N_MEAN    3
#define EXCLUDED  (JANK_FRAME_OVERLAY_ONLY | JANK_FRAME_INSPECTOR)

/* A program that paints nothing for so long is idle, however often its clock ran. */
#define MAX_UNDRAWN_NS (250 * JANK_NS_PER_MS)

/* Of the last three intervals, 0 before there are three. */
static int64_t
jank_frame_meter_mean_interval (JankFrameMeter *self)
{
  int64_t sum_ns = 0;

  if (self->totals.n_judged < N_MEAN)
    return 0;
  for (unsigned i = 0; i < N_MEAN; i++)
    sum_ns += jank_frame_board_get_interval (&self->board, i);
  return sum_ns / N_MEAN;
}

/* The window: as many of the newest intervals as make a second, or all of them. */
static void
jank_frame_meter_push_interval (JankFrameMeter *self, const JankFrameVerdict *verdict)
{
  JankFrameTotals *totals = &self->totals;
  int64_t undrawn_ns = self->undrawn_ns <= MAX_UNDRAWN_NS ? self->undrawn_ns : 0;

  self->undrawn_ns = 0;
  if (totals->n_window == JANK_FRAME_N_INTERVALS)
    totals->window_ns -= jank_frame_board_get_interval (&self->board, --totals->n_window);
  jank_frame_board_push_interval (&self->board, verdict->interval_ns + undrawn_ns, jank_frame_band (verdict));
  totals->counts.active_ns += undrawn_ns;
  totals->window_ns += verdict->interval_ns + undrawn_ns;
  totals->n_window++;
  while (totals->n_window > 1)
    {
      int64_t oldest_ns = jank_frame_board_get_interval (&self->board, totals->n_window - 1);

      if (totals->window_ns - oldest_ns < WINDOW_NS)
        break;
      totals->window_ns -= oldest_ns;
      totals->n_window--;
    }
}

static void
jank_frame_meter_count (JankFrameMeter *self, const JankFrameVerdict *verdict)
{
  jank_frame_totals_count (&self->totals, verdict, jank_frame_meter_mean_interval (self));
  jank_frame_meter_push_interval (self, verdict);
  if (verdict->who == JANK_FRAME_LATE_PROGRAM)
    jank_frame_board_push_late (&self->board, verdict);
}

static void
jank_frame_meter_count_pending (JankFrameMeter *self)
{
  for (unsigned i = 0; i < self->n_pending; i++)
    jank_frame_meter_count (self, &self->pending[i]);
  self->n_pending = 0;
}

static void
jank_frame_meter_count_throttled (JankFrameMeter *self, const JankFrameVerdict *verdict)
{
  self->totals.counts.throttled++;
  self->totals.counts.throttled_ns += verdict->interval_ns;
  self->throttled_pace_ns = verdict->interval_ns;
}

/* A window on screen does not wait for so long, or so often in a row. */
static bool
jank_frame_meter_is_throttled (const JankFrameMeter *self, const JankFrameVerdict *verdict)
{
  int64_t waited_ns = verdict->interval_ns - verdict->busy_ns;

  if (self->throttled_pace_ns > 0 && verdict->who != JANK_FRAME_LATE_PROGRAM)
    return true;
  if (verdict->who != JANK_FRAME_LATE_COMPOSITOR || waited_ns < JANK_FRAME_THROTTLED_NS)
    return false;
  if (waited_ns >= JANK_FRAME_NOT_SHOWN_NS)
    return true;
  for (unsigned i = 0; i < self->n_pending; i++)
    if (self->pending[i].interval_ns - self->pending[i].busy_ns < JANK_FRAME_THROTTLED_NS)
      return false;
  return self->n_pending == JANK_FRAME_N_PENDING;
}

static void
jank_frame_meter_file_verdict (JankFrameMeter *self, const JankFrameVerdict *verdict)
{
  if (jank_frame_meter_is_throttled (self, verdict))
    {
      for (unsigned i = 0; i < self->n_pending; i++)
        jank_frame_meter_count_throttled (self, &self->pending[i]);
      self->n_pending = 0;
      jank_frame_meter_count_throttled (self, verdict);
      self->has_last = false;
      return;
    }
  if (verdict->who != JANK_FRAME_LATE_COMPOSITOR)
    {
      jank_frame_meter_count_pending (self);
      jank_frame_meter_count (self, verdict);
      return;
    }
  if (self->n_pending == JANK_FRAME_N_PENDING)
    {
      jank_frame_meter_count (self, &self->pending[0]);
      self->pending[0] = self->pending[1];
      self->n_pending--;
    }
  self->pending[self->n_pending++] = *verdict;
}

/* The pace of a clock that ticks slower than its display; 0: none. */
static int64_t
jank_frame_meter_find_pace (JankFrameMeter *self, const JankFrameEvent *frame)
{
  if (frame->begin_ns - self->before.begin_ns - frame->gap_idle_ns < JANK_FRAME_THROTTLED_NS)
    self->throttled_pace_ns = 0;
  return self->throttled_pace_ns;
}

/* Of two frames that are shown at one refresh, nobody sees the first. Times that are an estimate differ by more. */
static void
jank_frame_meter_count_shown (JankFrameTotals *totals, const JankFrameEvent *before, const JankFrameEvent *frame)
{
  int64_t error_ns = jank_frame_animation_error (before, frame);
  int64_t shown_ns = frame->predecessor_presented_ns - before->predecessor_presented_ns;

  if (frame->flags & JANK_FRAME_UNSEEN)
    totals->counts.unseen++;
  else if (error_ns < 0 || (frame->flags & JANK_FRAME_UNPACED) || !(before->flags & JANK_FRAME_ANIMATING))
    return;
  else if (8 * shown_ns < jank_frame_refresh (frame))
    totals->counts.unseen++;
  else
    {
      totals->counts.animated++;
      totals->animation_error_ns += error_ns;
    }
}

/* The clock was running since the frame before. */
static void
jank_frame_meter_follow (JankFrameMeter *self, const JankFrameEvent *frame)
{
  bool was_on_time = self->before_on_time;
  JankFrameVerdict verdict;

  if (jank_frame_refresh (frame) > jank_frame_refresh (&self->before))
    for (unsigned i = 0; i < self->n_pending; i++)
      jank_frame_judge_again (&self->pending[i], jank_frame_refresh (frame));

  jank_frame_meter_count_shown (&self->totals, &self->before, frame);
  if (!jank_frame_judge (&self->before, frame, jank_frame_meter_find_pace (self, frame), &verdict))
    return;
  if ((self->before.flags & JANK_FRAME_UNDRAWN) &&
      ((frame->flags & JANK_FRAME_UNDRAWN) || verdict.who != JANK_FRAME_LATE_PROGRAM))
    {
      self->undrawn_ns += verdict.interval_ns;
      self->before_on_time = false;
      return;
    }
  self->before_on_time = verdict.who == JANK_FRAME_ON_TIME;
  if (was_on_time && self->before_on_time && !(frame->flags & JANK_FRAME_UNPACED) &&
      self->before.predecessor_presented_ns > 0 && frame->predecessor_presented_ns > 0)
    jank_frame_judge_display (&verdict, frame->predecessor_presented_ns - self->before.predecessor_presented_ns);
  self->last = verdict;
  self->has_last = true;
  jank_frame_meter_file_verdict (self, &verdict);
}

/* Nothing before this frame tells when it was due. */
static void
jank_frame_meter_begin_anew (JankFrameMeter *self)
{
  jank_frame_meter_count_pending (self);
  self->undrawn_ns = 0;
  self->throttled_pace_ns = 0;
  self->before_on_time = false;
}

void
jank_frame_meter_add (JankFrameMeter *self, const JankFrameEvent *frame)
{
  jank_seqlock_begin (&self->board.lock);
  self->has_last = false;
  if (frame->flags & EXCLUDED)
    {
      self->totals.counts.excluded_frames++;
      jank_frame_meter_begin_anew (self);
      self->has_before = false;
    }
  else
    {
      if (!(frame->flags & JANK_FRAME_UNDRAWN))
        jank_frame_totals_count_frame (&self->totals, frame);
      if (self->has_before && (frame->flags & JANK_FRAME_ANIMATING) &&
          !((frame->flags | self->before.flags) & JANK_FRAME_STARTUP))
        jank_frame_meter_follow (self, frame);
      else
        jank_frame_meter_begin_anew (self);
      self->before = *frame;
      self->has_before = true;
    }
  jank_frame_board_end (&self->board, &self->totals);
}

const JankFrameVerdict *
jank_frame_meter_get_verdict (const JankFrameMeter *self)
{
  return self->has_last ? &self->last : NULL;
}

void
jank_frame_meter_settle (JankFrameMeter *self)
{
  jank_seqlock_begin (&self->board.lock);
  jank_frame_meter_begin_anew (self);
  self->has_before = false;
  jank_frame_board_end (&self->board, &self->totals);
}

void
jank_frame_meter_absorb (JankFrameMeter *self, JankFrameMeter *other)
{
  jank_frame_meter_settle (other);
  jank_seqlock_begin (&self->board.lock);
  jank_frame_totals_merge (&self->totals, &other->totals);
  self->totals.n_window = 0;
  self->totals.window_ns = 0;
  jank_frame_board_absorb (&self->board, &other->board);
  jank_frame_board_end (&self->board, &self->totals);
}

void
jank_frame_meter_reset (JankFrameMeter *self)
{
  jank_seqlock_begin (&self->board.lock);
  self->totals = (JankFrameTotals) { 0 };
  self->n_pending = 0;
  self->has_before = self->before_on_time = self->has_last = false;
  self->throttled_pace_ns = self->undrawn_ns = 0;
  jank_frame_board_clear (&self->board);
  jank_frame_board_end (&self->board, &self->totals);
}
