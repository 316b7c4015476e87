/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines of the source for a report: nothing that reads debug information comes into the observed process, so the command
 * is asked. GTK's thread. */

#pragma once

#include <gio/gio.h>

#include "report/jank-report-private.h"

/* Starts `jankwatch show`, which is a child of the program: on a person's wish only. */
void        jank_inspector_lines_find   (JankReport *report, GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer data);

/* Returns: (transfer full) (nullable): the report with files and lines where there is debug information; an error of GIO's,
 * JANK_ERROR_NOT_FOUND without the command, or what reading a report may end with */
JankReport *jank_inspector_lines_finish (GAsyncResult *result, GError **error);
