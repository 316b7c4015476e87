/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence on a report: what happened, and who did it, for the program's log and for all that shows reports. Pure;
 * any thread. */

#pragma once

#include "text/jank-text-private.h"
#include "report/jank-report-private.h"

/* What people are told of a kind of report; a text contains %s for a length, or %lu for a number. */
typedef struct
{
  char      *(*describe) (JankReport *report); /* what happened, not why */
  const char *word;            /* (nullable): of the context "kind"; NULL: its severity is told */
  const char *lasting, *ended; /* (nullable): how long; NULL: the length says it */
  const char *reports;         /* (nullable): of what is no stall, and counted */
} JankTextKind;

extern const JankTextKind jank_text_kinds[JANK_N_REPORT_KINDS];

/* "Main loop stalled for 1.24 s (hang): compute_primes() in jankwatch-demo was computing for 97 % of it".
 * Returns: (transfer full) */
char       *jank_text_headline (JankReport *report);

/* "Your click on “Open” waited 430 ms", and " for load_folder()"; who (nullable). Returns: (transfer full)
 * (nullable): it is none */
char       *jank_text_waited   (const JankReportInteraction *interaction, const char *who);

/* "compute_primes() in jankwatch-demo was computing for 97 % of it", or that the machine was overloaded: what the
 * headline says behind its colon. Returns: (transfer full) (nullable): without a culprit */
char       *jank_text_cause    (JankReport *report);
/* "compute_primes() (primes.c:123)", "gtk_window_present() in libgtk-4.so.1, from ‘my idle’". Returns: (transfer full)
 * (nullable): without a culprit */
char       *jank_text_culprit  (JankReport *report);
char       *jank_text_culprit_alone (JankReport *report); /* "compute_primes()"; there must be one */

/* "Python's garbage collector (639 ms), begun in append_rows() (ledger.py:7)". Returns: (transfer
 * full) (nullable): the culprit is another */
char       *jank_text_collector (JankReport *report);

/* What the culprit mostly does: "computing", "reading ‘…/thumbs.db’". Returns: (transfer full) (nullable): unknown */
char       *jank_text_doing    (JankReport *report);
/* What goes on from there. Returns: (transfer full) (nullable): chain, (nullable), is not of
 * the wait that jank_text_doing() says */
char       *jank_text_doing_rest (JankReport *report, const JankReportChain *chain, gboolean is_short);

/* What a wait is for, in few words: "reading ‘…/thumbs.db’", "waiting for a lock (mutex) held by thread 42 “worker”".
 * Returns: (transfer full) */
char       *jank_text_wait     (JankReport *report, const JankReportWait *wait);
/* 42 “worker”. Returns: (transfer full) */
char       *jank_text_thread   (JankReport *report, gint tid);
/* "computing", "blocked in read". Returns: (transfer full) (nullable): nobody knows */
char       *jank_text_thread_doing (JankReport *report, const JankReportThread *thread);

/* Names for people; the nicks of the schema are not translated. */
const char *jank_text_severity (JankSeverity severity);
const char *jank_text_outcome  (JankOutcome outcome);

/* What was dispatched while a person or a frame waited, “6 × on_row() (sort.c:80) 31 ms, …”; is_short: the three with
 * the most time, if all explain half of the wait. Returns: (transfer full) (nullable) */
char       *jank_text_contributors (JankReport *report, gboolean is_short);
/* “on_row() (sort.c:80)”. Returns: (transfer full) */
char       *jank_text_callback     (JankReport *report, gint callback);

/* "compute_primes()"; a description, "handler of GtkButton::clicked on “Freeze”", as it is. Returns: (transfer full) */
char       *jank_text_name_function (JankReport *report, guint call, const char *function);
/* "save_database() (store.c:12)"; an address as it is. file: (nullable). Returns: (transfer full) */
char       *jank_text_at       (JankReport *report, const char *function, const char *file, guint line);
/* Where the thread that waits for a lock probably took that itself. Returns: (transfer full) (nullable) */
char       *jank_text_taker    (JankReport *report);
/* Of a call: its function's name. Returns: (transfer full) */
char       *jank_text_function      (JankReport *report, guint call);
/* “Open”, or the type of the widget. Returns: (transfer full) (nullable) */
char       *jank_text_target   (const JankReportInteraction *interaction);
