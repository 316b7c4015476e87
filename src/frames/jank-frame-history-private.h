/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A ring of the newest frames of all windows, for a chart. Pure; adding allocates nothing. */

#pragma once

#include <glib.h>

#include "frames/jank-frame-verdict-private.h"

/* Half a minute at 60 Hz, while nobody looks. */
#define JANK_FRAME_HISTORY_BRIEF 2048
/* Over ten minutes at 60 Hz. */
#define JANK_FRAME_HISTORY_LONG  (1 << 16)

typedef enum
{
  JANK_PART_UPDATE,
  JANK_PART_LAYOUT,
  JANK_PART_PAINT,
  JANK_PART_OTHER, /* the other phases, and the loop's other work until the next frame */
  JANK_N_PARTS,
} JankFramePart;

/* A frame, and the time until the next one of its window. */
typedef struct
{
  gint64        begin_ns;
  gint64        interval_ns; /* until the next one began; 0: none yet, or the clock came to rest */
  gint64        part_ns[JANK_N_PARTS];
  gint32        refresh_us;
  JankFrameBand band;        /* of the interval */
  JankFramePhase busiest;    /* the longest phase; where it was late */
  gint32        busiest_us;
  gint32        over_us;     /* with so much less work it had been on time; 0: unknown */
} JankFrameEntry;

typedef struct _JankFrameHistory JankFrameHistory;

JankFrameHistory     *jank_frame_history_new         (guint size);
void                  jank_frame_history_free        (JankFrameHistory *self);

/* size: not less than before. */
void                  jank_frame_history_grow        (JankFrameHistory *self, guint size);

/* window: tells clocks apart. Frames for the inspector or the overlay alone are left out. */
void                  jank_frame_history_add         (JankFrameHistory *self, const JankFrameEvent *event,
                                                      gconstpointer window);

guint                 jank_frame_history_get_n       (const JankFrameHistory *self);
/* Ever added. */
guint64               jank_frame_history_get_n_added (const JankFrameHistory *self);
/* i: 0 is the oldest. */
const JankFrameEntry *jank_frame_history_get         (const JankFrameHistory *self, guint i);
/* Returns: the first that began at or after at_ns; n without one */
guint                 jank_frame_history_find        (const JankFrameHistory *self, gint64 at_ns);

gint64                jank_frame_entry_work_ns       (const JankFrameEntry *entry);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankFrameHistory, jank_frame_history_free)
