/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watch/jank-starved-watch-private.h"

#include "base/jank-clock-private.h"

/* Two refresh intervals without a frame are an accident; from then on there are samples. */
#define FIRST_NS    (32 * JANK_NS_PER_MS)
#define INTERVAL_NS (20 * JANK_NS_PER_MS)

/* One that lasts is sampled less densely: each sample stands for an eighth of what has passed. */
#define DENSE 8

/* A loop that waits for longer than a quarter of the time is not what keeps the frame. */
static gboolean
jank_starved_watch_is_busy (const JankStarvedWatch *self, const JankLoopLive *now)
{
  gint64 passed_ns = now->at_ns - self->before.at_ns;

  return now->busy_ns - self->before.busy_ns >= passed_ns - passed_ns / 4;
}

/* The turn under way is a stall, or will be. */
static gboolean
jank_starved_watch_is_in_stall (JankWatchPost *post, gint64 now_ns, gint64 *ret_began_ns)
{
  uint64_t word = jank_beat_load (post->beat);

  *ret_began_ns = jank_beat_word_ns (word);
  return post->has_stall ||
         (jank_beat_word_state (word) != JANK_BEAT_WAITING && now_ns - *ret_began_ns >= post->rule.threshold_ns);
}

static void
jank_starved_watch_end (JankStarvedWatch *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  if (self->episode.tracker == NULL)
    return;
  jank_stall_tracker_set_n_turns (self->episode.tracker, jank_beat_read_live (post->beat).n_turns - self->n_turns);
  jank_episode_end (&self->episode, post, ended_ns, exiting);
  jank_beat_ask (post->beat, JANK_BEAT_ASKS_FRAME, FALSE);
}

static void
jank_starved_watch_begin (JankStarvedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 since_ns = MAX (self->wanted_ns, self->before.at_ns);
  JankMoment began;

  jank_watch_post_estimate (post, since_ns, now_ns, &began);
  if (!jank_episode_begin (&self->episode, JANK_STALL_STARVED, post->rule.threshold_ns, &began))
    return;
  self->n_turns = self->before.n_turns;
  self->episode.next_sample_ns = now_ns;
}

/* Whether the display holds the frame back only GTK's thread can say, at its next turn. */
static void
jank_starved_watch_judge (JankStarvedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 age_ns = now_ns - jank_stall_tracker_peek (self->episode.tracker)->began_ns;

  self->episode.interval_ns = MAX (INTERVAL_NS, age_ns / DENSE);
  jank_beat_ask (post->beat, JANK_BEAT_ASKS_FRAME, age_ns >= post->rule.threshold_ns / 2);
  jank_stall_tracker_set_n_turns (self->episode.tracker, jank_beat_read_live (post->beat).n_turns - self->n_turns);
  if (atomic_load_explicit (&post->beat->frame_due_ns, memory_order_relaxed) == self->wanted_ns)
    jank_episode_report (&self->episode, post, now_ns);
}

static void
jank_starved_watch_turn_to (JankStarvedWatch *self, JankWatchPost *post, gint64 wanted_ns, gint64 now_ns)
{
  jank_starved_watch_end (self, post, now_ns, FALSE);
  self->wanted_ns = wanted_ns;
  self->before = jank_beat_read_live (post->beat);
  self->is_over = FALSE;
}

gint64
jank_starved_watch_look (JankStarvedWatch *self, JankWatchPost *post)
{
  gint64 wanted_ns = atomic_load_explicit (&post->beat->frame_wanted_ns, memory_order_relaxed);
  gint64 now_ns, stalled_ns;
  JankLoopLive live;

  if (wanted_ns == 0 && self->wanted_ns == 0)
    return G_MAXINT64;
  now_ns = jank_clock_now_ns ();
  if (wanted_ns != self->wanted_ns)
    jank_starved_watch_turn_to (self, post, wanted_ns, now_ns);
  if (wanted_ns == 0 || self->is_over)
    return G_MAXINT64;
  live = jank_beat_read_live (post->beat);
  if (jank_starved_watch_is_in_stall (post, now_ns, &stalled_ns))
    {
      jank_starved_watch_end (self, post, stalled_ns, FALSE);
      self->is_over = TRUE;
      return G_MAXINT64;
    }
  /* No look of its own: while frames come, each look finds another one wanted. */
  if (now_ns - MAX (wanted_ns, self->before.at_ns) < FIRST_NS)
    return G_MAXINT64;
  if (!jank_starved_watch_is_busy (self, &live))
    {
      jank_starved_watch_end (self, post, now_ns, FALSE);
      self->before = live;
      return G_MAXINT64;
    }
  if (self->episode.tracker == NULL)
    jank_starved_watch_begin (self, post, now_ns);
  if (self->episode.tracker != NULL)
    jank_starved_watch_judge (self, post, now_ns);
  return MIN (jank_episode_sample (&self->episode, post, 0, NULL, now_ns), now_ns + post->rule.threshold_ns / 2);
}

void
jank_starved_watch_stop (JankStarvedWatch *self, JankWatchPost *post, gboolean exiting)
{
  jank_starved_watch_end (self, post, jank_clock_now_ns (), exiting);
  self->wanted_ns = 0;
}
