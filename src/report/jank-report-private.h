/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall as facts: the fields of the report schema (data/jankwatch-report-1.schema.json), one to one.
 * Plain data, filled by the watcher thread or by the reader, immutable once shared. */

#pragma once

#include "proc/jank-thread-private.h"
#include "report/jank-report-frame-clock-private.h"
#include "report/jank-report.h"

#define JANK_REPORT_SCHEMA "jankwatch-report-1"
#define JANK_REPORT_NO_INDEX (-1)

typedef enum
{
  JANK_REPORT_STALL,
  JANK_REPORT_STARTUP,
  JANK_REPORT_FRAME,
  JANK_REPORT_SPIN,
  JANK_REPORT_CPU,
} JankReportKind;

#define JANK_N_REPORT_KINDS (JANK_REPORT_CPU + 1)

typedef struct
{
  char   *path;
  char   *build_id; /* lower-case hexadecimal, (nullable) */
  guint64 base;
} JankReportModule;

/* A function that the compiler put into another. */
typedef struct
{
  char *symbol, *file; /* (nullable) */
  guint line;          /* 0: unknown */
} JankReportInlined;

typedef struct
{
  gint       module;        /* into modules, or JANK_REPORT_NO_INDEX */
  guint64    offset;        /* ELF virtual address in the module; the plain address without one */
  char      *symbol;        /* (nullable) */
  guint64    symbol_offset; /* offset - start of symbol; start of the function by its unwind entry without symbol */
  char      *file;          /* (nullable): of the source */
  guint      line;          /* 0: unknown */
  GPtrArray *inlined;       /* (owned) (nullable) (element-type JankReportInlined): innermost first */
} JankReportCall;

typedef struct
{
  GArray  *calls;    /* guint: into the report's calls, innermost first */
  gboolean complete; /* reached the thread's base */
} JankReportStack;

/* What a thread waits for; strings (nullable). */
typedef struct
{
  char   *kind;       /* "file", "lock" …; another than these of a newer version */
  char   *syscall;    /* name, or the number in digits */
  char   *target;     /* whom or what: path, peer, "org.example.Slow.Wait", child */
  char   *filesystem; /* of the path: "ext4", "nfs4" */
  char   *detail;     /* all that is known, on one line, in no language */
  gint64  n_bytes;    /* asked for, -1: none */
  gint64  timeout_ns; /* -1: none, or for ever */
  gint    peer_pid;   /* 0: unknown */
  struct { char *kind; guint64 address; gint owner; } lock; /* kind NULL: no lock; owner: tid, 0 unknown */
} JankReportWait;

typedef struct
{
  gint64          at_ns;     /* since the stall began */
  gint64          weight_ns;
  gint64          cost_ns;
  gint            stack;     /* into stacks, or JANK_REPORT_NO_INDEX */
  gboolean        by_signal; /* method: signal or blocked */
  JankThreadState state;
  JankReportWait *wait;         /* (owned) (nullable) */
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
  gint64          stall_cpu_ns; /* from the snapshot to the end of the stall; -1 unknown */
  double          share;      /* of a CPU in that time, 0..1; -1 unknown */
  gint            stack;      /* into stacks, or JANK_REPORT_NO_INDEX */
  JankReportWait *wait;       /* (owned) (nullable) */
  gboolean        observed;   /* runs the main loop */
} JankReportThread;

/* One source and its dispatches, exactly counted. */
typedef struct
{
  char  *name;      /* "": has none */
  gint   callback;  /* into calls, or JANK_REPORT_NO_INDEX */
  gint   priority;
  gint64 count, total_ns, longest_ns;
} JankReportSource;

/* What the program was doing, in its own words: "window" and its title, "focus", "action", or of its own. */
typedef struct
{
  char *name, *value;
} JankReportTag;

/* Of the stall, in ns since it began. */
typedef struct
{
  gint64 from_ns, to_ns;
} JankReportSpan;

struct _JankReport
{
  gatomicrefcount n_refs;

  char          *id;
  char          *session; /* (nullable): of `jankwatch run` */
  JankReportKind kind;

  struct { char *name, *id, *exe; gint pid; } app;             /* strings (nullable) */
  struct { char *name, *version, *backend, *renderer; } toolkit;         /* (nullable) */

  struct
  {
    gint64       began_real_us; /* since the Unix epoch */
    gint64       began_monotonic_ns;
    gint64       duration_ns;   /* without the excluded parts */
    gint64       threshold_ns;
    gint64       cpu_ns;        /* -1: unknown */
    gint64       suspended_ns, stopped_ns, traced_ns;
    gint64       state_ns[JANK_N_STATES]; /* what the thread spent in each; all 0: unknown */
    gint64       watcher_late_ns;         /* how long the watcher had no CPU meanwhile */
    gint64       n_turns;                 /* of the loop, of a spin; else 0 */
    guint        loop_depth;
    JankSeverity severity;
    JankOutcome  outcome;
  } stall;

  struct { char *name; gint priority; gint callback; } source; /* name (nullable): not known; "": has no name */

