/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "wait/jank-syscall-shape-private.h"

#include <string.h>

static const JankSyscallShape no_shape = { JANK_SHAPE_OTHER, -1, -1, -1, "" };

static const JankSyscallShape shapes[] = {
  { JANK_SHAPE_READ, 0, -1, -1, "accept accept4 preadv preadv2 readv recvmmsg recvmsg" },
  { JANK_SHAPE_READ, 0, -1, 2, "flistxattr getdents getdents64 pread64 read recvfrom" },
  { JANK_SHAPE_READ, 0, -1, 3, "fgetxattr" },
  { JANK_SHAPE_WRITE, 0, -1, -1, "pwritev pwritev2 sendmmsg sendmsg vmsplice writev" },
  { JANK_SHAPE_WRITE, 0, -1, 2, "pwrite64 sendto write" },
  { JANK_SHAPE_WRITE, 0, -1, 3, "fsetxattr" },
  { JANK_SHAPE_COPY, 0, 2, 4, "copy_file_range splice" },
  { JANK_SHAPE_COPY, 1, 0, 3, "sendfile" },
  { JANK_SHAPE_COPY, 0, 1, 2, "tee" },
  { JANK_SHAPE_FD, 0, -1, -1, "fchmod fchown fdatasync flock fstat fstatfs fsync ftruncate lseek syncfs" },
  { JANK_SHAPE_FD, 0, -1, 2, "readahead sync_file_range" },
  { JANK_SHAPE_FD, 0, -1, 3, "fallocate" },
  { JANK_SHAPE_OPEN, -1, 0, -1,
    "access chdir chmod chown creat execve lchown link lstat mkdir open readlink rename rmdir stat statfs "
    "truncate unlink" },
  { JANK_SHAPE_OPEN, 0, 1, -1,
    "faccessat faccessat2 fchmodat fchownat linkat mkdirat newfstatat openat openat2 readlinkat renameat "
    "renameat2 statx unlinkat utimensat" },
  { JANK_SHAPE_OPEN, -1, 0, 3, "getxattr lgetxattr setxattr" },
  { JANK_SHAPE_OPEN, -1, 1, -1, "inotify_add_watch symlink" },
  { JANK_SHAPE_OPEN, -1, 0, 2, "listxattr llistxattr" },
  { JANK_SHAPE_OPEN, 1, 2, -1, "symlinkat" },
  { JANK_SHAPE_CONNECT, 0, -1, -1, "connect" },
  { JANK_SHAPE_POLL, -1, -1, -1, "poll" },
  { JANK_SHAPE_PPOLL, -1, -1, -1, "ppoll" },
  { JANK_SHAPE_SELECT, -1, -1, -1, "select" },
  { JANK_SHAPE_PSELECT, -1, -1, -1, "pselect6" },
  { JANK_SHAPE_EPOLL, 0, -1, -1, "epoll_pwait epoll_wait" },
  { JANK_SHAPE_EPOLL2, 0, -1, -1, "epoll_pwait2" },
  { JANK_SHAPE_FUTEX, -1, -1, -1, "futex" },
  { JANK_SHAPE_FUTEX_WAITV, -1, -1, -1, "futex_waitv" },
  { JANK_SHAPE_SLEEP, -1, -1, -1, "nanosleep" },
  { JANK_SHAPE_CLOCK_SLEEP, -1, -1, -1, "clock_nanosleep" },
  { JANK_SHAPE_WAIT4, -1, -1, -1, "wait4" },
  { JANK_SHAPE_WAITID, -1, -1, -1, "waitid" },
  { JANK_SHAPE_IOCTL, 0, -1, -1, "ioctl" },
  { JANK_SHAPE_FCNTL, 0, -1, -1, "fcntl" },
  { JANK_SHAPE_MEMORY, -1, -1, 1, "madvise mlock mlock2 msync" },
};

static gboolean
jank_syscall_shape_has_word (const char *words, const char *word)
{
  gsize n = strlen (word);

  for (const char *at = strstr (words, word); at != NULL && n > 0; at = strstr (at + n, word))
    if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
      return TRUE;
  return FALSE;
}

const JankSyscallShape *
jank_syscall_shape_find (const char *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (shapes); i++)
    if (jank_syscall_shape_has_word (shapes[i].calls, name))
      return &shapes[i];
  return &no_shape;
}
