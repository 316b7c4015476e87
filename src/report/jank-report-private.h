/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall as facts. Below the structs stand the rows that make them JSON: a new field is a member and its row, from
 * whose words jankwatch-report-1.schema.json is made. Filled by the watcher thread or by the reader, immutable once
 * shared. */

#pragma once

#include "base/jank-clock-private.h"
#include "base/jank-histogram-private.h"
#include "blame/jank-culprit-private.h"
#include "proc/jank-task-private.h"
#include "json/jank-field-private.h"
#include "report/jank-report-chain-private.h"
#include "report/jank-report-frame-clock-private.h"
#include "report/jank-report-inputs-private.h"
#include "report/jank-report-parts-private.h"
#include "report/jank-report-verdict-private.h"
#include "report/jank-report.h"

#define JANK_REPORT_SCHEMA "jankwatch-report-1"
#define JANK_REPORT_SLOT   "slot " /* before a class and its function, which the type system has named */

#define JANK_N_REPORT_KINDS (JANK_REPORT_DUMP + 1)
#define JANK_REPORT_KIND_NICKS "stall", "startup", "frame", "spin", "cpu", "input", "dump"

#define JANK_REPORT_MAX_CONTRIBUTORS 8

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
    gint64       n_turns;                 /* of the loop during a spin or without a frame; else 0 */
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
    char  *unanswered; /* (nullable): language whose calls on that stack are not known: the engine has not answered
                          since */
    GArray *path;    /* JankReportStep: the heaviest path with its shares, outermost first */
    GArray *branches; /* JankReportBranch: what else took at least a fifth of the stall, callers first */
  } heaviest;

  /* Strings (nullable). inlined_into: the function on the path into which the compiler inlined it. */
  struct { char *function, *inlined_into, *module, *file, *reason, *callee; guint line; double callee_share; } culprit;

  JankReportVerdict *verdict; /* (owned) (nullable): of verdict/, once it is built or loaded */

  JankReportInteraction interaction; /* the one that waited the longest; kind NONE: nobody waited, or nobody knows */

  GPtrArray *samples; /* JankReportSample, oldest first */
  GPtrArray *stacks;  /* JankReportStack */
  GPtrArray *calls;   /* JankReportCall */
  GPtrArray *modules; /* JankReportModule */
  GPtrArray *tags;    /* JankReportTag */
  GPtrArray *threads; /* JankReportThread, the observed one first */
  GPtrArray *sources; /* JankReportSource, heaviest first */
  GPtrArray *contributors; /* JankReportSource, the same: dispatched while a person or a frame waited */
  gint       after;   /* callback of the program's that was dispatched just before, into calls, or NO_INDEX */
  GArray    *before;  /* JankReportTurn: 16 ms and more, of the last 10 s before the stall, oldest first */
  GPtrArray *interactions; /* JankReportInteraction, the newest that were answered, oldest first */

  /* Tids, each waiting for a lock of the next, the observed thread first; empty: it waits for no lock. */
  struct { GArray *chain; gboolean deadlock; } locks; /* gint */

  JankReportChain *chain; /* (owned) (nullable): beyond the program, read from outside while it waited */

  char      *fingerprint; /* (nullable): the same for the same culprit on the same path */

  JankReportFrameClock *frame_clock; /* (owned) (nullable) */

  JankProcessFacts process;
  struct
  {
    guint   count;
    gint64  total_ns, longest_ns, p95_ns, first_real_us, last_real_us;
    GArray *lengths; /* JankReportLength, shortest first; empty: not known, or there is but one */
  } repeats;
  /* Stalls without a report because this limit was reached: "session", once also "day" or "rate"; NULL: none. */
  struct { char *reached; guint count; gint64 total_ns; } limit;
  struct { guint64 samples, lost_samples, starved, signals_sent, n_stopped; gint64 cost_ns, snapshot_ns, stopped_ns;
           gboolean from_outside; } self;
};

extern const JankTable jank_report_table;

/* Returns: (transfer full): with empty arrays, and every number unknown */
JankReport        *jank_report_new             (void);

