/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report as text for people, in their language: what happened in one sentence, the facts, the heaviest
 * stack, the samples in time. Pure; any thread; touches no file. */

#pragma once

#include "export/jank-text-private.h"
#include "report/jank-report-private.h"

/* Returns: (transfer full): lines of UTF-8 */
char       *jank_export_text          (JankReport *report, const JankTextStyle *style);

/* "Main loop stalled for 1.24 s (hang): compute_primes() in jankwatch-demo was computing for 97 % of it".
 * Returns: (transfer full) */
char       *jank_export_text_headline (JankReport *report);

/* "1,234 frames in 20.6 s of animation, 59.8 FPS at 60 Hz; 12 late (9 by the program), 31 dropped, …".
 * Returns: (transfer full) */
char       *jank_export_text_frames   (const JankReportFrameClock *frame_clock);

/* Names for people; the nicks of the schema are not translated. */
const char *jank_export_text_severity (JankSeverity severity);
const char *jank_export_text_outcome  (JankOutcome outcome);

/* Sections. */
void        jank_export_text_add_stack    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_export_text_add_timeline (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_export_text_add_late_frames (GString *out, JankReport *report, const JankTextStyle *style);

/* Whether two frames are in one function. */
gboolean    jank_export_text_same_function (JankReport *report, guint frame_a, guint frame_b);
/* The culprit's step on the heaviest path, the innermost where it recurs; JANK_REPORT_NO_INDEX without one. */
gint        jank_export_text_find_culprit  (JankReport *report);
/* Whether the stack of a sample has the function of frame on it. */
gboolean    jank_export_text_has_function  (JankReport *report, const JankReportSample *sample, guint frame);
