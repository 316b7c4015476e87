/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watch/jank-frame-watch-private.h"

#include "base/jank-clock-private.h"

void
jank_frame_watch_drop (JankFrameWatch *self)
{
  g_clear_pointer (&self->tracker, jank_stall_tracker_free);
}

static void
start (JankFrameWatch *self, JankWatchPost *post, gint64 began_ns)
{
  jank_frame_watch_drop (self);
  self->tracker = jank_stall_tracker_new (JANK_STALL_FRAMES, post->rule.threshold_ns, &JANK_MOMENT_UNKNOWN (began_ns));
}

static void
report (JankFrameWatch *self, JankWatchPost *post, const JankRuleStep *step, gint64 ended_ns)
{
  if (self->tracker == NULL || jank_stall_tracker_peek (self->tracker)->began_ns != step->began_ns)
    start (self, post, step->began_ns);
  if (step->fps_milli >= 0)
    jank_stall_tracker_set_fps (self->tracker, (double) step->fps_milli / 1000.0);
  else
    jank_watch_post_take_threads (post, self->tracker);
  jank_watch_post_tell_ended (post, self->tracker, ended_ns, FALSE);
}

static void
sample (JankFrameWatch *self, JankWatchPost *post)
{
  if (self->tracker == NULL)
    start (self, post, post->rule_state.frame_ns);
  jank_watch_post_sample (post, self->tracker);
  if (jank_clock_now_ns () - jank_stall_tracker_peek (self->tracker)->began_ns >= post->rule.threshold_ns)
    jank_watch_post_take_threads (post, self->tracker);
}

gint64
jank_frame_watch_look (JankFrameWatch *self, JankWatchPost *post, gboolean busy, gint64 since_ns)
{
  JankFrameTime frame;
  JankRuleStep step;

  post->view.busy = busy;
  post->view.since_ns = since_ns;
  while (post->funcs.next_frame != NULL && post->funcs.next_frame (&frame, post->data))
    {
      post->view.n_frames++;
      post->view.frame_ns = frame.began_ns;
      post->view.refresh_ns = frame.refresh_ns;
      post->view.frame_follows = frame.follows;
      step = jank_rule_step (&post->rule, &post->rule_state, &post->view, jank_clock_now_ns ());
      if (step.report)
        report (self, post, &step, frame.began_ns);
      jank_frame_watch_drop (self);
      if (step.take_stack)
        sample (self, post);
    }
  step = jank_rule_step (&post->rule, &post->rule_state, &post->view, jank_clock_now_ns ());
  if (step.take_stack)
    sample (self, post);
  return step.look_again_ns;
}
