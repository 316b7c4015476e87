/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded: what Yama's ptrace_scope of 1 and 2 refuses, /proc/PID/syscall and another process's memory, is
 * refused, and nothing else. */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int
open_unless_refused (int folder, const char *path, int flags, int mode)
{
  size_t n = strlen (path), n_name = strlen ("syscall");

  if (n >= n_name && strcmp (path + n - n_name, "syscall") == 0)
    {
      errno = EACCES;
      return -1;
    }
  return (int) syscall (SYS_openat, folder, path, flags, mode);
}

/* By the names that open() and openat() have here and in the command, which may be open64() and openat64(). */
#define OPENS(name, in, ...) \
int \
name (__VA_ARGS__, int flags, ...) \
{ \
  va_list rest; \
  int mode; \
\
  va_start (rest, flags); \
  mode = va_arg (rest, int); \
  va_end (rest); \
  return open_unless_refused (in, path, flags, mode); \
}
OPENS (open, AT_FDCWD, const char *path)
OPENS (openat, folder, int folder, const char *path)

ssize_t
process_vm_readv (pid_t pid, const struct iovec *local, unsigned long n_local, const struct iovec *remote,
                  unsigned long n_remote, unsigned long flags)
{
  errno = EPERM;
  return -1;
}
