/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens a source file at a line in the user's editor for text. GTK's thread. */

#pragma once

#include <gio/gio.h>

/* line: 0 for unknown */
gboolean jank_inspector_editor_open    (const char *file, guint line, GError **error);

/* The command that opens file at line in an editor of that name, NULL for one whose way is not known.
 * Returns: (transfer full) (nullable) */
char   **jank_inspector_editor_command (const char *editor, const char *file, guint line);

/* Starts command so that it is not watched in our place, as a child that inherits the environment would be.
 * Returns: (transfer full) */
GSubprocess *jank_inspector_editor_spawn (const char *const *command, GSubprocessFlags flags, GError **error);
