/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the functions of a report are called and where they stand in the source, by the debug information of this
 * machine. For a person who reads: it costs tens of milliseconds and megabytes a file, so it belongs in the command and
 * never in the observed process. Files stay open for further reports. */

#pragma once

#include "report/jank-report-private.h"

typedef struct _JankSourceLines JankSourceLines;

typedef enum
{
  JANK_SOURCE_LINES_LOCAL,      /* asks no server */
  JANK_SOURCE_LINES_DEBUGINFOD, /* asks the servers of $DEBUGINFOD_URLS for missing files */
} JankSourceLinesMode;

/* Removes $DEBUGINFOD_URLS from the environment.
 * folders: (nullable): where debug files are, absolute, separated by colons; NULL: /usr/lib/debug and /app/lib/debug.
 * Returns: (transfer full) */
JankSourceLines *jank_source_lines_new          (JankSourceLinesMode mode, const char *folders);
void             jank_source_lines_free         (JankSourceLines *self);

/* Fills calls[].file, line and inlined, symbol and name_from where there is none, and the culprit's function, file and
 * line. A file is used only if its build-id is that of the module that ran. report must not be shared yet. */
void             jank_source_lines_fill         (JankSourceLines *self, JankReport *report);

/* Same for the culprit alone, if it has no name yet. */
void             jank_source_lines_fill_culprit (JankSourceLines *self, JankReport *report);

/* Why servers gave nothing, as a translated sentence. Returns: (transfer none) (nullable): they gave all, or were not
 * asked */
const char      *jank_source_lines_get_trouble  (JankSourceLines *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSourceLines, jank_source_lines_free)
