/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "guest/jank-own-files-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "base/jank-memory-private.h"

/* A sanitizer writes to standard error from any thread. The thread sanitizer also asks a program for names from any
 * thread, and takes a number for the same file in all threads: there nothing is closed. */
#if defined __has_feature
#if __has_feature (thread_sanitizer)
#define FIRST_CLOSED ~0U
#endif
#endif
#if defined __SANITIZE_THREAD__
#define FIRST_CLOSED ~0U
#elif defined __SANITIZE_ADDRESS__
#define FIRST_CLOSED 3U
#elif !defined FIRST_CLOSED
#define FIRST_CLOSED 0U
#endif

static _Thread_local gboolean has_own;

static gboolean
jank_own_files_refuse (GError **error)
{
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("this system cannot give a thread its own descriptor table (close_range: %s)"), g_strerror (errno));
  return FALSE;
}

gboolean
jank_own_files_can (GError **error)
{
  /* A range that is none: the only complaint of a kernel that knows the call, and of a filter that lets it pass. */
  if (syscall (SYS_close_range, 1, 0, CLOSE_RANGE_UNSHARE) != 0 && errno == EINVAL)
    return TRUE;
  return jank_own_files_refuse (error);
}

/* One call: the descriptors are not copied first and closed then, which would flush a file on a server. */
gboolean
jank_own_files_begin (GError **error)
{
  int fd;

  if (FIRST_CLOSED == ~0U)
    return TRUE;
  if (syscall (SYS_close_range, FIRST_CLOSED, ~0U, CLOSE_RANGE_UNSHARE) != 0)
    return jank_own_files_refuse (error);
  has_own = TRUE;
  while ((fd = open ("/dev/null", O_RDWR | O_CLOEXEC)) >= 0 && fd < STDERR_FILENO)
    ;
  if (fd > STDERR_FILENO)
    close (fd);
  return TRUE;
}

gboolean
jank_own_files_has (void)
{
  return has_own;
}

int
jank_own_files_borrow (int fd)
{
  int process = (int) syscall (SYS_pidfd_open, jank_memory_get_pid (), 0);
  int copy = process >= 0 ? (int) syscall (SYS_pidfd_getfd, process, fd, 0) : -1;

  if (process >= 0)
    close (process);
  return copy;
}
