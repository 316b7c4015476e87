/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The busy period under way: sampled while it is late, reported when it is a stall. Watcher thread only. */

#pragma once

#include "watch/jank-watch-post-private.h"

typedef struct
{
  gint64            period_ns; /* when the period under way began, 0: none */
  gboolean          startup;
  JankMoment        began;
  JankStallTracker *tracker;   /* (owned) (nullable): none before the first sample is due */
  gboolean          is_announced;
  gboolean          awaits;    /* when last looked at, the program polled for the loop, which it turns by hand */
  gint64            last_ended_began_ns;
  gint64            ignored_until_ns; /* periods that began before are nobody's business */
} JankLoopWatch;

/* Periods that the observed thread found long have ended. */
void     jank_loop_watch_take_ended (JankLoopWatch *self, JankWatchPost *post);

/* The loop waits since then. */
void     jank_loop_watch_wait       (JankLoopWatch *self, JankWatchPost *post, gint64 since_ns);

/* False while the observed thread is between announcing the end of that period and writing the word. */
gboolean jank_loop_watch_is_new     (const JankLoopWatch *self, gint64 began_ns);

/* The loop is busy. Returns: when to look again, as seen at ret_now_ns */
gint64   jank_loop_watch_look       (JankLoopWatch *self, JankWatchPost *post, gint64 began_ns, gboolean startup,
                                     gint64 *ret_now_ns);

/* Whether the period under way has been reported. */
gboolean jank_loop_watch_is_announced (const JankLoopWatch *self);

/* What was announced ends now. */
void     jank_loop_watch_finish     (JankLoopWatch *self, JankWatchPost *post, gboolean exiting);
void     jank_loop_watch_drop       (JankLoopWatch *self, JankWatchPost *post);
