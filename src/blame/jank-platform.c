/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "blame/jank-platform-private.h"

#include <string.h>

/* const char *const platform_libraries[] */
#include "blame/jank-platform-table.h"

/* "libgtk-4" matches "libgtk-4.so.1"; "libpango*" matches every name that begins so. */
static gboolean
matches (const char *entry, const char *file)
{
  gsize n = strcspn (entry, "*");

  if (strncmp (entry, file, n) != 0)
    return FALSE;
  return entry[n] == '*' || file[n] == '\0' || g_str_has_prefix (file + n, ".so");
}

gboolean
jank_platform_contains (const char *file)
{
  for (gsize i = 0; i < G_N_ELEMENTS (platform_libraries); i++)
    if (matches (platform_libraries[i], file))
      return TRUE;
  return FALSE;
}
