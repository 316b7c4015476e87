/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame-driven watching, for the rules that want it: stacks from one frame to the next, and a report, after the fact,
 * of a frame that took too long, or of a time with too few of them. */

#include "watch/jank-finders-private.h"

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"

typedef struct
{
  JankStallTracker *tracker; /* (owned) (nullable): since the newest frame that was told */
  JankStallTracker *next;    /* (owned) (nullable): since the one that has begun after it, and is told when it is
                                drawn */
} JankFrameWatch;

static void
jank_frame_watch_drop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankFrameWatch *self = data;

  g_clear_pointer (&self->tracker, jank_stall_tracker_free);
  g_clear_pointer (&self->next, jank_stall_tracker_free);
}

/* FALSE: there is no memory for it. */
static gboolean
jank_frame_watch_start (JankStallTracker **tracker, JankWatchPost *post, gint64 began_ns)
{
  if (!jank_memory_has_room (JANK_LOOK_BYTES))
    return FALSE;
  if (*tracker != NULL && jank_stall_tracker_peek (*tracker)->began_ns == began_ns)
    return TRUE;
  g_clear_pointer (tracker, jank_stall_tracker_free);
  *tracker = jank_stall_tracker_new (JANK_STALL_FRAMES, post->rule.threshold_ns, &JANK_MOMENT_UNKNOWN (began_ns));
  return TRUE;
}

static void
jank_frame_watch_report (JankFrameWatch *self, JankWatchPost *post, const JankRuleStep *step, gint64 ended_ns)
{
  if (!jank_frame_watch_start (&self->tracker, post, step->began_ns))
    return;
  if (step->fps_milli >= 0)
    jank_stall_tracker_edit (self->tracker)->fps = (double) step->fps_milli / 1000.0;
  else
    jank_watch_post_take_threads (post, self->tracker);
  jank_watch_post_tell (post, self->tracker, ended_ns, JANK_TELL_ENDED);
}

static void
jank_frame_watch_sample (JankFrameWatch *self, JankWatchPost *post)
{
  gint64 told_ns = post->rule_state.frame_ns;
  gint64 began_ns = atomic_load_explicit (&post->beat->frame_began_ns, memory_order_relaxed);
  JankStallTracker **tracker = began_ns > told_ns ? &self->next : &self->tracker;

  if (!jank_frame_watch_start (tracker, post, MAX (began_ns, told_ns)))
    return;
  jank_watch_post_sample (post, *tracker);
  if (jank_clock_now_ns () - jank_stall_tracker_peek (*tracker)->began_ns >= post->rule.threshold_ns)
    jank_watch_post_take_threads (post, *tracker);
}

/* What was seen since the frame began belongs to it; an older frame is done with. */
static void
jank_frame_watch_turn_over (JankFrameWatch *self, JankWatchPost *post, gint64 began_ns)
{
  g_autoptr (JankStallTracker) next = g_steal_pointer (&self->next);

  jank_frame_watch_drop (self, post, FALSE);
  if (next != NULL && jank_stall_tracker_peek (next)->began_ns == began_ns)
    self->tracker = g_steal_pointer (&next);
}

/* A rule about frames finds no turn of the loop too long. */
static gint64
jank_frame_watch_look (gpointer data, JankWatchPost *post)
{
  JankFrameWatch *self = data;
  JankBusyPeriod period;
  JankFrameTime frame;
  JankRuleStep step;

  if (!jank_rule_is_frames (&post->rule))
    return G_MAXINT64;
  while (jank_beat_pop (post->beat, &period))
    ;
  post->view.busy = jank_beat_word_state (post->word) != JANK_BEAT_WAITING;
  post->view.since_ns = jank_beat_word_ns (post->word);
  while (jank_watch_post_next_frame (post, &frame))
    {
      post->view.n_frames++;
      post->view.frame_ns = frame.began_ns;
      post->view.refresh_ns = frame.refresh_ns;
      post->view.frame_follows = frame.follows;
      step = jank_rule_step (&post->rule, &post->rule_state, &post->view, jank_clock_now_ns ());
      if (step.fps_milli >= 0)
        JANK_SINKS_TELL (post->sinks, figure, (double) step.fps_milli / 1000.0);
      if (step.report)
        jank_frame_watch_report (self, post, &step, frame.began_ns);
      jank_frame_watch_turn_over (self, post, frame.began_ns);
      if (step.take_stack)
        jank_frame_watch_sample (self, post);
    }
  step = jank_rule_step (&post->rule, &post->rule_state, &post->view, jank_clock_now_ns ());
  if (step.take_stack)
    jank_frame_watch_sample (self, post);
  return step.look_again_ns;
}

const JankFinder jank_frame_watch = {
  sizeof (JankFrameWatch), .look = jank_frame_watch_look, .stop = jank_frame_watch_drop, .drop = jank_frame_watch_drop,
};
