/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A frame that does not come, or an interaction without an answer, though the loop turns: each turn is short, but what
 * it dispatches comes before GTK's drawing. Nobody's stall, and a window that stands still. Watcher thread only. */

#pragma once

#include "watch/jank-episode-private.h"

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

/* word: the beat, as it was before the ended busy periods were told. Returns: when to look again, G_MAXINT64: whenever
 * there is another reason to */
gint64 jank_starved_watch_look (JankStarvedWatch *self, JankWatchPost *post, uint64_t word);

/* What was reported ends now. */
void   jank_starved_watch_stop (JankStarvedWatch *self, JankWatchPost *post, gboolean exiting);
