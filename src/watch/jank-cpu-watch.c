/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks whether the process keeps a CPU busy, if the settings ask for that: the watcher then wakes three times per
 * cpu-time, also in an idle program. The first look over the limit reads all threads; from then on the busiest
 * thread is sampled. */

#include "watch/jank-finders-private.h"

#include "base/jank-clock-private.h"
#include "rules/jank-cpu-finder-private.h"
#include "watch/jank-episode-private.h"

typedef struct
{
  JankCpuFinder finder;
  JankMoment    last;    /* of the last look; CPU time of the process */
  JankEpisode   episode;
  JankStackRanges *ranges; /* (owned) (nullable): when the episode began */
} JankCpuWatch;

static void
jank_cpu_watch_begin (JankCpuWatch *self, JankWatchPost *post)
{
  if (!jank_episode_begin (&self->episode, JANK_STALL_CPU, post->rule.cpu_ns, &self->last))
    return;
  jank_watch_post_take_threads (post, self->episode.tracker);
  if (self->ranges == NULL)
    self->ranges = jank_stack_ranges_new ("/proc/self/maps");
}

static void
jank_cpu_watch_drop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankCpuWatch *self = data;

  g_clear_pointer (&self->episode.tracker, jank_stall_tracker_free);
  if (self->ranges != NULL)
    jank_sampler_free_ranges (post->sampler, g_steal_pointer (&self->ranges));
}

static void
jank_cpu_watch_end (JankCpuWatch *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting)
{
  jank_episode_end (&self->episode, post, ended_ns, exiting);
  jank_cpu_watch_drop (self, post, FALSE);
}

static void
jank_cpu_watch_look_now (JankCpuWatch *self, JankWatchPost *post, gint64 now_ns)
{
  gint64 cpu_ns = jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID);
  JankCpuVerdict verdict = jank_cpu_finder_look (&self->finder, &post->rule, now_ns, cpu_ns);

  if (verdict == JANK_CPU_NORMAL)
    jank_cpu_watch_end (self, post, self->last.at_ns, FALSE);
  else if (self->episode.tracker == NULL)
    jank_cpu_watch_begin (self, post);
  if (verdict == JANK_CPU_FOUND)
    jank_episode_report (&self->episode, post, now_ns);
  jank_watch_post_read_moment (post, now_ns, &self->last);
  self->last.times.cpu_ns = cpu_ns;
}

/* The thread to sample, 0: the loop's. */
static pid_t
jank_cpu_watch_find_busiest (JankCpuWatch *self, gint64 now_ns)
{
  JankThreadSnapshot *threads = jank_stall_tracker_peek (self->episode.tracker)->threads;
  const JankSnapshotThread *busiest;

  if (threads == NULL)
    return 0;
  jank_thread_snapshot_update (threads, now_ns);
  busiest = jank_thread_snapshot_get_busiest (threads);
  return busiest != NULL && !busiest->observed ? busiest->task.tid : 0;
}

static void
jank_cpu_watch_stop (gpointer data, JankWatchPost *post, gboolean exiting)
{
  JankCpuWatch *self = data;

  jank_cpu_watch_end (self, post, exiting ? jank_clock_now_ns () : self->last.at_ns, exiting);
  self->finder = (JankCpuFinder) { .verdict = JANK_CPU_NORMAL };
}

static gint64
jank_cpu_watch_look (gpointer data, JankWatchPost *post)
{
  JankCpuWatch *self = data;
  gint64 now_ns, sample_ns = G_MAXINT64, look_ns;

  if (post->rule.cpu_percent == 0)
    {
      if (self->finder.has_last)
        jank_cpu_watch_stop (self, post, FALSE);
      return G_MAXINT64;
    }
  now_ns = jank_clock_now_ns ();
  if (now_ns >= jank_cpu_finder_next_look (&self->finder, &post->rule))
    jank_cpu_watch_look_now (self, post, now_ns);
  if (self->episode.tracker != NULL)
    sample_ns = jank_episode_sample (&self->episode, post, jank_cpu_watch_find_busiest (self, now_ns), self->ranges,
                                     now_ns);
  look_ns = jank_cpu_finder_next_look (&self->finder, &post->rule);
  return MIN (sample_ns, look_ns);
}

const JankFinder jank_cpu_watch = {
  sizeof (JankCpuWatch), .look = jank_cpu_watch_look, .stop = jank_cpu_watch_stop, .drop = jank_cpu_watch_drop,
};
