/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report as text for people, in their language: what happened in one sentence, the facts, the heaviest
 * stack, the samples in time. Pure; any thread; touches no file. */

#pragma once

#include "base/jank-each-private.h"
#include "text/jank-text-sentence-private.h"
#include "text/jank-named-stacks-private.h"

/* Returns: (transfer full): lines of UTF-8 */
char       *jank_text_report          (JankReport *report, const JankTextStyle *style);

/* "1,234 frames in 20.6 s of animation, 59.8 FPS at 60 Hz; 12 late (9 by the program), 31 dropped, …".
 * Returns: (transfer full) */
char       *jank_text_frames   (const JankReportFrameClock *frame_clock);

/* "41 clicks and keys: p98 430 ms (poor), worst 612 ms on “Open”"; there must be some. Returns: (transfer full) */
char       *jank_text_inputs   (const JankReportInputs *inputs);

/* "Your click on “Open” waited 430 ms for load_folder()". Returns: (transfer full) (nullable): nobody is known to
 * have waited */
char       *jank_text_interaction (JankReport *report);

/* What a thread in that state does, which waits for that (nullable). Returns: (transfer full): "" when nobody knows */
char       *jank_text_state_doing  (JankReport *report, JankThreadState state, const JankReportWait *wait);
const char *jank_text_state    (JankThreadState state);
const char *jank_text_state_sgr (JankThreadState state);
/* jankwatch's own tags have translated names. Returns: (nullable): it is the program's */
const char *jank_text_tag      (const JankReportTag *tag);

/* Sections. */
void        jank_text_add_stack    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_branches (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_timeline (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_times    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_waits    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_locks    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_threads  (GString *out, JankReport *report, const JankTextStyle *style);
/* “a turn of 48 ms for on_row() (sort.c:80)”. Returns: (transfer full) */
char       *jank_text_turn         (JankReport *report, const JankReportTurn *turn);
/* The longest of what led to the stall, oldest first. Returns: (transfer full) (nullable) */
char       *jank_text_before       (JankReport *report);
/* “6 × on_row 31 ms, layout 9 ms”. Returns: (transfer full) (nullable): not known, or too little */
char       *jank_text_frame_parts  (const JankReportFrameClock *frame_clock, const JankReportLateFrame *late);
/* “on time with 8.2 ms less in layout”: of a late frame. Returns: (transfer full) (nullable): over_ns is 0 */
char       *jank_text_frame_over   (gint64 over_ns, gint64 busiest_ns, JankFramePhase busiest);
void        jank_text_add_sources  (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_late_frames (GString *out, JankReport *report, const JankTextStyle *style);

/* A line of the heaviest stack. */
typedef struct
{
  const JankNamedCall *call;
  JankReportStep       step; /* on the heaviest path; without a share: unknown */
  gboolean             is_culprit;
  guint                n_hidden; /* calls of an interpreter next to it that are left out */
} JankTextRow;

/* Innermost first: the representative stack, else the path alone; a function of the path with the line that the path
 * has. Returns: (transfer full) (element-type JankTextRow) */
GArray     *jank_text_heaviest      (JankNamedStacks *names);

/* Innermost first: the representative stack, else the path alone. Returns: (transfer full) of guint */
GArray     *jank_text_heaviest_calls (JankReport *report);
/* For each call of a stack, innermost first, its step of the heaviest path, or behind them its branch; or
 * JANK_REPORT_NO_INDEX. Returns: (transfer full) of gint */
GArray     *jank_text_find_steps    (JankReport *report, const GArray *calls);
/* Returns: (transfer none) (nullable): of none */
const JankReportStep *jank_text_get_step (JankReport *report, gint at);

/* What took at least a fifth of the stall and is not on the heaviest stack. */
typedef struct
{
  const JankReportBranch *branch; /* of the report: its outermost function of the program, else its outermost */
  const JankNamedCall    *call;   /* that function */
  const JankNamedCall    *caller; /* (nullable): the program's innermost function further out, else any */
  gint                    from;   /* what it leaves: as jank_text_find_steps() counts */
  char                   *text;   /* "load_words → read, called by on_open"; the second is the innermost that has a
                                     name */
} JankTextBranch;

/* Heaviest first. Returns: (transfer full) (element-type JankTextBranch) */
GArray     *jank_text_branches      (JankNamedStacks *names);
/* "load_words → read, called by on_open: 291 ms, 32 %". Returns: (transfer full) */
char       *jank_text_branch        (const JankTextBranch *branch);
/* "load_words → strlen": the innermost function of the program, and the innermost with a name but skip (nullable).
 * Returns: (transfer full) */
char       *jank_text_where         (JankNamedStacks *names, gint stack, const char *skip);
