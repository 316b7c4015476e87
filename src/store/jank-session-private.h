/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the observed processes of one `jankwatch run` tell it: each keeps a file
 * STORE/sessions/SESSION-PID.json of its own (data/jankwatch-session-1.schema.json), and run merges them.
 * Not thread-safe; a session belongs to one thread at a time; save blocks on the disk. */

#pragma once

#include "report/jank-report-private.h"

#include <json-glib/json-glib.h>

#define JANK_SESSION_SCHEMA "jankwatch-session-1"
#define JANK_SESSION_MAX_STALLS 1000
#define JANK_SESSION_MAX_SOURCES 64

/* What watching cost one process, so far. */
typedef struct
{
  guint64 samples, lost_samples;
  guint64 signals_sent;
  guint64 no_answer;    /* signals that the observed thread did not answer in time */
  guint64 wakeups;      /* of the watcher thread */
  gint64  cost_ns;      /* CPU time of the watcher thread */
} JankSessionSelf;

/* Time in stalls of more than 250 ms; a loop that spins, CPU use and missing frames are none. */
typedef struct
{
  guint64 n_hangs;
  gint64  hung_ns;
  gint64  watched_ns; /* how long the program was watched, start-up included */
} JankSessionHangs;

/* One kind of source, exactly counted; only where the setting `sources` asks for it. */
typedef struct
{
  char  *name;     /* "": has none */
  char  *function; /* of its callback, (nullable) */
  gint   priority;
  gint64 count, total_ns, longest_ns;
} JankSessionSource;

typedef struct
{
  char          *id;
  JankReportKind kind;
  gint64         began_monotonic_ns;
  gint64         duration_ns;
  JankSeverity   severity;
  JankOutcome    outcome;
  char          *culprit; /* (nullable) */
  gint           pid;
} JankSessionStall;

/* All strings (nullable), copied where they are kept. */
typedef struct
{
  char *name, *id, *exe;
  gint  pid;
} JankSessionApp;

typedef struct _JankSession JankSession;

/* In the observed process. session is the value of JANKWATCH_SESSION. Touches no file yet. */
JankSession *jank_session_new      (const char *store_folder, const char *session, const JankSessionApp *app);
void         jank_session_free     (JankSession *self);

/* A report of a stall that was added before, by when that began, takes the place of the earlier one. Of stalls with
 * the same fingerprint each is a stall of the session; they share the ID of one report. */
void         jank_session_add      (JankSession *self, JankReport *report);
/* The stall that began then, and was added last, was none. It is of the kind JANK_REPORT_STALL. */
void         jank_session_remove   (JankSession *self, gint64 began_ns);
void         jank_session_set_self (JankSession *self, const JankSessionSelf *value);
void         jank_session_set_hangs (JankSession *self, const JankSessionHangs *value);
/* sources: (transfer full) (element-type JankSessionSource), heaviest first. */
void         jank_session_set_sources (JankSession *self, GPtrArray *sources);
/* What the frame clocks saw so far, in the place of what was set before. frame_clock: (transfer full) (nullable):
 * there were none. */
void         jank_session_set_frames (JankSession *self, JankReportFrameClock *frame_clock);

/* Saving without any stall says that the process is watched. */
gboolean     jank_session_save     (JankSession *self, GError **error);

/* Letters, digits and hyphens: part of a file name. */
gboolean     jank_session_is_name  (const char *session);

/* One process of a session, read back. */
typedef struct
{
  JankSessionApp  app;      /* (owned) */
  guint64         n_stalls;
  gint64          total_ns; /* of all stalls */
  JankSessionSelf self;
} JankSessionProcess;

/* Everything of one session. */
typedef struct
{
  char           *session;
  GPtrArray      *processes; /* (element-type JankSessionProcess) */
  GPtrArray      *stalls;    /* (element-type JankSessionStall), by time, and what is none but has a report; the first
                              * 1000 of each process */
  guint64         n_stalls;
  gint64          total_ns;
  guint64         n_reports[JANK_N_REPORT_KINDS]; /* stalls of a file without them: of the kind JANK_REPORT_STALL */
  JankSessionSelf self;
  JankSessionHangs hangs;
  GPtrArray      *sources;   /* (element-type JankSessionSource), heaviest first */
  JankReportFrameClock *frame_clock; /* (owned) (nullable): of all processes, by jank_report_frame_clock_merge() */
} JankSessionSummary;

/* Merges all files of session; none is an empty summary. A stall that was ongoing in a process that is gone
 * counts as killed. Files that cannot be read are left out.
 * Returns: (transfer full) (nullable) */
JankSessionSummary     *jank_session_load            (const char *store_folder, const char *session, GError **error);
void                    jank_session_summary_free    (JankSessionSummary *self);

/* The longest stall. Returns: (nullable) */
const JankSessionStall *jank_session_summary_worst   (const JankSessionSummary *self);
/* The longest of that kind. Returns: (nullable) */
const JankSessionStall *jank_session_summary_longest (const JankSessionSummary *self, JankReportKind kind);

/* What `jankwatch run --json` writes. Returns: (transfer full) */
JsonNode               *jank_session_summary_to_node (const JankSessionSummary *self, const char *const *command,
                                                      gint exit_status);

/* Shared by writer and reader. */
#define JANK_SESSION_FOLDER "sessions"
gboolean                jank_session_is_file_name    (const char *name);
void                    jank_session_stall_free      (gpointer stall);
void                    jank_session_app_to_json     (const JankSessionApp *app, JsonObject *parent);
void                    jank_session_stall_to_json   (const JankSessionStall *stall, JsonArray *array);
void                    jank_session_self_to_json    (const JankSessionSelf *self, JsonObject *parent);
void                    jank_session_hangs_to_json   (const JankSessionHangs *self, JsonObject *parent);
/* Arrays of JANK_N_REPORT_KINDS. */
guint64                 jank_session_count_stalls    (const guint64 *n_reports);
void                    jank_session_reports_to_json (const guint64 *n_reports, JsonObject *parent);
/* Of none nothing. */
void                    jank_session_sources_to_json (GPtrArray *sources, JsonObject *parent);
JankSessionSource      *jank_session_source_new      (const char *name, const char *function);
void                    jank_session_source_free     (gpointer source);
double                  jank_session_hang_rate       (const JankSessionHangs *self); /* seconds per hour */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSession, jank_session_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSessionSummary, jank_session_summary_free)
