/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frame-driven watching, for the rules that want it: stacks from one frame to the next, and a report, after the fact,
 * of a frame that took too long, or of a time with too few of them. Watcher thread only. */

#pragma once

#include "watch/jank-watch-post-private.h"

typedef struct
{
  JankStallTracker *tracker; /* (owned) (nullable): since the newest frame that was told */
  JankStallTracker *next;    /* (owned) (nullable): since the one that has begun after it, and is told when it is drawn */
} JankFrameWatch;

/* Returns: when to look again while the loop is as it is now, G_MAXINT64: never */
gint64 jank_frame_watch_look (JankFrameWatch *self, JankWatchPost *post, gboolean busy, gint64 since_ns);
void   jank_frame_watch_drop (JankFrameWatch *self);
