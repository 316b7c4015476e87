/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-processes-private.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chain/jank-look-private.h"
#include "chain/jank-sockets-private.h"
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

static gboolean
jank_processes_has_display (JankSockets *sockets, pid_t pid)
{
  char path[48], link[PATH_MAX];
  const struct dirent *entry;
  gboolean has = FALSE;
  DIR *folder;

  jank_proc_path (path, sizeof path, pid, "fd");
  folder = opendir (path);
  while (folder != NULL && !has && (entry = readdir (folder)) != NULL)
    {
      char file[64];
      JankSocketEnd end;

      jank_proc_path (file, sizeof file, pid, "fd/%d", atoi (entry->d_name));
      has = g_ascii_isdigit (entry->d_name[0]) && jank_proc_read_link (file, link, sizeof link) &&
            g_str_has_prefix (link, "socket:[") &&
            jank_sockets_find (sockets, strtoull (link + strlen ("socket:["), NULL, 10), &end) && end.is_display;
    }
  if (folder != NULL)
    closedir (folder);
  return has;
}

pid_t
jank_processes_find_on_display (gulong number)
{
  g_autoptr (JankSockets) sockets = jank_sockets_new ();
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  pid_t found = 0;
  const char *name;
  guint n = 0;

  while (processes != NULL && (name = g_dir_read_name (processes)) != NULL)
    {
      pid_t pid = atoi (name);
      g_autofree char *numbers = pid > 0 ? jank_proc_read_field (pid, "NSpid:", "status") : NULL;
      const char *last = numbers != NULL ? strrchr (numbers, '\t') : NULL;

      if (numbers == NULL || strtoul (last != NULL ? last : numbers, NULL, 10) != number ||
          !jank_processes_has_display (sockets, pid))
        continue;
      found = pid;
      n++;
    }
  return n == 1 ? found : 0;
}
