/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The facts of this moment, for other processes. Each watched program keeps one file of one page, which its watcher
 * thread alone writes, as long as it holds the lock on it:
 *
 *   line 1        the schema, the page's number, a check, the length of what follows
 *   line 2        JankLive
 *   line 3        the stall under way, as jank_live_gist_new() leaves a report, if JankLive says that there is one
 *   lines after   the last stalls that have ended, likewise, the newest first, as many as fit
 *
 * and zeros. Writer and readers use read() and write(): whoever cuts off a file that a program has mapped ends that
 * program. A reader that meets a page half written finds its check wrong, and reads again.
 *
 * A reader asks for newer figures and for the path so far by a time of access in the future (JANK_LIVE_ASKED_NS), which
 * the watcher sees when it looks at the loop anyway: an idle program is woken by nobody, and a reader that dies asks no
 * more.
 *
 * A reader asks for a dump by both times, of access and of modification, at the same moment in the future
 * (JANK_LIVE_DUMP_NS), and wakes a watcher that is parked by a futex: the page's first word, which is the same
 * for ever. What the watcher writes next takes the request back, so the reader repeats it until n_dumps has grown. */

#pragma once

#include "json/jank-field-private.h"
#include "report/jank-report-private.h"

#define JANK_LIVE_PREFIX     "jankwatch-live-" /* of every version */
#define JANK_LIVE_SCHEMA     JANK_LIVE_PREFIX "2"
#define JANK_LIVE_SUFFIX     ".live"
#define JANK_LIVE_FOLDER     "live"      /* in a store */
#define JANK_LIVE_RUNTIME    "jankwatch" /* in $XDG_RUNTIME_DIR */
#define JANK_LIVE_PAGE_BYTES 4096
#define JANK_LIVE_HEAD_BYTES (sizeof JANK_LIVE_SCHEMA - 1 + 1 + 16 + 1 + 16 + 1 + 4 + 1)
#define JANK_LIVE_TEXT_BYTES (JANK_LIVE_PAGE_BYTES - JANK_LIVE_HEAD_BYTES)
#define JANK_LIVE_N_ENDED    6 /* at most */
#define JANK_LIVE_ASKED_NS   (3 * JANK_NS_PER_S) /* for so long a reader has asked */
#define JANK_LIVE_DUMP_NS    JANK_NS_PER_S       /* the same for a dump; between two dumps */

/* What the program does; JankReportKind + 1 but for the first. */
typedef enum { JANK_LIVE_CALM } JankLiveState;

/* Texts (owned) (nullable). */
typedef struct
{
  char         *session;       /* of `jankwatch run`, NULL: of none */
  char         *store;         /* where its reports are */
  char         *name, *id, *exe, *version; /* of the program */
  gint          pid;           /* as the program itself sees it */
  guint64       pid_namespace; /* in which pid counts */
  gint          tid;           /* whose loop is watched, likewise; 0: not known before its first stall */
  gint64        began_real_us; /* watching */
  gint64        began_ns;      /* the same, and all below: CLOCK_MONOTONIC */
  gint64        written_ns;
  JankLiveState state;
  gint64        since_ns;      /* of the state, if it is not calm */
  gint64        duration_ns;   /* the same, when written: without what is excluded */
  gboolean      has_path;      /* line 3 is of the stall under way */
  guint64       n_ended;       /* stalls, and whatever else has a report, that have ended */
  guint64       n_stalls;      /* of them, stalls */
  gint64        total_ns, longest_ns; /* of the stalls */
  guint64       n_hangs;       /* stalls of more than 250 ms */
  gint64        hung_ns;
  guint64       n_frames, n_late;
  gint64        active_ns;     /* of animation */
  double        fps;           /* of active time; -1: none */
  gint64        cost_ns;       /* CPU time of the watcher thread */
  guint64       n_wakeups;     /* of that thread */
  gboolean      has_bell;      /* a reader can wake it */
  guint64       n_dumps;       /* that were asked for */
  char         *dump;          /* the report of the last of them; NULL: none, or it could not be written */
} JankLive;

JankLive   *jank_live_new         (void);
void        jank_live_free        (gpointer self);
extern const JankTable jank_live_table;

/* Returns: (transfer full): JSON of one line */
char       *jank_live_to_json     (const JankLive *self);
/* Returns: (transfer full) (nullable): it is none */
JankLive   *jank_live_from_json   (const char *json);

/* The first line of a page, with the check of the rest. head: JANK_LIVE_HEAD_BYTES and a 0 */
void        jank_live_page_make_head (char *head, guint64 number, const char *text, gsize n_bytes);
/* page: JANK_LIVE_PAGE_BYTES. text: all lines but the first. Returns: FALSE: it does not fit */
gboolean    jank_live_page_pack   (char *page, guint64 number, const char *text);
/* Returns: (transfer full) (nullable): the text; NULL: its check is wrong */
char       *jank_live_page_unpack (const char *page, guint64 *ret_number);

