/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watch/jank-loop-watch-private.h"

#include "base/jank-clock-private.h"
#include "watch/jank-episode-private.h"

#define STACK_RETRY_NS (10 * JANK_NS_PER_MS)

void
jank_loop_watch_drop (JankLoopWatch *self, JankWatchPost *post)
{
  g_clear_pointer (&self->tracker, jank_stall_tracker_free);
  self->pace.next_ns = 0;
  post->has_stall = FALSE;
}

static void
start (JankLoopWatch *self, JankWatchPost *post, gboolean startup, const JankMoment *began)
{
  jank_loop_watch_drop (self, post);
  self->tracker = jank_stall_tracker_new (startup ? JANK_STALL_STARTUP : JANK_STALL_LOOP, post->rule.threshold_ns, began);
  jank_report_pace_begin (&self->pace, post->rule.threshold_ns);
  if (post->preset.is_set && post->preset.spec.pick == JANK_RULE_PICK_TOP)
    jank_stall_tracker_keep_newest (self->tracker);
}

gboolean
jank_loop_watch_is_announced (const JankLoopWatch *self)
{
  return self->tracker != NULL && self->pace.next_ns != 0;
}

static gint64
get_length_ns (JankLoopWatch *self, JankWatchPost *post, gint64 until_ns)
{
  gint64 began_ns = jank_stall_tracker_get_began (self->tracker);

  return until_ns - began_ns - jank_gaps_overlap (&post->gaps, began_ns, until_ns, FALSE)
         - jank_gaps_overlap (&post->gaps, began_ns, until_ns, TRUE);
}

static gboolean
is_stall_of (const JankWatchPost *post, gint64 length_ns)
{
  return post->preset.is_set ? jank_rule_watch_is_stall (&post->preset, length_ns) : length_ns >= post->rule.threshold_ns;
}

static void
finish (JankLoopWatch *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  if (is_stall_of (post, get_length_ns (self, post, ended_ns)) || jank_loop_watch_is_announced (self))
    {
      if (post->announced != NULL)
        jank_episode_end (post->announced, post, jank_stall_tracker_get_began (self->tracker), FALSE);
      jank_watch_post_tell_ended (post, self->tracker, ended_ns, exiting);
    }
  else
    jank_watch_post_tell_brief (post, self->tracker, ended_ns);
  jank_loop_watch_drop (self, post);
}

/* A stall that was announced has an end, also where the observed thread, whose clock is a coarse one, took
 * it for a short period. */
static void
finish_unpushed (JankLoopWatch *self, JankWatchPost *post, gint64 ended_by_ns)
{
  if (self->tracker == NULL)
    return;
  if (jank_loop_watch_is_announced (self))
    ended_by_ns = MAX (ended_by_ns, jank_stall_tracker_get_began (self->tracker) + post->rule.threshold_ns);
  else
    {
      /* It was no stall, or it would have been pushed. */
      jank_watch_post_tell_brief (post, self->tracker, ended_by_ns);
      jank_loop_watch_drop (self, post);
      return;
    }
  finish (self, post, ended_by_ns, FALSE);
}

void
jank_loop_watch_take_ended (JankLoopWatch *self, JankWatchPost *post)
{
  JankBusyPeriod period;

  while (jank_beat_pop (post->beat, &period))
    {
      self->last_ended_began_ns = period.began_ns;
      if (period.began_ns < self->ignored_until_ns)
        continue;
      if (jank_watch_post_tell_short (post, &period) &&
          (self->tracker == NULL || jank_stall_tracker_get_began (self->tracker) != period.began_ns))
        continue;
      if (self->tracker == NULL || jank_stall_tracker_get_began (self->tracker) != period.began_ns)
        {
          JankMoment unknown = {
            .at_ns = period.began_ns, .times = { .cpu_ns = -1, .run_delay_ns = -1 }, .run_delay_ns = -1,
          };

          post->counts.n_missed++;
          start (self, post, period.startup, &unknown);
        }
      finish (self, post, period.ended_ns, FALSE);
    }
}

void
jank_loop_watch_wait (JankLoopWatch *self, JankWatchPost *post, gint64 since_ns)
{
  finish_unpushed (self, post, since_ns);
}

gboolean
jank_loop_watch_is_new (const JankLoopWatch *self, gint64 began_ns)
{
  return began_ns > self->last_ended_began_ns;
}

