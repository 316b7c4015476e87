/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom a process waits for, and whom that one waits for, to the cause: what chain/ finds, with the rows that make it
 * JSON, as in jank-report-private.h. In a report, whoever watched the program has read it meanwhile; the program
 * never did. */

#pragma once

#include "json/jank-field-private.h"
#include "report/jank-report-redact-private.h"

#define JANK_CHAIN_SCHEMA "jankwatch-chain-1"

typedef enum
{
  /* Nobody is waited for. */
  JANK_HOP_UNKNOWN,   /* waits, for what cannot be known from outside */
  JANK_HOP_HIDDEN,    /* the reader may not look into it */
  JANK_HOP_ENDED,     /* is gone, or a zombie */
  JANK_HOP_COMPUTING,
  JANK_HOP_STOPPED,   /* SIGSTOP */
  JANK_HOP_TRACED,    /* its tracer keeps it */
  JANK_HOP_SLEEP,
  JANK_HOP_DISK,
  JANK_HOP_MOUNT,     /* for a file system that another machine or process serves */
  JANK_HOP_DEVICE,
  JANK_HOP_HOST,      /* another machine */
  JANK_HOP_PERSON,    /* reads the keyboard of a terminal */
  JANK_HOP_IDLE,      /* for events of any kind */
  JANK_HOP_THREADS,   /* several threads are at work, which for this wait cannot be known */
  JANK_HOP_SEVERAL,   /* any of several processes, whose causes differ */
  JANK_HOP_BUS,       /* a D-Bus answer; whose cannot be known from outside */
  JANK_HOP_WAKE,      /* for any thread of its own to wake it: a condition, a semaphore, a loop of its own */
  /* Whoever has the other end is waited for. */
  JANK_HOP_SOCKET,
  JANK_HOP_DISPLAY,   /* the socket of a display server */
  JANK_HOP_PIPE,
  JANK_HOP_TERMINAL,  /* a pseudo-terminal that is full */
  JANK_HOP_EVENT,     /* an eventfd */
  JANK_HOP_FILE_LOCK,
  JANK_HOP_LEASE,
  JANK_HOP_CHILD,
  JANK_HOP_LOCK,      /* a thread's */
  JANK_HOP_JOIN,      /* the end of a thread */
  JANK_HOP_FUSE,      /* the process that serves a file system */
  JANK_HOP_DBUS,      /* a D-Bus answer of a known process */
  JANK_N_HOPS
} JankHopKind;

static inline gboolean
jank_hop_kind_has_peer (JankHopKind kind)
{
  return kind >= JANK_HOP_SOCKET;
}

/* Texts (owned) (nullable). */
typedef struct
{
  gint        pid, tid;   /* as the reader sees them */
  char       *name;       /* of the process */
  char       *user, *unit; /* of another user's process; unit: systemd's */
  JankHopKind kind;
  gboolean    is_poll;    /* waits for it by poll() or the like: it may be idle */
  GArray     *peers;      /* (element-type gint): processes that could end its wait */
  char       *function;   /* that computes, if the process is watched */
  char       *file;       /* of the source */
  guint       line;       /* 0: unknown */
  char       *syscall;    /* that it sleeps in */
  char       *target;     /* a path, an address */
  char       *filesystem, *mount;
  gint64      timeout_ns; /* -1: unknown */
  gboolean    is_rest;    /* that is what was left of it */
} JankReportLink;

typedef struct
{
  /* Of a report's stall; 0: it is of none. */
  gint64     began_monotonic_ns; /* when the stall began */
  gint64     at_ns;        /* since then, when the chain was read */
  gint64     duration_ns;  /* of that stall, as far as it was known */

  char      *cause;
  gboolean   is_settled;   /* all of it was so at one moment; else a thread went on while it was read */
  gint       closes_at;    /* of a deadlock: the link that the last one waits for; -1: it is none */
  GPtrArray *links;        /* (element-type JankReportLink): at least one */
} JankReportChain;

/* What the last link does is the cause. */
static inline const JankReportLink *
jank_report_chain_get_end (const JankReportChain *self)
{
  return g_ptr_array_index (self->links, self->links->len - 1);
}

static inline gboolean
jank_report_chain_is_deadlock (const JankReportChain *self)
{
  return self->closes_at >= 0;
}

/* Whether it leads out of the program, or closes: else it tells no more than the program knows. */
gboolean         jank_report_chain_leaves (const JankReportChain *self);
JankReportLink  *jank_report_link_new   (void);
JankReportChain *jank_report_chain_new  (void);
void             jank_report_chain_free (gpointer self);
extern const JankTable jank_report_chain_table;
/* "socket", "sleep" …: as in JSON */
extern const char *const jank_hop_kind_nicks[JANK_N_HOPS];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankReportChain, jank_report_chain_free)