/* Whether a process holds the lock on what is open as fd. ret_pid: which, 0: one that we cannot see */
gboolean    jank_live_is_held     (int fd, gint *ret_pid);

/* $XDG_RUNTIME_DIR/jankwatch, in a Flatpak sandbox that of the app/ID there. Returns: (transfer full) (nullable) */
char       *jank_live_get_runtime (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankLive, jank_live_free)

/* The rows, for jank-live.c only. */
#ifdef JANK_LIVE_FIELDS

static gboolean finish_live (gpointer self);

static const char *const state_nicks[] = { "calm", JANK_REPORT_KIND_NICKS };

JANK_TABLE (JankLive, jank_live, finish_live,
  JANK_TEXT ("session", JankLive, session, JANK_REDACT_ID, .words = "Name of the session, under `jankwatch run`."),
  JANK_TEXT ("store", JankLive, store, JANK_REDACT_ALL, .words = "Folder of the reports."),
  JANK_TEXT ("name", JankLive, name, JANK_REDACT_PATH, .words = "Name of the program."),
  JANK_TEXT ("id", JankLive, id, JANK_REDACT_WORD, .words = "Application ID, as of GApplication."),
  JANK_TEXT ("exe", JankLive, exe, JANK_REDACT_PATH, .words = "Path of the executable."),
  JANK_TEXT ("version", JankLive, version, JANK_REDACT_WORD, .words = "Version of the program."),
  { "pid", JANK_INT, JANK_AT (JankLive, pid), .words = "Number of the process." },
  { "pid_namespace", JANK_INT, JANK_AT (JankLive, pid_namespace), .words = "Where that number counts." },
  { "tid", JANK_INT, JANK_AT (JankLive, tid), JANK_OMIT_EMPTY,
    .words = "Of its threads the one whose loop is watched." },
  { "began", JANK_TIME, JANK_AT (JankLive, began_real_us), .words = "When watching began." },
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankLive, began_ns), .words = "The same, by CLOCK_MONOTONIC." },
  { "written_monotonic_ns", JANK_INT, JANK_AT (JankLive, written_ns),
    .words = "The moment of all this, by CLOCK_MONOTONIC." },
  { "state", JANK_NICK, JANK_AT (JankLive, state), JANK_NICKS (state_nicks),
    .words = "Calm, or the kind of report that is being made of the program." },
  { "since_monotonic_ns", JANK_INT, JANK_AT (JankLive, since_ns), JANK_OMIT_EMPTY,
    .words = "Since when, by CLOCK_MONOTONIC; left out of a calm program." },
  { "duration_ns", JANK_INT, JANK_AT (JankLive, duration_ns), JANK_OMIT_EMPTY, .words = "For how long." },
  { "has_path", JANK_BOOLEAN, JANK_AT (JankLive, has_path), .words = "Whether it is known in what." },
  { "n_ended", JANK_INT, JANK_AT (JankLive, n_ended), .words = "Stalls, and what else has a report, that have ended." },
  { "n_stalls", JANK_INT, JANK_AT (JankLive, n_stalls), .words = "Of them, stalls." },
  { "total_ns", JANK_INT, JANK_AT (JankLive, total_ns), .words = "Sum of the stalls." },
  { "longest_ns", JANK_INT, JANK_AT (JankLive, longest_ns), .words = "The longest stall." },
  { "n_hangs", JANK_INT, JANK_AT (JankLive, n_hangs), .words = "Stalls of more than 250 ms." },
  { "hung_ns", JANK_INT, JANK_AT (JankLive, hung_ns), .words = "Their sum." },
  { "n_frames", JANK_INT, JANK_AT (JankLive, n_frames), .words = "Frames drawn." },
  { "n_late", JANK_INT, JANK_AT (JankLive, n_late), .words = "Late frames." },
  { "active_ns", JANK_INT, JANK_AT (JankLive, active_ns), .words = "Time of animation." },
  { "fps", JANK_NUMBER, JANK_AT (JankLive, fps), .fallback = -1, .max = 1000000,
    .words = "Frames per second of that time." },
  { "cost_ns", JANK_INT, JANK_AT (JankLive, cost_ns), .words = "CPU time of the thread of jankwatch." },
  { "n_wakeups", JANK_INT, JANK_AT (JankLive, n_wakeups), .words = "Times that this thread woke up." },
  { "has_bell", JANK_BOOLEAN, JANK_AT (JankLive, has_bell), .words = "Whether a reader can wake it for a dump." },
  { "n_dumps", JANK_INT, JANK_AT (JankLive, n_dumps), .words = "Dumps that were made." },
  JANK_TEXT ("dump", JankLive, dump, JANK_REDACT_ID,
             .words = "Report of the last dump, unless it could not be written."));

#endif