/* Parts. Returns: (transfer full): the array or pointer that a part is put into frees it */
JankReportWait    *jank_report_wait_new        (void);
void               jank_report_wait_free       (gpointer self);
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

/* Of the report's, by index; of a stack also by JANK_REPORT_NO_INDEX. Returns: (nullable): there is none */
static inline JankReportCall *
jank_report_get_call (const JankReport *self, gint call)
{
  return g_ptr_array_index (self->calls, call);
}

static inline const JankReportSample *
jank_report_get_sample (const JankReport *self, guint sample)
{
  return g_ptr_array_index (self->samples, sample);
}

static inline const JankReportStack *
jank_report_get_stack (const JankReport *self, gint stack)
{
  return stack != JANK_REPORT_NO_INDEX ? g_ptr_array_index (self->stacks, stack) : NULL;
}

/* Of the heaviest path, and its call. */
static inline const JankReportStep *
jank_report_get_step (const JankReport *self, gint step)
{
  return step != JANK_REPORT_NO_INDEX ? &g_array_index (self->heaviest.path, JankReportStep, step) : NULL;
}

static inline JankReportCall *
jank_report_get_step_call (const JankReport *self, gint step)
{
  return jank_report_get_call (self, jank_report_get_step (self, step)->call);
}

/* Of a call. Returns: (nullable) */
const JankReportModule *jank_report_get_module (JankReport *self, const JankReportCall *call);
const char       *jank_report_get_file_name    (JankReport *self, const JankReportCall *call);
/* Whether the call's function, or one that was inlined into it (nullable), is the program's and of no library. */
gboolean          jank_report_is_own           (JankReport *self, const JankReportCall *call,
                                                const JankReportInlined *inlined);
/* Returns: (transfer none) (nullable) */
const JankReportThread *jank_report_find_thread (JankReport *self, gint tid);
/* Whether GIO's or GLib's own threads have that name (nullable): they do not wake others. */
gboolean          jank_report_is_thread_of_platform (const char *name);
/* Whether the threads were read while one waited for that lock, so that the owner had it where it was. In a gist, whose
 * threads are owners alone, that is so. */
gboolean          jank_report_is_owner_read    (JankReport *self, const JankReportWait *wait);
/* The thread that the last one of a cycle waits for; 0 where that thread ends the chain of locks itself. */
gint              jank_report_find_closing (JankReport *report);
/* Whether two calls are in one function. */
/* Tells the program's function that each thread is in. */
void              jank_report_name_threads     (JankReport *self);
gboolean          jank_report_same_function    (JankReport *self, guint call_a, guint call_b);

/* Text of calls[i] for a person: its symbol, or where its function starts: "libgtk-4.so.1+0x24cba8", "0x7f…";
 * what is no symbol but a description says so: "slot EditorPage.measure", "handler of GtkButton::clicked".
 * Returns: (transfer full) */
char             *jank_report_call_to_text     (JankReport *self, guint i);

/* Whether a function, as that text has it, makes objects of a class: "slot EditorPage.init". */
gboolean          jank_report_is_creation      (const char *function);
/* Whether the culprit is told by what it makes, and the share by what it calls. */
gboolean          jank_report_has_callee       (JankReport *self);
/* A culprit for a person: "compute_primes"; with a callee (nullable) "creating EditorPage: FcConfigAppFontAddFile()
 * 52 %". Returns: (transfer full) */
char             *jank_report_name_culprit     (const char *function, const char *callee, double callee_share);
/* The step of the function without name that the culprit stands for, else the culprit's. Returns:
 * JANK_REPORT_NO_INDEX without a culprit */
gint              jank_report_find_own_step    (JankReport *self);

/* Whether a source's callback says more than that it is one. */
gboolean          jank_report_has_callback     (JankReport *self, gint callback);

/* Removes what may be private, before the report is shared with anybody: paths become base names and peers their
 * kind; window titles, tags, and the names of threads and sources go, except those that are known to be harmless. */
void              jank_report_redact           (JankReport *self);

