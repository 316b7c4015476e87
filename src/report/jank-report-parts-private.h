/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the arrays of a report hold, and the rows that make them JSON, as in jank-report-private.h. */

#pragma once

#include "proc/jank-thread-private.h"
#include "json/jank-field-private.h"
#include "report/jank-report-redact-private.h"
#include "elf/jank-name-from-private.h"

#define JANK_REPORT_NO_INDEX (-1)

typedef struct
{
  char   *path;
  char   *build_id; /* lower-case hexadecimal, (nullable) */
  guint64 base;
} JankReportModule;

/* A function that the compiler inlined. */
typedef struct
{
  char *symbol, *file; /* (nullable) */
  guint line;          /* 0: unknown */
} JankReportInlined;

typedef struct
{
  gint         module;        /* into modules, or JANK_REPORT_NO_INDEX */
  guint64      offset;        /* ELF virtual address in the module; the plain address without one */
  char        *symbol;        /* (nullable) */
  JankNameFrom name_from;     /* of symbol, which may be a description */
  guint64      symbol_offset; /* offset - start of symbol, or of the function by its unwind entry */
  char        *language;      /* (nullable): of what an interpreter runs: "python", "javascript"; its module is the file
                                 of the source */
  char        *file;          /* (nullable): of the source */
  guint        line;          /* 0: unknown */
  GPtrArray   *inlined;       /* (owned) (element-type JankReportInlined): innermost first */
} JankReportCall;

typedef struct
{
  GArray  *calls;    /* guint: into the report's calls, innermost first */
  gboolean complete; /* reached the thread's base */
} JankReportStack;

/* What a thread waits for; strings (nullable). */
typedef struct
{
  char   *kind;       /* "file", "lock" …; newer versions may know more */
  char   *syscall;    /* name, or the number in digits */
  char   *target;     /* whom or what: path, peer, "org.example.Slow.Wait", child */
  char   *filesystem; /* of the path: "ext4", "nfs4" */
  char   *mount;      /* the folder that it is mounted on */
  char   *detail;     /* all that is known, on one line, never translated */
  gint64  n_bytes;    /* asked for, -1: none */
  gint64  timeout_ns; /* -1: none, or for ever */
  gint    n_calls;    /* that it stands for; 0: the one of the sample before, -1: unknown */
  gint    peer_pid;   /* 0: unknown */
  char   *peer;       /* its name, where target says something else */
  struct { char *name, *owner, *path, *interface, *method, *property, *bus; } dbus; /* whom a D-Bus call is for */
  struct { char *kind; guint64 address; gint owner; } lock; /* kind NULL: no lock; owner: tid, 0 unknown */
} JankReportWait;

typedef struct
{
  gint64          at_ns;     /* since the stall began */
  gint64          weight_ns;
  gint            stack;     /* into stacks, or JANK_REPORT_NO_INDEX */
  gboolean        by_signal; /* method: signal or blocked */
  JankThreadState state;
  char           *kernel;    /* (nullable): computed in this function's system call, or "unknown" */
  JankReportWait *wait;      /* (owned) (nullable) */
} JankReportSample;

/* A thread of the program in the middle of the stall. */
typedef struct
{
  gint            tid;
  char           *name;       /* (nullable) */
  JankThreadState state;
  char           *policy;     /* "other", "fifo" … (nullable) */
  gint            priority;   /* real-time, 0: none */
  gint            nice;
  gint64          cpu_ns;     /* since the thread began; -1 unknown */
  gint64          stall_cpu_ns; /* between the snapshot and the end of the stall; -1 unknown */
  double          share;      /* of a CPU in that time, 0..1; -1 unknown */
  double          before_share; /* the same from its beginning to the stall's; -1: it began later, or unknown */
  gint            stack;      /* into stacks, or JANK_REPORT_NO_INDEX */
  char           *function;   /* (nullable): the program's innermost on the stack */
  char           *file;       /* (nullable) */
  guint           line;
  JankReportWait *wait;       /* (owned) (nullable) */
  gint            waits_for;  /* tid of the owner of the lock that it waits for, 0: none */
  gboolean        observed;   /* runs the main loop */
} JankReportThread;

/* A source and all its dispatches. */
typedef struct
{
  char  *name;      /* "": has none */
  gint   callback;  /* into calls, or JANK_REPORT_NO_INDEX */
  gint   priority;
  gint64 count, total_ns, longest_ns;
} JankReportSource;

