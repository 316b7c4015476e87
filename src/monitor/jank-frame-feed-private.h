/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Carries frames out of GTK's painting: a source of the context hands them on, one by one, in the loop's next turn. The
 * loop's thread only. */

#pragma once

#include "monitor/jank-frame-private.h"

/* How many may wait: four seconds at 60 Hz. Later ones are dropped. */
#define JANK_FRAME_FEED_MAX 256

typedef struct _JankFrameFeed JankFrameFeed;

typedef void (*JankFrameFeedFunc) (JankFrame *frame, gpointer data);

/* The source is attached with the first frame. */
JankFrameFeed *jank_frame_feed_new  (GMainContext *context, JankFrameFeedFunc func, gpointer data);

/* May be called from inside func, which is not called again. */
void           jank_frame_feed_free (JankFrameFeed *self);

void           jank_frame_feed_push (JankFrameFeed *self, const JankFrameEvent *event,
                                     const JankFrameVerdict *verdict, const char *window);