/* The time that each sample stands for: as long as its weight, beginning halfway after the sample before it. Time in
 * which the program was stopped belongs to none. Returns: (transfer full) (element-type JankReportSpan) */
GArray           *jank_report_get_sample_spans (JankReport *self);
/* From beginning to end, stops included, as samples count time. */
gint64            jank_report_get_length_ns    (JankReport *self);

/* The innermost step on the heaviest path of the culprit, or of the function that it was inlined into; or
 * JANK_REPORT_NO_INDEX. */
gint              jank_report_find_culprit_step (JankReport *self);

/* Names as they stand in the report schema. */
extern const char *const jank_report_kind_nicks[JANK_N_REPORT_KINDS];
extern const char *const jank_severity_nicks[JANK_SEVERITY_FROZEN + 1];
extern const char *const jank_outcome_nicks[JANK_OUTCOME_KILLED + 1];
const char       *jank_report_kind_to_nick     (JankReportKind kind);
const char       *jank_severity_to_nick        (JankSeverity severity);
/* Whether the loop did not turn. */
gboolean          jank_report_kind_is_stall    (JankReportKind kind);
/* Whether it did, and a person or a frame waited for what it dispatched. */
gboolean          jank_report_kind_is_wait     (JankReportKind kind);
/* A dump of a program that nobody watched: no time is known. */
gboolean          jank_report_is_from_outside  (const JankReport *self);
/* A call, and all calls of the heaviest path, as who looks for the culprit needs them. Returns: (transfer full) */
JankCulpritStep   jank_report_make_step        (JankReport *self, const JankReportCall *call);
JankCulpritStep  *jank_report_make_steps       (JankReport *self);
/* A dump of a loop that waited for events: nobody is to blame. */
gboolean          jank_report_is_idle          (JankReport *self);
/* Whether the heaviest calls are those of something that a loop has dispatched. */
gboolean          jank_report_is_in_callback   (JankReport *self);

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

static gboolean finish_stall  (gpointer self);
static gboolean finish_report (gpointer self);

static const char *const rule_nicks[] = { "path", "last20", "same" };
static const char *const unanswered_nicks[] = { "javascript" };

JANK_PART_TABLE (JankReport, app, NULL,
  JANK_TEXT ("name", JankReport, app.name, JANK_REDACT_NAME, .words = "Name of the program."),
  JANK_TEXT ("id", JankReport, app.id, JANK_REDACT_WORD, .words = "Application ID, as of GApplication."),
  JANK_TEXT ("exe", JankReport, app.exe, JANK_REDACT_PATH, .words = "Path of the executable."),
  JANK_TEXT ("version", JankReport, app.version, JANK_REDACT_WORD,
    .words = "Version of the program: what the user says, else its GApplication."),
  { "pid", JANK_INT, JANK_AT (JankReport, app.pid), .words = "Number of the process." });
JANK_PART_TABLE (JankReport, toolkit, NULL,
  JANK_TEXT ("name", JankReport, toolkit.name, JANK_REDACT_WORD, .words = "Such as GTK."),
  JANK_TEXT ("version", JankReport, toolkit.version, JANK_REDACT_WORD, .words = "Its version at run time."),
  JANK_TEXT ("backend", JankReport, toolkit.backend, JANK_REDACT_WORD, .words = "Its display backend."),
  JANK_TEXT ("renderer", JankReport, toolkit.renderer, JANK_REDACT_WORD, .words = "How it draws."));
JANK_PART_TABLE (JankReport, states, NULL,
  { "computing_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_COMPUTING]),
    .words = "Of the duration, the observed thread computed." },
  { "preempted_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_PREEMPTED]),
    .words = "It could have run and had no CPU." },
  { "page_fault_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_PAGE_FAULT]),
    .words = "It waited for memory to come from disk." },
  { "blocked_ns", JANK_INT, JANK_AT (JankReport, stall.state_ns[JANK_STATE_BLOCKED]),
    .words = "It waited in the kernel for something else." });
