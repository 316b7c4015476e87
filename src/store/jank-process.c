/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads /proc only; sends nothing to the process. */

#include "store/jank-process-private.h"

#include <string.h>
#include <unistd.h>

/* The kernel gives its boot time in whole seconds, and that follows every correction of the clock. */
#define SLACK_US (2 * G_USEC_PER_SEC)

/* Since the Unix epoch; 0: unknown */
static gint64
jank_process_boot_time_us (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    return 0;
  line = strstr (text, "\nbtime ");
  return line != NULL ? g_ascii_strtoll (line + strlen ("\nbtime "), NULL, 10) * G_USEC_PER_SEC : 0;
}

gboolean
jank_process_is_alive (gint pid, gint64 real_us)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  g_autofree char *text = NULL;
  g_auto (GStrv) fields = NULL;
  const char *after_name;
  gint64 started_us;

  if (pid <= 0 || !g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;

  /* The name may hold blanks and parentheses; the fields after it, from the state on, do not. */
  after_name = strrchr (text, ')');
  if (after_name == NULL || after_name[1] != ' ')
    return TRUE;
  fields = g_strsplit (after_name + 2, " ", -1);
  if (g_strv_length (fields) < 20)
    return TRUE;
  if (strchr ("ZXx", fields[0][0]) != NULL)
    return FALSE;

  /* Field 22 of proc(5), the start, counts clock ticks since boot. */
  started_us = jank_process_boot_time_us () + g_ascii_strtoll (fields[19], NULL,
                                                               10) * G_USEC_PER_SEC / sysconf (_SC_CLK_TCK);
  return started_us <= real_us + SLACK_US;
}
