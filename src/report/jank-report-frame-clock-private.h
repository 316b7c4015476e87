/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frame statistics of a program in a report or a session file, with the rows that make them JSON. Any thread,
 * immutable once shared. */

#pragma once

#include "frames/jank-frame-clocks-private.h"
#include "report/jank-field-private.h"
#include "report/jank-report-redact-private.h"

/* In a session, whose processes have up to JANK_FRAME_MAX_CLOCKS each. */
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
  gint64         began_ns, ended_ns; /* CLOCK_MONOTONIC: where the frame before and this one began */
  gint64         interval_ns;        /* the late one: the clock's, or the display's where only that was late */
  guint64        n_dropped;
  JankFramePhase busiest;
  JankFrameWho   who;
  gint           stack;              /* into the report's stacks, or JANK_REPORT_NO_INDEX */
  char           culprit[JANK_REPORT_CULPRIT_BYTES]; /* function that made it late; empty: unknown */
  char           report[JANK_REPORT_ID_BYTES];       /* of the stall that it was part of; empty: none */
} JankReportLateFrame;

typedef struct
{
  JankFrameNumbers numbers;
  gboolean         has_presentation; /* the display says when frames were shown */
  GPtrArray       *windows;          /* (owned) (element-type JankReportWindow) */
  GArray          *late_frames;      /* (owned) JankReportLateFrame, the last JANK_FRAME_N_LATE, oldest first */
} JankReportFrameClock;

/* merged (nullable): of the same moment, for the late frames. Returns: (transfer full) (nullable): no frames */
JankReportFrameClock *jank_report_frame_clock_from  (const JankFrameSummary *summary, const JankFrameSnapshot *merged,
                                                     gboolean has_presentation);
JankReportFrameClock *jank_report_frame_clock_new   (void);
JankReportFrameClock *jank_report_frame_clock_copy  (const JankReportFrameClock *self);
void                  jank_report_frame_clock_free  (gpointer self);
JankReportWindow     *jank_report_window_new        (void);

/* Adds the frames of another process. Counts add up; rates are averaged over the active time of both; percentiles, the
 * slowest hundredth and the refresh rate come from the process with more frames. */
void                  jank_report_frame_clock_merge (JankReportFrameClock *self, const JankReportFrameClock *other);

extern const JankTable jank_report_frame_clock_table;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReportFrameClock, jank_report_frame_clock_free)

/* The rows, for jank-report-fields.c only. */
#ifdef JANK_REPORT_FIELDS

static gboolean finish_numbers (gpointer self);
static gboolean finish_frame_clock (gpointer self);

#define JANK_BUCKET(level, name) \
  JANK_PART_TABLE (JankFrameNumbers, name##_bucket, NULL, \
    { "frames", JANK_INT, JANK_AT (JankFrameNumbers, buckets[level].frames) }, \
    { "dropped", JANK_INT, JANK_AT (JankFrameNumbers, buckets[level].dropped) })

JANK_BUCKET (JANK_FRAME_BEST, best);
JANK_BUCKET (JANK_FRAME_NORMAL, normal);
JANK_BUCKET (JANK_FRAME_MIDDLE, middle);
JANK_BUCKET (JANK_FRAME_HIGH, high);
JANK_BUCKET (JANK_FRAME_FROZEN, frozen);

JANK_PART_TABLE (JankFrameNumbers, buckets, NULL,
  { "best", JANK_OBJECT, .table = &best_bucket_table },
  { "normal", JANK_OBJECT, .table = &normal_bucket_table },
  { "middle", JANK_OBJECT, .table = &middle_bucket_table },
  { "high", JANK_OBJECT, .table = &high_bucket_table },
  { "frozen", JANK_OBJECT, .table = &frozen_bucket_table });
G_STATIC_ASSERT (G_N_ELEMENTS (buckets_fields) == JANK_FRAME_N_LEVELS);

#define COUNT(member) { #member, JANK_INT, JANK_AT (JankFrameNumbers, member) }

