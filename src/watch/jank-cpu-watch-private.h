/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks whether the process keeps a CPU busy, if the settings ask for that: the watcher then wakes three times per
 * cpu-time, also in an idle program. The first look over the limit reads all threads; from then on the busiest
 * thread is sampled. Watcher thread only. */

#pragma once

#include "rules/jank-cpu-finder-private.h"
#include "watch/jank-episode-private.h"

typedef struct
{
  JankCpuFinder finder;
  JankMoment    last;    /* of the last look; CPU time of the process */
  JankEpisode   episode;
  JankStackRanges *ranges; /* (owned) (nullable): when the episode began */
} JankCpuWatch;

/* Returns: when to look again, G_MAXINT64: never */
gint64 jank_cpu_watch_look (JankCpuWatch *self, JankWatchPost *post);

/* Ends what is under way. */
void   jank_cpu_watch_stop (JankCpuWatch *self, JankWatchPost *post, gboolean exiting);
/* Without a word. */
void   jank_cpu_watch_drop (JankCpuWatch *self, JankWatchPost *post);
