/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch/jank-watches-private.h"

#include "base/jank-clock-private.h"

/* More than the coarse clock lags behind on a quiet machine. */
#define WAIT_NS (8 * JANK_NS_PER_MS)

/* Of the limit: a quarter passes before there are samples, one an eighth; later each stands for an eighth of what
 * has passed. */
#define FIRST 4
#define DENSE 8

/* A thread without a CPU is between two turns for long, too. */
static gboolean
jank_nested_watch_is_asleep (JankWatchPost *post)
{
  JankThread *thread = jank_watch_post_get_thread (post);
  JankSyscall call = { .kind = JANK_SYSCALL_UNKNOWN };

  if (thread != NULL)
    jank_thread_read_syscall (thread, &call);
  return call.kind == JANK_SYSCALL_BLOCKED;
}

static void
jank_nested_watch_note_depth (JankNestedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  uint64_t word = jank_beat_load (post->beat);
  int depth = atomic_load_explicit (&post->beat->nesting.told, memory_order_relaxed);

  if (jank_beat_word_state (word) != JANK_BEAT_WAITING || now_ns - jank_beat_word_ns (word) < WAIT_NS ||
      (self->is_depth_known && depth >= self->depth) || !jank_nested_watch_is_asleep (post) ||
        jank_beat_load (post->beat) != word)
    return;
  self->is_depth_known = TRUE;
  self->depth = depth;
}

/* Whoever is shown something, or turns to another window, is who is waited for. */
static gboolean
jank_nested_watch_is_for_person (const JankNestedWatch *self, JankWatchPost *post)
{
  return post->sinks->record.is_blind ||
         atomic_load_explicit (&post->beat->nesting.shown_ns, memory_order_relaxed) >= self->period_ns;
}

static void
jank_nested_watch_end (JankNestedWatch *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  const JankStall *stall = self->episode.tracker != NULL ? jank_stall_tracker_peek (self->episode.tracker) : NULL;

  if (stall != NULL)
    jank_episode_end (&self->episode, post, MAX (ended_ns, stall->began_ns), exiting);
}

static void
jank_nested_watch_begin (JankNestedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  JankMoment began;

  jank_watch_post_estimate (post, self->from_ns, now_ns, &began);
  if (!jank_episode_begin (&self->episode, JANK_STALL_NESTED, post->rule.nested_ns, &began))
    return;
  jank_stall_tracker_set_period (self->episode.tracker, self->period_ns, (guint) self->depth + 1);
  self->episode.next_sample_ns = now_ns;
}

static void
jank_nested_watch_turn_to (JankNestedWatch *self, JankWatchPost *post, gint64 period_ns)
{
  if (period_ns == self->period_ns)
    return;
  jank_nested_watch_end (self, post, atomic_load_explicit (&post->beat->nesting.left_ns, memory_order_relaxed), FALSE);
  self->period_ns = self->from_ns = period_ns;
  self->is_over = FALSE;
}

/* It lasts. Returns: as jank_nested_watch_look() */
static gint64
jank_nested_watch_go_on (JankNestedWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 limit_ns = post->rule.nested_ns, next_ns;

  if (self->episode.tracker == NULL && now_ns - self->from_ns < limit_ns / FIRST)
    return self->from_ns + limit_ns / FIRST;
  if (self->episode.tracker == NULL)
    jank_nested_watch_begin (self, post, now_ns);
  if (self->episode.tracker == NULL)
    return now_ns + limit_ns / FIRST;
  self->episode.interval_ns = MAX (limit_ns, now_ns - self->from_ns) / DENSE;
  next_ns = jank_episode_sample (&self->episode, post, 0, NULL, now_ns);
  if (now_ns < self->from_ns + limit_ns)
    return MIN (next_ns, self->from_ns + limit_ns);
  jank_episode_report (&self->episode, post, now_ns);
  /* Whoever asks is told every second. */
  return MIN (next_ns, now_ns + JANK_NS_PER_S);
}

gint64
jank_nested_watch_look (JankNestedWatch *self, JankWatchPost *post, gboolean is_spinning)
{
  gint64 now_ns = jank_clock_now_ns ();

  jank_nested_watch_note_depth (self, post, now_ns);
  jank_nested_watch_turn_to (self, post, self->is_depth_known && post->rule.nested_ns > 0
                                           ? jank_nesting_get_since (&post->beat->nesting, self->depth + 1) : 0);
  if (self->period_ns == 0 || self->is_over)
    return G_MAXINT64;
  if (jank_nested_watch_is_for_person (self, post))
    {
      jank_nested_watch_end (self, post, now_ns, FALSE);
      self->is_over = TRUE;
      return G_MAXINT64;
    }
  if (is_spinning || jank_watch_post_is_in_stall (post, now_ns) ||
      atomic_load_explicit (&post->beat->nesting.is_held, memory_order_relaxed))
    {
      jank_nested_watch_end (self, post, now_ns, FALSE);
      self->from_ns = now_ns;
      return G_MAXINT64;
    }
  return jank_nested_watch_go_on (self, post, now_ns);
}

void
jank_nested_watch_turn_to_thread (JankNestedWatch *self)
{
  self->is_depth_known = FALSE;
}

void
jank_nested_watch_stop (JankNestedWatch *self, JankWatchPost *post, gboolean exiting)
{
  jank_nested_watch_end (self, post, jank_clock_now_ns (), exiting);
  self->period_ns = 0;
}
