/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each process that is observed keeps a file STORE/sessions/SESSION-PID.json, and `jankwatch run` merges its own. Below
 * the structs stand the rows that make them JSON: a new field is a member and its row, from
 * whose words jankwatch-session-1.schema.json is made. One thread at a time; saving blocks on the disk. */

#pragma once

#include "base/jank-histogram-private.h"
#include "base/jank-strict-call-private.h"
#include "report/jank-report-private.h"

#define JANK_SESSION_SCHEMA "jankwatch-session-1"
#define JANK_SESSION_MAX_STALLS 1000
#define JANK_SESSION_MAX_SOURCES 64
#define JANK_SESSION_MAX_PROCESSES 1000
#define JANK_SESSION_MAX_CALLS 512

/* What watching cost one process, so far. */
typedef struct
{
  guint64 samples, lost_samples;
  guint64 signals_sent;
  guint64 no_answer;    /* signals that the observed thread did not answer in time */
  guint64 wakeups;      /* of the watcher thread */
  gint64  cost_ns;      /* CPU time of the watcher thread */
} JankSessionSelf;

/* Stalls of more than 250 ms; spins, CPU use and missing frames do not count. */
typedef struct
{
  guint64 n_hangs;
  gint64  hung_ns;
  gint64  watched_ns; /* how long the program was watched, start-up included */
  double  s_per_hour; /* jank_session_hang_rate(), as files have it */
} JankSessionHangs;

/* How far a program came. In the order in which several processes of one session count: the last one decides. */
typedef enum
{
  JANK_SESSION_UNKNOWN, /* not counted, or by an older version */
  JANK_SESSION_STARTED, /* no main loop ran */
  JANK_SESSION_LOOPED,
  JANK_SESSION_UNDRAWN, /* GTK was loaded, and no frame drawn */
  JANK_SESSION_DRAWN,
} JankSessionReach;

/* How long it took until the program showed something. */
typedef struct
{
  gint64 frame_ns;   /* from the process's start to the end of its first frame; 0: there was none, or not known */
  gint64 loading_ns; /* of that, until it was watched */
  gint64 loop_ns;    /* of that, from then on until the main loop ran; 0: below the threshold */
} JankSessionStartup;

/* Of a rule that counts frames, in frames a second. */
typedef struct
{
  guint64 n_figures;
  double  least_fps, newest_fps;
} JankSessionFigures;

/* One kind of source and all its dispatches; only with the setting `sources`. */
typedef struct
{
  char  *name;     /* "": without a name */
  char  *function; /* of its callback, (nullable) */
  gint   priority;
  gint64 count, total_ns, longest_ns;
  gint64 p50_ns, p95_ns, p99_ns;
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
  double         fps;     /* of missing frames, where they were counted; else 0 */
} JankSessionStall;

/* A call on the main thread that may block, of one line of the program; only under `run --strict`. Strings
 * (nullable). */
typedef struct
{
  JankStrictKind kind;
  char   *call;        /* "fsync" */
  char   *target;      /* path, host or method */
  gint64  count, longest_ns;
  char   *function;    /* of the program */
  char   *module;      /* that holds it */
  char   *build_id;    /* of the module */
  gint64  offset;      /* in the module */
  char   *language;    /* as in JankReportCall */
  char   *file;        /* of the source */
  guint   line;
  char   *advised;     /* what the program called, and there is advice for */
  char   *advised_file;
  char   *advice;      /* where a person reads it */
} JankSessionCall;

/* All strings (nullable), copied where they are kept. */
typedef struct
{
  char *name, *id, *exe, *version;
  gint  pid;
} JankSessionApp;

typedef struct _JankSession JankSession;
typedef struct _JankSessionSummary JankSessionSummary;

/* In the observed process; session is the value of JANKWATCH_SESSION, or a name of its own. Touches no file.
 * lists_stalls: else they are counted alone */
JankSession *jank_session_new      (const char *store_folder, const char *session, const JankSessionApp *app,
                                    gboolean lists_stalls);
void         jank_session_free     (JankSession *self);

