/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Starts a command without the program noticing: the command is no child of the program, sends it no SIGCHLD, cannot be
 * found by its waitpid(), and holds none of its descriptors. For a thread with every signal blocked, such as the watcher;
 * waits until the command runs. */

#pragma once

#include <glib.h>

/* argv[0]: an absolute path. envp: its whole environment. Standard input, output and error are /dev/null; a session
 * of its own. FALSE with a GFileError or JANK_ERROR_FAILED. */
gboolean jank_spawn (const char *const *argv, const char *const *envp, GError **error);

/* The executable that a shell would start for name with this PATH: itself if it has a slash. Returns: (transfer full)
 * (nullable): an absolute path */
char    *jank_spawn_find (const char *name, const char *path);
