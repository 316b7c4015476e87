/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What happened in one run of a program, as far as rules want to know, and its file: lines of words, so that it
 * grows by appending. Whatever is written before the program dies is of use.
 *
 *     jankwatch-events-1
 *     name NUMBER TEXT                         a function; numbers count from 1, text is to the line's end
 *     sample AT STACK TOP CULPRIT              STACK: equal stacks have equal numbers; the others are names, 0 none
 *     busy BEGAN ENDED KIND CULPRIT            KIND: loop, startup; CULPRIT: of the report, 0 none
 *     frame BEGAN REFRESH FOLLOWS              FOLLOWS: 1 when the clock ran since the frame before
 *     state AT STATE DEPTH                     of the loop: entry, after-waiting, before-sources, before-waiting, exit;
 *     DEPTH 1:
 *                                              the outermost. For people; rules do not ask
 *     from BEGAN                               watching begins
 *     to ENDED                                 and ends
 *
 * Times are CLOCK_MONOTONIC nanoseconds. Bounded in lines; reading trusts nothing. */

#pragma once

#include <glib.h>

#define JANK_EVENTS_HEAD      "jankwatch-events-1"
#define JANK_EVENTS_MAX_LINES 200000
#define JANK_EVENTS_MAX_BYTES (32 << 20)

typedef struct
{
  gint64   began_ns, ended_ns;
  gboolean startup;
  guint    culprit;
} JankEventPeriod;

typedef struct
{
  gint64 at_ns;
  guint  stack, top, culprit;
} JankEventSample;

typedef struct
{
  gint64   began_ns, refresh_ns;
  gboolean follows;
} JankEventFrame;

typedef struct
{
  gint64     began_ns, ended_ns; /* of watching */
  GArray    *periods;            /* JankEventPeriod, by time, none overlaps another */
  GArray    *samples;            /* JankEventSample, by time */
  GArray    *frames;             /* JankEventFrame, by time */
  GPtrArray *names;              /* (element-type utf8): name 1 is the first */
} JankEvents;

JankEvents *jank_events_new        (void);
void        jank_events_free       (JankEvents *self);

/* Text of a file. What makes no sense is left out. NULL with JANK_ERROR_INVALID when it is no such file.
 * Returns: (transfer full) */
JankEvents *jank_events_parse      (const char *text, gsize n_bytes, GError **error);

/* Puts all in order and drops what cannot be: before jank_replay() on events that were not parsed. */
void        jank_events_settle     (JankEvents *self);

/* Returns: (nullable): NULL for 0 */
const char *jank_events_get_name   (const JankEvents *self, guint name);

/* One line each, with its end. Returns: (transfer full) */
char       *jank_events_period_to_line (const JankEventPeriod *period);
char       *jank_events_sample_to_line (const JankEventSample *sample);
char       *jank_events_frame_to_line  (const JankEventFrame *frame);
char       *jank_events_name_to_line   (guint name, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankEvents, jank_events_free)
