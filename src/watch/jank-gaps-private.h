/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last times in which the whole process stood still, so that no stall is blamed on it. Plain data. */

#pragma once

#include <glib.h>

#define JANK_GAPS_SIZE 16

typedef struct
{
  gint64   from_ns, to_ns; /* CLOCK_MONOTONIC */
  gboolean traced;         /* a debugger was attached */
} JankGap;

typedef struct
{
  JankGap gaps[JANK_GAPS_SIZE];
  guint   n_gaps; /* ever added */
} JankGaps;

void   jank_gaps_add     (JankGaps *self, gint64 from_ns, gint64 to_ns, gboolean traced);

/* How much of [from_ns, to_ns] the gaps cover; only those under a debugger, or only the others. */
gint64 jank_gaps_overlap (const JankGaps *self, gint64 from_ns, gint64 to_ns, gboolean traced);
