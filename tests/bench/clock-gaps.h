/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How often, and for how long, a computing thread was stopped, by whatever: it looks at the clock all the time, and
 * notes when two looks lie further apart than any undisturbed two do. Plain data; one thread. */

#pragma once

#include <glib.h>

#define CLOCK_GAPS_SIZE   65536
#define CLOCK_GAPS_MIN_NS 500 /* two looks lie 25 ns apart; timer interrupts take 2 to 5 µs */

typedef struct
{
  gint64 ended_ns; /* CLOCK_MONOTONIC */
  gint64 length_ns;
} ClockGap;

typedef struct
{
  guint64  n_gaps; /* ever seen; the first CLOCK_GAPS_SIZE are kept */
  ClockGap gaps[CLOCK_GAPS_SIZE];
} ClockGaps;

void clock_gaps_watch (ClockGaps *self, gint64 length_ns);

/* A JSON array of pairs, [end, length], oldest first. */
void clock_gaps_print (const ClockGaps *self);
