/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Something that goes on while the loop turns: a spin, or a thread that keeps computing. Looked at now and then,
 * reported once it has been found, and when it ends. Watcher thread only. */

#pragma once

#include "watch/jank-watch-post-private.h"

struct _JankEpisode
{
  JankStallTracker *tracker;        /* (owned) (nullable): none under way */
  JankAnnealing     annealing;
  gint64            next_report_ns; /* at the earliest */
  gint64            next_sample_ns;
  gint64            interval_ns;    /* between two samples */
  guint             n_taken;
};

/* threshold_ns: how long it must last to be found. Returns: whether it has begun; not without memory */
gboolean jank_episode_begin        (JankEpisode *self, JankStallKind kind, gint64 threshold_ns,
                                    const JankMoment *began);

/* Of the loop's thread, or of another (tid != 0, within ranges).
 * Returns: when the next sample is due, G_MAXINT64: never */
gint64   jank_episode_sample       (JankEpisode *self, JankWatchPost *post, pid_t tid, const JankStackRanges *ranges,
                                    gint64 now_ns);

/* It has been found, and lasts: reports it when that is due. */
void     jank_episode_report       (JankEpisode *self, JankWatchPost *post, gint64 now_ns);

/* It is over; does nothing when none is under way. */
void     jank_episode_end          (JankEpisode *self, JankWatchPost *post, gint64 ended_ns, gboolean exiting);
