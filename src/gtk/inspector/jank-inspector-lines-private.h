/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Source lines for a report. The observed process never reads debug information, so the command does it. GTK's
 * thread. */

#pragma once

#include <gio/gio.h>

#include "report/jank-report-private.h"

/* Starts `jankwatch show` as a child of the program: only when a person asks. command (nullable): the path of
 * `jankwatch` */
void        jank_inspector_lines_find   (JankReport *report, const char *command, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer data);

/* Returns: (transfer full) (nullable): the report, with files and lines where there is debug information. Errors: GIO's,
 * those of reading a report, JANK_ERROR_NOT_FOUND without the command */
JankReport *jank_inspector_lines_finish (GAsyncResult *result, GError **error);
