/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The busy period under way: sampled while it is late, reported when it is a stall. */

#include "watch/jank-finders-private.h"

#include <string.h>
#include <gio/gio.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "watch/jank-episode-private.h"

/* After a ping that could not be sent: nobody is there to answer, or the last one is answered in a moment. */
#define PING_RETRY_NS (100 * JANK_NS_PER_MS)

#define STACK_RETRY_NS (10 * JANK_NS_PER_MS)

/* A thread that did not run for that long since then still sleeps in the same call. */
#define SLEEPS_NS (100 * JANK_NS_PER_US)

typedef struct
{
  gint64            period_ns; /* when the period under way began, 0: none */
  JankBeatState     state;     /* of the period: which kind of busy */
  JankMoment        began;
  gboolean          is_announced; /* it has been reported */
  gboolean          has_program; /* that runs a main loop; asked while it starts up */
  gboolean          has_started; /* the program has polled for the loop */
  gboolean          awaits;    /* when last looked at, the program polled for the loop, which it turns by hand */
  gint64            last_ended_began_ns; /* the word of that period is written after its end is announced */
} JankLoopWatch;

static void
jank_loop_watch_drop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankLoopWatch *self = data;

  g_clear_pointer (&post->tracker, jank_stall_tracker_free);
  jank_sampler_rest (post->sampler);
  jank_sample_clear (&post->late);
  self->period_ns = 0;
  self->is_announced = self->awaits = FALSE;
  post->has_stall = FALSE;
}

static void
jank_loop_watch_start (JankLoopWatch *self, JankWatchPost *post, JankBeatState state, const JankMoment *began)
{
  jank_loop_watch_drop (self, post, FALSE);
  self->period_ns = began->at_ns;
  self->state = state;
  self->began = *began;
}

/* Whether the program will run a main loop. What has neither a toolkit nor a GApplication may be a tool or a wrapper
 * that never does, and then it has no start-up. No lock of GLib or the loader is taken: the program may hold it. */
static gboolean
jank_loop_watch_has_program (JankLoopWatch *self)
{
  g_autofree char *maps = NULL;

  self->has_program = self->has_program || g_application_get_default () != NULL ||
                      !g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL) ||
                      strstr (maps, "/libgtk-4.so.") != NULL || strstr (maps, "/libgtk-3.so.") != NULL;
  return self->has_program;
}

/* Most periods end before there is anything to remember of them. FALSE: there is no memory for it. */
static gboolean
jank_loop_watch_track (JankLoopWatch *self, JankWatchPost *post)
{
  if (!jank_memory_has_room (JANK_LOOK_BYTES))
    return FALSE;
  if (post->tracker != NULL)
    return TRUE;
  post->tracker = jank_stall_tracker_new (self->state == JANK_BEAT_STARTUP ? JANK_STALL_STARTUP : JANK_STALL_LOOP,
                                          post->rule.threshold_ns, &self->began);
  jank_stall_tracker_edit (post->tracker)->period_ns = self->period_ns;
  if (post->rule.pick == JANK_PICK_LAST20)
    jank_sample_ring_keep_newest (jank_stall_tracker_edit (post->tracker)->ring);
  return TRUE;
}

/* Before the first report. Returns: FALSE where the program that starts up may be none */
static gboolean
jank_loop_watch_judge (JankLoopWatch *self, JankWatchPost *post)
{
  if (post->tracker == NULL || self->is_announced || self->state == JANK_BEAT_BUSY || self->has_started ||
      (self->state == JANK_BEAT_STARTING &&
       (post->slot.block == 0 || jank_stall_tracker_peek (post->tracker)->n_outside <= 0)))
    return TRUE;
  if (!jank_loop_watch_has_program (self))
    return FALSE;
  jank_stall_tracker_set_kind (post->tracker, JANK_STALL_STARTUP, post->rule.threshold_ns);
  return TRUE;
}

