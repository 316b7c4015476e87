/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One stall as facts: the fields of the report schema (data/jankwatch-report-1.schema.json), one to one.
 * Plain data, filled by the watcher thread or by the reader, immutable once shared. */

#pragma once

#include "report/jank-report-frame-clock-private.h"
#include "report/jank-report.h"

#define JANK_REPORT_SCHEMA "jankwatch-report-1"
#define JANK_REPORT_NO_INDEX (-1)

typedef enum { JANK_REPORT_STALL, JANK_REPORT_STARTUP } JankReportKind;
typedef enum { JANK_STATE_UNKNOWN, JANK_STATE_COMPUTING, JANK_STATE_BLOCKED } JankThreadState;

typedef struct
{
  char   *path;
  char   *build_id; /* lower-case hexadecimal, (nullable) */
  guint64 base;
} JankReportModule;

typedef struct
{
  gint    module;        /* into modules, or JANK_REPORT_NO_INDEX */
  guint64 offset;        /* ELF virtual address in the module; the plain address without one */
  char   *symbol;        /* (nullable) */
  guint64 symbol_offset; /* offset - start of symbol; start of the function by its unwind entry without symbol */
} JankReportFrame;

typedef struct
{
  GArray  *frames;   /* guint: into the report's frames, innermost first */
  gboolean complete; /* reached the thread's base */
} JankReportStack;

typedef struct
{
  gint64          at_ns;     /* since the stall began */
  gint64          weight_ns;
  gint64          cost_ns;
  gint            stack;     /* into stacks, or JANK_REPORT_NO_INDEX */
  gboolean        by_signal; /* method: signal or blocked */
  JankThreadState state;
  char           *wait_kind;    /* (nullable) "syscall" */
  char           *wait_syscall; /* (nullable) name, or the number in digits */
  char           *wait_detail;  /* (nullable) */
} JankReportSample;

/* What the program was doing, in its own words: "window" and its title, "focus", "action", or of its own. */
typedef struct
{
  char *name, *value;
} JankReportTag;

struct _JankReport
{
  gatomicrefcount n_refs;

  char          *id;
  char          *session; /* (nullable): of `jankwatch run` */
  JankReportKind kind;

  struct { char *name, *id, *exe, *version; gint pid; } app;             /* strings (nullable) */
  struct { char *name, *version, *backend, *renderer; } toolkit;         /* (nullable) */

  struct
  {
    gint64       began_real_us; /* since the Unix epoch */
    gint64       began_monotonic_ns;
    gint64       duration_ns;   /* without the excluded parts */
    gint64       threshold_ns;
    gint64       cpu_ns;        /* -1: unknown */
    gint64       suspended_ns, stopped_ns, traced_ns;
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
  GPtrArray *frames;  /* JankReportFrame */
  GPtrArray *modules; /* JankReportModule */
  GPtrArray *tags;    /* JankReportTag */

  JankReportFrameClock *frame_clock; /* (owned) (nullable) */

  struct { gint64 rss_bytes, cpu_ns; guint n_threads; } process;
  struct { guint count; gint64 total_ns, longest_ns, first_real_us, last_real_us; } repeats;
  struct { guint64 samples, lost_samples, signals_sent; gint64 cost_ns; } self;
};

typedef struct
{
  gint   frame; /* into frames */
  double share; /* of the stall with this function on the stack */
  double self_share;
} JankReportStep;

/* Returns: (transfer full): empty, with every array made */
JankReport       *jank_report_new              (void);
JankReportSample *jank_report_sample_new       (void);
JankReportStack  *jank_report_stack_new        (void);
JankReportFrame  *jank_report_frame_new        (void);
JankReportModule *jank_report_module_new       (void);
void              jank_report_add_tag          (JankReport *self, const char *name, const char *value);

/* What a person reads for a frame: "symbol", or where its function starts: "libgtk-4.so.1+0x24cba8", "0x7f…".
 * Returns: (transfer full) */
char             *jank_report_frame_to_text    (JankReport *self, guint frame);

/* Names as they stand in the report schema. The _from_ functions return FALSE for an unknown name. */
const char       *jank_report_kind_to_nick     (JankReportKind kind);
gboolean          jank_report_kind_from_nick   (const char *nick, JankReportKind *ret_kind);
const char       *jank_severity_to_nick        (JankSeverity severity);
gboolean          jank_severity_from_nick      (const char *nick, JankSeverity *ret_severity);
const char       *jank_outcome_to_nick         (JankOutcome outcome);
gboolean          jank_outcome_from_nick       (const char *nick, JankOutcome *ret_outcome);
JankSeverity      jank_severity_of             (gint64 duration_ns);
