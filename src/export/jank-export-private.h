/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports as every format has them: what a format writes comes from here and from nowhere else, so one stall has the
 * same names, times and shares in all of them. All text is valid UTF-8 without control characters. One thread. */

#pragma once

#include "report/jank-report-private.h"

/* A function, or what stands for one that has no name. */
typedef struct
{
  const char *name;
  const char *module;   /* path of the file that holds it; "": none */
  const char *build_id; /* of the module; "": unknown */
  const char *file;     /* of the source; "": unknown */
  gboolean    platform; /* belongs to no particular program */
} JankExportFunction;

/* A call in a stack. */
typedef struct
{
  guint function; /* into functions */
  guint line;     /* of the source, where the call stood; 0: unknown */
} JankExportCall;

/* A sample and the time that it stands for, since the stall began; times in a report never overlap. */
typedef struct
{
  gint64      from_ns, to_ns;
  guint       stack; /* into the report's stacks */
  const char *state; /* in words; "": unknown */
} JankExportSample;

typedef enum
{
  JANK_EXPORT_STALL,
  JANK_EXPORT_LATE_FRAME,
  JANK_EXPORT_WAIT,
  JANK_EXPORT_INTERACTION,
  JANK_EXPORT_TURN,
} JankExportMarkKind;
#define JANK_EXPORT_N_MARKS (JANK_EXPORT_TURN + 1)

/* Something that took time, since the export's beginning. */
typedef struct
{
  JankExportMarkKind kind;
  gint64             from_ns, to_ns;
  const char        *text;
} JankExportMark;

/* A thread in the middle of the stall. */
typedef struct
{
  const char *name, *doing; /* "": unknown */
  gint        stack;        /* into the report's stacks, or JANK_REPORT_NO_INDEX */
} JankExportThread;

typedef struct
{
  JankReport *report;   /* (owned) */
  const char *title;    /* the sentence that says what happened */
  const char *program;
  const char *culprit;  /* "": unknown */
  guint       process;  /* into processes */
  gint64      began_ns; /* since the export's beginning */
  gint64      length_ns;
  double      fps;      /* of the program's animations so far; -1: none */
  GPtrArray  *stacks;   /* (element-type GArray of JankExportCall), outermost first */
  GArray     *samples;  /* JankExportSample */
  GPtrArray  *threads;  /* JankExportThread */
} JankExportReport;

/* A program that ran: what happened in it shares a track. */
typedef struct
{
  const char *program;
  gint        pid;
  GPtrArray  *marks; /* JankExportMark */
} JankExportProcess;

typedef enum
{
  JANK_EXPORT_PASSED,
  JANK_EXPORT_FAILED,
  JANK_EXPORT_CANNOT_TELL,
} JankExportResult;

/* Something that was to be proved: a limit, or that the program succeeds. */
typedef struct
{
  char            *name; /* "longest>100ms" */
  JankExportResult result;
  char            *text; /* a sentence, unless passed */
} JankExportCheck;

typedef struct
{
  gboolean    redacted, native;
  char       *root;          /* (nullable): where sources are, jank_export_source_root() */
  GPtrArray  *checks;        /* (nullable) (element-type JankExportCheck): set by who has some */
  gboolean    has_limits;    /* among checks: no report is a failure by itself */
  gint64      began_real_ns; /* of what is earliest, since the Unix epoch; 0: nothing is there */
  gint64      length_ns;     /* up to the end of what is latest */
  GPtrArray  *reports;       /* JankExportReport, oldest first */
  GPtrArray  *processes;     /* JankExportProcess */
  GPtrArray  *functions;     /* JankExportFunction */
  GStringChunk *texts;       /* (owned): all of them */
} JankExport;

/* reports: (element-type JankReport), each of them the caller's alone; redact removes from them what is private;
 * native keeps the calls of an interpreter. Returns: (transfer full) */
JankExport *jank_export_new  (GPtrArray *reports, gboolean redact, gboolean native);
void        jank_export_free (JankExport *self);

/* name, text (nullable): are cleaned. Returns: (transfer full) */
JankExportCheck *jank_export_check_new  (const char *name, JankExportResult result, const char *text);
void             jank_export_check_free (gpointer self);

static inline const JankExportFunction *
jank_export_get_function (const JankExport *self, const JankExportCall *call)
{
  return g_ptr_array_index (self->functions, call->function);
}

/* Names of kinds of marks, not translated: "stall". */
extern const char *const jank_export_mark_nicks[JANK_EXPORT_N_MARKS];

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankExport, jank_export_free)
