/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens a source file at a line in the user's text editor, and has the command say what it knows of a report. GTK's
 * thread. */

#pragma once

#include <gio/gio.h>

#include "report/jank-report-private.h"

/* line: 0 for unknown */
gboolean    jank_inspector_editor_open      (const char *file, guint line, GError **error);

/* Returns: (transfer full) (nullable): the command that opens file at line; NULL for an unknown editor */
char      **jank_inspector_editor_command   (const char *editor, const char *file, guint line);

/* Starts `jankwatch WORDS -` as a child of the program, only when a person asks, and hands it the report: the observed
 * process never reads debug information itself. */
void        jank_inspector_editor_ask        (JankReport *report, const char *const *words, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);

/* Returns: (transfer full) (nullable): what it prints. Errors: GIO's, JANK_ERROR_NOT_FOUND without the command */