/* Replaces an earlier report of the same stall, which began at the same time. Stalls with the same fingerprint count
 * each; they share the ID of one report. */
void         jank_session_add      (JankSession *self, JankReport *report);
/* What will be in the file; whoever keeps the session sets self, hangs, turns and figures there. */
JankSessionSummary *jank_session_get_file (JankSession *self);
/* sources: (transfer full) (element-type JankSessionSource), heaviest first. */
void         jank_session_set_sources (JankSession *self, GPtrArray *sources);
/* The same of calls that may block. calls: (element-type JankSessionCall) */
void         jank_session_set_calls (JankSession *self, GPtrArray *calls);
/* What the frame clocks saw so far, in the place of what was set before. frame_clock: (transfer full) (nullable):
 * there were none. */
void         jank_session_set_frames (JankSession *self, JankReportFrameClock *frame_clock);

/* Saving without any stall says that the process is watched. */
gboolean     jank_session_save     (JankSession *self, GError **error);

/* Letters, digits and hyphens: part of a file name. */
gboolean     jank_session_is_name  (const char *session);

/* Returns: (transfer full): what tells one of its processes from all others */
static inline char *
jank_session_name_process (const char *session, gint pid)
{
  return g_strdup_printf ("%s-%d", session, pid);
}

/* One process of a session. */
typedef struct
{
  JankSessionApp  app;      /* (owned) */
  guint64         n_stalls;
  gint64          total_ns; /* of all stalls */
  JankSessionSelf self;
} JankSessionProcess;

typedef struct
{
  char *text;
} JankSessionWord;

/* Everything of one session, or what the file of one of its processes says. */
struct _JankSessionSummary
{
  char           *session;
  JankSessionApp  app;           /* of a file only, as is began_real_us */
  gint64          began_real_us;
  GPtrArray      *command;       /* (element-type JankSessionWord) */
  gint            exit_status;   /* of the command, -1: not known */
  GPtrArray      *processes;     /* (element-type JankSessionProcess) */
  GPtrArray      *stalls;        /* (element-type JankSessionStall), by time, and what is none but has a report; the
                                  * first 1000 of each process */
  guint64         n_stalls;
  gint64          total_ns;
  guint64         n_reports[JANK_N_REPORT_KINDS]; /* stalls of a file without them: of the kind JANK_REPORT_STALL */
  JankSessionSelf self;
  JankSessionHangs hangs;
  JankSessionStartup startup;    /* of a session: of the process that was longest until its first frame */
  JankSessionReach reach;
  JankTimeFigures turns;         /* of the loop; percentiles of a session: of the process with most of them */
  JankSessionFigures figures;    /* the newest: of the process that was read last */
  gboolean        is_strict;     /* calls that may block are listed */
  GPtrArray      *calls;         /* (element-type JankSessionCall), in the order in which they were met */
  GPtrArray      *sources;       /* (element-type JankSessionSource), heaviest first */
  JankReportInputs inputs;       /* of all processes, by jank_report_inputs_merge() */
  JankReportFrameClock *frame_clock; /* (owned) (nullable): of all processes, by jank_report_frame_clock_merge() */
};

/* Merges all files of session; none is an empty summary. A stall that was ongoing in a process that is gone
 * counts as killed. Files that cannot be read are left out.
 * Returns: (transfer full) (nullable) */
JankSessionSummary     *jank_session_load            (const char *store_folder, const char *session, GError **error);
/* What each file of every session says, in no order; those that cannot be read are left out.
 * Returns: (transfer full) (element-type JankSessionSummary) */
GPtrArray              *jank_session_load_files      (const char *store_folder);
/* One of them, in the folder of sessions. Returns: (transfer full) (nullable): it is none */
JankSessionSummary     *jank_session_load_file       (const char *folder, const char *name);
void                    jank_session_summary_free    (gpointer self);

/* The longest stall. Returns: (nullable) */
const JankSessionStall *jank_session_summary_worst   (const JankSessionSummary *self);
/* The longest of that kind. Returns: (nullable) */
const JankSessionStall *jank_session_summary_longest (const JankSessionSummary *self, JankReportKind kind);

