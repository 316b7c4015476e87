/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which processes bear a name, or have a window. Any thread. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* name (nullable): that the process has, or its executable, or its number; NULL: any. Returns: (transfer full)
 * (element-type pid_t): this user's; by a number, whoever's it is, if anybody's */
GArray *jank_processes_find (const char *name);