static void
jank_loop_watch_finish_period (JankLoopWatch *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  gint64 began_ns = self->began.at_ns;
  gint64 counted_ns = ended_ns - began_ns - jank_gaps_excluded (&post->gaps, began_ns, ended_ns);

  if (self->is_announced || jank_rule_is_stall (&post->rule, counted_ns))
    {
      if (post->tracker != NULL)
        jank_watch_post_take_late (post, post->tracker, ended_ns);
      jank_loop_watch_judge (self, post);
      if (post->announced != NULL)
        jank_episode_end (post->announced, post, began_ns, FALSE);
      if (post->tracker != NULL || jank_loop_watch_track (self, post))
        jank_watch_post_tell (post, post->tracker, ended_ns, exiting ? JANK_TELL_EXITING : JANK_TELL_ENDED);
    }
  else if (post->tracker != NULL)
    jank_watch_post_tell_brief (post, post->tracker, ended_ns);
  jank_loop_watch_drop (self, post, FALSE);
}

/* A stall that was announced has an end, also where the observed thread, whose clock is a coarse one, took
 * it for a short period. */
static void
jank_loop_watch_wait (JankLoopWatch *self, JankWatchPost *post, gint64 since_ns)
{
  if (self->period_ns == 0)
    return;
  if (self->is_announced)
    {
      jank_loop_watch_finish_period (self, post, MAX (since_ns, self->period_ns + post->rule.threshold_ns), FALSE);
      return;
    }
  /* It was no stall, or it would have been pushed. */
  if (post->tracker != NULL)
    jank_watch_post_tell_brief (post, post->tracker, since_ns);
  jank_loop_watch_drop (self, post, FALSE);
}

/* Periods that the observed thread found long have ended. */
static void
jank_loop_watch_take_ended (JankLoopWatch *self, JankWatchPost *post)
{
  JankBusyPeriod period;

  while (jank_beat_pop (post->beat, &period))
    {
      self->last_ended_began_ns = period.began_ns;
      if (period.began_ns < post->ignored_until_ns)
        continue;
      if (self->period_ns != period.began_ns)
        {
          post->sinks->record.counts.n_missed++;
          jank_loop_watch_start (self, post, period.startup ? JANK_BEAT_STARTUP : JANK_BEAT_BUSY,
                                 &JANK_MOMENT_UNKNOWN (period.began_ns));
        }
      jank_loop_watch_finish_period (self, post, period.ended_ns, FALSE);
    }
}

/* The stack that the last report blames is not the heaviest any more: what was since then has a report of its own. */
static void
jank_loop_watch_split (JankLoopWatch *self, JankWatchPost *post)
{
  JankStallTracker *rest = jank_stall_tracker_split (post->tracker, post->rule.check_ns);

  jank_watch_post_tell (post, post->tracker, 0, JANK_TELL_ENDED);
  jank_stall_tracker_free (post->tracker);
  post->tracker = rest;
}

/* The period is still under way after now_ns was read, so the observed thread will find it long, and say so. */
static void
jank_loop_watch_report (JankLoopWatch *self, JankWatchPost *post, gint64 now_ns)
{
  if (!self->is_announced && post->announced != NULL)
    jank_episode_end (post->announced, post, self->period_ns, FALSE);
  if (jank_rule_told (&post->rule, &post->rule_state, jank_watch_post_find_heaviest (post, post->tracker), now_ns) &&
      self->is_announced)
    jank_loop_watch_split (self, post);
  if (!jank_loop_watch_judge (self, post))
    return;
  jank_watch_post_take_threads (post, post->tracker);
  if (post->rule.splits)
    jank_stall_tracker_freeze (post->tracker);
  post->has_stall = self->is_announced = TRUE;
  jank_watch_post_tell (post, post->tracker, now_ns, JANK_TELL_ONGOING);
}

/* A rule that reads one stack is left with none where the thread had no CPU to answer: then the next will do. */
static gboolean
jank_loop_watch_lacks_stack (const JankLoopWatch *self, const JankWatchPost *post)
{
  return self->is_announced && jank_stall_tracker_peek (post->tracker)->n_samples == 0;
}

/* The program polls for the loop: what was, is over, and the rest of the period is looked at by itself. Returns: when
 * to look again */
