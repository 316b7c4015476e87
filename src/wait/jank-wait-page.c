/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits outside any system call. The kernel does not tell which address a thread waits for; a file is named where but one can
 * be meant. */

#include "config.h"

#include "wait/jank-wait-detail-private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc/jank-proc-private.h"
#include "wait/jank-mounts-private.h"

/* A file that is mapped into memory, and the mount that it is on. */
typedef struct
{
  char      path[PATH_MAX];
  JankMount mount;
  gboolean  is_several;
} Mapped;

/* line: "7f12-7f34 r--p 00000000 00:31 2 <blanks> /path" */
static void
jank_wait_page_add_mapping (const char *line, Mapped *mapped)
{
  const char *path = strchr (line, '/');
  JankMount mount;

  if (path == NULL || strcmp (path, mapped->path) == 0 || !jank_mounts_find_path (path, &mount) ||
      !jank_mounts_is_remote (mount.type))
    return;
  mapped->is_several |= mapped->path[0] != '\0';
  g_strlcpy (mapped->path, path, sizeof mapped->path);
  mapped->mount = mount;
}

/* The mapped file for which another machine or process has to answer. FALSE: there is none, or several */
static gboolean
jank_wait_page_find_mapped (Mapped *ret_mapped)
{
  char text[2 * PATH_MAX], *end;
  int fd = jank_proc_open ("/proc/self/maps");
  gsize n_bytes = 0;

  *ret_mapped = (Mapped) { .path = "" };
  for (ssize_t n; fd >= 0 && (n = read (fd, text + n_bytes, sizeof text - 1 - n_bytes)) > 0;)
    {
      n_bytes += (gsize) n;
      text[n_bytes] = '\0';
      while ((end = strchr (text, '\n')) != NULL)
        {
          *end = '\0';
          jank_wait_page_add_mapping (text, ret_mapped);
          n_bytes -= (gsize) (end + 1 - text);
          memmove (text, end + 1, n_bytes + 1);
        }
    }
  if (fd >= 0)
    close (fd);
  return ret_mapped->path[0] != '\0' && !ret_mapped->is_several;
}

/* Whether memory of this process may have to come from there. */
static gboolean
jank_wait_page_has_swap (void)
{
  char text[4096], *line = jank_proc_read ("/proc/self/status", text, sizeof text) ? strstr (text, "\nVmSwap:") : NULL;
  gulong n_kb;

  return line == NULL || sscanf (line, "\nVmSwap: %lu", &n_kb) != 1 || n_kb != 0;
}

static void
jank_wait_page_set_mapped (JankWaitDraft *draft)
{
  JankWait *wait = draft->wait;
  Mapped mapped;

  if (jank_wait_page_has_swap () || !jank_wait_page_find_mapped (&mapped))
    return;
  jank_proc_text (wait->target, sizeof wait->target, mapped.path);
  g_strlcpy (wait->filesystem, mapped.mount.type, sizeof wait->filesystem);
  g_strlcpy (wait->mount, mapped.mount.point, sizeof wait->mount);
  g_string_append_printf (draft->detail, " in %s (%s)", wait->target, wait->filesystem);
}

/* Outside a system call a thread sleeps for memory from disk, or because it was stopped. */
void
jank_wait_describe_page (JankWaitDraft *draft)
{
  char path[64], line[512], *state;

  g_snprintf (path, sizeof path, "/proc/self/task/%d/stat", (int) draft->tid);
  state = jank_proc_read (path, line, sizeof line) ? strrchr (line, ')') : NULL;
  if (state == NULL || !(g_str_has_prefix (state, ") D") || g_str_has_prefix (state, ") S")))
    return;
  draft->wait->kind = JANK_WAIT_PAGE;
  g_string_assign (draft->detail, "page fault");
  jank_wait_page_set_mapped (draft);
}
