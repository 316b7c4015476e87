/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "own-memory.h"

#include <string.h>

static gint64
read_kb (const char *path, const char *field)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents (path, &text, NULL, NULL) || (line = strstr (text, field)) == NULL)
    return -1;
  return g_ascii_strtoll (line + strlen (field), NULL, 10);
}

gint64
own_memory_read_anonymous_kb (void)
{
  return read_kb ("/proc/self/status", "RssAnon:");
}

gint64
own_memory_read_private_dirty_kb (void)
{
  return read_kb ("/proc/self/smaps_rollup", "Private_Dirty:");
}
