/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens a source file at a line in the user's text editor. GTK's thread. */

#pragma once

#include <gio/gio.h>

/* line: 0 for unknown */
gboolean jank_inspector_editor_open    (const char *file, guint line, GError **error);

/* Returns: (transfer full) (nullable): the command that opens file at line; NULL for an unknown editor */
char   **jank_inspector_editor_command (const char *editor, const char *file, guint line);

/* For a command that must not be watched, as a child with our environment would be. Returns: (transfer full) */
GSubprocess *jank_inspector_editor_spawn (const char *const *command, GSubprocessFlags flags, GError **error);
