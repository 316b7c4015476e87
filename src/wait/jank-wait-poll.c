/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for a time, for a descriptor, and for any of several. */

#include "config.h"

#include "wait/jank-wait-detail-private.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>

#include "base/jank-clock-private.h"
#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"

/* How many descriptors are named; the others are counted. */
#define MAX_NAMES 4

#define MAX_POLLED 1024

void
jank_wait_append_time (GString *text, gint64 duration_ns)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], *end;

  g_ascii_formatd (number, sizeof number, "%.3f", duration_ns / (double) JANK_NS_PER_MS);
  for (end = number + strlen (number) - 1; *end == '0'; end--)
    *end = '\0';
  if (*end == '.')
    *end = '\0';
  g_string_append_printf (text, "%s ms", number);
}

gboolean
jank_wait_read_timespec (guint64 address, gint64 *ret_ns)
{
  struct timespec time;

  if (address == 0 || !jank_memory_read_all (address, &time, sizeof time) || time.tv_sec < 0 ||
      time.tv_sec > JANK_WAIT_MAX_S || time.tv_nsec < 0 || time.tv_nsec >= JANK_NS_PER_S)
    return FALSE;
  *ret_ns = time.tv_sec * JANK_NS_PER_S + time.tv_nsec;
  return TRUE;
}

void
jank_wait_set_descriptor (JankWait *wait, const JankDescriptor *descriptor)
{
  static const JankWaitKind kinds[] = {
    [JANK_DESCRIPTOR_UNKNOWN] = JANK_WAIT_CALL, [JANK_DESCRIPTOR_FILE] = JANK_WAIT_FILE,
    [JANK_DESCRIPTOR_DEVICE] = JANK_WAIT_DEVICE, [JANK_DESCRIPTOR_PIPE] = JANK_WAIT_PIPE,
    [JANK_DESCRIPTOR_SOCKET] = JANK_WAIT_SOCKET, [JANK_DESCRIPTOR_OTHER] = JANK_WAIT_CALL,
  };

  wait->kind = kinds[descriptor->kind];
  wait->peer_pid = descriptor->peer_pid;
  g_strlcpy (wait->target, descriptor->name, sizeof wait->target);
  if (descriptor->kind == JANK_DESCRIPTOR_SOCKET)
    return;
  g_strlcpy (wait->filesystem, descriptor->filesystem, sizeof wait->filesystem);
  g_strlcpy (wait->mount, descriptor->mount, sizeof wait->mount);
}

typedef struct
{
  guint n;
  int   fds[MAX_NAMES];
} Polled;

static void
jank_wait_poll_add_polled (Polled *polled, int fd)
{
  if (fd < 0)
    return;
  if (polled->n < MAX_NAMES)
    polled->fds[polled->n] = fd;
  polled->n++;
}

static void
jank_wait_poll_read_pollfds (guint64 address, guint64 n, Polled *polled)
{
  struct pollfd entries[64];

  n = MIN (n, MAX_POLLED);
  for (guint64 i = 0; i < n; i += G_N_ELEMENTS (entries))
    {
      guint n_here = MIN (n - i, G_N_ELEMENTS (entries));

      if (!jank_memory_read_all (address + i * sizeof entries[0], entries, n_here * sizeof entries[0]))
        return;
      for (guint k = 0; k < n_here; k++)
        jank_wait_poll_add_polled (polled, entries[k].fd);
    }
}

/* The kernel's sets are whole words, however few descriptors are asked for. */
static void
jank_wait_poll_read_fd_sets (const guint64 *addresses, guint64 n_fds, Polled *polled)
{
  guint64 all[FD_SETSIZE / 64] = { 0 };

  n_fds = MIN (n_fds, FD_SETSIZE);
  for (guint set = 0; set < 3; set++)
    {
      guint64 words[FD_SETSIZE / 64] = { 0 };

      if (addresses[set] == 0 || !jank_memory_read_all (addresses[set], words, (n_fds + 63) / 64 * sizeof words[0]))
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (all); i++)
        all[i] |= words[i];
    }
  for (guint fd = 0; fd < n_fds; fd++)
    if ((all[fd / 64] >> (fd % 64)) & 1)
      jank_wait_poll_add_polled (polled, (int) fd);
}

