/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports as every format has them: what a format writes comes from here and from nowhere else, so one stall has the
 * same names, times and shares in all of them. All text is valid UTF-8 without control characters. One thread. */

#pragma once

#include "text/jank-text-report-private.h"

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

/* A format: one file jank-export-NAME.c, and NAME in the list in meson.build. */

typedef enum
{
  JANK_EXPORT_BINARY     = 1 << 0, /* nothing for a terminal */
  JANK_EXPORT_FOR_OTHERS = 1 << 1, /* always redacted, never translated */
} JankExportFlags;

typedef struct
{
  const char     *name;
  const char     *summary; /* (translatable) */
  JankExportFlags flags;
  /* Returns: (transfer full) (nullable): with an error; the whole file */
  GBytes       *(*make) (const JankExport *self, GError **error);
} JankExportFormat;

extern const JankExportFormat *const jank_export_formats[];
extern const guint jank_export_n_formats;

/* Returns: (transfer none) (nullable): there is none of that name */
const JankExportFormat *jank_export_format_find (const char *name);

/* What formats that people read say of a report, in the user's language, and of several reports which of them are one
 * problem. */

typedef struct
{
  const char *label;
  char       *text;
} JankExportFact;

/* Only what is known. Returns: (transfer full) (element-type JankExportFact) */
GPtrArray *jank_export_list_facts (const JankExportReport *made);

/* All reports with one fingerprint. */
typedef struct
{
  const JankExportReport *longest;
  guint64                 count; /* of stalls */
  gint64                  total_ns;
} JankExportProblem;

/* The one with the longest report first. Returns: (transfer full) (element-type JankExportProblem) */
GArray    *jank_export_list_problems (const JankExport *self);

/* A report as the format “brief” has it; problems (nullable): which of them to name beside it. Returns: (transfer
 * full) */
char      *jank_export_make_brief  (const JankExport *self, const JankExportReport *made, const GArray *problems);

/* Where the sources that a report names are on this machine. A report may come from anybody: only files below the
 * project in which the command runs, or below /usr, are looked at, and none that is hidden. */

/* The project: the nearest folder around the current one with a .git, else the current one. Returns: (transfer full)
 * (nullable): that is the user's home or a folder around it */
char *jank_export_source_root  (void);

/* file (nullable): as debug information names it, maybe on the machine that built it. Returns: (transfer full)
 * (nullable): below root (nullable) relative to it, or absolute */
char *jank_export_source_find  (const char *root, const char *file);

/* Whether lines of path, as found, may be shown to others: it is below root, also without links, git tracks it, and the
 * module of the culprit, else the program, is on this machine with the report's build-id. */
gboolean jank_export_source_is_quotable (const char *root, const char *path, const JankReport *report);

/* Ten lines around that one, each with its number and cut to width bytes. path: as found. Returns: (transfer full)
 * (nullable) */
char *jank_export_source_lines (const char *root, const char *path, guint line, gsize width);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankExport, jank_export_free)