/* A turn of the main loop before the stall. */
typedef struct
{
  gint64 began_ns, duration_ns; /* CLOCK_MONOTONIC */
  gint   callback;              /* of the source that took half of it and more, or JANK_REPORT_NO_INDEX */
} JankReportTurn;

/* What the program was doing: "window" and its title, "focus", "action", or a tag that the program set. */
typedef struct
{
  char *name, *value;
} JankReportTag;

/* How often a stall had this length, to within 1.6 %. */
typedef struct
{
  gint64 ns;
  guint  count;
} JankReportLength;

/* Of the stall, in ns since it began. */
typedef struct
{
  gint64 from_ns, to_ns;
} JankReportSpan;

typedef struct
{
  gint   call;  /* into calls */
  double share; /* of the time that has stacks, with this function on the stack */
  double self_share;
} JankReportStep;

/* A call off the heaviest path. */
typedef struct
{
  JankReportStep step;
  gint           from;    /* its caller: into the path; from the path's length on, into the branches; -1: none */
  gint64         time_ns; /* with the function here on the stack */
} JankReportBranch;

extern const JankTable jank_report_wait_table, jank_report_sample_table;

/* The rows, for jank-report-fields.c only. */
#ifdef JANK_REPORT_FIELDS

static gboolean finish_call (gpointer self);
static gboolean finish_tag  (gpointer self);
static gboolean finish_step (gpointer self);
static gboolean finish_branch (gpointer self);

static const char *const method_nicks[] = { "blocked", "signal" };
static const char *const state_nicks[] = { NULL, "computing", "preempted", "page-fault", "blocked" };
G_STATIC_ASSERT (G_N_ELEMENTS (state_nicks) == JANK_N_STATES);
static const char *const name_from_nicks[] = { NULL, "exported", "symtab", "debugdata", "debug-file",
                                                "debuginfod", "type-system", "interpreter", "caller", "collector" };
G_STATIC_ASSERT (G_N_ELEMENTS (name_from_nicks) == JANK_N_NAME_FROM);

JANK_TABLE (JankReportModule, jank_report_module, NULL,
  JANK_TEXT ("path", JankReportModule, path, JANK_REDACT_PATH, .words = "Its path as the loader knows it."),
  JANK_TEXT ("build_id", JankReportModule, build_id, JANK_REDACT_WORD, .pattern = "^([0-9a-f]{2})+$",
    .words = "Its build-id."),
  { "base", JANK_INT, JANK_AT (JankReportModule, base), .max = G_MAXINT64,
    .words = "Address in memory of the file's address 0. Bytes." });

JANK_TABLE (JankReportInlined, jank_report_inlined, NULL,
  JANK_TEXT ("symbol", JankReportInlined, symbol, JANK_REDACT_WORD, .words = "Its name."),
  JANK_TEXT ("file", JankReportInlined, file, JANK_REDACT_PATH,
    .words = "Source file; its whole path where the debug information tells."),
  { "line", JANK_INT, JANK_AT (JankReportInlined, line), JANK_OMIT_EMPTY, .words = "Line in the source file." });

