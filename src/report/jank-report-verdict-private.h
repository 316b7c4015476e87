/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the facts of a report mean: what kept the loop, in numbers. verdict/ finds it, what shows reports reads it. */

#pragma once

#include "json/jank-field-private.h"
#include "report/jank-report-parts-private.h"

/* The first ones are also what the culprit mostly did. */
typedef enum
{
  JANK_VERDICT_UNKNOWN,
  JANK_VERDICT_COMPUTING,
  JANK_VERDICT_KERNEL,
  JANK_VERDICT_PAGE_FAULTS,
  JANK_VERDICT_WAITING,
  JANK_VERDICT_MANY_WAITS,
  JANK_VERDICT_LOCK,

  JANK_VERDICT_TWO_WAITS,
  JANK_VERDICT_DEADLOCK,
  JANK_VERDICT_STARVED_MACHINE,
  JANK_VERDICT_CONTRIBUTORS,
  JANK_VERDICT_GARBAGE_COLLECTOR,
  JANK_VERDICT_SPIN,
  JANK_VERDICT_IDLE,
  JANK_N_VERDICTS,
} JankVerdictKind;

#define JANK_VERDICT_MAX_WAITS 8

typedef struct
{
  JankReportWait *wait; /* (owned) */
  gint64          time_ns;
} JankReportVerdictWait;

/* A function that the culprit called. */
typedef struct
{
  char  *function; /* (owned) */
  double share;
} JankReportVerdictPart;

/* Strings (nullable). */
typedef struct
{
  JankVerdictKind kind;
  JankVerdictKind doing;        /* what the culprit mostly did, whatever the kind; one of the first */
  double          share;        /* of the stall, as the kind says */
  double          second_share; /* the same of the second wait */
  double          stack_share;  /* -1: says nothing. Of the stacks, those of the culprit, on a machine without CPU */
  gint            wait, second; /* index into waits, or -1: none */
  gint            after;        /* into the report's calls, or -1: probably caused what the culprit did for GTK later */
  gboolean        walks;        /* it is the loop that goes through its sources */
  GPtrArray      *waits;        /* JankReportVerdictWait, of all samples, longest first; then those of the culprit */
  GPtrArray      *parts;        /* JankReportVerdictPart: two, or none */
  char           *kernel;       /* as in JankReportSample */
  char           *driver;       /* file of a graphics driver */
  char           *callee;       /* innermost named call of the culprit, outermost first */
  char           *collector;    /* of garbage: its name, in English */
  /* Probably: who is to wake it, or holds what it waits for; of its own thread, the function that took that. */
  struct { gint tid; char *function, *file; guint line; gboolean alone, direct; } waker;
  struct { char *function, *file; guint line; gboolean asked; } begun; /* where the collector began, or was asked for */
} JankReportVerdict;

JankReportVerdict     *jank_report_verdict_new      (void);
void                   jank_report_verdict_free     (gpointer self);
JankReportVerdictWait *jank_report_verdict_wait_new (void);
JankReportVerdictPart *jank_report_verdict_part_new (void);
extern const JankTable jank_report_verdict_table;
extern const char *const jank_verdict_nicks[JANK_N_VERDICTS];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReportVerdict, jank_report_verdict_free)

/* Of the index wait or second. Returns: (nullable): there is none */
static inline const JankReportWait *
jank_report_verdict_get_wait (const JankReportVerdict *self, gint i)
{
  return i >= 0 ? ((const JankReportVerdictWait *) g_ptr_array_index (self->waits, i))->wait : NULL;
}

/* The rows, for jank-report-fields.c only. */
#ifdef JANK_REPORT_FIELDS

static gboolean finish_verdict      (gpointer self);
static gboolean finish_verdict_wait (gpointer self);
static gboolean finish_verdict_part (gpointer self);

const char *const jank_verdict_nicks[JANK_N_VERDICTS] = {
  "unknown", "computing", "kernel", "page-faults", "waiting", "many-waits", "lock",
  "two-waits", "deadlock", "starved-machine", "contributors", "garbage-collector", "spin", "idle",
};

JANK_TABLE (JankReportVerdictWait, jank_report_verdict_wait, finish_verdict_wait,
  { "wait", JANK_POINTER, JANK_AT (JankReportVerdictWait, wait), JANK_REQUIRED, .table = &jank_report_wait_table,
    .words = "What it waited for." },
  { "time_ns", JANK_INT, JANK_AT (JankReportVerdictWait, time_ns), .words = "For how long, in all samples." });

JANK_TABLE (JankReportVerdictPart, jank_report_verdict_part, finish_verdict_part,
  JANK_TEXT ("function", JankReportVerdictPart, function, JANK_REDACT_FUNCTION, .flags = JANK_REQUIRED,
    .words = "Its name."),
  { "share", JANK_NUMBER, JANK_AT (JankReportVerdictPart, share), .max = 1, .words = "Of the time that has stacks." });

