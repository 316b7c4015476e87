/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frame statistics of a program in a report or a session file, with the rows that make them JSON. Any thread,
 * immutable once shared. */

#pragma once

#include "frames/jank-frame-clocks-private.h"
#include "json/jank-field-private.h"
#include "report/jank-report-redact-private.h"

#define JANK_REPORT_ID_PATTERN "^[0-9]{8}-[0-9]{6}-[0-9]{1,10}-[0-9]{1,10}$"

/* In a session, whose processes have up to JANK_FRAME_MAX_CLOCKS each. */
#define JANK_REPORT_MAX_WINDOWS 256

#define JANK_REPORT_CULPRIT_BYTES 128
#define JANK_REPORT_ID_BYTES      48

typedef struct
{
  JankFrameVerdict verdict;
  gint             stack; /* into the report's stacks, or JANK_REPORT_NO_INDEX */
  char             culprit[JANK_REPORT_CULPRIT_BYTES]; /* function that made it late; empty: unknown */
  char             report[JANK_REPORT_ID_BYTES];       /* of the stall that it was part of; empty: none */
} JankReportLateFrame;

/* What was done between the frame before a late one and that one. */
typedef struct
{
  gint64         frame_ns; /* ended_ns of the late one */
  char           function[JANK_REPORT_CULPRIT_BYTES]; /* of sources; empty: phase is it */
  JankFramePhase phase;
  guint64        count;
  gint64         total_ns;
} JankReportFramePart;

/* Of a late frame. */
#define JANK_REPORT_MAX_PARTS 9

typedef struct
{
  JankFrameNumbers numbers;
  gboolean         has_presentation; /* the display says when frames were shown */
  GArray          *windows;          /* (owned) JankFrameWindow */
  GArray          *parts;            /* (owned) JankReportFramePart of late_frames, of each together, those with more
                                        time first */
  GArray          *late_frames;      /* (owned) JankReportLateFrame, the last JANK_FRAME_N_LATE, oldest first */
} JankReportFrameClock;

/* merged (nullable): of the same moment, for the late frames. Returns: (transfer full) (nullable): no frames */
JankReportFrameClock *jank_report_frame_clock_from  (const JankFrameSummary *summary, const JankFrameSnapshot *merged,
                                                     gboolean has_presentation);
JankReportFrameClock *jank_report_frame_clock_new   (void);
JankReportFrameClock *jank_report_frame_clock_copy  (const JankReportFrameClock *self);
void                  jank_report_frame_clock_free  (gpointer self);

/* Adds another one's windows, late frames and parts. */
void                  jank_report_frame_clock_append (JankReportFrameClock *self, const JankReportFrameClock *other);

/* Adds the frames of another process. Counts add up; rates are averaged over the active time of both; percentiles, the
 * slowest hundredth and the refresh rate come from the process with more frames. */
void                  jank_report_frame_clock_merge (JankReportFrameClock *self, const JankReportFrameClock *other);

/* Removes those of frames before since_ns. */
void                  jank_report_frame_parts_keep  (GArray *parts, gint64 since_ns);

extern const JankTable jank_report_frame_clock_table;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReportFrameClock, jank_report_frame_clock_free)

/* The rows, for jank-report-fields.c only. */
#ifdef JANK_REPORT_FIELDS

static gboolean finish_numbers (gpointer self);
static gboolean finish_frame_clock (gpointer self);

#define JANK_BUCKET(level, name) \
  JANK_PART_TABLE (JankFrameNumbers, name##_bucket, NULL, \
    { "frames", JANK_INT, JANK_AT (JankFrameNumbers, counts.buckets[level].frames), .words = "Frames." }, \
    { "dropped", JANK_INT, JANK_AT (JankFrameNumbers, counts.buckets[level].dropped), \
      .words = "Refreshes that they dropped together." })

JANK_BUCKET (JANK_FRAME_BEST, best);
JANK_BUCKET (JANK_FRAME_NORMAL, normal);
JANK_BUCKET (JANK_FRAME_MIDDLE, middle);
JANK_BUCKET (JANK_FRAME_HIGH, high);
JANK_BUCKET (JANK_FRAME_FROZEN, frozen);

JANK_PART_TABLE (JankFrameNumbers, buckets, NULL,
  { "best", JANK_OBJECT, .table = &best_bucket_table, .words = "Fewer than 3 dropped." },
  { "normal", JANK_OBJECT, .table = &normal_bucket_table, .words = "3 to 8 dropped." },
  { "middle", JANK_OBJECT, .table = &middle_bucket_table, .words = "9 to 23 dropped." },
  { "high", JANK_OBJECT, .table = &high_bucket_table, .words = "24 to 41 dropped." },
  { "frozen", JANK_OBJECT, .table = &frozen_bucket_table, .words = "42 dropped or more." });
G_STATIC_ASSERT (G_N_ELEMENTS (buckets_fields) == JANK_FRAME_N_LEVELS);

