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

/* What watching cost one process, so far. */
typedef struct
{
  guint64 samples, lost_samples;
  guint64 signals_sent;
  guint64 no_answer;    /* signals that the observed thread did not answer in time */
  guint64 wakeups;      /* of the watcher thread */
  gint64  cost_ns;      /* CPU time of the watcher thread */
  gint64  memory_bytes; /* private memory that watching added; 0: unknown */
} JankSessionSelf;

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
  char *name, *id, *exe, *version;
  gint  pid;
} JankSessionApp;

typedef struct _JankSession JankSession;

/* In the observed process. session is the value of JANKWATCH_SESSION. Touches no file yet. */
JankSession *jank_session_new      (const char *store_folder, const char *session, const JankSessionApp *app);
void         jank_session_free     (JankSession *self);

/* A report with an ID that was added before takes the place of the earlier one. */
void         jank_session_add      (JankSession *self, JankReport *report);
void         jank_session_set_self (JankSession *self, const JankSessionSelf *value);
/* What the frame clocks saw so far; merged (nullable) holds the late frames. In the place of what was set before. */
void         jank_session_set_frames (JankSession *self, const JankFrameSummary *summary,
                                      const JankFrameSnapshot *merged, gboolean has_presentation);

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
  GPtrArray      *stalls;    /* (element-type JankSessionStall), by time; the first 1000 of each process */
  guint64         n_stalls;
  gint64          total_ns;
  JankSessionSelf self;
  JankReportFrameClock *frame_clock; /* (owned) (nullable): of all processes, by jank_report_frame_clock_merge() */
} JankSessionSummary;

/* Merges all files of session; none is an empty summary. A stall that was ongoing in a process that is gone
 * counts as killed. Files that cannot be read are left out.
 * Returns: (transfer full) (nullable) */
JankSessionSummary     *jank_session_load            (const char *store_folder, const char *session, GError **error);
void                    jank_session_summary_free    (JankSessionSummary *self);

/* The longest. Returns: (nullable) */
const JankSessionStall *jank_session_summary_worst   (const JankSessionSummary *self);

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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSession, jank_session_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSessionSummary, jank_session_summary_free)
