/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits outside any system call. The kernel does not tell which address a thread waits for: where only a mount can be
 * meant for which another machine or process has to answer, it is named, and the file if it is the only one. */

#include "wait/jank-wait-page-private.h"

#include <stdio.h>
#include <string.h>

#include "proc/jank-proc-private.h"
#include "wait/jank-wait-detail-private.h"

/* A disk of the machine itself has something to do: the page may come from there. */
gboolean
jank_wait_page_is_disk_busy (const char *diskstats)
{
  g_auto (GStrv) lines = g_strsplit (diskstats, "\n", -1);
  gulong n_requests;

  for (guint i = 0; lines[i] != NULL; i++)
    if (sscanf (lines[i], "%*u %*u %*s %*u %*u %*u %*u %*u %*u %*u %*u %lu", &n_requests) == 1 && n_requests != 0)
      return TRUE;
  return FALSE;
}

/* line: "7f12-7f34 r--p 00000000 00:31 2 <blanks> /path". Another mount may cover the path by now. */
static gboolean
jank_wait_page_find_mount (const char *line, const char *path, JankMount *ret_mount)
{
  guint major, minor;

  return sscanf (line, "%*s %*s %*s %x:%x", &major, &minor) == 2 && jank_mounts_find_path (path, ret_mount) &&
         ret_mount->major == major && ret_mount->minor == minor && jank_mounts_is_remote (ret_mount->type);
}

gboolean
jank_wait_page_find_mapped (const char *maps, JankMapped *ret_mapped)
{
  g_auto (GStrv) lines = g_strsplit (maps, "\n", -1);
  const char *last = NULL;
  JankMapped mapped = { .path = "" };

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *path = strchr (lines[i], '/');
      JankMount mount;

      if (path == NULL || g_strcmp0 (path, last) == 0)
        continue;
      last = path;
      if (!jank_wait_page_find_mount (lines[i], path, &mount))
        continue;
      if (mapped.path[0] != '\0' && strcmp (mapped.mount.point, mount.point) != 0)
        return FALSE;
      mapped.is_only = mapped.path[0] == '\0' || (mapped.is_only && strcmp (path, mapped.path) == 0);
      g_strlcpy (mapped.path, path, sizeof mapped.path);
      mapped.mount = mount;
    }
  if (mapped.path[0] != '\0')
    *ret_mapped = mapped;
  return mapped.path[0] != '\0';
}

/* The thread waits for another machine or process: for its answer, or for a page of a file, not for memory or for the
 * lock of the mappings, and that page can come from no disk of this machine. */
static gboolean
jank_wait_page_is_remote (pid_t tid)
{
  /* Functions of the kernel: of FUSE, NFS, SMB and 9P. */
  static const char *const answers[] = { "request_wait_answer", "rpc_wait_bit_killable", "wait_for_response",
                                         "p9_client_rpc", NULL };
  char path[64], name[64];
  g_autofree char *diskstats = NULL;

  jank_proc_path (path, sizeof path, 0, "task/%d/wchan", (int) tid);
  if (!jank_proc_read (path, name, sizeof name))
    return FALSE;
  if (g_strv_contains (answers, name))
    return TRUE;
  diskstats = jank_proc_read_long ("/proc/diskstats");
  return strstr (name, "wait_bit") != NULL && diskstats[0] != '\0' && !jank_wait_page_is_disk_busy (diskstats) &&
         jank_proc_to_number (jank_proc_read_field (0, "VmSwap:", "status")) == 0;
}

static void
jank_wait_page_set_mapped (JankWaitDraft *draft)
{
  JankWait *wait = draft->wait;
  g_autofree char *maps = NULL;
  JankMapped mapped;
  char path[48];

  if (!jank_wait_page_is_remote (draft->tid))
    return;
  jank_proc_path (path, sizeof path, 0, "maps");
  maps = jank_proc_read_long (path);
  if (!jank_wait_page_find_mapped (maps, &mapped))
    return;
  g_strlcpy (wait->filesystem, mapped.mount.type, sizeof wait->filesystem);
  g_strlcpy (wait->mount, mapped.mount.point, sizeof wait->mount);
  if (mapped.is_only)
    jank_proc_text (wait->target, sizeof wait->target, mapped.path);
  g_string_append_printf (draft->detail, " in %s (%s)", mapped.is_only ? wait->target : wait->mount, wait->filesystem);
}

/* Outside a system call a thread sleeps for memory from disk, or because it was stopped. */
void
jank_wait_describe_page (JankWaitDraft *draft)
{
  char state = jank_proc_read_state (0, draft->tid);

  if (state != 'D' && state != 'S')
    return;
  draft->wait->kind = JANK_WAIT_PAGE;
  g_string_assign (draft->detail, "page fault");
  jank_wait_page_set_mapped (draft);
}
