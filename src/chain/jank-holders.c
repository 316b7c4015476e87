/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-hop-private.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "proc/jank-proc-private.h"

struct _JankHolders
{
  GHashTable *by_link; /* (owned) (owned) link → (owned) GArray of JankHolder */
};

static void
jank_holders_add (JankHolders *self, const char *link, const JankHolder *holder)
{
  GArray *holders = g_hash_table_lookup (self->by_link, link);

  if (holders == NULL)
    {
      holders = g_array_new (FALSE, FALSE, sizeof *holder);
      g_hash_table_insert (self->by_link, g_strdup (link), holders);
    }
  g_array_append_vals (holders, holder, 1);
}

static void
jank_holders_add_process (JankHolders *self, pid_t pid)
{
  const struct dirent *entry;
  char path[48], link[PATH_MAX];
  DIR *folder;

  g_snprintf (path, sizeof path, "/proc/%d/fd", (int) pid);
  folder = opendir (path);
  while (folder != NULL && (entry = readdir (folder)) != NULL)
    {
      ssize_t n = g_ascii_isdigit (entry->d_name[0]) ?
                  readlinkat (dirfd (folder), entry->d_name, link, sizeof link - 1) : -1;

      if (n <= 0)
        continue;
      link[n] = '\0';
      jank_holders_add (self, link, &(JankHolder) { pid, atoi (entry->d_name) });
    }
  if (folder != NULL)
    closedir (folder);
}

JankHolders *
jank_holders_new (void)
{
  JankHolders *self = g_new0 (JankHolders, 1);
  DIR *folder = opendir ("/proc");
  const struct dirent *entry;

  self->by_link = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);
  while (folder != NULL && (entry = readdir (folder)) != NULL)
    {
      pid_t pid = atoi (entry->d_name);

      if (pid > 0 && pid != getpid ())
        jank_holders_add_process (self, pid);
    }
  if (folder != NULL)
    closedir (folder);
  return self;
}

void
jank_holders_free (JankHolders *self)
{
  g_hash_table_unref (self->by_link);
  g_free (self);
}

const GArray *
jank_holders_find (JankHolders *self, const char *link)
{
  return g_hash_table_lookup (self->by_link, link);
}

const GArray *
jank_holders_find_socket (JankHolders *self, guint64 inode)
{
  char link[40];

  g_snprintf (link, sizeof link, "socket:[%" G_GUINT64_FORMAT "]", inode);
  return inode != 0 ? jank_holders_find (self, link) : NULL;
}

char *
jank_holder_read_info (const JankHolder *holder, const char *field)
{
  return jank_proc_read_field (holder->pid, field, "fdinfo/%d", holder->fd);
}

int
jank_holder_read_mode (const JankHolder *holder)
{
  g_autofree char *flags = jank_holder_read_info (holder, "flags:");

  return flags != NULL ? (int) (strtoul (flags, NULL, 8) & O_ACCMODE) : -1;
}
