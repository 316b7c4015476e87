/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recorded runs made by hand, in milliseconds since they began. */

#pragma once

#include "base/jank-clock-private.h"
#include "replay/jank-replay-private.h"

#define MS    JANK_NS_PER_MS
#define START (1000 * JANK_NS_PER_S) /* of the clock, not a round number of anything */

/* Functions in the record. */
enum { NOBODY, HEAVY, LIGHT, OTHER };

JankEvents *events_new        (gint64 length_ms);

/* A busy period whose report names culprit, with a stack every 5 ms in which culprit is on top. */
void        events_add_busy   (JankEvents *events, gint64 began_ms, gint64 ended_ms, guint culprit);

/* Stacks from_ms to to_ms, within a period that has been added, show function instead. */
void        events_show       (JankEvents *events, gint64 from_ms, gint64 to_ms, guint function);

/* Frames of 60 Hz from from_ms to to_ms, as long as the loop is not busy for longer than 16 ms: then the next comes
 * when it is free. Each follows the one before. */
void        events_add_frames (JankEvents *events, gint64 from_ms, gint64 to_ms);

JankReplay *events_replay     (JankEvents *events, const char *preset);
