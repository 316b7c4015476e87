/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "attribute/jank-syscalls-private.h"

/* const char *const syscall_names[], by number, with gaps */
#include "attribute/jank-syscalls-table.h"

char *
jank_syscall_to_text (gint number)
{
  if (number >= 0 && number < (gint) G_N_ELEMENTS (syscall_names) && syscall_names[number] != NULL)
    return g_strdup (syscall_names[number]);
  return g_strdup_printf ("%d", number);
}
