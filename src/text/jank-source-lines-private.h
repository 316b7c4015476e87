/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the functions of a report stand in the source, by the debug information of this machine: in the files
 * themselves, beside them, by build-id below /usr/lib/debug. For a person who reads: it costs tens of milliseconds
 * and megabytes a file, so it belongs in the command and never in the observed process. */

#pragma once

#include "report/jank-report-private.h"

typedef enum
{
  JANK_SOURCE_LINES_LOCAL,      /* asks no server */
  JANK_SOURCE_LINES_DEBUGINFOD, /* asks the servers of $DEBUGINFOD_URLS for missing files */
} JankSourceLinesMode;

/* Fills calls[].file, line and inlined, symbol where there is none, and the culprit's file and line. A file is used
 * only if its build-id is that of the module that ran. report must not be shared yet. */
void jank_source_lines_fill (JankReport *report, JankSourceLinesMode mode);