/* At the threshold, then as its pace says. */
static void
report_if_due (JankLoopWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 began_ns = jank_stall_tracker_get_began (self->tracker);

  /* Still under way after now_ns was read: then the observed thread will find it long, and say so. */
  if (jank_watch_post_is_over (post, self->tracker))
    return;
  if (!jank_loop_watch_is_announced (self))
    {
      if (!jank_stall_rule_is_stall (&post->rule, began_ns, now_ns, now_ns - began_ns - get_length_ns (self, post, now_ns)))
        return;
      if (post->announced != NULL)
        jank_episode_end (post->announced, post, began_ns, FALSE);
      jank_watch_post_take_threads (post, self->tracker);
    }
  if (!jank_report_pace_is_due (&self->pace, now_ns))
    return;
  post->has_stall = TRUE;
  jank_report_pace_go_on (&self->pace, now_ns);
  jank_watch_post_tell_ongoing (post, self->tracker, now_ns);
}

/* As often as the rule says; until the period ends, whatever it says after. */
static void
report_by_preset (JankLoopWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 began_ns = jank_stall_tracker_get_began (self->tracker);

  if (jank_watch_post_is_over (post, self->tracker))
    return;
  if (!jank_loop_watch_is_announced (self))
    {
      if (post->announced != NULL)
        jank_episode_end (post->announced, post, began_ns, FALSE);
      jank_watch_post_take_threads (post, self->tracker);
    }
  post->has_stall = TRUE;
  jank_report_pace_go_on (&self->pace, now_ns);
  jank_watch_post_tell_ongoing (post, self->tracker, now_ns);
}

/* A rule that reads one stack is left with none where the thread had no CPU to answer: then the next will do. */
static gboolean
lacks_stack (const JankLoopWatch *self, const JankWatchPost *post)
{
  return post->sampler != NULL && jank_loop_watch_is_announced (self) && jank_stall_tracker_get_n_samples (self->tracker) == 0;
}

static gint64
look_by_preset (JankLoopWatch *self, JankWatchPost *post, gint64 began_ns, gint64 *ret_now_ns)
{
  JankRuleStep step = jank_rule_watch_step (&post->preset, TRUE, began_ns, jank_clock_now_ns ());

  if (step.take_stack || lacks_stack (self, post))
    jank_watch_post_sample (post, self->tracker);
  if (step.report)
    report_by_preset (self, post, jank_clock_now_ns ());
  *ret_now_ns = jank_clock_now_ns ();
  return lacks_stack (self, post) ? MIN (step.look_again_ns, *ret_now_ns + STACK_RETRY_NS) : step.look_again_ns;
}

gint64
jank_loop_watch_look (JankLoopWatch *self, JankWatchPost *post, gint64 began_ns, gboolean startup, gint64 *ret_now_ns)
{
  const JankStallRule *rule = &post->rule;
  gint64 now_ns = jank_clock_now_ns (), next_ns, report_ns;

  if (self->tracker == NULL || jank_stall_tracker_get_began (self->tracker) != began_ns)
    {
      JankMoment began;

      finish_unpushed (self, post, began_ns);
      jank_watch_post_estimate (post, began_ns, now_ns, &began);
      start (self, post, startup, &began);
    }
  if (post->preset.is_set)
    return look_by_preset (self, post, began_ns, ret_now_ns);
  if (now_ns >= jank_stall_rule_next_sample (rule, began_ns, jank_stall_tracker_get_last (self->tracker)))
    jank_watch_post_sample (post, self->tracker);
  report_if_due (self, post, jank_clock_now_ns ());

  now_ns = jank_clock_now_ns ();
  next_ns = jank_stall_rule_next_sample (rule, began_ns, jank_stall_tracker_get_last (self->tracker));
  if (post->sampler == NULL || next_ns <= now_ns)
    next_ns = now_ns + rule->interval_ns;
  *ret_now_ns = now_ns;
  report_ns = jank_loop_watch_is_announced (self) ? self->pace.next_ns : began_ns + rule->threshold_ns;
  return report_ns > now_ns ? MIN (next_ns, report_ns) : next_ns;
}

void
jank_loop_watch_finish (JankLoopWatch *self, JankWatchPost *post, gboolean exiting)
{
  if (jank_loop_watch_is_announced (self))
    finish (self, post, jank_clock_now_ns (), exiting);
  jank_loop_watch_drop (self, post);
}
