/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "wait/jank-arguments-private.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"

#define MAX_POLLED 1024

/* A longer time-out counts as none: it does not fit in nanoseconds. */
#define MAX_S G_GINT64_CONSTANT (4000000000)

/* Two words of 64 bits: seconds, and parts of one. */
static gint64
jank_arguments_read_time (pid_t pid, guint64 address, gint64 parts_per_s)
{
  gint64 time[2];

  if (address == 0 || !jank_memory_read_all_of (pid, address, time, sizeof time) || time[0] < 0 || time[0] > MAX_S ||
      time[1] < 0 || time[1] >= parts_per_s)
    return -1;
  return time[0] * JANK_NS_PER_S + time[1] * (JANK_NS_PER_S / parts_per_s);
}

/* Milliseconds, as an int in a register. */
static gint64
jank_arguments_get_milliseconds (guint64 argument)
{
  gint32 timeout_ms = (gint32) argument;

  return timeout_ms >= 0 ? timeout_ms * JANK_NS_PER_MS : -1;
}

gboolean
jank_arguments_is_absolute (const JankSyscall *call, const JankSyscallShape *shape)
{
  return shape->shape == JANK_SHAPE_CLOCK_SLEEP && (call->args[1] & TIMER_ABSTIME) != 0;
}

gint64
jank_arguments_read_timeout (pid_t pid, const JankSyscall *call, const JankSyscallShape *shape)
{
  const guint64 *args = call->args;
  gint64 time_ns;

  switch (shape->shape)
    {
    case JANK_SHAPE_POLL:
      return jank_arguments_get_milliseconds (args[2]);
    case JANK_SHAPE_EPOLL:
      return jank_arguments_get_milliseconds (args[3]);
    case JANK_SHAPE_PPOLL:
      return jank_arguments_read_time (pid, args[2], JANK_NS_PER_S);
    case JANK_SHAPE_EPOLL2:
      return jank_arguments_read_time (pid, args[3], JANK_NS_PER_S);
    case JANK_SHAPE_FUTEX:
      return ((guint32) args[1] & FUTEX_CMD_MASK) == FUTEX_WAIT
               ? jank_arguments_read_time (pid, args[3], JANK_NS_PER_S) : -1;
    case JANK_SHAPE_PSELECT:
      return jank_arguments_read_time (pid, args[4], JANK_NS_PER_S);
    case JANK_SHAPE_SELECT:
      return jank_arguments_read_time (pid, args[4], JANK_NS_PER_S / JANK_NS_PER_US);
    case JANK_SHAPE_SLEEP:
      return jank_arguments_read_time (pid, args[0], JANK_NS_PER_S);
    case JANK_SHAPE_CLOCK_SLEEP:
      time_ns = jank_arguments_read_time (pid, args[2], JANK_NS_PER_S);
      if (time_ns < 0 || !jank_arguments_is_absolute (call, shape))
        return time_ns;
      time_ns -= jank_clock_read_ns ((clockid_t) args[0]);
      return MAX (time_ns, 0);
    default:
      return -1;
    }
}

static void
jank_arguments_add_polled (JankPolled *polled, int fd)
{
  if (fd < 0)
    return;
  if (polled->n < JANK_MAX_POLLED)
    polled->fds[polled->n] = fd;
  polled->n++;
}

static void
jank_arguments_read_pollfds (pid_t pid, guint64 address, guint64 n, JankPolled *polled)
{
  struct pollfd entries[64];

  n = MIN (n, MAX_POLLED);
  for (guint64 i = 0; i < n; i += G_N_ELEMENTS (entries))
    {
      guint n_here = MIN (n - i, G_N_ELEMENTS (entries));

      if (!jank_memory_read_all_of (pid, address + i * sizeof entries[0], entries, n_here * sizeof entries[0]))
        return;
      for (guint k = 0; k < n_here; k++)
        jank_arguments_add_polled (polled, entries[k].fd);
    }
}

/* The kernel's sets are whole words, however few descriptors are asked for. */
static void
jank_arguments_read_fd_sets (pid_t pid, const guint64 *addresses, guint64 n_fds, JankPolled *polled)
{
  guint64 all[FD_SETSIZE / 64] = { 0 };

  n_fds = MIN (n_fds, FD_SETSIZE);
  for (guint set = 0; set < 3; set++)
    {
      guint64 words[FD_SETSIZE / 64] = { 0 };

      if (addresses[set] == 0 ||
          !jank_memory_read_all_of (pid, addresses[set], words, (n_fds + 63) / 64 * sizeof words[0]))
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (all); i++)
        all[i] |= words[i];
    }
  for (guint fd = 0; fd < n_fds; fd++)
    if ((all[fd / 64] >> (fd % 64)) & 1)
      jank_arguments_add_polled (polled, (int) fd);
}

