/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks whether the loop spins, at the watcher's own pace: a spinning loop is never idle, so the watcher is never
 * parked. Costs two small files of /proc ten times a second, and only while there are many turns; a third one about
 * a hundred times a second, while the loop looks like a spin or when only the place where the thread sleeps can
 * tell. Samples hardly ever meet a callback that does next to nothing: while the loop looks like a spin, the
 * observed thread counts its sources itself. */

#include "watch/jank-finders-private.h"

#include <stdatomic.h>
#include <string.h>

#include "base/jank-clock-private.h"
#include "rules/jank-spin-finder-private.h"
#include "watch/jank-episode-private.h"

/* Out of step with timers of whole hundredths, and with frames. */
#define PEEK_NS (7 * JANK_NS_PER_MS)

typedef struct
{
  JankSpinFinder finder;
  JankMoment     last;     /* of the last look that read counters, but for windows without many turns in a spin */
  guint64        n_turns_last, n_turns_began; /* then; and when the episode began */
  gint64         next_peek_ns;
  guint64        n_peeks, n_rests; /* ever */
  JankEpisode    episode;
  JankLedgerRow *before;   /* (owned) (nullable): the sources when they were first seen to be counted */
  guint          n_before;
  guint64        n_turns_before;
} JankSpinWatch;

/* Does the thread sleep in poll at the moment? */
static void
jank_spin_watch_peek (JankSpinWatch *self, JankWatchPost *post, gint64 now_ns)
{
  JankThread *thread = jank_sampler_get_thread (post->sampler);
  uint64_t word = jank_beat_load (post->beat);
  JankSyscall call = { .kind = JANK_SYSCALL_UNKNOWN };

  self->next_peek_ns = now_ns + PEEK_NS;
  if (thread != NULL)
    jank_thread_read_syscall (thread, &call);
  if (call.kind == JANK_SYSCALL_UNKNOWN)
    return;
  self->n_peeks++;
  if (call.kind == JANK_SYSCALL_BLOCKED && jank_beat_word_state (word) == JANK_BEAT_WAITING &&
      jank_beat_load (post->beat) == word)
    self->n_rests++;
}

/* False when the kernel does not tell. */
static gboolean
jank_spin_watch_read_counters (const JankSpinWatch *self, JankWatchPost *post, gint64 now_ns, guint64 n_turns,
                               JankMoment *ret_moment, JankSpinReading *ret_reading)
{
  JankThread *thread = jank_sampler_get_thread (post->sampler);
  JankThreadStatus status;

  if (thread == NULL || !jank_thread_read_status (thread, &status))
    return FALSE;
  jank_watch_post_read_moment (post, now_ns, ret_moment);
  if (ret_moment->times.cpu_ns < 0)
    return FALSE;
  *ret_reading = (JankSpinReading) {
    .at_ns = now_ns, .n_turns = n_turns, .n_peeks = self->n_peeks, .n_rests = self->n_rests,
    .n_sleeps = status.n_sleeps, .cpu_ns = ret_moment->times.cpu_ns,
    .delay_ns = MAX (ret_moment->times.run_delay_ns, 0),
  };
  return TRUE;
}

static guint64
jank_spin_watch_count_since (const JankSpinWatch *self, const JankLedgerRow *row)
{
  for (guint i = 0; i < self->n_before; i++)
    if (self->before[i].callback == row->callback && self->before[i].priority == row->priority &&
        strcmp (self->before[i].name, row->name) == 0)
      return row->count - self->before[i].count;
  return row->count;
}

/* The source that was dispatched in at least every second turn. */
static void
jank_spin_watch_find_source (JankSpinWatch *self, const JankSourceLedger *ledger, guint64 n_turns)
{
  g_autofree JankLedgerRow *rows = g_new (JankLedgerRow, JANK_LEDGER_SIZE + 1);
  guint n_rows = jank_source_ledger_read (ledger, rows);
  const JankLedgerRow *most = rows;
  JankSourceInfo info;

  if (self->before == NULL)
    {
      self->before = g_steal_pointer (&rows);
      self->n_before = n_rows;
      self->n_turns_before = n_turns;
      return;
    }
  for (guint i = 1; i < n_rows; i++)
    if (jank_spin_watch_count_since (self, &rows[i]) > jank_spin_watch_count_since (self, most))
      most = &rows[i];
  if (n_rows == 0 || jank_spin_watch_count_since (self, most) * 2 < n_turns - self->n_turns_before)
    {
      jank_stall_tracker_set_no_source (self->episode.tracker);
      return;
    }
  info = (JankSourceInfo) { .known = TRUE, .priority = most->priority, .callback = most->callback,
                            .dispatch = most->dispatch };
  g_strlcpy (info.name, most->name, sizeof info.name);
  jank_stall_tracker_set_source (self->episode.tracker, &info);
}