/* Nothing happened by which the program could be judged: no main loop ran, or GTK drew no frame. */
gboolean                jank_session_summary_is_empty    (const JankSessionSummary *self);

extern const JankTable jank_session_summary_table;
extern const JankTable jank_session_call_table;

/* Completes what `jankwatch run --json` writes. */
void                    jank_session_summary_set_command (JankSessionSummary *self, char **command, gint exit_status);

double                  jank_session_hang_rate       (const JankSessionHangs *self); /* seconds per hour */
/* Of a shorter time nobody can say how much it would be in an hour: people are not told. */
#define JANK_SESSION_RATE_NS (60 * JANK_NS_PER_S)

/* Shared by writer and reader. */
#define JANK_SESSION_FOLDER "sessions"
gboolean                jank_session_is_file_name    (const char *name);
JankSessionSummary     *jank_session_summary_new     (void);
JankSessionProcess     *jank_session_process_new     (void);
JankSessionStall       *jank_session_stall_new       (void);
JankSessionSource      *jank_session_source_new      (void);
void                    jank_session_source_free     (gpointer self);
JankSessionCall        *jank_session_call_new        (void);
void                    jank_session_call_free       (gpointer self);
JankSessionWord        *jank_session_word_new        (void);
/* Returns: (transfer full): on one line, or indented for people */
char                   *jank_session_summary_to_json (const JankSessionSummary *self, gboolean pretty);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSession, jank_session_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSessionSummary, jank_session_summary_free)

/* The rows, for jank-session.c only. */
#ifdef JANK_SESSION_FIELDS

static gboolean finish_stall (gpointer self);
static gboolean finish_call  (gpointer self);

JANK_PART_TABLE (JankSessionApp, app, NULL,
  { "pid", JANK_INT, JANK_AT (JankSessionApp, pid), .words = "Number of the process." },
  JANK_TEXT ("name", JankSessionApp, name, JANK_REDACT_NAME, .words = "Name of the program."),
  JANK_TEXT ("id", JankSessionApp, id, JANK_REDACT_WORD, .words = "Application ID, as of GApplication."),
  JANK_TEXT ("exe", JankSessionApp, exe, JANK_REDACT_PATH, .words = "Path of the executable."),
  JANK_TEXT ("version", JankSessionApp, version, JANK_REDACT_WORD,
    .words = "Version of the program: what the user says, else its GApplication."));

JANK_PART_TABLE (JankSessionSelf, self, NULL,
  { "samples", JANK_INT, JANK_AT (JankSessionSelf, samples), .words = "Samples taken." },
  { "lost_samples", JANK_INT, JANK_AT (JankSessionSelf, lost_samples),
    .words = "Samples that gave no stack, or were dropped." },
  { "cost_ns", JANK_INT, JANK_AT (JankSessionSelf, cost_ns), .words = "CPU time of the thread of jankwatch." },
  { "signals_sent", JANK_INT, JANK_AT (JankSessionSelf, signals_sent),
    .words = "Signals sent to the observed thread." },
  { "no_answer", JANK_INT, JANK_AT (JankSessionSelf, no_answer),
    .words = "Signals that the observed thread did not answer in time." },
  { "wakeups", JANK_INT, JANK_AT (JankSessionSelf, wakeups), .words = "Times that the thread of jankwatch woke up." });

JANK_PART_TABLE (JankSessionHangs, hangs, NULL,
  { "count", JANK_INT, JANK_AT (JankSessionHangs, n_hangs), .words = "How many." },
  { "total_ns", JANK_INT, JANK_AT (JankSessionHangs, hung_ns), .words = "Their sum." },
  { "watched_ns", JANK_INT, JANK_AT (JankSessionHangs, watched_ns),
    .words = "How long the program was watched, start-up included." },
  { "s_per_hour", JANK_NUMBER, JANK_AT (JankSessionHangs, s_per_hour),
    .words = "Seconds in such stalls per hour that was watched: the hang rate." });

