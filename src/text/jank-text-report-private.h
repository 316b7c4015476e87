/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A report as text for people, in their language: what happened in one sentence, the facts, the heaviest
 * stack, the samples in time. Pure; any thread; touches no file. */

#pragma once

#include "text/jank-text-private.h"
#include "report/jank-report-chain-private.h"
#include "report/jank-report-private.h"
#include "text/jank-named-stacks-private.h"

/* Returns: (transfer full): lines of UTF-8 */
char       *jank_text_report          (JankReport *report, const JankTextStyle *style);


/* "Main loop stalled for 1.24 s (hang): compute_primes() in jankwatch-demo was computing for 97 % of it".
 * Returns: (transfer full) */
char       *jank_text_headline (JankReport *report);

/* "1,234 frames in 20.6 s of animation, 59.8 FPS at 60 Hz; 12 late (9 by the program), 31 dropped, …".
 * Returns: (transfer full) */
char       *jank_text_frames   (const JankReportFrameClock *frame_clock);

/* "41 clicks and keys: p98 430 ms (poor), worst 612 ms on “Open”"; there must be some. Returns: (transfer full) */
char       *jank_text_inputs   (const JankReportInputs *inputs);

/* "Your click on “Open” waited 430 ms", and " for load_folder()"; who (nullable). Returns: (transfer full)
 * (nullable): it is none */
char       *jank_text_waited   (const JankReportInteraction *interaction, const char *who);
/* "Your click on “Open” waited 430 ms for load_folder()". Returns: (transfer full) (nullable): nobody is known to
 * have waited */
char       *jank_text_interaction (JankReport *report);

/* "compute_primes() in jankwatch-demo was computing for 97 % of it", or that the machine was overloaded: what the
 * headline says behind its colon. Returns: (transfer full) (nullable): without a culprit */
char       *jank_text_cause    (JankReport *report);
/* "compute_primes() (primes.c:123)", "gtk_window_present() in libgtk-4.so.1, from ‘my idle’". Returns: (transfer full)
 * (nullable): without a culprit */
char       *jank_text_culprit  (JankReport *report);

/* "Python's garbage collector (639 ms), begun in append_rows() (ledger.py:7)". Returns: (transfer
 * full) (nullable): the culprit is another */
char       *jank_text_collector (JankReport *report);

/* What the culprit mostly does: "computing", "reading ‘…/thumbs.db’". Returns: (transfer full) (nullable): nobody
 * knows, or it had no CPU */
char       *jank_text_doing    (JankReport *report);
/* What goes on from there, as jank_text_chain_rest(). Returns: (transfer full) (nullable): chain, (nullable), is not of
 * the wait that jank_text_doing() says */
char       *jank_text_doing_rest (JankReport *report, const JankReportChain *chain, gboolean is_short);
/* What to call instead: “g_timeout_add() does not block the main loop”. Returns: (transfer full) (nullable): no
 * advice is certain */
char       *jank_text_advice   (JankReport *report);
/* The same of one function, as jank_advice_find() */
char       *jank_text_advice_for (const char *function, const char *file, gboolean as_binding);
/* Its step; JANK_REPORT_NO_INDEX without. ret_advice: (transfer full) (nullable): the same */
gint        jank_text_find_advised (JankReport *report, char **ret_advice);

/* What a wait is for, in few words: "reading ‘…/thumbs.db’", "waiting for a lock (mutex) held by thread 42 “worker”".
 * Returns: (transfer full) */
char       *jank_text_wait     (JankReport *report, const JankReportWait *wait);
/* 42 “worker”. Returns: (transfer full) */
char       *jank_text_thread   (JankReport *report, gint tid);
/* "computing", "blocked in read". Returns: (transfer full) (nullable): nobody knows */
char       *jank_text_thread_doing (JankReport *report, const JankReportThread *thread);
/* The same of a thread in that state, which waits for that (nullable). Returns: (transfer full): "" when nobody
 * knows */
char       *jank_text_state_doing  (JankReport *report, JankThreadState state, const JankReportWait *wait);
/* Who waits for whose lock: 41 “main” → 42 “worker” → 41 “main”. Returns: (transfer full) */
char       *jank_text_chain    (JankReport *report, const char *arrow);

/* Names for people; the nicks of the schema are not translated. */
const char *jank_text_severity (JankSeverity severity);
const char *jank_text_outcome  (JankOutcome outcome);
const char *jank_text_state    (JankThreadState state);
const char *jank_text_state_sgr (JankThreadState state);

/* Sections. */
void        jank_text_add_stack    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_branches (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_timeline (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_times    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_waits    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_locks    (GString *out, JankReport *report, const JankTextStyle *style);
void        jank_text_add_threads  (GString *out, JankReport *report, const JankTextStyle *style);
/* What was dispatched while a person or a frame waited, “6 × on_row() (sort.c:80) 31 ms, …”; is_short: the three with
 * the most time, if all explain half of the wait. Returns: (transfer full) (nullable) */
char       *jank_text_contributors (JankReport *report, gboolean is_short);
/* “on_row() (sort.c:80)”. Returns: (transfer full) */
char       *jank_text_callback     (JankReport *report, gint callback);
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

/* A call on the heaviest stack, from the dispatch of the main loop inward. */
typedef struct
{
  const JankTextRow *row;
  gboolean           is_folded; /* of a library, and neither innermost nor called by the program */
} JankTextStep;

/* rows: of jank_text_heaviest(), which must outlive it. Returns: (transfer full) (element-type JankTextStep),
 * innermost first */
GArray     *jank_text_path          (const JankReport *report, const GArray *rows);

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
/* "compute_primes()"; a description, "handler of GtkButton::clicked on “Freeze”", as it is. Returns: (transfer full) */
char       *jank_text_name_function (JankReport *report, guint call, const char *function);
/* Of a call: its function's name. Returns: (transfer full) */
char       *jank_text_function      (JankReport *report, guint call);
/* "load_words → strlen": the innermost function of the program, and the innermost with a name but skip (nullable).
 * Returns: (transfer full) */
char       *jank_text_where         (JankNamedStacks *names, gint stack, const char *skip);
