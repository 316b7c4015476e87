/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the sources that a report names are on this machine. A report may come from anybody: only files below the
 * project in which the command runs, or below /usr, are looked at, and none that is hidden. */

#pragma once

#include "report/jank-report-private.h"

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
