/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What `run` and `diff` leave for the machine that runs tests: files and annotations, of reports and of limits. */

#pragma once

#include "export/jank-export-private.h"

typedef struct
{
  char      *junit, *annotate; /* (owned) (nullable): of the options */
  GPtrArray *reports;          /* (owned) (element-type JankReport) */
  GPtrArray *checks;           /* (owned) (element-type JankExportCheck) */
  int        status;           /* the exit status so far: a limit that is exceeded decides */
} CiFiles;

#define CI_FILES_OPTIONS(self) \
  { "annotate", 0, 0, G_OPTION_ARG_STRING, &(self)->annotate, \
    N_("Annotate the sources: “github” or “gitlab”"), N_("WHERE") }, \
  { "junit", 0, 0, G_OPTION_ARG_FILENAME, &(self)->junit, \
    N_("Write limits and problems to FILE as JUnit XML"), N_("FILE") }

/* Of --annotate, NULL at the end. */
extern const char *const ci_files_places[];

CiFiles  ci_files           (void);
void     ci_files_clear     (CiFiles *self);

/* Returns: FALSE after printing what is wrong with the options */
gboolean ci_files_check     (const CiFiles *self, const char *command);
gboolean ci_files_is_wanted (const CiFiles *self);

/* text (nullable): why it did not pass */
void     ci_files_add_check (CiFiles *self, const char *name, JankExportResult result, const char *text);

/* Says on stderr, too, that a limit did not pass; figure (nullable): what exceeded it, or why there is none. */
void     ci_files_judge     (CiFiles *self, const char *limit, JankExportResult result, const char *figure);

/* has_limits: they say what is a failure, a problem is none. Prints what cannot be written */
void     ci_files_write     (CiFiles *self, gboolean has_limits);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CiFiles, ci_files_clear)