JANK_TABLE (JankReportCall, jank_report_call, finish_call,
  { "module", JANK_INDEX, JANK_AT (JankReportCall, module), .fallback = -1, .into = "modules",
    .words = "The file that holds it; left out for code without a file." },
  { "offset", JANK_INT, JANK_AT (JankReportCall, offset), .max = G_MAXINT64,
    .words = "Address as the ELF file counts: the address in memory less the module's base. Bytes." },
  JANK_TEXT ("symbol", JankReportCall, symbol, JANK_REDACT_FUNCTION,
    .words = "Name of the function whose size contains the place."),
  { "name_from", JANK_NICK, JANK_AT (JankReportCall, name_from), JANK_NICKS (name_from_nicks),
    .words = "Where the name was read: in the loaded file's .dynsym (exported), .symtab or .gnu_debugdata; in debug "
             "information with the same build-id on the machine that printed the report (debug-file), or from a "
             "server (debuginfod). `type-system` is no name but a description: the class and the slot in it that "
             "hold the function, such as EditorPage.size_allocate, or “method of EditorPage” of the program where the "
             "slot has no name. `caller` is one, too: what the function was called for when "
             "the sample was taken, such as “handler of GtkButton::clicked on “Freeze””, “handler of action "
             "win.save”, “tick callback of GtkWindow”, “callback of source [timeout]”. `interpreter`: as the "
             "script calls it; also of a C function of Python's, such as time.sleep. `collector`: no function, but an "
             "interpreter's garbage collector." },
  { "symbol_offset", JANK_INT, JANK_AT (JankReportCall, symbol_offset), .max = G_MAXINT64,
    .words = "Distance from the start of the function, also of one without name. Bytes." },
  JANK_TEXT ("language", JankReportCall, language, JANK_REDACT_WORD,
    .words = "Of a function that an interpreter runs: `python`, `javascript`. Its module is the file of its source; "
             "its offsets are numbers that tell calls of one report apart."),
  JANK_TEXT ("file", JankReportCall, file, JANK_REDACT_PATH,
    .words = "Source file; its whole path where the debug information tells."),
  { "line", JANK_INT, JANK_AT (JankReportCall, line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  { "inlined", JANK_ARRAY, JANK_AT (JankReportCall, inlined), JANK_OMIT_EMPTY, .max = 64,
    .table = &jank_report_inlined_table, .element = "An inlined function.",
    .words = "Functions inlined at this place, innermost first." });

JANK_TABLE (JankReportStack, jank_report_stack, NULL,
  { "stacks", JANK_INTS, JANK_AT (JankReportStack, calls), .max = 1000, .into = "frames",
    .element = "A frame.", .words = "One stack, innermost first." },
  { "stacks_complete", JANK_BOOLEAN, JANK_AT (JankReportStack, complete), .fallback = TRUE,
    .words = "Whether the stack was read to its end." });

JANK_PART_TABLE (JankReportWait, jank_report_lock, NULL,
  JANK_TEXT ("kind", JankReportWait, lock.kind, JANK_REDACT_WORD,
    .words = "Such as `mutex`, `rwlock`, `cond`, `GMutex`, `GIL` (Python's interpreter lock), or what the functions "
             "on the stack use a lock for: `queue`, `channel`, `future`, `event`, `task`."),
  { "address", JANK_INT, JANK_AT (JankReportWait, lock.address), .max = G_MAXINT64,
    .words = "Where it is in the memory of the program." },
  { "owner", JANK_INT, JANK_AT (JankReportWait, lock.owner), JANK_OMIT_EMPTY,
    .words = "Thread that holds it; left out when nobody can tell." });

JANK_PART_TABLE (JankReportWait, jank_report_dbus, NULL,
  JANK_TEXT ("name", JankReportWait, dbus.name, JANK_REDACT_BUS_NAME,
    .words = "Name on the bus, a well-known one if the program knows it."),
  JANK_TEXT ("owner", JankReportWait, dbus.owner, JANK_REDACT_BUS_NAME,
    .words = "The unique name that had it; left out when the program did not know."),
  JANK_TEXT ("path", JankReportWait, dbus.path, JANK_REDACT_ALL, /* names devices, accounts */
    .words = "Of the object."),
  JANK_TEXT ("interface", JankReportWait, dbus.interface, JANK_REDACT_BUS_NAME,
    .words = "Of the method, or of the proxy."),
  JANK_TEXT ("method", JankReportWait, dbus.method, JANK_REDACT_BUS_NAME,
    .words = "With its interface; left out while a proxy is made."),
  JANK_TEXT ("property", JankReportWait, dbus.property, JANK_REDACT_BUS_NAME,
    .words = "That is asked for or set, with its interface; `*` for all of these."),
  JANK_TEXT ("bus", JankReportWait, dbus.bus, JANK_REDACT_ALL,
    .words = "Address of the bus, or of the other end."));

JANK_TABLE (JankReportWait, jank_report_wait, NULL,
  JANK_TEXT ("kind", JankReportWait, kind, JANK_REDACT_WORD,
    .words = "`file`, `pipe`, `socket`, `poll` (several descriptors), `wake` (another thread of the program), `sleep`, "
             "`lock`, `child`, `device`, `dbus`, `page`, `call` or `unknown`; newer versions may know more."),
  JANK_TEXT ("syscall", JankReportWait, syscall, JANK_REDACT_WORD,
    .words = "Name of the system call, or its number."),
  JANK_TEXT ("target", JankReportWait, target, JANK_REDACT_TARGET,
    .words = "Whom or what: a path, a peer, a D-Bus name with its method, a child."),
  JANK_TEXT ("filesystem", JankReportWait, filesystem, JANK_REDACT_WORD,
    .words = "Type of the file system that the path is on."),
  JANK_TEXT ("mount", JankReportWait, mount, JANK_REDACT_PATH, .words = "Folder that this file system is mounted on."),
  JANK_TEXT ("detail", JankReportWait, detail, JANK_REDACT_ALL,
    .words = "All that is known, on one line, in English."), /* repeats the target in words */
  { "bytes", JANK_INT, JANK_AT (JankReportWait, n_bytes), .fallback = -1,
    .words = "How many were asked for. Bytes." },
  { "timeout_ns", JANK_INT, JANK_AT (JankReportWait, timeout_ns), .fallback = -1,
    .words = "Length of the sleep, or when the wait gives up." },
  { "calls", JANK_INT, JANK_AT (JankReportWait, n_calls), .fallback = -1,
    .words = "How many system calls it stands for; 0: the same as the sample before it." },
  { "peer_pid", JANK_INT, JANK_AT (JankReportWait, peer_pid), JANK_OMIT_EMPTY,
    .words = "Process at the other end, or the child." },
  JANK_TEXT ("peer", JankReportWait, peer, JANK_REDACT_NAME,
    .words = "Name of that process, where it is not the target."),
  { "dbus", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY, .table = &jank_report_dbus_table,
    .words = "The D-Bus call that it waited for." },
  { "lock", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &jank_report_lock_table,
    .words = "The lock that it waited for." });

JANK_TABLE (JankReportSample, jank_report_sample, NULL,
  { "at_ns", JANK_INT, JANK_AT (JankReportSample, at_ns), .words = "Since the stall began." },
  { "weight_ns", JANK_INT, JANK_AT (JankReportSample, weight_ns),
    .words = "Part of the stall that the sample stands for." },
  { "stack", JANK_INDEX, JANK_AT (JankReportSample, stack), .fallback = -1, .into = "stacks",
    .words = "What was on the stack; left out when it could not be read." },
  { "method", JANK_NICK, JANK_AT (JankReportSample, by_signal), JANK_NICKS (method_nicks),
    .words = "How it was read: by a signal handler in the thread, or from outside while the thread was blocked." },
  { "state", JANK_NICK, JANK_AT (JankReportSample, state), JANK_NICKS (state_nicks),
    .words = "What the thread did: it computed, could have run and had no CPU (preempted), waited for memory to come "
             "from disk (page-fault), or waited in the kernel (blocked)." },
  JANK_TEXT ("kernel", JankReportSample, kernel, JANK_REDACT_WORD,
    .words = "What it was inside the kernel for, on a CPU, for longer than samples are apart: the C library's function "
             "that made the system call, such as `munmap`, or `unknown`."),
  { "wait", JANK_POINTER, JANK_AT (JankReportSample, wait), .table = &jank_report_wait_table,
    .words = "What it waited for." });

JANK_TABLE (JankReportThread, jank_report_thread, NULL,
  { "tid", JANK_INT, JANK_AT (JankReportThread, tid), .words = "Its id." },
  JANK_TEXT ("name", JankReportThread, name, JANK_REDACT_THREAD, .words = "Its name."),
  { "state", JANK_NICK, JANK_AT (JankReportThread, state), JANK_NICKS (state_nicks),
    .words = "What it did, as in `samples`." },
  JANK_TEXT ("policy", JankReportThread, policy, JANK_REDACT_WORD,
    .words = "Scheduling policy: `other`, `batch`, `idle`, `fifo`, `rr` or `deadline`."),
  { "priority", JANK_INT, JANK_AT (JankReportThread, priority), JANK_OMIT_EMPTY,
    .words = "Real-time priority; left out when it has none." },
  { "nice", JANK_INT, JANK_AT (JankReportThread, nice), JANK_SIGNED, .words = "Nice value, -20 to 19." },
  { "cpu_ns", JANK_INT, JANK_AT (JankReportThread, cpu_ns), .fallback = -1, .words = "CPU time since it began." },
  { "stall_cpu_ns", JANK_INT, JANK_AT (JankReportThread, stall_cpu_ns), .fallback = -1,
    .words = "CPU time from this look to the end of the stall." },
  { "share", JANK_NUMBER, JANK_AT (JankReportThread, share), .fallback = -1, .max = 1,
    .words = "Of a CPU in that time." },
  { "before_share", JANK_NUMBER, JANK_AT (JankReportThread, before_share), .fallback = -1, .max = 1,
    .words = "Of a CPU, from its beginning to the stall's, without what starting it took; left out when it began "
             "later." },
  { "stack", JANK_INDEX, JANK_AT (JankReportThread, stack), .fallback = -1, .into = "stacks",
    .words = "What was on its stack; left out when it could not be read." },
  JANK_TEXT ("function", JankReportThread, function, JANK_REDACT_FUNCTION,
    .words = "The program's innermost function on its stack; left out when there is none."),
  JANK_TEXT ("file", JankReportThread, file, JANK_REDACT_PATH, .words = "Source file of that."),
  { "line", JANK_INT, JANK_AT (JankReportThread, line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  { "wait", JANK_POINTER, JANK_AT (JankReportThread, wait), .table = &jank_report_wait_table,
    .words = "What it waited for." },
  { "waits_for", JANK_INT, JANK_AT (JankReportThread, waits_for), JANK_OMIT_EMPTY,
    .words = "Thread that holds the lock it waits for." },
  { "observed", JANK_BOOLEAN, JANK_AT (JankReportThread, observed), .words = "Whether it runs the main loop." });

JANK_TABLE (JankReportSource, jank_report_source, NULL,
  JANK_TEXT ("name", JankReportSource, name, JANK_REDACT_SOURCE, .flags = JANK_OMIT_EMPTY | JANK_NOT_NULL,
    .words = "Its name; left out when it has none."),
  { "callback", JANK_INDEX, JANK_AT (JankReportSource, callback), .fallback = -1, .into = "frames",
    .words = "Its function." },
  { "priority", JANK_INT, JANK_AT (JankReportSource, priority), JANK_SIGNED,
    .words = "Its priority; lower is sooner." },
  { "count", JANK_INT, JANK_AT (JankReportSource, count), .words = "How often it was dispatched." },
  { "total_ns", JANK_INT, JANK_AT (JankReportSource, total_ns), .words = "Time of all dispatches." },
  { "longest_ns", JANK_INT, JANK_AT (JankReportSource, longest_ns), .words = "The longest dispatch." });

JANK_PART_TABLE (JankReportTurn, turn, NULL,
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReportTurn, began_ns), .words = "When it began, by CLOCK_MONOTONIC." },
  { "duration_ns", JANK_INT, JANK_AT (JankReportTurn, duration_ns), .words = "How long it took." },
  { "callback", JANK_INDEX, JANK_AT (JankReportTurn, callback), .fallback = -1, .into = "frames",
    .words = "Function of the source that took half of it and more; left out where none did, or that was not counted "
             "then." });

JANK_TABLE (JankReportTag, jank_report_tag, finish_tag,
  JANK_TEXT ("name", JankReportTag, name, JANK_REDACT_ID, .flags = JANK_REQUIRED,
    .words = "`window` (title of the active one), `focus` (type of the focused widget), `action` (the last one), or "
             "a name that the program gave."),
  JANK_TEXT ("value", JankReportTag, value, JANK_REDACT_TAG, .flags = JANK_REQUIRED, .words = "What it stands at."));

JANK_PART_TABLE (JankReportStep, step, finish_step,
  { "frame", JANK_INDEX, JANK_AT (JankReportStep, call), JANK_REQUIRED, .fallback = -1, .into = "frames",
    .words = "A frame in the function." },
  { "share", JANK_NUMBER, JANK_AT (JankReportStep, share), .max = 1,
    .words = "Of the time that has stacks, with the function here on the stack." },
  { "self_share", JANK_NUMBER, JANK_AT (JankReportStep, self_share), .max = 1,
    .words = "Of the same time, in the function itself." });

JANK_PART_TABLE (JankReportBranch, branch, finish_branch,
  { "frame", JANK_INDEX, JANK_AT (JankReportBranch, step.call), JANK_REQUIRED, .fallback = -1, .into = "frames",
    .words = "A frame in the function." },
  { "from", JANK_INT, JANK_AT (JankReportBranch, from), .fallback = -1,
    .words = "Its caller: so many calls along `path`; from the length of `path` on, the rest counts along `branches`, "
             "where a caller stands before what it calls. Left out when no caller is known." },
  { "share", JANK_NUMBER, JANK_AT (JankReportBranch, step.share), .max = 1,
    .words = "Of the time that has stacks, with the function here on the stack." },
  { "self_share", JANK_NUMBER, JANK_AT (JankReportBranch, step.self_share), .max = 1,
    .words = "Of the same time, in the function itself." },
  { "time_ns", JANK_INT, JANK_AT (JankReportBranch, time_ns),
    .words = "Time with the function here on the stack. Nanoseconds." });

JANK_PART_TABLE (JankReportLength, length, NULL,
  { "ns", JANK_INT, JANK_AT (JankReportLength, ns), .words = "The length; within 1.6 %. Nanoseconds." },
  { "count", JANK_INT, JANK_AT (JankReportLength, count), .words = "How many had it." });

#endif