JANK_PART_TABLE (JankSessionStartup, startup, NULL,
  { "frame_ns", JANK_INT, JANK_AT (JankSessionStartup, frame_ns),
    .words = "From the process's start to the end of its first frame." },
  { "loading_ns", JANK_INT, JANK_AT (JankSessionStartup, loading_ns), .words = "Of that, until it was watched." },
  { "loop_ns", JANK_INT, JANK_AT (JankSessionStartup, loop_ns),
    .words = "Of that, from then on until the main loop ran; 0 where that is below the threshold." });

JANK_PART_TABLE (JankTimeFigures, turns, NULL,
  { "count", JANK_INT, JANK_AT (JankTimeFigures, n), .words = "How many." },
  { "total_ns", JANK_INT, JANK_AT (JankTimeFigures, total_ns), .words = "Their sum." },
  { "p50_ns", JANK_INT, JANK_AT (JankTimeFigures, p50_ns), .words = "Half of them took this long or less." },
  { "p95_ns", JANK_INT, JANK_AT (JankTimeFigures, p95_ns), .words = "95 of 100 took this long or less." },
  { "p99_ns", JANK_INT, JANK_AT (JankTimeFigures, p99_ns), .words = "99 of 100 took this long or less." },
  { "longest_ns", JANK_INT, JANK_AT (JankTimeFigures, longest_ns), .words = "The longest." });

JANK_PART_TABLE (JankSessionFigures, figures, NULL,
  { "count", JANK_INT, JANK_AT (JankSessionFigures, n_figures), .words = "How many." },
  { "least_fps", JANK_NUMBER, JANK_AT (JankSessionFigures, least_fps), .max = 1000000, .words = "The lowest." },
  { "newest_fps", JANK_NUMBER, JANK_AT (JankSessionFigures, newest_fps), .max = 1000000, .words = "The last." });

JANK_TABLE (JankSessionSource, jank_session_source, NULL,
  JANK_TEXT ("name", JankSessionSource, name, JANK_REDACT_SOURCE, .flags = JANK_NOT_NULL | JANK_OPTIONAL,
    .words = "Its name; empty when it has none."),
  JANK_TEXT ("function", JankSessionSource, function, JANK_REDACT_FUNCTION, .words = "Its callback."),
  { "priority", JANK_INT, JANK_AT (JankSessionSource, priority), JANK_SIGNED,
    .words = "Its priority; lower is sooner." },
  { "count", JANK_INT, JANK_AT (JankSessionSource, count), .words = "How often it was dispatched." },
  { "total_ns", JANK_INT, JANK_AT (JankSessionSource, total_ns), .words = "Time of all dispatches." },
  { "p50_ns", JANK_INT, JANK_AT (JankSessionSource, p50_ns), JANK_OPTIONAL,
    .words = "Half of them took this long or less." },
  { "p95_ns", JANK_INT, JANK_AT (JankSessionSource, p95_ns), JANK_OPTIONAL,
    .words = "95 of 100 took this long or less." },
  { "p99_ns", JANK_INT, JANK_AT (JankSessionSource, p99_ns), JANK_OPTIONAL,
    .words = "99 of 100 took this long or less." },
  { "longest_ns", JANK_INT, JANK_AT (JankSessionSource, longest_ns), .words = "The longest dispatch." });

static const char *const call_nicks[] = { "dbus", "sync", "lock", "connect", "dns", "child" };
G_STATIC_ASSERT (G_N_ELEMENTS (call_nicks) == JANK_N_STRICT);