static gint64
jank_loop_watch_go_on_behind (JankLoopWatch *self, JankWatchPost *post, gint64 at_ns)
{
  gint64 period_ns = self->period_ns;
  JankMoment began;

  if (self->is_announced)
    jank_loop_watch_finish_period (self, post, MAX (jank_stall_tracker_get_last (post->tracker),
                                                    self->began.at_ns + post->rule.threshold_ns), FALSE);
  jank_watch_post_read_moment (post, at_ns, &began);
  jank_loop_watch_start (self, post, JANK_BEAT_BUSY, &began);
  self->period_ns = period_ns;
  self->awaits = self->has_started = TRUE;
  return at_ns + jank_rule_calm_look (&post->rule);
}

/* Whether the program's loop is found in another thread than the one that starts up: that one is sampled from then
 * on. A start-up that will be reported is not left for it. */
static gboolean
jank_loop_watch_follows (JankLoopWatch *self, JankWatchPost *post)
{
  JankThreadInfo info;

  if (jank_beat_word_state (jank_beat_load (post->beat)) != JANK_BEAT_STARTUP || self->has_started ||
      self->is_announced || jank_loop_watch_has_program (self) || !jank_other_loop_find (post, &info))
    return FALSE;
  jank_watch_post_set_thread (post, &info, &(JankDispatchSlot) { 0 });
  post->has_followed = post->sinks->record.has_other_loop = TRUE;
  return TRUE;
}

/* Who polls for the loop goes on with that or has run since, and was busy from about then. */
static gboolean
jank_loop_watch_still_awaits (JankLoopWatch *self, JankWatchPost *post, gint64 now_ns)
{
  const JankThreadTimes *from = &self->began.times;
  JankMoment now;
  gint64 ran_ns;

  if (!self->awaits)
    return FALSE;
  jank_watch_post_read_moment (post, now_ns, &now);
  ran_ns = now.times.cpu_ns - from->cpu_ns + now.times.run_delay_ns - from->run_delay_ns;
  self->began.at_ns = self->began.times.at_ns = MAX (self->began.at_ns, now_ns - ran_ns);
  self->awaits = ran_ns < SLEEPS_NS;
  return self->awaits;
}

/* Does what is due. Returns: when something is next */
static gint64
jank_loop_watch_do_due (JankLoopWatch *self, JankWatchPost *post)
{
  gboolean lacks = jank_loop_watch_lacks_stack (self, post);
  JankLoopView *view = &post->view;
  JankRuleStep step;
  gint64 now_ns;

  do
    {
      now_ns = jank_clock_now_ns ();
      if (jank_loop_watch_still_awaits (self, post, now_ns))
        return now_ns + jank_rule_calm_look (&post->rule);
      view->busy = true;
      view->since_ns = self->began.at_ns;
      view->excluded_ns = jank_gaps_excluded (&post->gaps, view->since_ns, now_ns);
      view->ping_sent_ns = post->rule.kind == JANK_RULE_KIND_PING ? view->since_ns : 0;
      step = jank_rule_step (&post->rule, &post->rule_state, view, now_ns);
      if ((step.take_stack || step.report || lacks) && !jank_loop_watch_track (self, post))
        return now_ns + STACK_RETRY_NS;
      if (step.take_stack || lacks)
        {
          lacks = FALSE;
          post->rule_state.computes_in_ns = jank_watch_post_sample (post, post->tracker);
          /* From when the thread was asked, a tick ago; with half an interval's rest where that is longer. */
          post->rule_state.last_stack_ns = jank_clock_now_ns () - post->rule.stack_interval_ns / 2;
          post->rule_state.last_stack_ns = MAX (now_ns, post->rule_state.last_stack_ns);
          if (post->awaits_ns != 0)
            return jank_loop_watch_go_on_behind (self, post, post->awaits_ns);
        }
      if (post->tracker != NULL && jank_watch_post_is_over (post, post->tracker))
        return now_ns;
      if (step.report && jank_loop_watch_follows (self, post))
        return jank_loop_watch_go_on_behind (self, post, now_ns);
      if (step.report)
        jank_loop_watch_report (self, post, now_ns);
    }
  while (step.take_stack || step.report);
  if (self->is_announced)
    {
      jank_watch_post_take_threads (post, post->tracker);
      jank_watch_post_tell_asked (post, post->tracker, now_ns);
    }
  return jank_loop_watch_lacks_stack (self, post) ? MIN (step.look_again_ns,
                                                         now_ns + STACK_RETRY_NS) : step.look_again_ns;
}