#define COUNT(member, says) { #member, JANK_INT, JANK_AT (JankFrameNumbers, counts.member), .words = says }
#define LENGTH(member, says) { #member, JANK_INT, JANK_AT (JankFrameNumbers, member), .words = says }

JANK_PART_TABLE (JankFrameNumbers, numbers, finish_numbers,
  COUNT (frames, "Frames drawn, those of start-up included."),
  COUNT (startup_frames, "Of them, the first ones of new windows; they are not judged."),
  COUNT (active_ns, "Animation: sum of the intervals after which the frame clock was still running."),
  LENGTH (refresh_ns, "Refresh interval of the display."),
  COUNT (late, "Late frames: intervals of more than 1.5 refresh intervals."),
  COUNT (late_program, "Of them, those that the program made late: its main loop was busy."),
  COUNT (late_compositor,
         "Of them, those for which the main loop waited although the frame clock was running: the compositor or the "
         "GPU."),
  COUNT (dropped, "Refreshes of the display that late frames missed."),
  COUNT (dropped_program, "Of them, those that the program missed."),
  COUNT (slow, "Frames for which the main loop worked for more than one refresh interval."),
  COUNT (frozen, "Late frames of 700 ms and more."),
  COUNT (jank, "PerfDog's jank: frame times above twice the mean of the three before and above 83.3 ms."),
  COUNT (big_jank, "Of them, those above 125 ms."),
  LENGTH (p50_ns, "Frame time that half of the active frames did not exceed. Nanoseconds, within 1.6 %."),
  LENGTH (p90_ns, "The same for 90 % of the frames."),
  LENGTH (p95_ns, "The same for 95 % of the frames."),
  LENGTH (p99_ns, "The same for 99 % of the frames."),
  LENGTH (longest_ns, "Longest frame time."),
  { "unseen", JANK_INT, JANK_AT (JankFrameNumbers, counts.unseen), JANK_OMIT_EMPTY,
    .words = "Frames that the compositor never showed: it discarded them, or showed the next one at the same "
             "refresh." },
  { "animated", JANK_INT, JANK_AT (JankFrameNumbers, counts.animated), JANK_OMIT_EMPTY,
    .words = "Frames of which two presentations tell the animation error; left out where the display tells none." },
  { "animation_error_ns", JANK_INT, JANK_AT (JankFrameNumbers, animation_error_ns), JANK_OMIT_EMPTY,
    .words = "Mean animation error of those: the difference between the time that animations moved on by and the time "
             "between the two presentations. Wayland's presentation times are an estimate before GTK 4.14.2." },
  COUNT (throttled, "Ticks of frame clocks whose window was not shown: neither active nor late."),
  { "fps", JANK_NUMBER, JANK_AT (JankFrameNumbers, fps), JANK_OMIT_EMPTY, .fallback = -1, .max = 1000000,
    .words = "Frames per second of active time; left out below a second of it: an idle program has no frames per "
             "second, not 0." },
  { "fps_low", JANK_NUMBER, JANK_AT (JankFrameNumbers, fps_low), JANK_OMIT_EMPTY, .fallback = -1, .max = 1000000,
    .words = "Frames per second of the slowest hundredth of the frames, the “1 % low”; left out where `fps` is." },
  { "refresh_assumed", JANK_BOOLEAN, JANK_AT (JankFrameNumbers, refresh_assumed),
    .words = "Nothing told the refresh interval: 60 Hz was assumed." },
  { "stutter", JANK_NUMBER, JANK_AT (JankFrameNumbers, stutter), .max = 1,
    .words = "Share of the active time in `jank` frames." },
  { "hitch_ms_per_s", JANK_NUMBER, JANK_AT (JankFrameNumbers, hitch_ms_per_s), .max = 1000,
    .words = "Hitch time ratio of the program: milliseconds of lateness per second of active time." },
  { "hitch_compositor_ms_per_s", JANK_NUMBER, JANK_AT (JankFrameNumbers, hitch_compositor_ms_per_s), .max = 1000,
    .words = "The same of the compositor or the GPU. Milliseconds per second." },
  { "hitch_band", JANK_NICK, JANK_AT (JankFrameNumbers, hitch_band), JANK_NICKS (jank_hitch_band_nicks),
    .words = "Band of `hitch_ms_per_s`: good up to 5, warning up to 10, critical above." },
  { "buckets", JANK_OBJECT, .table = &buckets_table,
    .words = "Active frames by the refreshes that they dropped, as in Matrix." });

JANK_PART_TABLE (JankFrameWindow, window, NULL,
  JANK_CHARS ("name", JankFrameWindow, name, JANK_REDACT_TITLE, .flags = JANK_NOT_NULL,
    .words = "Title of the window, cut to 63 bytes."),
  { NULL, JANK_INLINE, JANK_AT (JankFrameWindow, numbers), .table = &numbers_table });