JANK_TABLE (JankSessionCall, jank_session_call, finish_call,
  { "kind", JANK_NICK, JANK_AT (JankSessionCall, kind), .fallback = -1, JANK_NICKS (call_nicks),
    .words = "What it may wait for: the reply to a synchronous D-Bus call (dbus), the disk (sync), the lock of a file "
             "(lock), a connection (connect), a host's address (dns), or a child process (child)." },
  JANK_TEXT ("call", JankSessionCall, call, JANK_REDACT_WORD, .words = "The C function that may wait."),
  JANK_TEXT ("target", JankSessionCall, target, JANK_REDACT_ALL, .flags = JANK_OMIT_EMPTY,
    .words = "For what: a D-Bus method, a path, a host, a command line."),
  { "count", JANK_INT, JANK_AT (JankSessionCall, count), .words = "How often it was called." },
  { "longest_ns", JANK_INT, JANK_AT (JankSessionCall, longest_ns),
    .words = "The longest call, without the delay of `--slow`." },
  JANK_TEXT ("function", JankSessionCall, function, JANK_REDACT_FUNCTION,
             .words = "The program's function that calls it."),
  JANK_TEXT ("module", JankSessionCall, module, JANK_REDACT_PATH, .words = "Path of the file that holds the function."),
  JANK_TEXT ("build_id", JankSessionCall, build_id, JANK_REDACT_WORD, .pattern = "^([0-9a-f]{2})+$",
    .words = "Build-id of that file."),
  { "offset", JANK_INT, JANK_AT (JankSessionCall, offset), .max = G_MAXINT64,
    .words = "Address of the call in that file. Bytes." },
  JANK_TEXT ("language", JankSessionCall, language, JANK_REDACT_WORD,
    .words = "Of a function that an interpreter runs: `python`, `javascript`."),
  JANK_TEXT ("file", JankSessionCall, file, JANK_REDACT_PATH, .words = "Source file."),
  { "line", JANK_INT, JANK_AT (JankSessionCall, line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  JANK_TEXT ("advised", JankSessionCall, advised, JANK_REDACT_WORD,
    .words = "The function that it called, where there is another that does not block."),
  JANK_TEXT ("advised_file", JankSessionCall, advised_file, JANK_REDACT_PATH, .words = "Where that function is."),
  JANK_TEXT ("advice", JankSessionCall, advice, JANK_REDACT_WORD, .words = "What to call instead, for a person."));

JANK_TABLE (JankSessionStall, jank_session_stall, finish_stall,
  JANK_TEXT ("id", JankSessionStall, id, JANK_REDACT_ID, .pattern = JANK_REPORT_ID_PATTERN,
    .flags = JANK_REQUIRED,
    .words = "Unique name of the report, also of its file: UTC time, process, number in this process."),
  { "kind", JANK_NICK, JANK_AT (JankSessionStall, kind), JANK_NICKS (jank_report_kind_nicks),
    .words = "What was observed: a busy period of the main loop (stall), the time before it ran (startup), a "
             "frame that was late (frame), a main loop that turned without waiting (spin), or a thread that kept "
             "computing (cpu)." },
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankSessionStall, began_monotonic_ns),
    .words = "When it began, by CLOCK_MONOTONIC." },
  { "duration_ns", JANK_INT, JANK_AT (JankSessionStall, duration_ns),
    .words = "How long the main loop did not turn." },
  { "severity", JANK_NICK, JANK_AT (JankSessionStall, severity), .fallback = -1, JANK_NICKS (jank_severity_nicks),
    .words = "Class of the duration: minor below 250 ms, microhang below 500 ms, hang below 5 s, frozen from 5 s on." },
  { "outcome", JANK_NICK, JANK_AT (JankSessionStall, outcome), .fallback = -1, JANK_NICKS (jank_outcome_nicks),
    .words = "How the stall ended: the main loop came back (recovered), had not yet when this was written (ongoing), "
             "the program ended itself (exited), or it was killed or crashed (killed)." },
  JANK_TEXT ("culprit", JankSessionStall, culprit, JANK_REDACT_FUNCTION,
    .words = "The function to look at first; left out when no stack could be read."),
  { "pid", JANK_INT, JANK_AT (JankSessionStall, pid), JANK_OMIT_EMPTY,
    .words = "The process; left out in the file of one process." },
  { "fps", JANK_NUMBER, JANK_AT (JankSessionStall, fps), JANK_OMIT_EMPTY, .max = 1000000,
    .words = "Frames drawn a second, where a rule counted too few of them; else left out." });