/* After everything that may have begun or ended an episode. */
static void
jank_spin_watch_ask_sources (JankSpinWatch *self, JankWatchPost *post)
{
  post->is_restless = self->episode.tracker != NULL;
  jank_beat_ask (post->beat, JANK_BEAT_ASKS_SOURCES, post->is_restless);
  if (!post->is_restless)
    g_clear_pointer (&self->before, g_free);
}

static void
jank_spin_watch_judge (JankSpinWatch *self, JankWatchPost *post, const JankSpinReading *reading,
                       const JankMoment *moment)
{
  JankSpinVerdict verdict = jank_spin_finder_look (&self->finder, &post->rule, reading);
  const JankSourceLedger *ledger = atomic_load_explicit (&post->beat->sources, memory_order_acquire);

  if (verdict == JANK_SPIN_NONE)
    jank_episode_end (&self->episode, post, self->last.at_ns, FALSE);
  else if (self->finder.n_without > 0)
    return;
  else if (self->episode.tracker == NULL &&
           jank_episode_begin (&self->episode, JANK_STALL_SPIN, post->rule.spin_ns, &self->last))
    self->n_turns_began = self->n_turns_last;
  if (self->episode.tracker != NULL)
    jank_stall_tracker_edit (self->episode.tracker)->n_turns = reading->n_turns - self->n_turns_began;
  if (self->episode.tracker != NULL && ledger != NULL)
    jank_spin_watch_find_source (self, ledger, reading->n_turns);
  if (verdict == JANK_SPIN_FOUND)
    jank_episode_report (&self->episode, post, reading->at_ns);
  self->last = *moment;
  self->n_turns_last = reading->n_turns;
}

static void
jank_spin_watch_look_now (JankSpinWatch *self, JankWatchPost *post, gint64 now_ns)
{
  guint64 n_turns = jank_beat_read_live (post->beat).n_turns;
  JankSpinReading reading;
  JankMoment moment;

  if (!jank_spin_finder_may_spin (&self->finder, &post->rule, now_ns, n_turns))
    jank_episode_end (&self->episode, post, self->last.at_ns, FALSE);
  else if (jank_spin_watch_read_counters (self, post, now_ns, n_turns, &moment, &reading))
    jank_spin_watch_judge (self, post, &reading, &moment);
  jank_spin_watch_ask_sources (self, post);
}

static void
jank_spin_watch_stop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankSpinWatch *self = data;

  jank_episode_end (&self->episode, post, exiting ? jank_clock_now_ns () : self->last.at_ns, exiting);
  jank_spin_watch_ask_sources (self, post);
  self->finder = (JankSpinFinder) { .verdict = JANK_SPIN_NONE };
}

static gint64
jank_spin_watch_look (gpointer data, JankWatchPost *post)
{
  JankSpinWatch *self = data;
  gint64 now_ns = jank_clock_now_ns (), sample_ns, look_ns;

  if (post->rule.spin_turns == 0)
    {
      jank_spin_watch_stop (self, post, FALSE);
      return G_MAXINT64;
    }
  if (now_ns >= jank_spin_finder_next_look (&self->finder))
    jank_spin_watch_look_now (self, post, now_ns);
  if (!self->finder.asks_peeks)
    return G_MAXINT64;
  if (now_ns >= self->next_peek_ns)
    jank_spin_watch_peek (self, post, now_ns);
  sample_ns = jank_episode_sample (&self->episode, post, 0, NULL, now_ns);
  look_ns = jank_spin_finder_next_look (&self->finder);
  return MIN (MIN (sample_ns, look_ns), self->next_peek_ns);
}

static void
jank_spin_watch_drop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankSpinWatch *self = data;

  g_clear_pointer (&self->before, g_free);
  g_clear_pointer (&self->episode.tracker, jank_stall_tracker_free);
}

const JankFinder jank_spin_watch = {
  sizeof (JankSpinWatch), .look = jank_spin_watch_look, .stop = jank_spin_watch_stop, .drop = jank_spin_watch_drop,
};
