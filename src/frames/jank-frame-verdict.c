/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "frames/jank-frame-verdict-private.h"

#include <sys/param.h>

/* The compositor needs a frame this part of an interval before it is shown. */
#define DEADLINE_SHARE 8

static bool
jank_frame_verdict_is_late (int64_t interval_ns, int64_t refresh_ns)
{
  return 2 * interval_ns > 3 * refresh_ns;
}

static int64_t
jank_frame_verdict_count_dropped (int64_t interval_ns, int64_t refresh_ns)
{
  return (interval_ns + refresh_ns / 2) / refresh_ns - 1;
}

int64_t
jank_frame_refresh (const JankFrameEvent *frame)
{
  return frame->refresh_ns > 0 ? frame->refresh_ns : JANK_FRAME_ASSUMED_REFRESH_NS;
}

/* Where the rate changes between two frames, the slower one counts. */
static int64_t
jank_frame_verdict_expected_interval (const JankFrameEvent *before, const JankFrameEvent *frame, int64_t pace_ns)
{
  int64_t refresh_ns = MAX (jank_frame_refresh (before), jank_frame_refresh (frame));

  if (frame->flags & JANK_FRAME_UNPACED)
    refresh_ns = MAX (refresh_ns, JANK_FRAME_ASSUMED_REFRESH_NS);
  return MAX (refresh_ns, pace_ns);
}

static void
jank_frame_verdict_find_busiest (JankFrameVerdict *verdict, const JankFrameEvent *before, int64_t gap_busy_ns)
{
  for (int phase = 0; phase < JANK_FRAME_N_PHASES; phase++)
    if (before->phase_ns[phase] > verdict->phase_ns)
      {
        verdict->phase = (JankFramePhase) phase;
        verdict->phase_ns = before->phase_ns[phase];
      }
  verdict->busiest = gap_busy_ns >= verdict->phase_ns ? JANK_FRAME_BETWEEN : verdict->phase;
  verdict->busiest_ns = gap_busy_ns >= verdict->phase_ns ? gap_busy_ns : verdict->phase_ns;
}

/* A rest of less than half a refresh interval is jitter of the clock, and goes to the program. */
static void
jank_frame_verdict_split_excess (JankFrameVerdict *verdict)
{
  int64_t refresh_ns = verdict->refresh_ns;
  int64_t excess_ns = verdict->interval_ns - refresh_ns;
  int64_t n_needed = (verdict->busy_ns + refresh_ns / DEADLINE_SHARE + refresh_ns - 1) / refresh_ns;

  verdict->program_ns = MIN (excess_ns, MAX (n_needed - 1, 0) * refresh_ns);
  if (excess_ns - verdict->program_ns < refresh_ns / 2)
    verdict->program_ns = excess_ns;
  verdict->compositor_ns = excess_ns - verdict->program_ns;
  verdict->who = verdict->program_ns >= verdict->compositor_ns ? JANK_FRAME_LATE_PROGRAM
                                                               : JANK_FRAME_LATE_COMPOSITOR;
}

int64_t
jank_frame_deadline_ns (int64_t begin_ns, int64_t refresh_ns)
{
  return begin_ns + refresh_ns - refresh_ns / DEADLINE_SHARE;
}

/* The loop's work behind the deadline, wherever the rest of it was. A display draws at the next refresh after it; one
 * that waits for longer would have been late anyway. */
static void
jank_frame_verdict_find_over (JankFrameVerdict *verdict, const JankFrameEvent *before, const JankFrameEvent *frame)
{
  int64_t time_ns = jank_frame_deadline_ns (0, verdict->refresh_ns);
  int64_t over_ns = MAX (before->end_ns - before->begin_ns - time_ns, 0) + frame->gap_over_ns;

  over_ns = MIN (over_ns, verdict->interval_ns - time_ns);
  if (verdict->who == JANK_FRAME_LATE_PROGRAM &&
      !jank_frame_verdict_is_late (verdict->interval_ns - time_ns - over_ns, verdict->refresh_ns))
    verdict->over_ns = over_ns;
}

static void
jank_frame_verdict_set_on_time (JankFrameVerdict *verdict)
{
  verdict->who = JANK_FRAME_ON_TIME;
  verdict->program_ns = verdict->compositor_ns = verdict->over_ns = 0;
  verdict->n_dropped = 0;
}