/* The loop waits: sends a ping if one is due. Returns: when the next is due, G_MAXINT64: never */
static gint64
jank_loop_watch_ping_if_due (JankWatchPost *post, gint64 since_ns)
{
  gint64 now_ns = jank_clock_now_ns ();
  JankRuleStep step;

  post->view = (JankLoopView) { .since_ns = since_ns };
  if (post->ping == NULL)
    return G_MAXINT64;
  step = jank_rule_step (&post->rule, &post->rule_state, &post->view, now_ns);
  return step.ping && !jank_ping_send (post->ping) ? now_ns + PING_RETRY_NS : step.look_again_ns;
}

/* Most busy periods are over long before they are late: nothing is read of one until then. */
static gint64
jank_loop_watch_look_at_busy (JankLoopWatch *self, JankWatchPost *post, gint64 began_ns)
{
  gint64 now_ns = jank_clock_now_ns (), next_ns;
  const JankStall *stall;
  JankMoment began;

  if (self->period_ns != began_ns)
    jank_loop_watch_wait (self, post, began_ns);
  if (now_ns < began_ns + post->rule.first_stack_ns)
    return G_MAXINT64;
  if (self->period_ns != began_ns)
    {
      jank_watch_post_estimate (post, began_ns, now_ns, &began);
      jank_loop_watch_start (self, post, jank_beat_word_state (post->word), &began);
    }
  next_ns = jank_loop_watch_do_due (self, post);
  stall = post->tracker != NULL ? jank_stall_tracker_peek (post->tracker) : NULL;
  if (stall != NULL && stall->n_samples + stall->n_lost + stall->n_starved > 0)
    post->calm = (JankCalm) { 0 };
  return next_ns;
}

static gint64
jank_loop_watch_look (gpointer data, JankWatchPost *post)
{
  JankLoopWatch *self = data;
  gint64 since_ns = jank_beat_word_ns (post->word);

  if (post->has_new_rule && !self->is_announced)
    jank_loop_watch_drop (self, post, FALSE);
  post->has_new_rule = FALSE;
  if (jank_rule_is_frames (&post->rule))
    return G_MAXINT64;
  /* After the word: a period that ended before the word was written is in the ring by now. */
  jank_loop_watch_take_ended (self, post);
  if (jank_beat_word_state (post->word) == JANK_BEAT_WAITING)
    {
      jank_loop_watch_wait (self, post, since_ns);
      return jank_loop_watch_ping_if_due (post, since_ns);
    }
  if (since_ns < post->ignored_until_ns)
    return jank_clock_now_ns () + post->rule.first_stack_ns;
  /* Else the observed thread is between announcing the end and writing the word. */
  return since_ns > self->last_ended_began_ns ? jank_loop_watch_look_at_busy (self, post, since_ns) : 0;
}

static void
jank_loop_watch_stop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  gint64 closed_ns = atomic_load_explicit (&post->beat->closed_ns, memory_order_relaxed);
  JankLoopWatch *self = data;

  jank_loop_watch_take_ended (self, post);
  if (self->is_announced && (!exiting || jank_beat_word_ns (jank_beat_load (post->beat)) == self->period_ns))
    jank_loop_watch_finish_period (self, post, closed_ns != 0 ? closed_ns : jank_clock_now_ns (), exiting);
  jank_loop_watch_drop (self, post, FALSE);
}

const JankFinder jank_loop_watch = {
  sizeof (JankLoopWatch), .look = jank_loop_watch_look, .stop = jank_loop_watch_stop, .drop = jank_loop_watch_drop,
};
