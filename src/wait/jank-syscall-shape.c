/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "wait/jank-syscall-shape-private.h"

#include <stdlib.h>
#include <string.h>

static const JankSyscallShape no_shape = { "", JANK_SHAPE_OTHER, -1, -1, -1 };

/* In the order of strcmp(). */
static const JankSyscallShape shapes[] = {
  { "accept", JANK_SHAPE_READ, 0, -1, -1 },
  { "accept4", JANK_SHAPE_READ, 0, -1, -1 },
  { "access", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "chdir", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "chmod", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "chown", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "clock_nanosleep", JANK_SHAPE_CLOCK_SLEEP, -1, -1, -1 },
  { "close", JANK_SHAPE_OTHER, -1, -1, -1 },
  { "connect", JANK_SHAPE_CONNECT, 0, -1, -1 },
  { "copy_file_range", JANK_SHAPE_COPY, 0, 2, 4 },
  { "creat", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "epoll_pwait", JANK_SHAPE_EPOLL, 0, -1, -1 },
  { "epoll_pwait2", JANK_SHAPE_EPOLL2, 0, -1, -1 },
  { "epoll_wait", JANK_SHAPE_EPOLL, 0, -1, -1 },
  { "execve", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "faccessat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "faccessat2", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "fallocate", JANK_SHAPE_FD, 0, -1, 3 },
  { "fchmod", JANK_SHAPE_FD, 0, -1, -1 },
  { "fchmodat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "fchown", JANK_SHAPE_FD, 0, -1, -1 },
  { "fchownat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "fcntl", JANK_SHAPE_FCNTL, 0, -1, -1 },
  { "fdatasync", JANK_SHAPE_FD, 0, -1, -1 },
  { "fgetxattr", JANK_SHAPE_READ, 0, -1, 3 },
  { "flistxattr", JANK_SHAPE_READ, 0, -1, 2 },
  { "flock", JANK_SHAPE_FD, 0, -1, -1 },
  { "fsetxattr", JANK_SHAPE_WRITE, 0, -1, 3 },
  { "fstat", JANK_SHAPE_FD, 0, -1, -1 },
  { "fstatfs", JANK_SHAPE_FD, 0, -1, -1 },
  { "fsync", JANK_SHAPE_FD, 0, -1, -1 },
  { "ftruncate", JANK_SHAPE_FD, 0, -1, -1 },
  { "futex", JANK_SHAPE_FUTEX, -1, -1, -1 },
  { "futex_waitv", JANK_SHAPE_FUTEX_WAITV, -1, -1, -1 },
  { "getdents", JANK_SHAPE_READ, 0, -1, 2 },
  { "getdents64", JANK_SHAPE_READ, 0, -1, 2 },
  { "getxattr", JANK_SHAPE_OPEN, -1, 0, 3 },
  { "inotify_add_watch", JANK_SHAPE_OPEN, -1, 1, -1 },
  { "ioctl", JANK_SHAPE_IOCTL, 0, -1, -1 },
  { "lchown", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "lgetxattr", JANK_SHAPE_OPEN, -1, 0, 3 },
  { "link", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "linkat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "listxattr", JANK_SHAPE_OPEN, -1, 0, 2 },
  { "llistxattr", JANK_SHAPE_OPEN, -1, 0, 2 },
  { "lseek", JANK_SHAPE_FD, 0, -1, -1 },
  { "lstat", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "madvise", JANK_SHAPE_MEMORY, -1, -1, 1 },
  { "mkdir", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "mkdirat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "mlock", JANK_SHAPE_MEMORY, -1, -1, 1 },
  { "mlock2", JANK_SHAPE_MEMORY, -1, -1, 1 },
  { "msync", JANK_SHAPE_MEMORY, -1, -1, 1 },
  { "nanosleep", JANK_SHAPE_SLEEP, -1, -1, -1 },
  { "newfstatat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "open", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "openat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "openat2", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "poll", JANK_SHAPE_POLL, -1, -1, -1 },
  { "ppoll", JANK_SHAPE_PPOLL, -1, -1, -1 },
  { "pread64", JANK_SHAPE_READ, 0, -1, 2 },
  { "preadv", JANK_SHAPE_READ, 0, -1, -1 },
  { "preadv2", JANK_SHAPE_READ, 0, -1, -1 },
  { "pselect6", JANK_SHAPE_PSELECT, -1, -1, -1 },
  { "pwrite64", JANK_SHAPE_WRITE, 0, -1, 2 },
  { "pwritev", JANK_SHAPE_WRITE, 0, -1, -1 },
  { "pwritev2", JANK_SHAPE_WRITE, 0, -1, -1 },
  { "read", JANK_SHAPE_READ, 0, -1, 2 },
  { "readahead", JANK_SHAPE_FD, 0, -1, 2 },
  { "readlink", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "readlinkat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "readv", JANK_SHAPE_READ, 0, -1, -1 },
  { "recvfrom", JANK_SHAPE_READ, 0, -1, 2 },
  { "recvmmsg", JANK_SHAPE_READ, 0, -1, -1 },
  { "recvmsg", JANK_SHAPE_READ, 0, -1, -1 },
  { "rename", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "renameat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "renameat2", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "rmdir", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "select", JANK_SHAPE_SELECT, -1, -1, -1 },
  { "sendfile", JANK_SHAPE_COPY, 1, 0, 3 },
  { "sendmmsg", JANK_SHAPE_WRITE, 0, -1, -1 },
  { "sendmsg", JANK_SHAPE_WRITE, 0, -1, -1 },
  { "sendto", JANK_SHAPE_WRITE, 0, -1, 2 },
  { "setxattr", JANK_SHAPE_OPEN, -1, 0, 3 },
  { "splice", JANK_SHAPE_COPY, 0, 2, 4 },
  { "stat", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "statfs", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "statx", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "symlink", JANK_SHAPE_OPEN, -1, 1, -1 },
  { "symlinkat", JANK_SHAPE_OPEN, 1, 2, -1 },
  { "sync_file_range", JANK_SHAPE_FD, 0, -1, 2 },
  { "syncfs", JANK_SHAPE_FD, 0, -1, -1 },
  { "tee", JANK_SHAPE_COPY, 0, 1, 2 },
  { "truncate", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "unlink", JANK_SHAPE_OPEN, -1, 0, -1 },
  { "unlinkat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "utimensat", JANK_SHAPE_OPEN, 0, 1, -1 },
  { "vmsplice", JANK_SHAPE_WRITE, 0, -1, -1 },
  { "wait4", JANK_SHAPE_WAIT4, -1, -1, -1 },
  { "waitid", JANK_SHAPE_WAITID, -1, -1, -1 },
  { "write", JANK_SHAPE_WRITE, 0, -1, 2 },
  { "writev", JANK_SHAPE_WRITE, 0, -1, -1 },
};

static int
compare_names (const void *name, const void *shape)
{
  return strcmp (name, ((const JankSyscallShape *) shape)->name);
}

const JankSyscallShape *
jank_syscall_shape_find (const char *name)
{
  const JankSyscallShape *shape =
    name == NULL ? NULL : bsearch (name, shapes, G_N_ELEMENTS (shapes), sizeof shapes[0], compare_names);

  return shape != NULL ? shape : &no_shape;
}