JANK_PART_TABLE (JankReport, excluded, NULL,
  { "suspend", JANK_INT, JANK_AT (JankReport, stall.suspended_ns),
    .words = "The system was suspended. Nanoseconds." },
  { "stopped", JANK_INT, JANK_AT (JankReport, stall.stopped_ns),
    .words = "The process was stopped by a signal or a freezer. Nanoseconds." },
  { "traced", JANK_INT, JANK_AT (JankReport, stall.traced_ns), .words = "A debugger held the process. Nanoseconds." },
  { "own", JANK_INT, JANK_AT (JankReport, stall.own_ns),
    .words = "The loop's thread worked for jankwatch, or for GTK's inspector. Nanoseconds." });
JANK_PART_TABLE (JankReport, stall, finish_stall,
  { "began", JANK_TIME, JANK_AT (JankReport, stall.began_real_us), .words = "When the busy period began." },
  { "began_monotonic_ns", JANK_INT, JANK_AT (JankReport, stall.began_monotonic_ns),
    .words = "The same by CLOCK_MONOTONIC, to compare with other events of the same boot." },
  { "duration_ns", JANK_INT, JANK_AT (JankReport, stall.duration_ns),
    .words = "How long the main loop did not turn, less `excluded_ns.stopped`, `excluded_ns.traced` and "
             "`excluded_ns.own`; CLOCK_MONOTONIC has no suspended time." },
  { "threshold_ns", JANK_INT, JANK_AT (JankReport, stall.threshold_ns),
    .words = "From which duration on a busy period was a stall." },
  { "severity", JANK_NICK, JANK_AT (JankReport, stall.severity), .fallback = -1, JANK_NICKS (jank_severity_nicks),
    .words = "Class of the duration: minor below 250 ms, microhang below 500 ms, hang below 5 s, frozen from 5 s on." },
  { "outcome", JANK_NICK, JANK_AT (JankReport, stall.outcome), .fallback = -1, JANK_NICKS (jank_outcome_nicks),
    .words = "How the stall ended: the main loop came back (recovered), had not yet when this was written (ongoing), "
             "the program ended itself (exited), or it was killed or crashed (killed)." },
  { "cpu_ns", JANK_INT, JANK_AT (JankReport, stall.cpu_ns), .fallback = -1,
    .words = "CPU time of the observed thread during the stall." },
  { NULL, JANK_INLINE, 0, 0, JANK_OMIT_EMPTY, .table = &states_table },
  { "watcher_late_ns", JANK_INT, JANK_AT (JankReport, stall.watcher_late_ns), JANK_OMIT_EMPTY,
    .words = "How long the thread of jankwatch had no CPU meanwhile: the machine was busy. Nanoseconds; left out "
             "when it never lacked one." },
  { "turns", JANK_INT, JANK_AT (JankReport, stall.n_turns), JANK_OMIT_EMPTY,
    .words = "How often the main loop turned, of a spin or without a frame." },
  { "fps", JANK_NUMBER, JANK_AT (JankReport, stall.fps), JANK_OMIT_EMPTY, .max = 1000000,
    .words = "Frames a second in that time, where the rule counts them (preset displaylink): frames divided by the "
             "time since the last figure." },
  { "loop_depth", JANK_INT, JANK_AT (JankReport, stall.loop_depth), JANK_OMIT_EMPTY,
    .words = "Nested dispatches of the main loop: 1 is not nested." },
  { "excluded_ns", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY | JANK_OPTIONAL, .table = &excluded_table,
    .words = "Time that is not part of the duration." });
JANK_PART_TABLE (JankReport, source, NULL,
  JANK_TEXT ("name", JankReport, source.name, JANK_REDACT_SOURCE, .flags = JANK_OMIT_EMPTY | JANK_NOT_NULL,
    .words = "Its name, [timeout] or another kind that GLib makes, and behind a colon what it serves: a GTask or a "
             "D-Bus method. Left out when it has none."),
  { "priority", JANK_INT, JANK_AT (JankReport, source.priority), JANK_SIGNED,
    .words = "Its priority: smaller is more urgent, 0 is the default." },
  { "callback", JANK_INDEX, JANK_AT (JankReport, source.callback), .fallback = -1, .into = "frames",
    .words = "Its callback, of a script's source the script's function." });