/* Whether the thread sleeps for events, not for the lock of the set ("D") or for one of the files to answer. */
static gboolean
jank_wait_poll_sleeps_for_events (pid_t tid)
{
  char path[64], text[512], *state;

  g_snprintf (path, sizeof path, "/proc/self/task/%d/stat", (int) tid);
  state = jank_proc_read (path, text, sizeof text) ? strrchr (text, ')') : NULL;
  if (state == NULL || !g_str_has_prefix (state, ") S"))
    return FALSE;
  g_snprintf (path, sizeof path, "/proc/self/task/%d/wchan", (int) tid);
  return jank_proc_read (path, text, sizeof text) && (strstr (text, "epoll") != NULL ||
                                                      strstr (text, "ep_poll") != NULL);
}

/* Lines of /proc/PID/fdinfo/N, one for each descriptor it watches. Reading them takes the set's lock. */
static void
jank_wait_poll_read_epoll (int epoll_fd, pid_t tid, Polled *polled)
{
  char path[64], text[8192];

  if (!jank_wait_poll_sleeps_for_events (tid))
    return;
  g_snprintf (path, sizeof path, "/proc/self/fdinfo/%d", epoll_fd);
  if (!jank_proc_read (path, text, sizeof text))
    return;
  for (const char *line = strstr (text, "\ntfd:"); line != NULL; line = strstr (line + 1, "\ntfd:"))
    {
      int fd;

      if (sscanf (line, "\ntfd: %d", &fd) == 1)
        jank_wait_poll_add_polled (polled, fd);
    }
}

/* Milliseconds, as an int in a register. */
static void
jank_wait_poll_set_milliseconds (JankWait *wait, guint64 argument)
{
  gint32 timeout_ms = (gint32) argument;

  wait->timeout_ns = timeout_ms >= 0 ? timeout_ms * JANK_NS_PER_MS : -1;
}

static void
jank_wait_poll_read_timeout (JankWaitDraft *draft)
{
  const guint64 *args = draft->call->args;
  gint64 time[2];

  if (draft->shape->shape == JANK_SHAPE_POLL)
    jank_wait_poll_set_milliseconds (draft->wait, args[2]);
  else if (draft->shape->shape == JANK_SHAPE_EPOLL)
    jank_wait_poll_set_milliseconds (draft->wait, args[3]);
  else if (draft->shape->shape == JANK_SHAPE_PPOLL)
    jank_wait_read_timespec (args[2], &draft->wait->timeout_ns);
  else if (draft->shape->shape == JANK_SHAPE_EPOLL2)
    jank_wait_read_timespec (args[3], &draft->wait->timeout_ns);
  else if (draft->shape->shape == JANK_SHAPE_PSELECT)
    jank_wait_read_timespec (args[4], &draft->wait->timeout_ns);
  else if (args[4] != 0 && jank_memory_read_all (args[4], time, sizeof time) && time[0] >= 0 &&
           time[0] < JANK_WAIT_MAX_S && time[1] >= 0 && time[1] < 1000000)
    draft->wait->timeout_ns = time[0] * JANK_NS_PER_S + time[1] * JANK_NS_PER_US;
}

/* Wakes a loop of another thread: what a thread waits for stands beside it. A pair of sockets is the program's own if the
 * other end is no other process. */
static gboolean
jank_wait_poll_is_waker (const JankDescriptor *descriptor)
{
  if (descriptor->kind == JANK_DESCRIPTOR_SOCKET)
    return descriptor->name[0] == '\0' && strcmp (descriptor->filesystem, "unix") == 0;
  return descriptor->kind == JANK_DESCRIPTOR_OTHER && strcmp (descriptor->name, "eventfd") == 0;
}

