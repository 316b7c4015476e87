/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* QEMU's user mode has no process_vm_readv(). This stands for it, of the process's own memory: each smallest page is
 * first shown to a system call, which tells whether it can be read. A page that another thread takes away meanwhile
 * is fatal. */

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE_BYTES 4096

ssize_t process_vm_readv (pid_t pid, const struct iovec *local, unsigned long n_local, const struct iovec *remote,
                          unsigned long n_remote, unsigned long flags)
{
  unsigned long from = (unsigned long) remote->iov_base, n_bytes = remote->iov_len, done = 0;

  if (n_bytes > local->iov_len)
    n_bytes = local->iov_len;
  while (done < n_bytes)
    {
      unsigned long at = from + done, n = PAGE_BYTES - at % PAGE_BYTES;

      if (syscall (SYS_rt_sigprocmask, -1, at & ~7ul, NULL, 8) >= 0 || errno != EINVAL)
        break;
      if (n > n_bytes - done)
        n = n_bytes - done;
      memcpy ((char *) local->iov_base + done, (const void *) at, n);
      done += n;
    }
  if (done > 0)
    return (ssize_t) done;
  errno = EFAULT;
  return n_bytes > 0 ? -1 : 0;
}
