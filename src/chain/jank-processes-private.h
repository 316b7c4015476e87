/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which processes bear a name, or have a window. Any thread. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* name (nullable): that the process has, or its executable, or its number; NULL: any. Returns: (transfer full)
 * (element-type pid_t): this user's; by a number, whoever's it is, if anybody's */
GArray *jank_processes_find (const char *name);

/* A sandboxed program knows itself by its number in there: it is the one that has that number in its own namespace,
 * and a display open. Returns: 0: none, or several */
pid_t   jank_processes_find_on_display (gulong number);
