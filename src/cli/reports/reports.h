/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reports by name, and what more is known of them: what the files of this room have for each other. */

#pragma once

#include "cli/cli.h"

/* name: an ID, its beginning, "latest", a file (with a slash, or ".json" at its end), or "-".
 * folder: (nullable): of --store. Returns: (transfer full) (nullable) */
JankReport *load_report (const char *folder, const char *name, GError **error);

typedef struct
{
  gboolean json;
  gboolean native;  /* all calls of the stack */
} ReportStyle;

/* As `jankwatch show` does. */
void        print_report (JankReport *report, const ReportStyle *how);
