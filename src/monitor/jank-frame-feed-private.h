/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Carries frames from GTK's frame clock to whoever asked for them, outside of GTK's painting: a source of the
 * context hands them on, one by one, when the loop comes to it next. The loop's thread only. */

#pragma once

#include "monitor/jank-frame-stats-private.h"

/* So many wait at most: four seconds at 60 Hz. More are dropped, newest first. */
#define JANK_FRAME_FEED_MAX 256

typedef struct _JankFrameFeed JankFrameFeed;

typedef void (*JankFrameFeedFunc) (JankFrameStats *frame, gpointer data);

/* The source is attached at the first frame: before that the loop has nothing of it. */
JankFrameFeed *jank_frame_feed_new  (GMainContext *context, JankFrameFeedFunc func, gpointer data);

/* Also from inside func: it is called no more. */
void           jank_frame_feed_free (JankFrameFeed *self);

void           jank_frame_feed_push (JankFrameFeed *self, const JankFrameEvent *event,
                                     const JankFrameVerdict *verdict, const char *window);
