/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-processes-private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/jank-proc-private.h"

/* Of a process's name the kernel keeps so much. */
#define MAX_COMM 15

static gboolean
jank_processes_is_called (pid_t pid, const char *name)
{
  char path[48], text[PATH_MAX];

  jank_proc_path (path, sizeof path, pid, "comm");
  if (jank_proc_read (path, text, sizeof text) && strncmp (g_strchomp (text), name, MAX_COMM) == 0 &&
      (strlen (name) <= MAX_COMM || strlen (text) == MAX_COMM))
    return strlen (text) == MIN (strlen (name), MAX_COMM);
  jank_proc_path (path, sizeof path, pid, "exe");
  return jank_proc_read_link (path, text, sizeof text) && strcmp (strrchr (text, '/') + 1, name) == 0;
}

GArray *
jank_processes_find (const char *name)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (pid_t));
  g_autoptr (GDir) folder = NULL;
  const char *entry;
  guint64 number;

  if (name != NULL && g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT32, &number, NULL))
    {
      pid_t pid = (pid_t) number;

      g_array_append_val (pids, pid);
      return pids;
    }
  folder = g_dir_open ("/proc", 0, NULL);
  while (folder != NULL && (entry = g_dir_read_name (folder)) != NULL)
    {
      pid_t pid = atoi (entry);
      struct stat status;
      char path[48];

      jank_proc_path (path, sizeof path, pid, "comm");
      if (pid > 0 && pid != getpid () && stat (path, &status) == 0 &&
          status.st_uid == getuid () && (name == NULL || jank_processes_is_called (pid, name)))
        g_array_append_val (pids, pid);
    }
  return pids;
}