JANK_TABLE (JankSessionProcess, jank_session_process, NULL,
  { "app", JANK_OBJECT, JANK_AT (JankSessionProcess, app), .table = &app_table, .words = "The program." },
  { "n_stalls", JANK_INT, JANK_AT (JankSessionProcess, n_stalls),
    .words = "Number of stalls, also of those that are not listed." },
  { "total_ns", JANK_INT, JANK_AT (JankSessionProcess, total_ns), .words = "Sum of all stalls." },
  { "self", JANK_OBJECT, JANK_AT (JankSessionProcess, self), .table = &self_table, .words = "What watching cost." });

static const char *const reach_nicks[] = { "unknown", "started", "looped", "undrawn", "drawn" };
G_STATIC_ASSERT (G_N_ELEMENTS (reach_nicks) == JANK_SESSION_DRAWN + 1);

JANK_TABLE (JankSessionWord, jank_session_word, NULL,
  JANK_TEXT ("command", JankSessionWord, text, JANK_REDACT_ALL, .flags = JANK_NOT_NULL, .words = "A word."));

JANK_PART_TABLE (JankSessionSummary, reports, NULL,
  { "stall", JANK_INT, JANK_AT (JankSessionSummary, n_reports[JANK_REPORT_STALL]), JANK_OPTIONAL,
    .words = "Number of stalls." },
  { "startup", JANK_INT, JANK_AT (JankSessionSummary, n_reports[JANK_REPORT_STARTUP]), JANK_OPTIONAL,
    .words = "Number of start-ups that took too long." },
  { "frame", JANK_INT, JANK_AT (JankSessionSummary, n_reports[JANK_REPORT_FRAME]), JANK_OPTIONAL,
    .words = "Number of times that frames were missing." },
  { "spin", JANK_INT, JANK_AT (JankSessionSummary, n_reports[JANK_REPORT_SPIN]), JANK_OPTIONAL,
    .words = "Number of times that the main loop turned without waiting." },
  { "cpu", JANK_INT, JANK_AT (JankSessionSummary, n_reports[JANK_REPORT_CPU]), JANK_OPTIONAL,
    .words = "Number of times that the program kept computing." },
  { "input", JANK_INT, JANK_AT (JankSessionSummary, n_reports[JANK_REPORT_INPUT]), JANK_OPTIONAL,
    .words = "Number of times that the user had no answer for long, though the main loop turned." });
G_STATIC_ASSERT (G_N_ELEMENTS (reports_fields) == JANK_REPORT_DUMP); /* which a session does not count */