JANK_PART_TABLE (JankReport, heaviest, NULL,
  JANK_TEXT ("rule", JankReport, heaviest.rule, JANK_REDACT_WORD, JANK_NICKS (rule_nicks),
    .words = "How it was chosen: `path` walks down the call tree of all samples, `last20` takes the most repeated of "
             "the last 20, `same` the whole stack that was seen most often."),
  JANK_TEXT ("function", JankReport, heaviest.function, JANK_REDACT_FUNCTION,
    .words = "Its name, or file and offset of its start."),
  JANK_TEXT ("module", JankReport, heaviest.module, JANK_REDACT_PATH, .words = "Path of its file."),
  { "share", JANK_NUMBER, JANK_AT (JankReport, heaviest.share), .max = 1,
    .words = "Of the time that has stacks, with this function on the stack. Reports of 0.1 count all time of the "
             "stall." },
  { "self_share", JANK_NUMBER, JANK_AT (JankReport, heaviest.self_share), .max = 1,
    .words = "Of the same time, in this function itself." },
  { "confidence", JANK_NUMBER, JANK_AT (JankReport, heaviest.confidence), .max = 1,
    .words = "How far the number of samples can be relied on: 1 less the half-width of the 95 % interval of the "
             "share. Share, 0 to 1." },
  { "samples", JANK_INT, JANK_AT (JankReport, heaviest.n_samples),
    .words = "Number of samples that it was chosen from: those that have a stack." },
  { "stack", JANK_INDEX, JANK_AT (JankReport, heaviest.stack), .fallback = -1, .into = "stacks",
    .words = "A stack that shows it." },
  JANK_TEXT ("unanswered", JankReport, heaviest.unanswered, JANK_REDACT_WORD, JANK_NICKS (unanswered_nicks),
    .words = "The stack is of a native function that this language called, and does not hold the language's own "
             "calls: the engine tells them once that function returns, and it has not."),
  { "path", JANK_VALUES, JANK_AT (JankReport, heaviest.path), JANK_OMIT_EMPTY, .max = 1000, .table = &step_table,
    .element = "A function on the path.",
    .words = "The heaviest path through the call tree, outermost first." },
  { "branches", JANK_VALUES, JANK_AT (JankReport, heaviest.branches), JANK_OMIT_EMPTY, .max = 1000,
    .table = &branch_table,
    .element = "A call that is not on the path.",
    .words = "All other calls that took at least a fifth of the stall." });

JANK_PART_TABLE (JankReport, culprit, NULL,
  JANK_TEXT ("function", JankReport, culprit.function, JANK_REDACT_FUNCTION,
    .words = "Its name, or file and offset of its start."),
  JANK_TEXT ("inlined_into", JankReport, culprit.inlined_into, JANK_REDACT_FUNCTION,
    .words = "Where the compiler inlined it: the function on the heaviest path that has its code; left out when it was "
             "not inlined, or no debug information was read."),
  JANK_TEXT ("module", JankReport, culprit.module, JANK_REDACT_PATH, .words = "Path of its file."),
  JANK_TEXT ("file", JankReport, culprit.file, JANK_REDACT_PATH,
    .words = "Source file; its whole path where the debug information tells."),
  { "line", JANK_INT, JANK_AT (JankReport, culprit.line), JANK_OMIT_EMPTY, .words = "Line in the source file." },
  JANK_TEXT ("reason", JankReport, culprit.reason, JANK_REDACT_SENTENCE, .words = "Why this function, in English."),
  JANK_TEXT ("callee", JankReport, culprit.callee, JANK_REDACT_FUNCTION,
    .words = "Of a slot that makes an object, the innermost function of a library that it spends at least half of the "
             "time in."),
  { "callee_share", JANK_NUMBER, JANK_AT (JankReport, culprit.callee_share), JANK_OMIT_EMPTY, .max = 1,
    .words = "Of the time that has stacks, with that function on the stack." });

