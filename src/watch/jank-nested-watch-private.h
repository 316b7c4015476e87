/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A callback that does not return though the loop turns: it runs a loop of its own, until an answer comes. While a
 * person is shown something new, such as a dialog, it is the person who is awaited. The least depth that the loop
 * has waited at is the program's own structure. Watcher thread only. */

#pragma once

#include "watch/jank-episode-private.h"

typedef struct
{
  JankEpisode episode;
  gboolean    is_depth_known;
  int         depth;      /* least that the loop has waited at */
  gint64      period_ns;  /* what is looked at: the busy period that its callback began in; 0: nothing */
  gint64      from_ns;    /* it counts from then on: no stall's time counts twice */
  gboolean    is_over;    /* somebody is shown something */
} JankNestedWatch;

/* is_spinning: the loop hardly waits, which says more. Returns: when to look again, G_MAXINT64: whenever there is
 * another reason to */
gint64 jank_nested_watch_look           (JankNestedWatch *self, JankWatchPost *post, gboolean is_spinning);

/* Another thread runs the loop. */
void   jank_nested_watch_turn_to_thread (JankNestedWatch *self);

/* What was reported ends now. */
void   jank_nested_watch_stop           (JankNestedWatch *self, JankWatchPost *post, gboolean exiting);