/* Output and errors of one child are one, too. */
static gboolean
jank_wait_poll_is_same (const JankDescriptor *a, const JankDescriptor *b)
{
  return a->kind == b->kind && a->peer_pid == b->peer_pid && strcmp (a->name, b->name) == 0 &&
         (a->kind == JANK_DESCRIPTOR_OTHER || a->peer_pid != 0);
}

/* Which of the descriptors is the one that counts. Returns: (nullable): there are several */
static const JankDescriptor *
jank_wait_poll_choose (const JankDescriptor *descriptors, guint n)
{
  const JankDescriptor *chosen = NULL;

  for (guint i = 0; i < n; i++)
    {
      if (chosen != NULL && !jank_wait_poll_is_waker (chosen) && !jank_wait_poll_is_waker (&descriptors[i]) &&
          !jank_wait_poll_is_same (chosen, &descriptors[i]))
        return NULL;
      if (chosen == NULL || jank_wait_poll_is_waker (chosen))
        chosen = &descriptors[i];
    }
  return chosen;
}

static void
jank_wait_poll_set_descriptor (JankWait *wait, const JankDescriptor *descriptor)
{
  if (jank_wait_poll_is_waker (descriptor))
    wait->kind = JANK_WAIT_WAKE;
  else if (descriptor->kind != JANK_DESCRIPTOR_OTHER && descriptor->kind != JANK_DESCRIPTOR_UNKNOWN)
    jank_wait_set_descriptor (wait, descriptor);
  else
    g_strlcpy (wait->target, descriptor->name, sizeof wait->target);
}

static void
jank_wait_poll_describe_descriptors (JankWaitDraft *draft, const Polled *polled)
{
  JankDescriptor descriptors[MAX_NAMES];
  const JankDescriptor *chosen;
  guint n = MIN (polled->n, MAX_NAMES);

  for (guint i = 0; i < n; i++)
    {
      jank_descriptor_look (polled->fds[i], &descriptors[i]);
      g_string_append (draft->detail, i != 0 ? ", " : "");
      jank_descriptor_append (&descriptors[i], polled->fds[i], draft->detail);
    }
  if (polled->n > MAX_NAMES)
    g_string_append (draft->detail, " …");
  chosen = polled->n <= MAX_NAMES ? jank_wait_poll_choose (descriptors, n) : NULL;
  if (chosen != NULL)
    jank_wait_poll_set_descriptor (draft->wait, chosen);
}

void
jank_wait_describe_poll (JankWaitDraft *draft)
{
  const guint64 *args = draft->call->args;
  Polled polled = { 0 };

  draft->wait->kind = JANK_WAIT_POLL;
  draft->polls = TRUE;
  if (draft->shape->shape == JANK_SHAPE_POLL || draft->shape->shape == JANK_SHAPE_PPOLL)
    jank_wait_poll_read_pollfds (args[0], (guint32) args[1], &polled);
  else if (draft->shape->shape == JANK_SHAPE_SELECT || draft->shape->shape == JANK_SHAPE_PSELECT)
    jank_wait_poll_read_fd_sets (args + 1, (guint32) args[0], &polled);
  else
    jank_wait_poll_read_epoll ((int) args[0], draft->tid, &polled);
  jank_wait_poll_read_timeout (draft);

  if (polled.n != 0)
    g_string_append_printf (draft->detail, " of %u: ", polled.n);
  jank_wait_poll_describe_descriptors (draft, &polled);
  if (draft->wait->timeout_ns >= 0)
    {
      g_string_append (draft->detail, polled.n != 0 ? "; time-out " : " of ");
      jank_wait_append_time (draft->detail, draft->wait->timeout_ns);
    }
}
