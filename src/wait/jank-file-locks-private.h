/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who holds the lock on a file, by the kernel's list: no file system is asked. Any thread but the observed one. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* This process waits in flock() or fcntl() for a lock on the open file fd. Returns: the holder's process, 0 unknown */
pid_t    jank_file_locks_find_holder   (int fd);

/* Which of the SQLite databases that this process has open is locked, by a lock in the bytes that SQLite uses.
 * ret_fd: of the database or of its shared memory; ret_pid: of the holder, 0 unknown. FALSE: none, or several */
gboolean jank_file_locks_find_database (int *ret_fd, pid_t *ret_pid);
