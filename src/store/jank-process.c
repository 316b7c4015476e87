/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads /proc only; sends nothing to the process. */

#include "store/jank-process-private.h"

#include <string.h>

#include "proc/jank-task-private.h"

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
  JankTask task;

  return jank_task_read_first (pid, &task) && strchr ("ZXx", task.state) == NULL &&
         jank_process_boot_time_us () + task.began_boot_ns / 1000 <= real_us + SLACK_US;
}