bool
jank_frame_judge (const JankFrameEvent *before, const JankFrameEvent *frame, int64_t pace_ns,
                  JankFrameVerdict *ret_verdict)
{
  int64_t interval_ns = frame->begin_ns - before->begin_ns - MAX (frame->gap_idle_ns, 0);
  int64_t cycle_ns = MAX (before->end_ns - before->begin_ns, 0);
  int64_t gap_busy_ns = MAX (frame->gap_busy_ns, 0);

  if (interval_ns <= 0)
    return false;

  *ret_verdict = (JankFrameVerdict) {
    .began_ns = before->begin_ns,
    .ended_ns = frame->begin_ns,
    .interval_ns = interval_ns,
    .judged_ns = interval_ns,
    .refresh_ns = jank_frame_verdict_expected_interval (before, frame, pace_ns),
    .busy_ns = MIN (interval_ns, cycle_ns + gap_busy_ns),
    .cpu_ns = before->cpu_ns,
  };
  if (!jank_frame_verdict_is_late (interval_ns, ret_verdict->refresh_ns))
    return true;

  jank_frame_verdict_split_excess (ret_verdict);
  jank_frame_verdict_find_busiest (ret_verdict, before, gap_busy_ns);
  jank_frame_verdict_find_over (ret_verdict, before, frame);
  ret_verdict->n_dropped = jank_frame_verdict_count_dropped (interval_ns, ret_verdict->refresh_ns);
  /* No display paced it, so no display was late. */
  if ((frame->flags & JANK_FRAME_UNPACED) && ret_verdict->who == JANK_FRAME_LATE_COMPOSITOR)
    jank_frame_verdict_set_on_time (ret_verdict);
  return true;
}

void
jank_frame_judge_display (JankFrameVerdict *verdict, int64_t shown_ns)
{
  if (verdict->who != JANK_FRAME_ON_TIME || !jank_frame_verdict_is_late (shown_ns, verdict->refresh_ns))
    return;
  verdict->who = JANK_FRAME_LATE_COMPOSITOR;
  verdict->judged_ns = shown_ns;
  verdict->compositor_ns = shown_ns - verdict->refresh_ns;
  verdict->n_dropped = jank_frame_verdict_count_dropped (shown_ns, verdict->refresh_ns);
}

void
jank_frame_judge_again (JankFrameVerdict *verdict, int64_t refresh_ns)
{
  if (jank_frame_verdict_is_late (verdict->judged_ns, refresh_ns))
    return;
  verdict->refresh_ns = refresh_ns;
  jank_frame_verdict_set_on_time (verdict);
}

int64_t
jank_frame_animation_error (const JankFrameEvent *before, const JankFrameEvent *frame)
{
  int64_t error_ns;

  if (before->predecessor_presented_ns <= 0 || frame->predecessor_presented_ns <= 0 ||
      before->predecessor_drawn_for_ns <= 0 || frame->predecessor_drawn_for_ns <= 0)
    return -1;
  error_ns = frame->predecessor_presented_ns - before->predecessor_presented_ns -
             (frame->predecessor_drawn_for_ns - before->predecessor_drawn_for_ns);
  return error_ns < 0 ? -error_ns : error_ns;
}

JankFrameLevel
jank_frame_level (int64_t n_dropped)
{
  if (n_dropped < 3)
    return JANK_FRAME_BEST;
  if (n_dropped < 9)
    return JANK_FRAME_NORMAL;
  if (n_dropped < 24)
    return JANK_FRAME_MIDDLE;
  return n_dropped < 42 ? JANK_FRAME_HIGH : JANK_FRAME_FROZEN;
}

JankFrameBand
jank_frame_band (const JankFrameVerdict *verdict)
{
  if (verdict->who == JANK_FRAME_ON_TIME)
    return JANK_FRAME_BAND_ON_TIME;
  if (verdict->who == JANK_FRAME_LATE_COMPOSITOR)
    return JANK_FRAME_BAND_COMPOSITOR;
  if (verdict->interval_ns >= JANK_FRAME_FROZEN_NS)
    return JANK_FRAME_BAND_FROZEN;
  return verdict->n_dropped < 3 ? JANK_FRAME_BAND_LATE : JANK_FRAME_BAND_VERY_LATE;
}
