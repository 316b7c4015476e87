/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What lists and sums need of a report, so that the file stays closed. Below the struct stand the rows that make it
 * a line of the index and JSON: a new column is a member, its row, and a line in jank_row_new(). Pure; any thread. */

#pragma once

#include "base/jank-each-private.h"
#include "report/jank-report-private.h"

/* Texts are (nullable) unless they say otherwise, and as the report has them: clean them before a terminal sees
 * them. */
typedef struct
{
  char          *id;          /* never NULL: of the report and its file */
  JankReportKind kind;
  char          *session;     /* of `jankwatch run` */
  char          *app, *app_id, *exe;
  char          *version;     /* of the program, as it says itself */
  char          *build;       /* of the program's executable: its build-id */
  gint           pid;
  gint64         began_us;    /* since the Unix epoch; of the longest stall, whose samples the report has */
  gint64         duration_ns, threshold_ns;
  JankSeverity   severity;
  JankOutcome    outcome;
  gboolean       deadlock;
  char          *culprit;     /* function, as the linker names it; or "module+0x…" */
  char          *caller;      /* that tells it from another of the same name; not in the index */
  char          *callee;      /* of a culprit that makes an object: what it spends most time in */
  gint           callee_percent;
  char          *module;      /* of the culprit: path */
  char          *file;        /* of its source */
  guint          line;
  char          *nameless_in; /* build-id of the module of a culprit without a name */
  char          *extension;   /* of GNOME Shell, whose fault it is: its UUID */
  char          *source;      /* that was dispatched: its name */
  char          *callback;    /* of a spin: what the loop calls again and again */
  char          *reason;      /* the verdict's kind: "computing", "two-waits"; of one wait its kind: "file" */
  char          *tags;        /* "name=value" on a line each */
  char          *fingerprint; /* never NULL: the ID where the report has none */
  guint          count;       /* stalls of this fingerprint in its process; at least 1 */
  gint64         total_ns, longest_ns, p95_ns;
  gint64         first_us, last_us;
  GArray        *lengths;     /* JankReportLength, shortest first; as many as count, or empty or NULL: not known */
} JankRow;

/* Whether more than the brief report is needed: calls have to be named. */
gboolean       jank_row_needs_calls  (JankReport *report);

/* Returns: (transfer full): free with jank_row_free() */
JankRow       *jank_row_from_report  (JankReport *report);

/* The function to name, with what tells it apart. Returns: (transfer full), cleaned; "unknown" without a culprit */
char          *jank_row_dup_culprit  (const JankRow *self);

/* Its version, else the beginning of its build-id. Returns: (nullable) */

extern const JankTable jank_row_table;
JankRow       *jank_row_new          (void);
void           jank_row_free         (gpointer self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankRow, jank_row_free)

/* The rows, for jank-row.c only. */
#ifdef JANK_ROW_FIELDS

JANK_PART_TABLE (JankReportLength, length, NULL,
  { "ns", JANK_INT, JANK_AT (JankReportLength, ns) },
  { "count", JANK_INT, JANK_AT (JankReportLength, count) });

JANK_TABLE (JankRow, jank_row, NULL,
  JANK_TEXT ("id", JankRow, id, JANK_REDACT_ID),
  { "kind", JANK_NICK, JANK_AT (JankRow, kind), JANK_NICKS (jank_report_kind_nicks) },
  JANK_TEXT ("app", JankRow, app, JANK_REDACT_NAME),
  JANK_TEXT ("app_id", JankRow, app_id, JANK_REDACT_WORD),
  JANK_TEXT ("exe", JankRow, exe, JANK_REDACT_PATH),
  JANK_TEXT ("version", JankRow, version, JANK_REDACT_WORD),
  JANK_TEXT ("build", JankRow, build, JANK_REDACT_WORD),
  { "pid", JANK_INT, JANK_AT (JankRow, pid) },
  JANK_TEXT ("session", JankRow, session, JANK_REDACT_ID),
  { "began", JANK_TIME, JANK_AT (JankRow, began_us) },
  { "duration_ns", JANK_INT, JANK_AT (JankRow, duration_ns) },
  { "threshold_ns", JANK_INT, JANK_AT (JankRow, threshold_ns) },
  { "severity", JANK_NICK, JANK_AT (JankRow, severity), JANK_NICKS (jank_severity_nicks) },
  { "outcome", JANK_NICK, JANK_AT (JankRow, outcome), JANK_NICKS (jank_outcome_nicks) },
  { "deadlock", JANK_BOOLEAN, JANK_AT (JankRow, deadlock) },
  JANK_TEXT ("culprit", JankRow, culprit, JANK_REDACT_FUNCTION),
  JANK_TEXT ("caller", JankRow, caller, JANK_REDACT_FUNCTION),
  JANK_TEXT ("callee", JankRow, callee, JANK_REDACT_FUNCTION),
  { "callee_percent", JANK_INT, JANK_AT (JankRow, callee_percent), JANK_OMIT_EMPTY },
  JANK_TEXT ("module", JankRow, module, JANK_REDACT_PATH),
  JANK_TEXT ("file", JankRow, file, JANK_REDACT_PATH),
  { "line", JANK_INT, JANK_AT (JankRow, line), JANK_OMIT_EMPTY },
  JANK_TEXT ("nameless_in", JankRow, nameless_in, JANK_REDACT_WORD),
  JANK_TEXT ("extension", JankRow, extension, JANK_REDACT_WORD),
  JANK_TEXT ("source", JankRow, source, JANK_REDACT_SOURCE),
  JANK_TEXT ("callback", JankRow, callback, JANK_REDACT_FUNCTION),
  JANK_TEXT ("reason", JankRow, reason, JANK_REDACT_WORD),
  JANK_TEXT ("tags", JankRow, tags, JANK_REDACT_TAGS, .flags = JANK_LINES),
  JANK_TEXT ("fingerprint", JankRow, fingerprint, JANK_REDACT_ID),
  { "count", JANK_INT, JANK_AT (JankRow, count) },
  { "total_ns", JANK_INT, JANK_AT (JankRow, total_ns) },
  { "longest_ns", JANK_INT, JANK_AT (JankRow, longest_ns) },
  { "p95_ns", JANK_INT, JANK_AT (JankRow, p95_ns) },
  { "first", JANK_TIME, JANK_AT (JankRow, first_us) },
  { "last", JANK_TIME, JANK_AT (JankRow, last_us) },
  { "lengths", JANK_VALUES, JANK_AT (JankRow, lengths), JANK_OMIT_EMPTY, .table = &length_table });

#endif
