/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-stderr-private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static _Atomic pid_t run; /* the `jankwatch run` above this program, or 0 */

static bool
jank_stderr_is_writable (int fd)
{
  int access = fcntl (fd, F_GETFL);

  return access != -1 && (access & O_ACCMODE) != O_RDONLY;
}

static bool
jank_stderr_is_same (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Not if a program in between reads the errors of this one, or may: it does not expect ours. */
static bool
jank_stderr_is_errors_of_run (const struct stat *error)
{
  pid_t pid = atomic_load_explicit (&run, memory_order_relaxed);
  char path[sizeof "/proc//fd/2" + 3 * sizeof pid];
  struct stat theirs;

  if (pid == 0)
    return true;
  snprintf (path, sizeof path, "/proc/%d/fd/2", (int) pid);
  return stat (path, &theirs) == 0 && jank_stderr_is_same (&theirs, error);
}

/* Without a standard error at its start, the program's next file or connection gets the number: nothing tells a file of
 * its own from a log. So a file or socket is believed only if standard output is the same one. The two ends of a pipe
 * that the program made are the same file, too, but only one of them can be written. */
static bool
jank_stderr_is_standard_error (void)
{
  struct stat error, output;
  bool is_both;

  if (fcntl (STDERR_FILENO, F_GETFD) != 0 || !jank_stderr_is_writable (STDERR_FILENO) ||
      fstat (STDERR_FILENO, &error) != 0)
    return false; /* closed, or opened since: what comes with exec() has no FD_CLOEXEC */
  if (!jank_stderr_is_errors_of_run (&error))
    return false;
  is_both = fstat (STDOUT_FILENO, &output) == 0 && jank_stderr_is_same (&output, &error);
  if (is_both)
    return jank_stderr_is_writable (STDOUT_FILENO);
  return S_ISFIFO (error.st_mode) || (S_ISCHR (error.st_mode) && isatty (STDERR_FILENO));
}

/* A pipe that polls as writable takes PIPE_BUF bytes at once. */
static bool
jank_stderr_would_take (void)
{
  struct pollfd error = { .fd = STDERR_FILENO, .events = POLLOUT };

  return poll (&error, 1, 0) == 1 && error.revents == POLLOUT;
}

/* A reader that goes now raises SIGPIPE, a limit on file sizes SIGXFSZ, a terminal that wants no output of background
 * jobs SIGTTOU. What the program blocks itself stays for it. */
static void
jank_stderr_write_without_signals (const char *line, size_t n_bytes)
{
  const struct timespec at_once = { 0 };
  sigset_t held, before;
  int signal;

  sigemptyset (&held);
  sigaddset (&held, SIGPIPE);
  sigaddset (&held, SIGXFSZ);
  sigaddset (&held, SIGTTOU);
  pthread_sigmask (SIG_BLOCK, &held, &before);
  if (write (STDERR_FILENO, line, n_bytes) < 0 && (errno == EPIPE || errno == EFBIG))
    {
      signal = errno == EPIPE ? SIGPIPE : SIGXFSZ;
      sigemptyset (&held);
      sigaddset (&held, signal);
      if (sigismember (&before, signal) != 1)
        sigtimedwait (&held, NULL, &at_once);
    }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

void
jank_stderr_learn (void)
{
  const char *session = getenv ("JANKWATCH_SESSION");
  const char *pid = session != NULL ? strrchr (session, '-') : NULL;

  atomic_store_explicit (&run, pid != NULL ? atoi (pid + 1) : 0, memory_order_relaxed);
}

void
jank_stderr_say (const char *text)
{
  int saved_errno = errno;
  char line[PIPE_BUF + 1];
  size_t n_bytes;

  if (jank_stderr_is_standard_error () && jank_stderr_would_take ())
    {
      n_bytes = (size_t) snprintf (line, sizeof line, "jankwatch: %s\n", text);
      if (n_bytes > PIPE_BUF)
        {
          n_bytes = PIPE_BUF - 1;
          while ((line[n_bytes] & 0xc0) == 0x80)
            n_bytes--; /* no half of a character */
          line[n_bytes++] = '\n';
        }
      for (size_t i = 0; i + 1 < n_bytes; i++)
        if ((unsigned char) line[i] < ' ' || line[i] == 0x7f)
          line[i] = '?';
      jank_stderr_write_without_signals (line, n_bytes);
    }
  errno = saved_errno;
}
