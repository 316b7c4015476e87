/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall as facts. Below the structs stand the rows that make them JSON: a new field is a member, its row, and its
 * words in data/jankwatch-report-1.schema.json. Filled by the watcher thread or by the reader, immutable once shared. */

#pragma once

#include "base/jank-clock-private.h"
#include "base/jank-histogram-private.h"
#include "proc/jank-thread-private.h"
#include "report/jank-field-private.h"
#include "report/jank-report-frame-clock-private.h"
#include "report/jank-report.h"
#include "symbols/jank-name-from-private.h"

#define JANK_REPORT_SCHEMA "jankwatch-report-1"
#define JANK_REPORT_NO_INDEX (-1)

#define JANK_N_REPORT_KINDS (JANK_REPORT_CPU + 1)

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
  char        *language;      /* (nullable): of what an interpreter runs: "python", "javascript"; its module is the file of the source */
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
  char   *detail;     /* all that is known, on one line, never translated */
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
  gint            stack;      /* into stacks, or JANK_REPORT_NO_INDEX */
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

struct _JankReport
{
  gatomicrefcount n_refs;

  char          *id;
  char          *session; /* (nullable): of `jankwatch run` */
  JankReportKind kind;

  struct { char *name, *id, *exe, *version; gint pid; } app;     /* strings (nullable) */
  struct { char *name, *version, *backend, *renderer; } toolkit; /* (nullable) */

  struct
  {
    gint64       began_real_us; /* since the Unix epoch */
    gint64       began_monotonic_ns;
    gint64       duration_ns;   /* without the excluded parts */
    gint64       threshold_ns;
    gint64       cpu_ns;        /* -1: unknown */
    gint64       suspended_ns, stopped_ns, traced_ns, own_ns;
    gint64       state_ns[JANK_N_STATES]; /* what the thread spent in each; all 0: unknown */
    gint64       watcher_late_ns;         /* how long the watcher had no CPU meanwhile */
    gint64       n_turns;                 /* of the loop during a spin; else 0 */
    double       fps;           /* frames drawn a second, where a rule counts them; 0: not counted */
    guint        loop_depth;
    JankSeverity severity;
    JankOutcome  outcome;
  } stall;

  struct { char *name; gint priority; gint callback; } source; /* name NULL: unknown source; "": without a name */

  struct
  {
    char  *rule;     /* "path", "last20" or "same"; NULL: no samples */
    char  *function; /* symbol, or module+0xoffset */
    char  *module;   /* path */
    double share, self_share, confidence;
    guint  n_samples;
    gint   stack;
    char  *unanswered; /* (nullable): language whose calls on that stack are not known: the engine has not answered since */
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

  /* Tids, each waiting for a lock of the next, the observed thread first; empty: it waits for no lock. */
  struct { GArray *chain; gboolean deadlock; } locks; /* gint */

  char      *fingerprint; /* (nullable): the same for the same culprit on the same path */

  JankReportFrameClock *frame_clock; /* (owned) (nullable) */