/* The rows, for jank-report-fields.c only. */
#ifdef JANK_REPORT_FIELDS

static gboolean finish_chain (gpointer self);

const char *const jank_hop_kind_nicks[JANK_N_HOPS] = {
  "unknown", "hidden", "ended", "computing", "stopped", "traced", "sleep", "disk", "mount", "device", "host", "person",
  "idle", "threads", "several", "bus", "wake", "socket", "display", "pipe", "terminal", "eventfd", "file-lock", "lease",
  "child", "lock", "join", "fuse", "dbus",
};

JANK_TABLE (JankReportLink, jank_report_link, NULL,
  { "pid", JANK_INT, JANK_AT (JankReportLink, pid), .words = "Its number, as the reader of the chain saw it." },
  { "tid", JANK_INT, JANK_AT (JankReportLink, tid), .words = "Number of the thread that waits or works." },
  JANK_TEXT ("name", JankReportLink, name, JANK_REDACT_NAME, .words = "Its name."),
  JANK_TEXT ("user", JankReportLink, user, JANK_REDACT_ALL,
             .words = "Whose it is; left out of one of the reader's own."),
  JANK_TEXT ("unit", JankReportLink, unit, JANK_REDACT_ALL, .words = "Of another user's process the systemd unit."),
  { "kind", JANK_NICK, JANK_AT (JankReportLink, kind), JANK_NICKS (jank_hop_kind_nicks),
    .words = "What it waits for, or does. `unknown`: it waits, for what cannot be known from outside; `hidden`: the "
             "reader may not look into it; `threads`: several threads are at work; `several`: any of several processes "
             "may answer; `bus`: it waits for a D-Bus message, or is idle; `wake`: any other thread of its own could "
             "wake it; `person`: input at a terminal." },
  { "polls", JANK_BOOLEAN, JANK_AT (JankReportLink, is_poll), .words = "It may be idle: it polls." },
  { "peers", JANK_INTS, JANK_AT (JankReportLink, peers), .max = 256, .element = "Number of a process.",
    .words = "The processes that could end its wait." },
  JANK_TEXT ("function", JankReportLink, function, JANK_REDACT_FUNCTION,
    .words = "The function that computes, of a watched program."),
  JANK_TEXT ("file", JankReportLink, file, JANK_REDACT_PATH, .words = "Source file of that."),
  { "line", JANK_INT, JANK_AT (JankReportLink, line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  JANK_TEXT ("syscall", JankReportLink, syscall, JANK_REDACT_WORD, .words = "Name of the system call it waits in."),
  JANK_TEXT ("target", JankReportLink, target, JANK_REDACT_LINK_TARGET,
             .words = "Whom or what it waits for: a path, an address, the kind of a lock, `main loop`."),
  JANK_TEXT ("filesystem", JankReportLink, filesystem, JANK_REDACT_WORD,
    .words = "Type of the file system that the path is on."),
  JANK_TEXT ("mount", JankReportLink, mount, JANK_REDACT_PATH, .words = "Folder that this file system is mounted on."),
  { "timeout_ns", JANK_INT, JANK_AT (JankReportLink, timeout_ns), .fallback = -1,
    .words = "Length of the sleep, or when the wait gives up." },
  { "rest", JANK_BOOLEAN, JANK_AT (JankReportLink, is_rest), JANK_OMIT_EMPTY,
    .words = "`timeout_ns` is what was left of the sleep: its length is unknown." });

JANK_TABLE (JankReportChain, jank_report_chain, finish_chain,
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReportChain, began_monotonic_ns), JANK_OMIT_EMPTY,
    .words = "When the stall began in which the chain was read, by CLOCK_MONOTONIC: where stalls share a report, it "
             "may be another one than the report's longest." },
  { "at_ns", JANK_INT, JANK_AT (JankReportChain, at_ns), JANK_OMIT_EMPTY,
    .words = "How long that stall had lasted when the chain was read." },
  { "duration_ns", JANK_INT, JANK_AT (JankReportChain, duration_ns), JANK_OMIT_EMPTY,
    .words = "How long it lasted, as far as the reader knew." },
  JANK_TEXT ("cause", JankReportChain, cause, JANK_REDACT_WORD,
    .words = "`deadlock`, or what the last process does, by its `kind`."),
  { "settled", JANK_BOOLEAN, JANK_AT (JankReportChain, is_settled),
    .words = "Whether all threads of the chain still waited alike once it was read." },
  { "closes_at", JANK_INT, JANK_AT (JankReportChain, closes_at), .fallback = -1,
    .words = "Of a deadlock: which of `links` the last one waits for, counted from 0." },
  { "links", JANK_ARRAY, JANK_AT (JankReportChain, links), .max = 64, .table = &jank_report_link_table,
    .element = "A process.", .words = "The program, whom it waits for, whom that one waits for, to the cause." });

#endif
