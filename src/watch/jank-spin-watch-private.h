/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks whether the loop spins, at the watcher's own pace: a spinning loop is never idle, so the watcher is never
 * parked. Costs two small files of /proc ten times a second, and only while there are many turns; a third one about
 * a hundred times a second, while the loop looks like a spin or when only the place where the thread sleeps can
 * tell. Samples hardly ever meet a callback that does next to nothing: while the loop looks like a spin, the
 * observed thread counts its sources itself. Watcher thread only. */

#pragma once

#include "watch/jank-episode-private.h"
#include "rules/jank-spin-finder-private.h"

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

/* Returns: when to look again at the latest, G_MAXINT64: whenever the watcher is awake */
gint64 jank_spin_watch_look (JankSpinWatch *self, JankWatchPost *post);

/* Ends what is under way. */
void   jank_spin_watch_stop (JankSpinWatch *self, JankWatchPost *post, gboolean exiting);
/* Without a word. */
void   jank_spin_watch_drop (JankSpinWatch *self);
