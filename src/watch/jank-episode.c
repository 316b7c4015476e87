/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-episode-private.h"

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"

#define INTERVAL_NS (50 * JANK_NS_PER_MS)

/* After this many samples their interval doubles, and again after half as many: the last one stands for all the time
 * since. */
#define MAX_SAMPLES 40

gboolean
jank_episode_begin (JankEpisode *self, JankStallKind kind, gint64 threshold_ns, const JankMoment *began)
{
  if (!jank_memory_has_room (JANK_LOOK_BYTES))
    return FALSE;
  self->tracker = jank_stall_tracker_new (kind, threshold_ns, began);
  /* A tenth less than the threshold: looks are not exact to the tick. */
  self->next_report_ns = began->at_ns + threshold_ns - threshold_ns / 10;
  self->next_sample_ns = jank_clock_now_ns () + INTERVAL_NS;
  self->interval_ns = INTERVAL_NS;
  self->n_taken = 0;
  self->annealing = (JankAnnealing) { .heaviest = 0 };
  return TRUE;
}

gint64
jank_episode_sample (JankEpisode *self, JankWatchPost *post, pid_t tid, const JankStackRanges *ranges, gint64 now_ns)
{
  if (self->tracker == NULL)
    return G_MAXINT64;
  if (now_ns >= self->next_sample_ns)
    {
      gboolean has_room = jank_memory_has_room (JANK_LOOK_BYTES);

      if (has_room && tid != 0)
        jank_watch_post_sample_other (post, self->tracker, tid, ranges);
      else if (has_room)
        jank_watch_post_sample (post, self->tracker);
      if (++self->n_taken == MAX_SAMPLES)
        {
          self->n_taken /= 2;
          self->interval_ns *= 2;
        }
      self->next_sample_ns = now_ns + self->interval_ns;
    }
  return self->next_sample_ns;
}

void
jank_episode_report (JankEpisode *self, JankWatchPost *post, gint64 now_ns)
{
  if (self->tracker != NULL && post->announced == self && now_ns < self->next_report_ns && !post->has_stall)
    jank_watch_post_tell_asked (post, self->tracker, now_ns);
  if (self->tracker == NULL || now_ns < self->next_report_ns || post->has_stall ||
      (post->announced != NULL && post->announced != self))
    return;
  post->announced = self;
  self->next_report_ns = now_ns + jank_annealing_next (&self->annealing,
                                                       jank_watch_post_find_heaviest (post, self->tracker),
                                                       jank_stall_tracker_peek (self->tracker)->threshold_ns);
  jank_watch_post_take_threads (post, self->tracker);
  jank_watch_post_tell (post, self->tracker, now_ns, JANK_TELL_ONGOING);
}

void
jank_episode_end (JankEpisode *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  if (self->tracker != NULL && post->announced == self)
    {
      post->announced = NULL;
      jank_watch_post_tell (post, self->tracker, ended_ns, exiting ? JANK_TELL_EXITING : JANK_TELL_ENDED);
    }
  g_clear_pointer (&self->tracker, jank_stall_tracker_free);
}
