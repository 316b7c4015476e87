/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "descriptors/jank-mounts-private.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"

#define MAX_MOUNTS_BYTES (1 << 20)

static const char *const remote_types[] = { "nfs", "fuse", "cifs", "smb", "9p", "ceph", "afs", "autofs",
                                            "virtiofs", "lustre", "gfs", "ocfs", "glusterfs" };

/* The list as last read, valid until the kernel says that it has changed: a wait that is over in 100 µs leaves no
 * time to read it. */
typedef struct
{
  int   fd;   /* of the list, -1: not open */
  pid_t pid;  /* whose it is */
  char *text; /* (owned) (nullable) */
} Last;

static void
jank_mounts_last_free (gpointer data)
{
  Last *last = data;

  if (last->fd >= 0)
    close (last->fd);
  g_free (last->text);
  g_free (last);
}

/* Each thread has its own: threads may not share descriptors. */
static GPrivate last_of_thread = G_PRIVATE_INIT (jank_mounts_last_free);

static Last *
jank_mounts_get_last (void)
{
  Last *last = g_private_get (&last_of_thread);
  char path[48];

  if (last == NULL || last->pid != jank_memory_get_other ())
    {
      last = g_new0 (Last, 1);
      last->pid = jank_memory_get_other ();
      jank_proc_path (path, sizeof path, 0, "mountinfo");
      last->fd = open (path, O_RDONLY | O_CLOEXEC);
      g_private_replace (&last_of_thread, last);
    }
  return last;
}

/* Returns: (transfer full) */
static char *
jank_mounts_read_mounts (void)
{
  Last *last = jank_mounts_get_last ();
  struct pollfd change = { .fd = last->fd, .events = POLLPRI };
  GString *text;
  char chunk[4096];
  ssize_t n;

  if (last->fd >= 0 && last->text != NULL && poll (&change, 1, 0) == 0)
    return g_strdup (last->text);
  text = g_string_new (NULL);
  while (last->fd >= 0 && text->len < MAX_MOUNTS_BYTES &&
         (n = pread (last->fd, chunk, sizeof chunk, (off_t) text->len)) > 0)
    g_string_append_len (text, chunk, n);
  g_free (last->text);
  last->text = g_string_free (text, FALSE);
  return g_strdup (last->text);
}

/* Fields of a line: id parent device root mount-point options [tags …] - type source options */
typedef struct
{
  gint64 id;
  guint  major, minor;
  char  *mount_point;
  char  *type;
} Mount;

/* Blanks and backslashes are written as three octal digits. */
static void
jank_mounts_unescape (char *text)
{
  char *to = text;

  for (const char *from = text; *from != '\0'; to++)
    if (from[0] == '\\' && g_ascii_isdigit (from[1]) && g_ascii_isdigit (from[2]) && g_ascii_isdigit (from[3]))
      {
        *to = (char) ((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
        from += 4;
      }
    else
      *to = *from++;
  *to = '\0';
}

/* Points into line, which it cuts. */
static gboolean
jank_mounts_parse_mount (char *line, Mount *ret_mount)
{
  char *tail = strstr (line, " - "), *fields[6], *end;

  if (tail == NULL)
    return FALSE;
  *tail = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      fields[i] = line;
      line = strchr (line, ' ');
      if (line == NULL && i + 1 < G_N_ELEMENTS (fields))
        return FALSE;
      if (line != NULL)
        *line++ = '\0';
    }

  *ret_mount = (Mount) { g_ascii_strtoll (fields[0], &end, 10), 0, 0, fields[4], tail + strlen (" - ") };
  sscanf (fields[2], "%u:%u", &ret_mount->major, &ret_mount->minor);
  tail = strchr (ret_mount->type, ' ');
  if (tail != NULL)
    *tail = '\0';
  jank_mounts_unescape (ret_mount->mount_point);
  return *end == '\0' && end != fields[0];
}

static gboolean
jank_mounts_is_below (const char *path, const char *mount_point)
{
  gsize n = strlen (mount_point);

  if (strcmp (mount_point, "/") == 0)
    return path[0] == '/';
  return strncmp (path, mount_point, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* id -1: by the path. Of mounts on the same point the last one is seen. */
static gboolean
jank_mounts_find_mount (gint64 id, const char *path, JankMount *ret_mount)
{
  g_autofree char *text = jank_mounts_read_mounts ();
  char *line = text, *next;
  gsize longest = 0;
  gboolean found = FALSE;

  for (; line != NULL && *line != '\0'; line = next)
    {
      Mount mount;
      gboolean matches;

      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      if (!jank_mounts_parse_mount (line, &mount))
        continue;
      matches = id >= 0 ? mount.id == id :
                          jank_mounts_is_below (path, mount.mount_point) && strlen (mount.mount_point) >= longest;
      if (!matches)
        continue;
      longest = strlen (mount.mount_point);
      ret_mount->major = mount.major;
      ret_mount->minor = mount.minor;
      jank_proc_text (ret_mount->type, sizeof ret_mount->type, mount.type);
      jank_proc_text (ret_mount->point, sizeof ret_mount->point, mount.mount_point);
      found = TRUE;
    }
  return found;
}

gboolean
jank_mounts_find (gint64 id, JankMount *ret_mount)
{
  return id >= 0 && jank_mounts_find_mount (id, NULL, ret_mount);
}

gboolean
jank_mounts_find_path (const char *path, JankMount *ret_mount)
{
  return path[0] == '/' && jank_mounts_find_mount (-1, path, ret_mount);
}

gboolean
jank_mounts_is_remote (const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (remote_types); i++)
    if (g_str_has_prefix (type, remote_types[i]))
      return TRUE;
  return FALSE;
}
