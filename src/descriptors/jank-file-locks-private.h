/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who holds the lock on a file, by the kernel's list: no file system is asked. Any thread but the observed one. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* A line of the list. */
typedef struct
{
  guint    number;        /* of the lock; those who wait for it have the same */
  int      pid;           /* -1: of an open file, not of a process */
  guint64  inode, from;
  gboolean waits, writes, is_lease;
} JankFileLock;

/* Returns: (transfer full) (element-type JankFileLock) */
GArray  *jank_file_locks_read          (void);

/* pid: 0: this process. Returns: 0 unknown */
guint64  jank_file_locks_read_inode    (pid_t pid, int fd);

/* The lock that process pid waits for, on the file of that inode; 0: on any. Returns: (nullable): none, or unknown */
const JankFileLock *jank_file_locks_find_wait (const GArray *locks, pid_t pid, guint64 inode);

/* This process waits in flock() or fcntl() for a lock on the open file fd. Returns: the holder's process, 0 unknown */
pid_t    jank_file_locks_find_holder   (int fd);

/* Which of the SQLite databases that this process has open is locked, by a lock in the bytes that SQLite uses.
 * ret_fd: of the database or of its shared memory; ret_pid: of the holder, 0 unknown. FALSE: none, or several */
gboolean jank_file_locks_find_database (int *ret_fd, pid_t *ret_pid);
