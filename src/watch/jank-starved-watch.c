/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame that does not come, or an interaction without an answer, though the loop turns: each turn is short, but what
 * it dispatches comes before GTK's drawing. Nobody's stall, and a window that stands still. */

#include "watch/jank-finders-private.h"

#include "base/jank-clock-private.h"
#include "input/jank-input-answers-private.h"
#include "watch/jank-episode-private.h"

/* Two refresh intervals without a frame are an accident; from then on there are samples. */
#define FIRST_NS    (32 * JANK_NS_PER_MS)
#define INTERVAL_NS (20 * JANK_NS_PER_MS)

/* While dispatches are counted, frames were late a moment ago, or somebody is there: then the many small works before
 * the next late frame are looked into, most of them closures that only a sample can name. */
#define CLOSE_FIRST_NS    (8 * JANK_NS_PER_MS)
#define CLOSE_INTERVAL_NS (4 * JANK_NS_PER_MS)

/* One that lasts is sampled less densely: each sample stands for an eighth of what has passed. */
#define DENSE 8

typedef struct
{
  JankEpisode  episode;
  gint64       wanted_ns;   /* the wish that is looked at: since when; 0: none */
  gboolean     is_input;    /* it is for an answer */
  gboolean     is_due;      /* meanwhile, the frame for it was wanted for as long as one may be */
  JankLoopLive before;      /* the loop's counters since when it has hardly waited */
  guint64      n_turns;     /* ever begun when the episode did */
  gboolean     is_over;     /* the display holds that frame back, or a stall does */
} JankStarvedWatch;

static gboolean
jank_starved_watch_is_close (const JankWatchPost *post)
{
  return (atomic_load_explicit (&post->beat->asks, memory_order_relaxed) & JANK_BEAT_ASKS_WORKS) != 0;
}

/* A loop that waits for longer than a quarter of the time is not what keeps the frame. */
static gboolean
jank_starved_watch_is_busy (const JankStarvedWatch *self, const JankLoopLive *now)
{
  gint64 passed_ns = now->at_ns - self->before.at_ns;

  return now->busy_ns - self->before.busy_ns >= passed_ns - passed_ns / 4;
}

static gint64
jank_starved_watch_get_limit (const JankStarvedWatch *self, const JankWatchPost *post)
{
  return self->is_input ? MAX (JANK_INPUT_GOOD_NS, post->rule.threshold_ns) : post->rule.threshold_ns;
}

static gboolean
jank_starved_watch_may_tell (const JankStarvedWatch *self, const JankWatchPost *post)
{
  return !post->has_stall && (post->announced == NULL || post->announced == &self->episode);
}

/* A program that is ready but has no CPU keeps nobody waiting: the machine does. Nor does one that is stopped. */
static gboolean
jank_starved_watch_is_of_program (JankStarvedWatch *self, JankWatchPost *post, gint64 until_ns)
{
  gint64 length_ns = until_ns - self->wanted_ns - jank_gaps_excluded (&post->gaps, self->wanted_ns, until_ns);
  JankMoment now;

  jank_watch_post_read_moment (post, until_ns, &now);
  return length_ns >= jank_starved_watch_get_limit (self, post) * 9 / 10 &&
         jank_stall_tracker_get_run_delay (self->episode.tracker, &now) < length_ns / 2;
}

static void
jank_starved_watch_end (JankStarvedWatch *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  if (self->episode.tracker == NULL)
    return;
  jank_stall_tracker_edit (self->episode.tracker)->n_turns = jank_beat_read_live (post->beat).n_turns - self->n_turns;
  if (self->is_due && post->announced == NULL && jank_starved_watch_may_tell (self, post))
    {
      jank_stall_tracker_set_kind (self->episode.tracker, JANK_STALL_STARVED, post->rule.threshold_ns);
      post->announced = &self->episode;
    }
  if (post->announced != &self->episode)
    jank_watch_post_tell_brief (post, self->episode.tracker, ended_ns);
  jank_episode_end (&self->episode, post, ended_ns, exiting);
  jank_beat_ask (post->beat, JANK_BEAT_ASKS_FRAME, FALSE);
}

