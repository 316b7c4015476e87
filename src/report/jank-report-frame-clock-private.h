/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the frame clocks of a program saw, as a report or a session file keeps it. Plain data; any thread,
 * immutable once shared. */

#pragma once

#include <glib.h>

#include "frames/jank-frame-clocks-private.h"

/* Of json-glib, which those who only read this need not have. */
typedef struct _JsonObject JsonObject;

/* Of a session, whose processes have up to JANK_FRAME_MAX_CLOCKS each. */
#define JANK_REPORT_MAX_WINDOWS 256

#define JANK_REPORT_CULPRIT_BYTES 128
#define JANK_REPORT_ID_BYTES      48

typedef struct
{
  char            *name; /* (owned) */
  JankFrameNumbers numbers;
} JankReportWindow;

typedef struct
{
  gint64         began_ns, ended_ns; /* CLOCK_MONOTONIC: begin of the frame before, begin of this one */
  gint64         interval_ns;        /* that was late: of the clock, or of the display where only that was */
  guint64        n_dropped;
  JankFramePhase busiest;
  JankFrameWho   who;
  gint           stack;              /* into the report's stacks, or JANK_REPORT_NO_INDEX */
  char           culprit[JANK_REPORT_CULPRIT_BYTES]; /* function that made it late; empty: unknown */
  char           report[JANK_REPORT_ID_BYTES];       /* of the stall that it was part of; empty: of none */
} JankReportLateFrame;

typedef struct
{
  JankFrameNumbers numbers;
  gboolean         has_presentation; /* the display told when frames were shown */
  GPtrArray       *windows;          /* (owned) (element-type JankReportWindow) */
  GArray          *late_frames;      /* (owned) JankReportLateFrame, the last JANK_FRAME_N_LATE, oldest first */
} JankReportFrameClock;

/* merged (nullable): of the same moment, for the late frames. Returns: (transfer full) (nullable): there were no
 * frames */
JankReportFrameClock *jank_report_frame_clock_new       (const JankFrameSummary *summary,
                                                         const JankFrameSnapshot *merged, gboolean has_presentation);
JankReportFrameClock *jank_report_frame_clock_new_empty (void);
JankReportFrameClock *jank_report_frame_clock_copy      (const JankReportFrameClock *self);
void                  jank_report_frame_clock_free      (JankReportFrameClock *self);

/* Adds the frames of another process. Counts add up, rates are those of the active time of both; percentiles,
 * the slowest hundredth and the refresh rate are those of the one with more frames. */
void                  jank_report_frame_clock_merge     (JankReportFrameClock *self, const JankReportFrameClock *other);

/* As "frame_clock" in parent; NULL adds nothing. */
void                  jank_report_frame_clock_to_json   (const JankReportFrameClock *self, JsonObject *parent);

/* object: the value of "frame_clock" (nullable), from anywhere; n_stacks: late frames refer to one of so many.
 * Returns: (transfer full) (nullable): no frames */
JankReportFrameClock *jank_report_frame_clock_from_json (JsonObject *object, guint n_stacks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReportFrameClock, jank_report_frame_clock_free)