  struct
  {
    char  *rule;     /* "path" or "last20"; NULL: no samples */
    char  *function; /* symbol, or module+0xoffset */
    char  *module;   /* path */
    double share, self_share, confidence;
    guint  n_samples;
    gint   stack;
    GArray *path;    /* JankReportStep: the heaviest path with its shares, outermost first */
  } heaviest;

  struct { char *function, *module, *file, *reason; guint line; } culprit; /* strings (nullable) */

  GPtrArray *samples; /* JankReportSample, oldest first */
  GPtrArray *stacks;  /* JankReportStack */
  GPtrArray *calls;   /* JankReportCall */
  GPtrArray *modules; /* JankReportModule */
  GPtrArray *tags;    /* JankReportTag */
  GPtrArray *threads; /* JankReportThread, the observed one first */
  GPtrArray *sources; /* JankReportSource, heaviest first */

  /* Who waits for whose lock, by index into threads, from the observed thread on; empty: for nobody's. */
  struct { GArray *chain; gboolean deadlock; } locks; /* guint */

  char      *fingerprint; /* (nullable): the same for the same culprit on the same path, see jank-fingerprint */

  JankReportFrameClock *frame_clock; /* (owned) (nullable) */

  struct
  {
    gint64 rss_bytes, cpu_ns; /* -1 unknown */
    guint  n_threads;
    gint64 n_descriptors, read_bytes, written_bytes; /* -1 unknown */
  } process;
  struct { guint count; gint64 total_ns, longest_ns, p95_ns, first_real_us, last_real_us; } repeats;
  /* Stalls that got no report, for a limit was reached: "session", "day" or "rate"; NULL: none was. */
  struct { char *reached; guint count; gint64 total_ns; } limit;
  struct { guint64 samples, lost_samples, signals_sent; gint64 cost_ns, snapshot_ns; } self;
};

typedef struct
{
  gint   call;  /* into calls */
  double share; /* of the stall with this function on the stack */
  double self_share;
} JankReportStep;

/* Returns: (transfer full): empty, with every array made, and all that is a number "unknown" */
JankReport        *jank_report_new             (void);

/* Parts, whose strings are to be set. Returns: (transfer full): freed by the arrays that they are added to */
JankReportWait    *jank_report_wait_new        (void);
JankReportSample  *jank_report_sample_new      (void);
JankReportStack   *jank_report_stack_new       (void);
JankReportCall   *jank_report_call_new       (void);
JankReportInlined *jank_report_inlined_new     (void);
JankReportModule  *jank_report_module_new      (void);
JankReportThread  *jank_report_thread_new      (void);
JankReportSource  *jank_report_source_new      (void);
void               jank_report_wait_free       (JankReportWait *self);
void               jank_report_add_inlined     (JankReportCall *self, JankReportInlined *inlined);
void               jank_report_add_tag         (JankReport *self, const char *name, const char *value);

/* The arrays of a report, empty. Returns: (transfer full) */
GPtrArray         *jank_report_samples_new     (void);
GPtrArray         *jank_report_stacks_new      (void);
GPtrArray         *jank_report_calls_new       (void);
GPtrArray         *jank_report_modules_new     (void);
GPtrArray         *jank_report_tags_new        (void);
GPtrArray         *jank_report_threads_new     (void);
GPtrArray         *jank_report_sources_new     (void);

/* What a person reads for a call: "symbol", or where its function starts: "libgtk-4.so.1+0x24cba8", "0x7f…".
 * Returns: (transfer full) */
char             *jank_report_call_to_text    (JankReport *self, guint call);

/* Before a report leaves the machine, and before it is shared: paths become base names, peers their kind, and what
 * windows and tags say is dropped, but for types of widgets and names of actions. */
void              jank_report_redact           (JankReport *self);

/* The time that each sample stands for: its weight, from halfway to the one before on; the first from the beginning, the last
 * until the end. Where the program was stopped there is a hole. Returns: (transfer full) of JankReportSpan */
GArray           *jank_report_get_sample_spans (JankReport *self);
/* From its beginning to its end, with the excluded parts that a sample's time counts. */
gint64            jank_report_get_length_ns    (JankReport *self);

/* The culprit's step on the heaviest path, the innermost where it recurs; JANK_REPORT_NO_INDEX without one. */
gint              jank_report_find_culprit_step (JankReport *self);

/* Names as they stand in the report schema. The _from_ functions return FALSE for an unknown name. */
const char       *jank_report_state_to_nick    (JankThreadState state); /* (nullable): of the unknown one */
JankThreadState   jank_report_state_from_nick  (const char *nick);      /* (nullable) */
const char       *jank_report_kind_to_nick     (JankReportKind kind);
gboolean          jank_report_kind_from_nick   (const char *nick, JankReportKind *ret_kind);
/* Whether the loop did not turn; else it did, or nobody knows. */
gboolean          jank_report_kind_is_stall    (JankReportKind kind);
const char       *jank_severity_to_nick        (JankSeverity severity);
gboolean          jank_severity_from_nick      (const char *nick, JankSeverity *ret_severity);
const char       *jank_outcome_to_nick         (JankOutcome outcome);
gboolean          jank_outcome_from_nick       (const char *nick, JankOutcome *ret_outcome);
JankSeverity      jank_severity_of             (gint64 duration_ns);