/* Whether the thread sleeps for events, not for the lock of the set ("D") or for one of the files to answer. */
static gboolean
jank_arguments_sleeps_for_events (pid_t pid, pid_t tid)
{
  char path[64], text[512];

  if (jank_proc_read_state (pid, tid) != 'S')
    return FALSE;
  jank_proc_path (path, sizeof path, pid, "task/%d/wchan", (int) tid);
  return jank_proc_read (path, text, sizeof text) && (strstr (text, "epoll") != NULL ||
                                                      strstr (text, "ep_poll") != NULL);
}

/* Lines of /proc/PID/fdinfo/N, one for each descriptor it watches. Reading them takes the set's lock. */
static void
jank_arguments_read_epoll (pid_t pid, pid_t tid, int epoll_fd, JankPolled *polled)
{
  char path[64], text[8192];

  if (!jank_arguments_sleeps_for_events (pid, tid))
    return;
  jank_proc_path (path, sizeof path, pid, "fdinfo/%d", epoll_fd);
  if (!jank_proc_read (path, text, sizeof text))
    return;
  for (const char *line = strstr (text, "\ntfd:"); line != NULL; line = strstr (line + 1, "\ntfd:"))
    {
      int fd;

      if (sscanf (line, "\ntfd: %d", &fd) == 1)
        jank_arguments_add_polled (polled, fd);
    }
}

void
jank_arguments_read_polled (pid_t pid, pid_t tid, const JankSyscall *call, const JankSyscallShape *shape,
                            JankPolled *ret_polled)
{
  const guint64 *args = call->args;

  ret_polled->n = 0;
  if (shape->shape == JANK_SHAPE_POLL || shape->shape == JANK_SHAPE_PPOLL)
    jank_arguments_read_pollfds (pid, args[0], (guint32) args[1], ret_polled);
  else if (shape->shape == JANK_SHAPE_SELECT || shape->shape == JANK_SHAPE_PSELECT)
    jank_arguments_read_fd_sets (pid, args + 1, (guint32) args[0], ret_polled);
  else if (shape->shape == JANK_SHAPE_EPOLL || shape->shape == JANK_SHAPE_EPOLL2)
    jank_arguments_read_epoll (pid, tid, (int) args[0], ret_polled);
}

/* A pidfd tells which process it is of. */
static pid_t
jank_arguments_read_pidfd (pid_t pid, int fd)
{
  char path[64], link[64];
  gint64 child;

  jank_proc_path (path, sizeof path, pid, "fd/%d", fd);
  if (!jank_proc_read_link (path, link, sizeof link) || strstr (link, "pidfd") == NULL)
    return 0;
  child = jank_proc_to_number (jank_proc_read_field (pid, "Pid:", "fdinfo/%d", fd));
  return (pid_t) MAX (child, 0);
}

pid_t
jank_arguments_read_child (pid_t pid, const JankSyscall *call, const JankSyscallShape *shape)
{
  const guint64 *args = call->args;

  if (shape->shape == JANK_SHAPE_WAIT4)
    return (gint32) args[0] > 0 ? (pid_t) args[0] : 0;
  if (args[0] == P_PID)
    return (pid_t) args[1];
  return args[0] == P_PIDFD ? jank_arguments_read_pidfd (pid, (int) args[1]) : 0;
}

gboolean
jank_arguments_read_path (pid_t pid, const JankSyscall *call, const JankSyscallShape *shape, char *ret_path,
                          gsize n_bytes)
{
  char text[PATH_MAX], folder[PATH_MAX], link[48];
  int fd = shape->fd >= 0 ? (int) call->args[shape->fd] : AT_FDCWD;
  /* A call that was not to be read has no shape. */
  guint64 address = shape->other >= 0 ? call->args[shape->other] : 0;
  gsize n;

  if (address == 0 || (n = jank_memory_read_of (pid, address, text, sizeof text - 1)) == 0)
    return FALSE;
  text[n] = '\0';
  jank_proc_path (link, sizeof link, pid, "cwd");
  if (fd != AT_FDCWD)
    jank_proc_path (link, sizeof link, pid, "fd/%d", fd);
  if (text[0] == '/')
    g_strlcpy (ret_path, text, n_bytes);
  else if (text[0] == '\0' && fd != AT_FDCWD)
    return jank_proc_read_link (link, ret_path, n_bytes);
  else if (jank_proc_read_link (link, folder, sizeof folder))
    g_snprintf (ret_path, n_bytes, "%s/%s", folder, text);
  else
    g_strlcpy (ret_path, text, n_bytes);
  return TRUE;
}