JANK_PART_TABLE (JankReportVerdict, begun, NULL,
  JANK_TEXT ("function", JankReportVerdict, begun.function, JANK_REDACT_FUNCTION, .words = "Its name."),
  JANK_TEXT ("file", JankReportVerdict, begun.file, JANK_REDACT_PATH, .words = "Source file."),
  { "line", JANK_INT, JANK_AT (JankReportVerdict, begun.line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  { "asked", JANK_BOOLEAN, JANK_AT (JankReportVerdict, begun.asked), JANK_OMIT_EMPTY,
    .words = "The program asked for it." });

JANK_PART_TABLE (JankReportVerdict, waker, NULL,
  { "tid", JANK_INT, JANK_AT (JankReportVerdict, waker.tid), JANK_OMIT_EMPTY, .words = "Thread." },
  JANK_TEXT ("function", JankReportVerdict, waker.function, JANK_REDACT_FUNCTION,
    .words = "The program's function that it is in, or in which the thread itself probably took the lock."),
  JANK_TEXT ("file", JankReportVerdict, waker.file, JANK_REDACT_PATH, .words = "Source file."),
  { "line", JANK_INT, JANK_AT (JankReportVerdict, waker.line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  { "direct", JANK_BOOLEAN, JANK_AT (JankReportVerdict, waker.direct), JANK_OMIT_EMPTY,
    .words = "Of its own lock: that function called the one that waits, which may have taken the lock before." },
  { "alone", JANK_BOOLEAN, JANK_AT (JankReportVerdict, waker.alone), JANK_OMIT_EMPTY,
    .words = "No other thread is at work: probably only this main loop could wake it." });

JANK_TABLE (JankReportVerdict, jank_report_verdict, finish_verdict,
  { "kind", JANK_NICK, JANK_AT (JankReportVerdict, kind), .fallback = -1, JANK_NICKS (jank_verdict_nicks),
    .words = "What kept the main loop: the culprit computed, in a graphics driver maybe (computing), or inside the "
             "kernel (kernel); it waited for memory from disk (page-faults), for one thing (waiting), for two of at "
             "least a quarter of the stall each (two-waits), for several (many-waits), for a lock (lock), for a lock "
             "that is never given back (deadlock). The machine was overloaded (starved-machine); several sources were "
             "dispatched while a person or a frame waited (contributors); an interpreter collected garbage "
             "(garbage-collector); the main loop turned without waiting (spin); it waited for events (idle); or it is "
             "not known (unknown)." },
  { "doing", JANK_NICK, JANK_AT (JankReportVerdict, doing), .fallback = -1, JANK_NICKS (jank_verdict_nicks),
    .words = "What the culprit did most of its time, whatever `kind` is: one of the kinds up to `lock`, or unknown." },
  { "share", JANK_NUMBER, JANK_AT (JankReportVerdict, share), .max = 1,
    .words = "Of the stall, the part that went into that: of `two-waits` into the first; of `starved-machine` the part "
             "without a CPU; of `contributors` their sum." },
  { "wait", JANK_INT, JANK_AT (JankReportVerdict, wait), .fallback = -1,
    .words = "Which of `waits` it is, counted from 0; left out when it is none." },
  { "second", JANK_INT, JANK_AT (JankReportVerdict, second), .fallback = -1, .words = "Of `two-waits` the second." },
  { "second_share", JANK_NUMBER, JANK_AT (JankReportVerdict, second_share), JANK_OMIT_EMPTY, .max = 1,
    .words = "Of the stall, the part that went into the second." },
  { "after", JANK_INDEX, JANK_AT (JankReportVerdict, after), .fallback = -1, .into = "frames",
    .words = "The report's `after`, if it probably caused the work: a library computed, and no source of the program's "
             "was dispatched." },
  { "walks", JANK_BOOLEAN, JANK_AT (JankReportVerdict, walks), JANK_OMIT_EMPTY,
    .words = "The culprit is the main loop itself, which goes through all of its sources in each turn." },
  { "stack_share", JANK_NUMBER, JANK_AT (JankReportVerdict, stack_share), .fallback = -1, .max = 1,
    .words = "Of `starved-machine`: of the time that has stacks, with the culprit on the stack." },
  { "waits", JANK_ARRAY, JANK_AT (JankReportVerdict, waits), JANK_OMIT_EMPTY, .max = JANK_VERDICT_MAX_WAITS + 2,
    .table = &jank_report_verdict_wait_table, .element = "A wait.",
    .words = "What the thread waited for, the longest first. Several calls on one file are one wait, without "
             "`syscall`; so are files of one mount where none stands out, without `target`." },
  { "parts", JANK_ARRAY, JANK_AT (JankReportVerdict, parts), JANK_OMIT_EMPTY, .max = 2,
    .table = &jank_report_verdict_part_table, .element = "A function.",
    .words = "Two functions that the culprit called, where neither took half of the time." },
  JANK_TEXT ("kernel", JankReportVerdict, kernel, JANK_REDACT_WORD,
    .words = "Of `kernel`: the function that made the system call, or `unknown`."),
  JANK_TEXT ("driver", JankReportVerdict, driver, JANK_REDACT_PATH,
    .words = "Of `computing`: the graphics driver that took half of the time or more."),
  JANK_TEXT ("callee", JankReportVerdict, callee, JANK_REDACT_FUNCTION,
    .words = "What the culprit waits in, where another thread is to wake it."),
  JANK_TEXT ("collector", JankReportVerdict, collector, JANK_REDACT_FUNCTION,
    .words = "Of `garbage-collector`: whose."),
  { "waker", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY | JANK_OPTIONAL, .table = &waker_table,
    .words = "Who probably is to wake the thread, where no owner is known: a guess by the threads that are at work." },
  { "begun", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &begun_table,
    .words = "The program's function in which the garbage collector began." });

#endif