static void
jank_starved_watch_begin (JankStarvedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 since_ns = self->is_input ? self->wanted_ns : MAX (self->wanted_ns, self->before.at_ns);
  JankMoment began;

  jank_watch_post_estimate (post, since_ns, now_ns, &began);
  if (!jank_episode_begin (&self->episode, self->is_input ? JANK_STALL_INPUT : JANK_STALL_STARVED,
                           jank_starved_watch_get_limit (self, post), &began))
    return;
  self->n_turns = self->before.n_turns;
  self->episode.next_sample_ns = now_ns;
}

/* Whether the display holds the frame back only GTK's thread can say, at its next turn. */
static void
jank_starved_watch_judge (JankStarvedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 age_ns = now_ns - jank_stall_tracker_peek (self->episode.tracker)->began_ns;
  gint64 frame_ns = atomic_load_explicit (&post->beat->frame_wanted_ns, memory_order_relaxed);

  self->episode.interval_ns = MAX (jank_starved_watch_is_close (post) ? CLOSE_INTERVAL_NS : INTERVAL_NS,
                                   age_ns / DENSE);
  jank_beat_ask (post->beat, JANK_BEAT_ASKS_FRAME, frame_ns != 0 && age_ns >= post->rule.threshold_ns / 2);
  jank_stall_tracker_edit (self->episode.tracker)->n_turns = jank_beat_read_live (post->beat).n_turns - self->n_turns;
  if (frame_ns == 0 || atomic_load_explicit (&post->beat->frame_due_ns, memory_order_relaxed) != frame_ns)
    return;
  self->is_due |= self->is_input && now_ns - frame_ns >= post->rule.threshold_ns;
  if (!self->is_input || jank_starved_watch_is_of_program (self, post, now_ns))
    jank_episode_report (&self->episode, post, now_ns);
}

static void
jank_starved_watch_turn_to (JankStarvedWatch *self, JankWatchPost *post, gint64 wanted_ns, gboolean is_input,
                            gint64 now_ns)
{
  jank_starved_watch_end (self, post, now_ns, FALSE);
  self->wanted_ns = wanted_ns;
  self->is_input = is_input;
  self->is_due = FALSE;
  self->before = jank_beat_read_live (post->beat);
  self->is_over = FALSE;
}

/* Of what has an answer now, once the turn that gave it is over: a stall in it has been told by then. */
static void
jank_starved_watch_take_slow (JankStarvedWatch *self, JankWatchPost *post, gint64 stamp_ns, gint64 answered_ns)
{
  gboolean is_followed = self->episode.tracker != NULL && self->is_input && self->wanted_ns == stamp_ns;
  JankMoment began;

  atomic_store_explicit (&post->beat->slow_stamp_ns, 0, memory_order_release);
  if (!is_followed)
    jank_starved_watch_turn_to (self, post, stamp_ns, TRUE, answered_ns);
  if (post->told_until_ns > stamp_ns || answered_ns - stamp_ns < jank_starved_watch_get_limit (self, post) ||
      !jank_starved_watch_may_tell (self, post))
    return;
  jank_watch_post_estimate (post, stamp_ns, answered_ns, &began);
  if (is_followed)
    jank_stall_tracker_edit (self->episode.tracker)->n_turns = jank_beat_read_live (post->beat).n_turns - self->n_turns;
  else if (!jank_episode_begin (&self->episode, JANK_STALL_INPUT, jank_starved_watch_get_limit (self, post), &began))
    return;
  if (post->announced == NULL && !jank_starved_watch_is_of_program (self, post, answered_ns))
    return;
  post->announced = &self->episode;
  jank_episode_end (&self->episode, post, answered_ns, FALSE);
  jank_beat_ask (post->beat, JANK_BEAT_ASKS_FRAME, FALSE);
}

