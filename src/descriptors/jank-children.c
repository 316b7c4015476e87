/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "descriptors/jank-children-private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"
#include "proc/jank-task-private.h"

/* Looked at: of threads that may have started one, of descriptors of a process, and children of children. */
#define MAX_TASKS 256
#define MAX_DESCRIPTORS 256
#define MAX_DEPTH 3
#define MAX_ANCESTORS 16

/* ancestor: (nullable): only those that began after it, in its session */
static void
jank_children_add (const char *path, const JankTask *ancestor, JankChildren *processes)
{
  char text[4096], *at = text, *end;
  JankTask origin;

  if (!jank_proc_read (path, text, sizeof text))
    return;
  for (long pid; processes->n < JANK_MAX_CHILDREN && (pid = strtol (at, &end, 10)) > 0 && end != at; at = end)
    if (ancestor == NULL ||
        (jank_task_read_first ((pid_t) pid, &origin) && origin.session == ancestor->session &&
         origin.began_boot_ns > ancestor->began_boot_ns))
      processes->pids[processes->n++] = (pid_t) pid;
}

/* Each thread has the children that it started. */
static void
jank_children_add_all (pid_t pid, const JankTask *ancestor, JankChildren *children)
{
  char path[96];
  DIR *folder;
  const struct dirent *entry;

  jank_proc_path (path, sizeof path, pid, "task");
  folder = opendir (path);
  for (guint i = 0; folder != NULL && i < MAX_TASKS && (entry = readdir (folder)) != NULL; i++)
    {
      if (!g_ascii_isdigit (entry->d_name[0]))
        continue;
      jank_proc_path (path, sizeof path, pid, "task/%.16s/children", entry->d_name);
      jank_children_add (path, ancestor, children);
    }
  if (folder != NULL)
    closedir (folder);
}

void
jank_children_list (pid_t pid, JankChildren *ret_children)
{
  ret_children->n = 0;
  jank_children_add_all (pid, NULL, ret_children);
}

/* g_spawn_async() leaves to init what it starts, or to whom else of our ancestors takes orphans. Nothing else tells
 * whose an orphan was than when it began, and where. */
static void
jank_children_list_orphans (JankChildren *ret_orphans)
{
  JankTask self, above;

  ret_orphans->n = 0;
  if (!jank_task_read_first (jank_memory_get_pid (), &self))
    return;
  above = self;
  for (guint i = 0; i < MAX_ANCESTORS && above.parent > 0; i++)
    {
      jank_children_add_all (above.parent, &self, ret_orphans);
      if (!jank_task_read_first (above.parent, &above))
        return;
    }
}

/* O_RDONLY, O_WRONLY or O_RDWR; -1 unknown. */
static int
jank_children_read_mode (pid_t pid, const char *fd)
{
  g_autofree char *flags = jank_proc_read_field (pid, "flags:", "fdinfo/%.16s", fd);

  return flags != NULL ? (int) (strtoul (flags, NULL, 8) & O_ACCMODE) : -1;
}

/* Whether a process has the pipe open, in that mode. */
static gboolean
jank_children_has_pipe (pid_t pid, const char *pipe, int mode)
{
  char path[96], link[64];
  const struct dirent *entry;
  gboolean has = FALSE;
  DIR *folder;

  jank_proc_path (path, sizeof path, pid, "fd");
  folder = opendir (path);
  for (guint i = 0; folder != NULL && !has && i < MAX_DESCRIPTORS && (entry = readdir (folder)) != NULL; i++)
    {
      jank_proc_path (path, sizeof path, pid, "fd/%.16s", entry->d_name);
      has = jank_proc_read_link (path, link, sizeof link) && strcmp (link, pipe) == 0 &&
            jank_children_read_mode (pid, entry->d_name) == mode;
    }
  if (folder != NULL)
    closedir (folder);
  return has;
}

static gboolean
jank_children_has_pipe_below (pid_t pid, const char *pipe, int mode, guint depth)
{
  JankChildren children = { 0 };

  if (jank_children_has_pipe (pid, pipe, mode))
    return TRUE;
  if (depth < MAX_DEPTH)
    jank_children_list (pid, &children);
  for (guint i = 0; i < children.n; i++)
    if (jank_children_has_pipe_below (children.pids[i], pipe, mode, depth + 1))
      return TRUE;
  return FALSE;
}

/* Returns: as jank_children_find_pipe() */
static pid_t
jank_children_find_only (const JankChildren *children, const char *pipe, int mode)
{
  pid_t found = 0;

  for (guint i = 0; i < children->n; i++)
    {
      if (!jank_children_has_pipe_below (children->pids[i], pipe, mode, 1))
        continue;
      if (found != 0)
        return 0;
      found = children->pids[i];
    }
  return found;
}

pid_t
jank_children_find_pipe (int fd)
{
  char number[16], path[48], pipe[64];
  JankChildren children;
  pid_t found;
  int mode;

  g_snprintf (number, sizeof number, "%d", fd);
  jank_proc_path (path, sizeof path, 0, "fd/%d", fd);
  mode = jank_children_read_mode (0, number);
  if ((mode != O_RDONLY && mode != O_WRONLY) || !jank_proc_read_link (path, pipe, sizeof pipe) ||
      !g_str_has_prefix (pipe, "pipe:"))
    return 0;
  mode = mode == O_RDONLY ? O_WRONLY : O_RDONLY;
  jank_children_list (0, &children);
  found = jank_children_find_only (&children, pipe, mode);
  /* Who started the program made the pipes of its standard descriptors. */
  if (found != 0 || fd <= STDERR_FILENO)
    return found;
  jank_children_list_orphans (&children);
  return jank_children_find_only (&children, pipe, mode);
}

pid_t
jank_children_get_only (void)
{
  JankChildren children = { 0 };

  jank_children_list (0, &children);
  return children.n == 1 ? children.pids[0] : 0;
}