JANK_PART_TABLE (JankFrameNumbers, numbers, finish_numbers,
  COUNT (frames), COUNT (startup_frames), COUNT (active_ns), COUNT (refresh_ns), COUNT (late), COUNT (late_program),
  COUNT (late_compositor), COUNT (dropped), COUNT (dropped_program), COUNT (slow), COUNT (frozen), COUNT (jank),
  COUNT (big_jank), COUNT (p50_ns), COUNT (p90_ns), COUNT (p95_ns), COUNT (p99_ns), COUNT (longest_ns),
  COUNT (throttled),
  { "fps", JANK_NUMBER, JANK_AT (JankFrameNumbers, fps), JANK_OMIT_EMPTY, .fallback = -1, .max = 1000000 },
  { "fps_low", JANK_NUMBER, JANK_AT (JankFrameNumbers, fps_low), JANK_OMIT_EMPTY, .fallback = -1, .max = 1000000 },
  { "refresh_assumed", JANK_BOOLEAN, JANK_AT (JankFrameNumbers, refresh_assumed) },
  { "stutter", JANK_NUMBER, JANK_AT (JankFrameNumbers, stutter), .max = 1 },
  { "hitch_ms_per_s", JANK_NUMBER, JANK_AT (JankFrameNumbers, hitch_ms_per_s), .max = 1000 },
  { "hitch_compositor_ms_per_s", JANK_NUMBER, JANK_AT (JankFrameNumbers, hitch_compositor_ms_per_s), .max = 1000 },
  { "hitch_band", JANK_NICK, JANK_AT (JankFrameNumbers, hitch_band), JANK_NICKS (jank_hitch_band_nicks) },
  { "buckets", JANK_OBJECT, .table = &buckets_table });

JANK_TABLE (JankReportWindow, jank_report_window, NULL,
  JANK_TEXT ("name", JankReportWindow, name, jank_redact_title, .flags = JANK_NOT_NULL),
  { NULL, JANK_INLINE, JANK_AT (JankReportWindow, numbers), .table = &numbers_table });

static const char *const who_nicks[] = { NULL, "program", "compositor" };

JANK_PART_TABLE (JankReportLateFrame, late_frame, NULL,
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReportLateFrame, began_ns) },
  { "ended_monotonic_ns", JANK_INT, JANK_AT (JankReportLateFrame, ended_ns) },
  { "interval_ns", JANK_INT, JANK_AT (JankReportLateFrame, interval_ns) },
  { "dropped", JANK_INT, JANK_AT (JankReportLateFrame, n_dropped) },
  { "busiest", JANK_NICK, JANK_AT (JankReportLateFrame, busiest), .fallback = JANK_FRAME_BETWEEN,
    JANK_NICKS (jank_frame_phase_nicks) },
  { "who", JANK_NICK, JANK_AT (JankReportLateFrame, who), .fallback = JANK_FRAME_LATE_COMPOSITOR, JANK_NICKS (who_nicks) },
  { "stack", JANK_INDEX, JANK_AT (JankReportLateFrame, stack), .fallback = -1, .into = "stacks" },
  JANK_CHARS ("culprit", JankReportLateFrame, culprit, jank_redact_function),
  JANK_CHARS ("report", JankReportLateFrame, report, jank_redact_id));

JANK_TABLE (JankReportFrameClock, jank_report_frame_clock, finish_frame_clock,
  { NULL, JANK_INLINE, JANK_AT (JankReportFrameClock, numbers), .table = &numbers_table },
  { "presentation", JANK_BOOLEAN, JANK_AT (JankReportFrameClock, has_presentation) },
  { "windows", JANK_ARRAY, JANK_AT (JankReportFrameClock, windows), .max = JANK_REPORT_MAX_WINDOWS,
    .table = &jank_report_window_table },
  { "late_frames", JANK_VALUES, JANK_AT (JankReportFrameClock, late_frames), .max = JANK_FRAME_N_LATE,
    .table = &late_frame_table });

#endif