JANK_PART_TABLE (JankReport, locks, NULL,
  { "chain", JANK_INTS, JANK_AT (JankReport, locks.chain), .max = 256, .element = "Id of a thread.",
    .words = "From the observed thread along the owners of locks." },
  { "deadlock", JANK_BOOLEAN, JANK_AT (JankReport, locks.deadlock),
    .words = "Whether the last one waits for one that is in the chain before." });

#define JANK_PROCESS_ROW(member, name, meaning) \
  { name, JANK_INT, JANK_AT (JankReport, process.member), .fallback = -1, .words = meaning },
JANK_PART_TABLE (JankReport, process, NULL,
  { "n_threads", JANK_INT, JANK_AT (JankReport, process.n_threads), .words = "Number of threads." },
  JANK_PROCESS_FACTS (JANK_PROCESS_ROW));

#define JANK_PRESSURE(name, member, what) \
  { name, JANK_NUMBER, JANK_AT (JankReport, process.member), .fallback = -1, .max = 1, \
    .words = "Share of the last 10 s in which some thread " what }
JANK_PART_TABLE (JankReport, pressure, NULL,
  JANK_PRESSURE ("memory", machine.memory, "of the machine waited for memory."),
  JANK_PRESSURE ("io", machine.io, "of the machine waited for a disk."),
  JANK_PRESSURE ("cpu", machine.cpu, "of the machine waited for a CPU."),
  JANK_PRESSURE ("group_memory", group.memory, "of the program's control group waited for memory."),
  JANK_PRESSURE ("group_io", group.io, "of the program's control group waited for a disk."),
  JANK_PRESSURE ("group_cpu", group.cpu, "of the program's control group waited for a CPU."));

JANK_PART_TABLE (JankReport, repeats, NULL,
  { "count", JANK_INT, JANK_AT (JankReport, repeats.count), .words = "How many." },
  { "total_ns", JANK_INT, JANK_AT (JankReport, repeats.total_ns), .words = "Their sum." },
  { "longest_ns", JANK_INT, JANK_AT (JankReport, repeats.longest_ns), .words = "The longest." },
  { "p95_ns", JANK_INT, JANK_AT (JankReport, repeats.p95_ns), .words = "19 of 20 were no longer; within 2 %." },
  { "first", JANK_TIME, JANK_AT (JankReport, repeats.first_real_us), .words = "When the first began." },
  { "last", JANK_TIME, JANK_AT (JankReport, repeats.last_real_us), .words = "When the last began." },
  { "lengths", JANK_VALUES, JANK_AT (JankReport, repeats.lengths), JANK_OMIT_EMPTY, .max = JANK_HISTOGRAM_N_BUCKETS,
    .table = &length_table, .element = "Stalls of one length.",
    .words = "How often which length, shortest first; where there is more than one." });

JANK_PART_TABLE (JankReport, limit, NULL,
  JANK_TEXT ("reached", JankReport, limit.reached, JANK_REDACT_WORD,
    .words = "`session`: reports of one process. Older reports also have `day`, reports of the program in one day, "
             "and `rate`, bytes a second."),
  { "count", JANK_INT, JANK_AT (JankReport, limit.count), .words = "How many stalls." },
  { "total_ns", JANK_INT, JANK_AT (JankReport, limit.total_ns), .words = "Their sum." });