static const char *const who_nicks[] = { NULL, "program", "compositor" };

JANK_PART_TABLE (JankReportLateFrame, late_frame, NULL,
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReportLateFrame, verdict.began_ns),
    .words = "When the frame before began, by CLOCK_MONOTONIC." },
  { "ended_monotonic_ns", JANK_INT, JANK_AT (JankReportLateFrame, verdict.ended_ns),
    .words = "When the late frame began, by CLOCK_MONOTONIC." },
  { "interval_ns", JANK_INT, JANK_AT (JankReportLateFrame, verdict.judged_ns),
    .words = "The frame time that was late: of the frame clock, or of the display where only that was late." },
  { "dropped", JANK_INT, JANK_AT (JankReportLateFrame, verdict.n_dropped), .words = "Refreshes that it missed." },
  { "over_ns", JANK_INT, JANK_AT (JankReportLateFrame, verdict.over_ns), JANK_OMIT_EMPTY,
    .words = "With so much less work of the main loop it had been on time; left out where less work would not do." },
  { "busiest", JANK_NICK, JANK_AT (JankReportLateFrame, verdict.busiest), .fallback = JANK_FRAME_BETWEEN,
    JANK_NICKS (jank_frame_phase_nicks),
    .words = "Where most of the main loop's work was: a phase of the frame clock, or between two frames." },
  { "busiest_ns", JANK_INT, JANK_AT (JankReportLateFrame, verdict.busiest_ns), JANK_OMIT_EMPTY,
    .words = "How much work that was." },
  { "who", JANK_NICK, JANK_AT (JankReportLateFrame, verdict.who), JANK_REQUIRED, .fallback = JANK_FRAME_LATE_COMPOSITOR,
    JANK_NICKS (who_nicks),
    .words = "Who made it late: the program, or the compositor or GPU that kept it waiting." },
  { "stack", JANK_INDEX, JANK_AT (JankReportLateFrame, stack), .fallback = -1, .into = "stacks",
    .words = "What the main loop did meanwhile; left out when no sample fell into it." },
  JANK_CHARS ("culprit", JankReportLateFrame, culprit, JANK_REDACT_FUNCTION,
    .words = "Function that the main loop was in for most of it; left out when no sample fell into it."),
  JANK_CHARS ("report", JankReportLateFrame, report, JANK_REDACT_ID,
    .pattern = JANK_REPORT_ID_PATTERN,
    .words = "ID of the report of the stall that the frame was late for; left out when it was late for none."));

JANK_PART_TABLE (JankReportFramePart, frame_part, NULL,
  { "frame_monotonic_ns", JANK_INT, JANK_AT (JankReportFramePart, frame_ns),
    .words = "Of which late frame: its `ended_monotonic_ns`." },
  JANK_CHARS ("function", JankReportFramePart, function, JANK_REDACT_FUNCTION,
    .words = "Callback of sources that were dispatched, or their name; left out of a phase."),
  { "phase", JANK_NICK, JANK_AT (JankReportFramePart, phase), .fallback = JANK_FRAME_BETWEEN,
    JANK_NICKS (jank_frame_phase_nicks),
    .words = "The phase of the frame before that took most of its time, else `between`." },
  { "count", JANK_INT, JANK_AT (JankReportFramePart, count), .words = "How often it was dispatched, or 1." },
  { "total_ns", JANK_INT, JANK_AT (JankReportFramePart, total_ns), .words = "Time of it." });

JANK_TABLE (JankReportFrameClock, jank_report_frame_clock, finish_frame_clock,
  { NULL, JANK_INLINE, JANK_AT (JankReportFrameClock, numbers), .table = &numbers_table },
  { "presentation", JANK_BOOLEAN, JANK_AT (JankReportFrameClock, has_presentation),
    .words = "The display told when frames were shown; without that, what is late after the frame clock is not seen." },
  { "windows", JANK_VALUES, JANK_AT (JankReportFrameClock, windows), .max = JANK_REPORT_MAX_WINDOWS,
    .table = &window_table, .element = "A window.",
    .words = "The same for each window: per frame clock, the 16 used last of a process." },
  { "late_frames", JANK_VALUES, JANK_AT (JankReportFrameClock, late_frames), .max = JANK_FRAME_N_LATE,
    .table = &late_frame_table, .element = "A late frame.",
    .words = "The last late frames, oldest first." },
  { "parts", JANK_VALUES, JANK_AT (JankReportFrameClock, parts), JANK_OMIT_EMPTY,
    .max = JANK_FRAME_N_LATE * JANK_REPORT_MAX_PARTS,
    .table = &frame_part_table, .element = "A part of the work before a late frame.",
    .words = "What took a millisecond and more before a late frame: the phase of the clock that took most, and what "
             "the loop dispatched, as far as that was counted then: 10 s from something that the user did and from a "
             "late frame." });

#endif