  struct
  {
    gint64 rss_bytes, cpu_ns; /* -1 unknown */
    guint  n_threads;
    gint64 n_descriptors, read_bytes, written_bytes; /* -1 unknown */
  } process;
  struct
  {
    guint   count;
    gint64  total_ns, longest_ns, p95_ns, first_real_us, last_real_us;
    GArray *lengths; /* JankReportLength, shortest first; empty: not known, or there is but one */
  } repeats;
  /* Stalls without a report because this limit was reached: "session", in older files also "day" or "rate"; NULL: none. */
  struct { char *reached; guint count; gint64 total_ns; } limit;
  struct { guint64 samples, lost_samples, signals_sent; gint64 cost_ns, snapshot_ns; } self;
};

typedef struct
{
  gint   call;  /* into calls */
  double share; /* of the stall with this function on the stack */
  double self_share;
} JankReportStep;

extern const JankTable jank_report_table;

/* Returns: (transfer full): with empty arrays, and every number unknown */
JankReport        *jank_report_new             (void);

/* Parts. Returns: (transfer full): the array or pointer that a part is put into frees it */
JankReportWait    *jank_report_wait_new        (void);
JankReportSample  *jank_report_sample_new      (void);
JankReportStack   *jank_report_stack_new       (void);
JankReportCall    *jank_report_call_new        (void);
void               jank_report_call_free       (gpointer self);
JankReportInlined *jank_report_inlined_new     (void);
JankReportModule  *jank_report_module_new      (void);
JankReportThread  *jank_report_thread_new      (void);
JankReportSource  *jank_report_source_new      (void);
void               jank_report_add_tag         (JankReport *self, const char *name, const char *value);

/* The part of a module's path that tells it from others. Returns: (transfer none) (nullable): within path */
const char       *jank_report_shorten_path     (const char *path);

/* Of a call. Returns: (nullable) */
const JankReportModule *jank_report_get_module (JankReport *self, const JankReportCall *call);
const char       *jank_report_get_file_name    (JankReport *self, const JankReportCall *call);
/* Whether the call is of a file that belongs to no particular program. */
gboolean          jank_report_is_platform      (JankReport *self, const JankReportCall *call);

/* Text of calls[i] for a person: its symbol, or where its function starts: "libgtk-4.so.1+0x24cba8", "0x7f…";
 * what is no symbol but a description says so: "slot EditorPage.measure", "handler of GtkButton::clicked".
 * Returns: (transfer full) */
char             *jank_report_call_to_text     (JankReport *self, guint i);

/* Whether a source's callback says more than that it is one. */
gboolean          jank_report_has_callback     (JankReport *self, gint callback);

/* Removes what may be private, before the report is shared with anybody: paths become base names and peers their
 * kind; window titles, tags, and the names of threads and sources go, except for those that are known to be harmless. */
void              jank_report_redact           (JankReport *self);

/* The time that each sample stands for: as long as its weight, beginning halfway after the sample before it. Time in
 * which the program was stopped belongs to none. Returns: (transfer full) (element-type JankReportSpan) */
GArray           *jank_report_get_sample_spans (JankReport *self);
/* From beginning to end, stops included, as samples count time. */
gint64            jank_report_get_length_ns    (JankReport *self);

/* The culprit's innermost step on the heaviest path, or JANK_REPORT_NO_INDEX. */
gint              jank_report_find_culprit_step (JankReport *self);

/* Names as they stand in the report schema. */
extern const char *const jank_report_kind_nicks[JANK_N_REPORT_KINDS];
extern const char *const jank_severity_nicks[JANK_SEVERITY_FROZEN + 1];
extern const char *const jank_outcome_nicks[JANK_OUTCOME_KILLED + 1];
const char       *jank_report_kind_to_nick     (JankReportKind kind);
const char       *jank_severity_to_nick        (JankSeverity severity);
/* Whether the loop did not turn. */
gboolean          jank_report_kind_is_stall    (JankReportKind kind);

static inline JankSeverity
jank_severity_of (gint64 duration_ns)
{
  if (duration_ns >= 5 * JANK_NS_PER_S)
    return JANK_SEVERITY_FROZEN;
  if (duration_ns >= 500 * JANK_NS_PER_MS)
    return JANK_SEVERITY_HANG;
  if (duration_ns >= 250 * JANK_NS_PER_MS)
    return JANK_SEVERITY_MICROHANG;
  return JANK_SEVERITY_MINOR;
}

/* The rows, for jank-report-fields.c only. */
#ifdef JANK_REPORT_FIELDS

static gboolean finish_call  (gpointer self);
static gboolean finish_tag   (gpointer self);
static gboolean finish_stall (gpointer self);
static gboolean finish_step  (gpointer self);
static gboolean finish_report (gpointer self);

static const char *const method_nicks[] = { "blocked", "signal" };
static const char *const state_nicks[] = { NULL, "computing", "preempted", "page-fault", "blocked" };
G_STATIC_ASSERT (G_N_ELEMENTS (state_nicks) == JANK_N_STATES);
static const char *const name_from_nicks[] = { NULL, "exported", "symtab", "debugdata", "debug-file",
                                                "debuginfod", "type-system", "interpreter", "caller" };
G_STATIC_ASSERT (G_N_ELEMENTS (name_from_nicks) == JANK_N_NAME_FROM);

JANK_TABLE (JankReportModule, jank_report_module, NULL,
  JANK_TEXT ("path", JankReportModule, path, jank_redact_path),
  JANK_TEXT ("build_id", JankReportModule, build_id, jank_redact_word),
  { "base", JANK_INT, JANK_AT (JankReportModule, base), .max = G_MAXINT64 });

JANK_TABLE (JankReportInlined, jank_report_inlined, NULL,
  JANK_TEXT ("symbol", JankReportInlined, symbol, jank_redact_word),
  JANK_TEXT ("file", JankReportInlined, file, jank_redact_path),
  { "line", JANK_INT, JANK_AT (JankReportInlined, line), JANK_OMIT_EMPTY });

JANK_TABLE (JankReportCall, jank_report_call, finish_call,
  { "module", JANK_INDEX, JANK_AT (JankReportCall, module), .fallback = -1, .into = "modules" },
  { "offset", JANK_INT, JANK_AT (JankReportCall, offset), .max = G_MAXINT64 },
  JANK_TEXT ("symbol", JankReportCall, symbol, jank_redact_function),
  { "name_from", JANK_NICK, JANK_AT (JankReportCall, name_from), JANK_NICKS (name_from_nicks) },
  { "symbol_offset", JANK_INT, JANK_AT (JankReportCall, symbol_offset), .max = G_MAXINT64 },
  JANK_TEXT ("language", JankReportCall, language, jank_redact_word),
  JANK_TEXT ("file", JankReportCall, file, jank_redact_path),
  { "line", JANK_INT, JANK_AT (JankReportCall, line), JANK_OMIT_EMPTY },
  { "inlined", JANK_ARRAY, JANK_AT (JankReportCall, inlined), JANK_OMIT_EMPTY, .max = 64,
    .table = &jank_report_inlined_table });

JANK_TABLE (JankReportStack, jank_report_stack, NULL,
  { "stacks", JANK_INTS, JANK_AT (JankReportStack, calls), .max = 1000, .into = "frames" },
  { "stacks_complete", JANK_BOOLEAN, JANK_AT (JankReportStack, complete), .fallback = TRUE });

JANK_PART_TABLE (JankReportWait, jank_report_lock, NULL,
  JANK_TEXT ("kind", JankReportWait, lock.kind, jank_redact_word),
  { "address", JANK_INT, JANK_AT (JankReportWait, lock.address), .max = G_MAXINT64 },
  { "owner", JANK_INT, JANK_AT (JankReportWait, lock.owner), JANK_OMIT_EMPTY });

JANK_TABLE (JankReportWait, jank_report_wait, NULL,
  JANK_TEXT ("kind", JankReportWait, kind, jank_redact_word),
  JANK_TEXT ("syscall", JankReportWait, syscall, jank_redact_word),
  JANK_TEXT ("target", JankReportWait, target, jank_redact_target),
  JANK_TEXT ("filesystem", JankReportWait, filesystem, jank_redact_word),
  JANK_TEXT ("detail", JankReportWait, detail, jank_redact_all), /* repeats the target in words */
  { "bytes", JANK_INT, JANK_AT (JankReportWait, n_bytes), .fallback = -1 },
  { "timeout_ns", JANK_INT, JANK_AT (JankReportWait, timeout_ns), .fallback = -1 },
  { "peer_pid", JANK_INT, JANK_AT (JankReportWait, peer_pid), JANK_OMIT_EMPTY },
  { "lock", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &jank_report_lock_table });

JANK_TABLE (JankReportSample, jank_report_sample, NULL,
  { "at_ns", JANK_INT, JANK_AT (JankReportSample, at_ns) },
  { "weight_ns", JANK_INT, JANK_AT (JankReportSample, weight_ns) },
  { "stack", JANK_INDEX, JANK_AT (JankReportSample, stack), .fallback = -1, .into = "stacks" },
  { "method", JANK_NICK, JANK_AT (JankReportSample, by_signal), JANK_NICKS (method_nicks) },
  { "state", JANK_NICK, JANK_AT (JankReportSample, state), JANK_NICKS (state_nicks) },
  { "cost_ns", JANK_INT, JANK_AT (JankReportSample, cost_ns) },
  { "wait", JANK_POINTER, JANK_AT (JankReportSample, wait), .table = &jank_report_wait_table });

JANK_TABLE (JankReportThread, jank_report_thread, NULL,
  { "tid", JANK_INT, JANK_AT (JankReportThread, tid) },
  JANK_TEXT ("name", JankReportThread, name, jank_redact_thread),
  { "state", JANK_NICK, JANK_AT (JankReportThread, state), JANK_NICKS (state_nicks) },
  JANK_TEXT ("policy", JankReportThread, policy, jank_redact_word),
  { "priority", JANK_INT, JANK_AT (JankReportThread, priority), JANK_OMIT_EMPTY },
  { "nice", JANK_INT, JANK_AT (JankReportThread, nice), JANK_SIGNED },
  { "cpu_ns", JANK_INT, JANK_AT (JankReportThread, cpu_ns), .fallback = -1 },
  { "stall_cpu_ns", JANK_INT, JANK_AT (JankReportThread, stall_cpu_ns), .fallback = -1 },
  { "share", JANK_NUMBER, JANK_AT (JankReportThread, share), .fallback = -1, .max = 1 },
  { "stack", JANK_INDEX, JANK_AT (JankReportThread, stack), .fallback = -1, .into = "stacks" },
  { "wait", JANK_POINTER, JANK_AT (JankReportThread, wait), .table = &jank_report_wait_table },
  { "waits_for", JANK_INT, JANK_AT (JankReportThread, waits_for), JANK_OMIT_EMPTY },
  { "observed", JANK_BOOLEAN, JANK_AT (JankReportThread, observed) });

JANK_TABLE (JankReportSource, jank_report_source, NULL,
  JANK_TEXT ("name", JankReportSource, name, jank_redact_source, .flags = JANK_OMIT_EMPTY | JANK_NOT_NULL),
  { "callback", JANK_INDEX, JANK_AT (JankReportSource, callback), .fallback = -1, .into = "frames" },
  { "priority", JANK_INT, JANK_AT (JankReportSource, priority), JANK_SIGNED },
  { "count", JANK_INT, JANK_AT (JankReportSource, count) },
  { "total_ns", JANK_INT, JANK_AT (JankReportSource, total_ns) },
  { "longest_ns", JANK_INT, JANK_AT (JankReportSource, longest_ns) });

JANK_TABLE (JankReportTag, jank_report_tag, finish_tag,
  JANK_TEXT ("name", JankReportTag, name, jank_redact_id),
  JANK_TEXT ("value", JankReportTag, value, jank_redact_tag));

JANK_PART_TABLE (JankReport, app, NULL,
  JANK_TEXT ("name", JankReport, app.name, jank_redact_path),
  JANK_TEXT ("id", JankReport, app.id, jank_redact_word),
  JANK_TEXT ("exe", JankReport, app.exe, jank_redact_path),
  JANK_TEXT ("version", JankReport, app.version, jank_redact_word),
  { "pid", JANK_INT, JANK_AT (JankReport, app.pid) });
JANK_PART_TABLE (JankReport, toolkit, NULL,
  JANK_TEXT ("name", JankReport, toolkit.name, jank_redact_word),
  JANK_TEXT ("version", JankReport, toolkit.version, jank_redact_word),
  JANK_TEXT ("backend", JankReport, toolkit.backend, jank_redact_word),
  JANK_TEXT ("renderer", JankReport, toolkit.renderer, jank_redact_word));
JANK_PART_TABLE (JankReport, states, NULL,
  { "computing_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_COMPUTING]) },
  { "preempted_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_PREEMPTED]) },
  { "page_fault_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_PAGE_FAULT]) },
  { "blocked_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_BLOCKED]) });
JANK_PART_TABLE (JankReport, excluded, NULL,
  { "suspend", JANK_INT, JANK_AT (JankReport, stall.suspended_ns) },
  { "stopped", JANK_INT, JANK_AT (JankReport, stall.stopped_ns) },
  { "traced", JANK_INT, JANK_AT (JankReport, stall.traced_ns) },
  { "own", JANK_INT, JANK_AT (JankReport, stall.own_ns) });
JANK_PART_TABLE (JankReport, stall, finish_stall,
  { "began", JANK_TIME, JANK_AT (JankReport, stall.began_real_us) },
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReport, stall.began_monotonic_ns) },
  { "duration_ns", JANK_INT, JANK_AT (JankReport, stall.duration_ns) },
  { "threshold_ns", JANK_INT, JANK_AT (JankReport, stall.threshold_ns) },
  { "severity", JANK_NICK, JANK_AT (JankReport, stall.severity), .fallback = -1, JANK_NICKS (jank_severity_nicks) },
  { "outcome", JANK_NICK, JANK_AT (JankReport, stall.outcome), .fallback = -1, JANK_NICKS (jank_outcome_nicks) },
  { "cpu_ns", JANK_INT, JANK_AT (JankReport, stall.cpu_ns), .fallback = -1 },
  { NULL, JANK_INLINE, 0, 0, JANK_OMIT_EMPTY, .table = &states_table },
  { "watcher_late_ns", JANK_INT, JANK_AT (JankReport, stall.watcher_late_ns), JANK_OMIT_EMPTY },
  { "turns", JANK_INT, JANK_AT (JankReport, stall.n_turns), JANK_OMIT_EMPTY },
  { "fps", JANK_NUMBER, JANK_AT (JankReport, stall.fps), JANK_OMIT_EMPTY, .max = 1000000 },
  { "loop_depth", JANK_INT, JANK_AT (JankReport, stall.loop_depth), JANK_OMIT_EMPTY },
  { "excluded_ns", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY, .table = &excluded_table });
JANK_PART_TABLE (JankReport, source, NULL,
  JANK_TEXT ("name", JankReport, source.name, jank_redact_source, .flags = JANK_OMIT_EMPTY | JANK_NOT_NULL),
  { "priority", JANK_INT, JANK_AT (JankReport, source.priority), JANK_SIGNED },
  { "callback", JANK_INDEX, JANK_AT (JankReport, source.callback), .fallback = -1, .into = "frames" });
JANK_PART_TABLE (JankReportStep, step, finish_step,
  { "frame", JANK_INDEX, JANK_AT (JankReportStep, call), .fallback = -1, .into = "frames" },
  { "share", JANK_NUMBER, JANK_AT (JankReportStep, share), .max = 1 },
  { "self_share", JANK_NUMBER, JANK_AT (JankReportStep, self_share), .max = 1 });

JANK_PART_TABLE (JankReport, heaviest, NULL,
  JANK_TEXT ("rule", JankReport, heaviest.rule, jank_redact_word),
  JANK_TEXT ("function", JankReport, heaviest.function, jank_redact_function),
  JANK_TEXT ("module", JankReport, heaviest.module, jank_redact_path),
  { "share", JANK_NUMBER, JANK_AT (JankReport, heaviest.share), .max = 1 },
  { "self_share", JANK_NUMBER, JANK_AT (JankReport, heaviest.self_share), .max = 1 },
  { "confidence", JANK_NUMBER, JANK_AT (JankReport, heaviest.confidence), .max = 1 },
  { "samples", JANK_INT, JANK_AT (JankReport, heaviest.n_samples) },
  { "stack", JANK_INDEX, JANK_AT (JankReport, heaviest.stack), .fallback = -1, .into = "stacks" },
  JANK_TEXT ("unanswered", JankReport, heaviest.unanswered, jank_redact_word),
  { "path", JANK_VALUES, JANK_AT (JankReport, heaviest.path), JANK_OMIT_EMPTY, .max = 1000, .table = &step_table });

JANK_PART_TABLE (JankReport, culprit, NULL,
  JANK_TEXT ("function", JankReport, culprit.function, jank_redact_function),
  JANK_TEXT ("module", JankReport, culprit.module, jank_redact_path),
  JANK_TEXT ("file", JankReport, culprit.file, jank_redact_path),
  { "line", JANK_INT, JANK_AT (JankReport, culprit.line), JANK_OMIT_EMPTY },
  JANK_TEXT ("reason", JankReport, culprit.reason, jank_redact_sentence));

JANK_PART_TABLE (JankReport, locks, NULL,
  { "chain", JANK_INTS, JANK_AT (JankReport, locks.chain), .max = 256 },
  { "deadlock", JANK_BOOLEAN, JANK_AT (JankReport, locks.deadlock) });

JANK_PART_TABLE (JankReport, process, NULL,
  { "n_threads", JANK_INT, JANK_AT (JankReport, process.n_threads) },
  { "rss_bytes", JANK_INT, JANK_AT (JankReport, process.rss_bytes), .fallback = -1 },
  { "cpu_ns", JANK_INT, JANK_AT (JankReport, process.cpu_ns), .fallback = -1 },
  { "descriptors", JANK_INT, JANK_AT (JankReport, process.n_descriptors), .fallback = -1 },
  { "read_bytes", JANK_INT, JANK_AT (JankReport, process.read_bytes), .fallback = -1 },
  { "written_bytes", JANK_INT, JANK_AT (JankReport, process.written_bytes), .fallback = -1 });

JANK_PART_TABLE (JankReportLength, length, NULL,
  { "ns", JANK_INT, JANK_AT (JankReportLength, ns) },
  { "count", JANK_INT, JANK_AT (JankReportLength, count) });

JANK_PART_TABLE (JankReport, repeats, NULL,
  { "count", JANK_INT, JANK_AT (JankReport, repeats.count) },
  { "total_ns", JANK_INT, JANK_AT (JankReport, repeats.total_ns) },
  { "longest_ns", JANK_INT, JANK_AT (JankReport, repeats.longest_ns) },
  { "p95_ns", JANK_INT, JANK_AT (JankReport, repeats.p95_ns) },
  { "first", JANK_TIME, JANK_AT (JankReport, repeats.first_real_us) },
  { "last", JANK_TIME, JANK_AT (JankReport, repeats.last_real_us) },
  { "lengths", JANK_VALUES, JANK_AT (JankReport, repeats.lengths), JANK_OMIT_EMPTY, .max = JANK_HISTOGRAM_N_BUCKETS,
    .table = &length_table });

JANK_PART_TABLE (JankReport, limit, NULL,
  JANK_TEXT ("reached", JankReport, limit.reached, jank_redact_word),
  { "count", JANK_INT, JANK_AT (JankReport, limit.count) },
  { "total_ns", JANK_INT, JANK_AT (JankReport, limit.total_ns) });

JANK_PART_TABLE (JankReport, self, NULL,
  { "samples", JANK_INT, JANK_AT (JankReport, self.samples) },
  { "lost_samples", JANK_INT, JANK_AT (JankReport, self.lost_samples) },
  { "cost_ns", JANK_INT, JANK_AT (JankReport, self.cost_ns) },
  { "snapshot_ns", JANK_INT, JANK_AT (JankReport, self.snapshot_ns), JANK_OMIT_EMPTY },
  { "signals_sent", JANK_INT, JANK_AT (JankReport, self.signals_sent) });

static const JankField jank_report_fields[] = {
  JANK_TEXT ("id", JankReport, id, jank_redact_id),
  { "kind", JANK_NICK, JANK_AT (JankReport, kind), .fallback = -1, JANK_NICKS (jank_report_kind_nicks) },
  JANK_TEXT ("session", JankReport, session, jank_redact_id),
  JANK_TEXT ("fingerprint", JankReport, fingerprint, jank_redact_id),
  { "app", JANK_OBJECT, .table = &app_table },
  { "toolkit", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &toolkit_table },
  { "stall", JANK_OBJECT, .table = &stall_table },
  { "source", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY, .table = &source_table },
  { "heaviest", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &heaviest_table },
  { "culprit", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &culprit_table },
  { "tags", JANK_ARRAY, JANK_AT (JankReport, tags), JANK_OMIT_EMPTY, .max = 100, .table = &jank_report_tag_table },
  { "samples", JANK_ARRAY, JANK_AT (JankReport, samples), .max = 1000, .table = &jank_report_sample_table },
  { "stacks", JANK_COLUMN, JANK_AT (JankReport, stacks), .column = 0, .table = &jank_report_stack_table },
  { "stacks_complete", JANK_COLUMN, JANK_AT (JankReport, stacks), .column = 1, .table = &jank_report_stack_table },
  { "frames", JANK_ARRAY, JANK_AT (JankReport, calls), .table = &jank_report_call_table },
  { "modules", JANK_ARRAY, JANK_AT (JankReport, modules), .table = &jank_report_module_table },
  { "threads", JANK_ARRAY, JANK_AT (JankReport, threads), JANK_OMIT_EMPTY, .max = 256,
    .table = &jank_report_thread_table },
  { "locks", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &locks_table },
  { "sources", JANK_ARRAY, JANK_AT (JankReport, sources), JANK_OMIT_EMPTY, .max = 300,
    .table = &jank_report_source_table },
  { "frame_clock", JANK_POINTER, JANK_AT (JankReport, frame_clock), .table = &jank_report_frame_clock_table },
  { "process", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &process_table },
  { "repeats", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &repeats_table },
  { "limit", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &limit_table },
  { "self", JANK_OBJECT, .table = &self_table },
};
const JankTable jank_report_table = { jank_report_fields, G_N_ELEMENTS (jank_report_fields), sizeof (JankReport), NULL,
                                      finish_report };

#endif