JANK_PART_TABLE (JankReport, self, NULL,
  { "samples", JANK_INT, JANK_AT (JankReport, self.samples), .words = "Samples taken." },
  { "lost_samples", JANK_INT, JANK_AT (JankReport, self.lost_samples),
    .words = "Samples that gave no stack though the thread had a CPU, or were dropped." },
  { "starved", JANK_INT, JANK_AT (JankReport, self.starved), JANK_OMIT_EMPTY,
    .words = "Looks that found the thread without a CPU, waiting for one." },
  { "cost_ns", JANK_INT, JANK_AT (JankReport, self.cost_ns),
    .words = "CPU time of the thread of jankwatch, from the first sample on, without what it told and `snapshot_ns`." },
  { "snapshot_ns", JANK_INT, JANK_AT (JankReport, self.snapshot_ns), JANK_OMIT_EMPTY,
    .words = "Time of reading all threads, on the thread of jankwatch." },
  { "signals_sent", JANK_INT, JANK_AT (JankReport, self.signals_sent),
    .words = "Signals sent to the observed thread." },
  { "from_outside", JANK_BOOLEAN, JANK_AT (JankReport, self.from_outside), JANK_OMIT_EMPTY,
    .words = "Of a dump: the program was not watched, so what its main loop did before is not known." },
  { "stopped", JANK_INT, JANK_AT (JankReport, self.n_stopped), JANK_OMIT_EMPTY,
    .words = "Threads that ran, and were stopped to be read from outside." },
  { "stopped_ns", JANK_INT, JANK_AT (JankReport, self.stopped_ns), JANK_OMIT_EMPTY,
    .words = "The longest time for which one of them was stopped." });

