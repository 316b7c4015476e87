/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-syscalls-private.h"

/* const char *const syscall_names[], by number, with gaps */
#include "proc/jank-syscalls-table.h"

const char *
jank_syscall_get_name (gint number)
{
  return number >= 0 && number < (gint) G_N_ELEMENTS (syscall_names) ? syscall_names[number] : NULL;
}

char *
jank_syscall_to_text (gint number)
{
  const char *name = jank_syscall_get_name (number);

  return name != NULL ? g_strdup (name) : g_strdup_printf ("%d", number);
}