/* Of a person who waits and a frame that is wanted the person counts, unless the frame is looked at already. */
static gint64
jank_starved_watch_find_wanted (const JankStarvedWatch *self, JankWatchPost *post, gboolean *ret_is_input)
{
  gint64 waits_ns = atomic_load_explicit (&post->beat->waits_ns, memory_order_acquire);
  gint64 frame_ns = atomic_load_explicit (&post->beat->frame_wanted_ns, memory_order_relaxed);

  *ret_is_input = waits_ns != 0 && (self->episode.tracker == NULL || self->is_input || frame_ns != self->wanted_ns);
  return *ret_is_input ? waits_ns : frame_ns;
}

/* Whether what is wanted has been so for long, by the loop's fault. Mostly without a look of its own: while frames
 * come, each look finds another one wanted. */
static gboolean
jank_starved_watch_is_starved (JankStarvedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 since_ns = jank_beat_word_ns (jank_beat_load (post->beat));
  JankLoopLive live = jank_beat_read_live (post->beat);

  if (jank_watch_post_is_in_stall (post, now_ns))
    {
      jank_starved_watch_end (self, post, since_ns, FALSE);
      self->is_over = TRUE;
      return FALSE;
    }
  if (now_ns - MAX (self->wanted_ns, self->before.at_ns) < (jank_starved_watch_is_close (post) ? CLOSE_FIRST_NS
                                                                                                : FIRST_NS))
    return FALSE;
  if (jank_starved_watch_is_busy (self, &live))
    return TRUE;
  jank_starved_watch_end (self, post, now_ns, FALSE);
  self->before = live;
  return FALSE;
}

static gint64
jank_starved_watch_look (gpointer data, JankWatchPost *post)
{
  JankStarvedWatch *self = data;
  gboolean is_input;
  gint64 wanted_ns = jank_starved_watch_find_wanted (self, post, &is_input), now_ns, next_ns;
  gint64 slow_ns = atomic_load_explicit (&post->beat->slow_stamp_ns, memory_order_acquire);
  gint64 answered_ns = atomic_load_explicit (&post->beat->slow_answered_ns, memory_order_relaxed);

  if (jank_rule_is_frames (&post->rule) || (slow_ns != 0 && jank_beat_word_ns (post->word) <= answered_ns))
    return G_MAXINT64;
  if (slow_ns != 0)
    jank_starved_watch_take_slow (self, post, slow_ns, answered_ns);
  if (wanted_ns == 0 && self->wanted_ns == 0)
    return G_MAXINT64;
  now_ns = jank_clock_now_ns ();
  if (wanted_ns != self->wanted_ns)
    jank_starved_watch_turn_to (self, post, wanted_ns, is_input, now_ns);
  if (wanted_ns == 0 || self->is_over || !jank_starved_watch_is_starved (self, post, now_ns))
    return wanted_ns != 0 && !self->is_over && jank_starved_watch_is_close (post) ? now_ns + CLOSE_FIRST_NS
                                                                                  : G_MAXINT64;
  if (self->episode.tracker == NULL)
    jank_starved_watch_begin (self, post, now_ns);
  if (self->episode.tracker != NULL)
    jank_starved_watch_judge (self, post, now_ns);
  next_ns = jank_episode_sample (&self->episode, post, 0, NULL, now_ns);
  return MIN (next_ns, now_ns + post->rule.threshold_ns / 2);
}

static void
jank_starved_watch_stop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankStarvedWatch *self = data;

  jank_starved_watch_end (self, post, jank_clock_now_ns (), exiting);
  self->wanted_ns = 0;
  atomic_store_explicit (&post->beat->slow_stamp_ns, 0, memory_order_release);
}

static void
jank_starved_watch_drop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankStarvedWatch *self = data;

  g_clear_pointer (&self->episode.tracker, jank_stall_tracker_free);
}

const JankFinder jank_starved_watch = {
  sizeof (JankStarvedWatch), TRUE, jank_starved_watch_look, jank_starved_watch_stop, jank_starved_watch_drop,
};