static const JankField jank_report_fields[] = {
  JANK_TEXT ("id", JankReport, id, JANK_REDACT_ID, .pattern = JANK_REPORT_ID_PATTERN,
    .flags = JANK_REQUIRED,
    .words = "Unique name of the report, also of its file: UTC time, process, number in this process."),
  { "kind", JANK_NICK, JANK_AT (JankReport, kind), .fallback = -1, JANK_NICKS (jank_report_kind_nicks),
    .words = "What was observed: a busy period of the main loop (stall), the time before it ran (startup), a "
             "frame that was late (frame), a main loop that turned without waiting (spin), a thread that kept "
             "computing (cpu), what the user did without an answer for long though the main loop turned (input), or "
             "nothing: somebody asked (dump)." },
  JANK_TEXT ("session", JankReport, session, JANK_REDACT_ID,
    .words = "The `jankwatch run` that the program ran under; without one, a name of the program's own session."),
  JANK_TEXT ("fingerprint", JankReport, fingerprint, JANK_REDACT_ID, .pattern = "^[0-9a-f]{16}$",
    .words = "The same for stalls with the same culprit on the same path, in every process and on every machine that "
             "runs the same program; where functions have names, also when it is built again."),
  { "app", JANK_OBJECT, .table = &app_table, .words = "The program." },
  { "toolkit", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &toolkit_table,
    .words = "The toolkit that the program uses." },
  { "stall", JANK_OBJECT, .table = &stall_table, .words = "What happened to the main loop." },
  { "source", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY | JANK_OPTIONAL, .table = &source_table,
    .words = "The GSource that was being dispatched." },
  { "heaviest", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &heaviest_table,
    .words = "The function that took most of the stall." },
  { "culprit", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &culprit_table,
    .words = "The function to look at first: on the heaviest path the deepest of the program itself." },
  { "verdict", JANK_POINTER, JANK_AT (JankReport, verdict), .table = &jank_report_verdict_table,
    .words = "What all this means: what kept the main loop. Left out of reports of 0.2 and older." },
  { "interaction", JANK_OBJECT, JANK_AT (JankReport, interaction), JANK_IF_FIRST,
    .table = &jank_report_interaction_table,
    .words = "What the user did and had to wait for the longest; left out when that is not known." },
  { "interactions", JANK_ARRAY, JANK_AT (JankReport, interactions), JANK_OMIT_EMPTY, .max = 100,
    .table = &jank_report_interaction_table, .element = "An interaction.",
    .words = "What the user did up to now, the newest 16 that were answered, oldest first." },
  { "before", JANK_VALUES, JANK_AT (JankReport, before), JANK_OMIT_EMPTY, .max = 100, .table = &turn_table,
    .element = "A turn of the main loop.",
    .words = "Turns of 16 ms and more of the last 10 s before the stall, the newest 32, oldest first; `interactions` "
             "and the late frames of `frame_clock` tell the rest of what was before." },
  { "after", JANK_INDEX, JANK_AT (JankReport, after), .fallback = -1, .into = "frames",
    .words = "Of what GTK or another library has put off: the program's callback that was dispatched last before it, "
             "within a second." },
  { "tags", JANK_ARRAY, JANK_AT (JankReport, tags), JANK_OMIT_EMPTY, .max = 100, .table = &jank_report_tag_table,
    .element = "A tag.",
    .words = "What the program was doing when the stall was reported." },
  { "samples", JANK_ARRAY, JANK_AT (JankReport, samples), .max = 1000, .table = &jank_report_sample_table,
    .element = "One look.",
    .words = "Looks at the observed thread, oldest first; where there were more, neighbours were merged so that they "
             "span the whole stall." },
  { "stacks", JANK_COLUMN, JANK_AT (JankReport, stacks), .column = 0, .table = &jank_report_stack_table,
    .words = "The distinct stacks." },
  { "stacks_complete", JANK_COLUMN, JANK_AT (JankReport, stacks), .column = 1, .table = &jank_report_stack_table,
    .words = "For each of `stacks`, whether it reaches the base of the thread." },
  { "frames", JANK_ARRAY, JANK_AT (JankReport, calls), .table = &jank_report_call_table,
    .element = "A place in the code.",
    .words = "The distinct frames." },
  { "modules", JANK_ARRAY, JANK_AT (JankReport, modules), .table = &jank_report_module_table,
    .element = "A loaded file.",
    .words = "The files that hold the frames." },
  { "threads", JANK_ARRAY, JANK_AT (JankReport, threads), JANK_OMIT_EMPTY, .max = 256,
    .table = &jank_report_thread_table, .element = "A thread.",
    .words = "The threads of the program in the middle of the stall, the observed one first; at most 64." },
  { "locks", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &locks_table, .words = "Who waited for whose lock." },
  { "chain", JANK_POINTER, JANK_AT (JankReport, chain), .table = &jank_report_chain_table,
    .words = "Whom the program waited for, beyond its own border: read by `jankwatch run` or `jankwatch watch` while "
             "the stall lasted; left out when the wait stayed within the program, or nobody looked." },
  { "sources", JANK_ARRAY, JANK_AT (JankReport, sources), JANK_OMIT_EMPTY, .max = 300,
    .table = &jank_report_source_table, .element = "A source.",
    .words = "Sources of the main loop and their dispatches since the program began, each counted, those with the "
             "most time first; of the setting `sources`." },
  { "contributors", JANK_ARRAY, JANK_AT (JankReport, contributors), JANK_OMIT_EMPTY,
    .max = JANK_REPORT_MAX_CONTRIBUTORS,
    .table = &jank_report_source_table, .element = "A source.",
    .words = "Of `input` and `frame`: what the main loop dispatched meanwhile, as far as it took a millisecond and "
             "more, those with the most time first; without what runs in a nested loop. Left out when that was not "
             "counted yet." },
  { "frame_clock", JANK_POINTER, JANK_AT (JankReport, frame_clock), .table = &jank_report_frame_clock_table,
    .words = "What the frame clocks of the program saw up to now; left out when it drew no frame." },
  { "process", JANK_OBJECT, 0, 0, JANK_IF_FIRST | JANK_OPTIONAL, .table = &process_table,
    .words = "The process in the middle of the stall." },
  { "pressure", JANK_OBJECT, 0, 0, JANK_OMIT_EMPTY | JANK_OPTIONAL, .table = &pressure_table,
    .words = "What the machine was short of at that time." },
  { "repeats", JANK_OBJECT, 0, 0, JANK_IF_FIRST | JANK_OPTIONAL, .table = &repeats_table,
    .words = "Stalls with the same fingerprint in this process; the rest of the report is of the longest of them." },
  { "limit", JANK_OBJECT, 0, 0, JANK_IF_FIRST, .table = &limit_table,
    .words = "Stalls that were counted and got no report of their own, for a limit was reached." },
  { "self", JANK_OBJECT, .table = &self_table, .words = "What watching this stall took." },
};
const JankTable jank_report_table = { jank_report_fields, G_N_ELEMENTS (jank_report_fields), sizeof (JankReport), NULL,
                                      finish_report };

#endif
