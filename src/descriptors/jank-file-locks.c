/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "descriptors/jank-file-locks-private.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"

#define MAX_DESCRIPTORS 1024

/* SQLite's file format: pending and reserved byte, and 510 for its readers; in the shared memory of a write-ahead log
 * eight bytes. */
#define SQLITE_FIRST_BYTE 0x40000000
#define SQLITE_N_BYTES 512
#define SQLITE_SHARED_FIRST_BYTE 120
#define SQLITE_SHARED_N_BYTES 8
#define SQLITE_SHARED_SUFFIX "-shm"

/* A line: "7: -> POSIX  ADVISORY  WRITE 812 08:01:1311 0 EOF"; with the arrow the process waits for that lock. */
/* Who waits for a lease to be given up has "<none>:0" in place of the file. */
static gboolean
jank_file_locks_parse (const char *line, JankFileLock *ret_lock)
{
  char type[8], access[8], file[64];
  int at = 0;

  if (sscanf (line, "%u: %n", &ret_lock->number, &at) != 1 || at == 0)
    return FALSE;
  line += at;
  ret_lock->waits = g_str_has_prefix (line, "->");
  ret_lock->from = 0;
  if (sscanf (line + (ret_lock->waits ? 2 : 0), " %7s %*s %7s %d %63s %" G_GUINT64_FORMAT, type, access, &ret_lock->pid,
              file, &ret_lock->from) < 4 || strchr (file, ':') == NULL)
    return FALSE;
  ret_lock->inode = strtoull (strrchr (file, ':') + 1, NULL, 10);
  ret_lock->writes = strcmp (access, "WRITE") == 0;
  ret_lock->is_lease = strcmp (type, "LEASE") == 0;
  return TRUE;
}

GArray *
jank_file_locks_read (void)
{
  GArray *locks = g_array_new (FALSE, FALSE, sizeof (JankFileLock));
  g_autofree char *text = jank_proc_read_long ("/proc/locks");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  JankFileLock lock;

  for (guint i = 0; lines[i] != NULL; i++)
    if (jank_file_locks_parse (lines[i], &lock))
      g_array_append_val (locks, lock);
  return locks;
}

guint64
jank_file_locks_read_inode (pid_t pid, int fd)
{
  g_autofree char *inode = jank_proc_read_field (pid, "ino:", "fdinfo/%d", fd);

  return inode != NULL ? strtoull (inode, NULL, 10) : 0;
}

/* A lock may outlive the process that took it. */
static pid_t
jank_file_locks_check_process (int pid)
{
  char name[32] = "";

  if (pid > 0)
    jank_proc_get_name (pid, name, sizeof name);
  return name[0] != '\0' ? pid : 0;
}

const JankFileLock *
jank_file_locks_find_wait (const GArray *locks, pid_t pid, guint64 inode)
{
  const JankFileLock *holder = NULL, *found = NULL, *first = (const JankFileLock *) (gconstpointer) locks->data;

  for (const JankFileLock *lock = first; lock < first + locks->len; lock++)
    if (!lock->waits)
      holder = lock;
    else if (holder != NULL && holder->number == lock->number &&
             (inode != 0 ? lock->inode == inode && (lock->pid == pid || lock->pid < 0) : lock->pid == pid))
      {
        /* The kernel says a lock again if another one is taken between two reads of the list. */
        if (found != NULL && (found->pid != holder->pid || found->inode != holder->inode))
          return NULL;
        found = holder;
      }
  return found;
}

pid_t
jank_file_locks_find_holder (int fd)
{
  g_autoptr (GArray) locks = jank_file_locks_read ();
  guint64 inode = jank_file_locks_read_inode (0, fd);
  const JankFileLock *lock = inode != 0 ? jank_file_locks_find_wait (locks, jank_memory_get_pid (), inode) : NULL;

  return lock != NULL ? jank_file_locks_check_process (lock->pid) : 0;
}

static gboolean
jank_file_locks_is_sqlite (const JankFileLock *lock, const char *path)
{
  guint64 first = g_str_has_suffix (path, SQLITE_SHARED_SUFFIX) ? SQLITE_SHARED_FIRST_BYTE : SQLITE_FIRST_BYTE;
  guint64 n = first == SQLITE_FIRST_BYTE ? SQLITE_N_BYTES : SQLITE_SHARED_N_BYTES;

  return !lock->waits && lock->from >= first && lock->from < first + n;
}

/* The database with a lock that keeps others from writing. */
typedef struct
{
  int      fd; /* -1: none */
  guint64  inode;
  int      holder;     /* 0: several */
  gboolean is_several; /* databases */
  gboolean is_read;    /* by another process */
} Database;

static void
jank_file_locks_add (const JankFileLock *lock, int fd, Database *database)
{
  if (database->fd < 0)
    *database = (Database) { fd, lock->inode, lock->pid, FALSE, database->is_read };
  database->is_several |= lock->inode != database->inode;
  /* A writer that waits for another has a lock already. */
  if (database->holder == jank_memory_get_pid ())
    database->holder = lock->pid;
  else if (lock->pid != jank_memory_get_pid () && lock->pid != database->holder)
    database->holder = 0;
}

static void
jank_file_locks_add_descriptor (const GArray *locks, const char *fd, Database *database)
{
  char link[48], path[PATH_MAX];
  guint64 inode;

  jank_proc_path (link, sizeof link, 0, "fd/%.16s", fd);
  if (!jank_proc_read_link (link, path, sizeof path) || path[0] != '/')
    return;
  inode = jank_file_locks_read_inode (0, atoi (fd));
  for (guint i = 0; inode != 0 && i < locks->len; i++)
    {
      const JankFileLock *lock = &g_array_index (locks, JankFileLock, i);

      if (lock->inode != inode || !jank_file_locks_is_sqlite (lock, path))
        continue;
      if (lock->writes)
        jank_file_locks_add (lock, atoi (fd), database);
      else
        database->is_read |= lock->pid != jank_memory_get_pid ();
    }
}

gboolean
jank_file_locks_find_database (int *ret_fd, pid_t *ret_pid)
{
  g_autoptr (GArray) locks = jank_file_locks_read ();
  const struct dirent *entry;
  Database database = { .fd = -1 };
  char path[48];
  DIR *folder;

  jank_proc_path (path, sizeof path, 0, "fd");
  folder = locks->len != 0 ? opendir (path) : NULL;
  for (guint n = 0; folder != NULL && n < MAX_DESCRIPTORS && (entry = readdir (folder)) != NULL; n++)
    jank_file_locks_add_descriptor (locks, entry->d_name, &database);
  if (folder != NULL)
    closedir (folder);
  *ret_fd = database.fd;
  /* This process may hold it, or wait for those who read. */
  *ret_pid = database.holder == jank_memory_get_pid () && database.is_read ? 0
      : jank_file_locks_check_process (database.holder);
  return database.fd >= 0 && !database.is_several;
}
