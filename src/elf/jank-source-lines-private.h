/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which function, source file, line and inlined calls are at an offset of a file, by the debug information of this
 * machine. It costs tens of milliseconds and megabytes a file, so it belongs in the command and never in the observed
 * process. Files stay open, and what was found is kept. */

#pragma once

#include "elf/jank-debug-file-private.h"

typedef struct _JankSourceLines JankSourceLines;

typedef enum
{
  JANK_SOURCE_LINES_LOCAL,      /* asks no server */
  JANK_SOURCE_LINES_DEBUGINFOD, /* asks the servers of $DEBUGINFOD_URLS for missing files */
} JankSourceLinesMode;

typedef struct
{
  char *function; /* (nullable) */
  char *file;     /* (nullable): of the source; its whole path where the debug information tells */
  guint line;     /* 0: unknown */
} JankSourcePoint;

typedef struct
{
  JankDebugSymbol symbol;      /* name NULL: unknown, or not asked for */
  GArray         *points;      /* (owned) JankSourcePoint: inlined calls, innermost first, and last the function that
                                * they are in; empty without debug information */
  JankNameFrom    points_from; /* of the functions' names in points */
} JankSourcePlace;

/* Removes $DEBUGINFOD_URLS from the environment.
 * folders: (nullable): where debug files are, absolute, separated by colons; NULL: /usr/lib/debug and /app/lib/debug.
 * Returns: (transfer full) */
JankSourceLines       *jank_source_lines_new         (JankSourceLinesMode mode, const char *folders);
void                   jank_source_lines_free        (JankSourceLines *self);

/* path: (nullable). with_symbol: reads symbol tables, too, which takes as long again. Only files with build_id are
 * used. Returns: (transfer none) (nullable): no such file here */
const JankSourcePlace *jank_source_lines_find        (JankSourceLines *self,
                                                      const char      *path,
                                                      const char      *build_id,
                                                      guint64          offset,
                                                      gboolean         with_symbol);

/* Why servers gave nothing, as a translated sentence. Returns: (transfer none) (nullable): they gave all, or were not
 * asked */
const char            *jank_source_lines_get_trouble (JankSourceLines *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSourceLines, jank_source_lines_free)
