/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names of this machine's system calls, from the headers that jankwatch was compiled with. */

#pragma once

#include <glib.h>

/* "ppoll", or NULL where the headers knew none. */
const char *jank_syscall_get_name (gint number);

/* "ppoll", or the number in digits where the headers knew none. Returns: (transfer full) */
char       *jank_syscall_to_text  (gint number);