JANK_TABLE (JankSessionSummary, jank_session_summary, NULL,
  JANK_TEXT ("session", JankSessionSummary, session, JANK_REDACT_ID, .pattern = "^[A-Za-z0-9-]{1,64}$",
    .flags = JANK_REQUIRED,
    .words = "Name of the session: UTC time and the process of `jankwatch run`."),
  { "app", JANK_OBJECT, JANK_AT (JankSessionSummary, app), JANK_IF_FIRST, .table = &app_table,
    .words = "The program." },
  { "pid", JANK_INT, JANK_AT (JankSessionSummary, app.pid), JANK_OMIT_EMPTY,
    .words = "Number of the observed process." },
  { "began", JANK_TIME, JANK_AT (JankSessionSummary, began_real_us), JANK_OMIT_EMPTY,
    .words = "When watching began." },
  { "command", JANK_COLUMN, JANK_AT (JankSessionSummary, command), JANK_OMIT_EMPTY, .table = &jank_session_word_table,
    .words = "The command and its arguments." },
  { "exit_status", JANK_INT, JANK_AT (JankSessionSummary, exit_status), .fallback = -1, .max = 255,
    .words = "Exit status of the command; 128 + number of the signal that ended it." },
  { "n_stalls", JANK_INT, JANK_AT (JankSessionSummary, n_stalls),
    .words = "Number of stalls, start-up included, also of those that are not listed. What is of another kind is no "
             "stall." },
  { "total_ns", JANK_INT, JANK_AT (JankSessionSummary, total_ns), .words = "Sum of all stalls." },
  { "n_reports", JANK_OBJECT, 0, 0, JANK_OPTIONAL, .table = &reports_table,
    .words = "Number of reports of each kind, also of those that are not listed; no member: none." },
  { "stalls", JANK_ARRAY, JANK_AT (JankSessionSummary, stalls), .max = JANK_SESSION_MAX_STALLS,
    .table = &jank_session_stall_table, .element = "A stall, or what else has a report; that holds the rest.",
    .words = "The reports by time, of each process the first 1000." },
  { "self", JANK_OBJECT, JANK_AT (JankSessionSummary, self), .table = &self_table, .words = "What watching cost." },
  { "hangs", JANK_OBJECT, JANK_AT (JankSessionSummary, hangs), JANK_OPTIONAL, .table = &hangs_table,
    .words = "Time in stalls of more than 250 ms." },
  { "startup", JANK_OBJECT, JANK_AT (JankSessionSummary, startup), JANK_OMIT_EMPTY, .table = &startup_table,
    .words = "How long it took until the program showed something; left out when no frame was drawn. Of a session: "
             "of the process that took longest." },
  { "reach", JANK_NICK, JANK_AT (JankSessionSummary, reach), JANK_OMIT_EMPTY | JANK_OPTIONAL, JANK_NICKS (reach_nicks),
    .words = "How far the program came: it was watched, but no main loop ran (started); its main loop ran (looped); "
             "it loaded GTK and drew no frame (undrawn); it drew a frame (drawn). Of a session: the last of these that "
             "one of its processes came to." },
  { "turns", JANK_OBJECT, JANK_AT (JankSessionSummary, turns), JANK_OMIT_EMPTY, .table = &turns_table,
    .words = "The main loop's busy turns, with the setting `turns`; percentiles of a session are those of the "
             "process with most of them." },
  { "figures", JANK_OBJECT, JANK_AT (JankSessionSummary, figures), JANK_OMIT_EMPTY, .table = &figures_table,
    .words = "Of a rule that counts frames: its figures, in frames a second; left out when there was none." },
  { "strict", JANK_BOOLEAN, JANK_AT (JankSessionSummary, is_strict), JANK_OMIT_EMPTY | JANK_OPTIONAL,
    .words = "Whether calls that may block were looked for: `run --strict`." },
  { "blocking_calls", JANK_ARRAY, JANK_AT (JankSessionSummary, calls), JANK_OMIT_EMPTY, .max = JANK_SESSION_MAX_CALLS,
    .table = &jank_session_call_table, .element = "A place in the program.",
    .words = "Calls on the main thread that may block, each place in the program once, however quick they were." },
  { "sources", JANK_ARRAY, JANK_AT (JankSessionSummary, sources), JANK_OMIT_EMPTY, .max = JANK_SESSION_MAX_SOURCES,
    .table = &jank_session_source_table, .element = "A source.",
    .words = "Sources of the main loop and their dispatches, each counted, those with the most time first; of the "
             "setting `sources`." },
  { "interactions", JANK_OBJECT, JANK_AT (JankSessionSummary, inputs), JANK_IF_FIRST,
    .table = &jank_report_inputs_table,
    .words = "What the user did and how long each took to be answered; left out when nothing could be timed. Of "
             "several processes together: counts are added up, percentiles are those of the process with most of "
             "them." },
  { "frame_clock", JANK_POINTER, JANK_AT (JankSessionSummary, frame_clock), .table = &jank_report_frame_clock_table,
    .words = "What the frame clocks saw; left out when no frame was drawn. Of several processes together: counts are "
             "added up, rates are those of the active time of all; the refresh interval, the 1 % low and the "
             "percentiles are those of the process with most frames." },
  { "processes", JANK_ARRAY, JANK_AT (JankSessionSummary, processes), JANK_OPTIONAL, .max = JANK_SESSION_MAX_PROCESSES,
    .table = &jank_session_process_table, .element = "A process.",
    .words = "The processes that were watched." });

#endif
