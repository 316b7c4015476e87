/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for a time, for a descriptor, and for any of several. */

#include "wait/jank-wait-detail-private.h"

#include <string.h>

#include "base/jank-clock-private.h"
#include "wait/jank-arguments-private.h"

/* How many descriptors are named; the others are counted. */
#define MAX_NAMES 4

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

static gboolean
jank_wait_poll_is_eventfd (const JankDescriptor *descriptor)
{
  return descriptor->kind == JANK_DESCRIPTOR_OTHER && strcmp (descriptor->name, "eventfd") == 0;
}

/* Wakes a loop of another thread: what a thread waits for stands beside it. A pair of sockets is the program's own
 * if the other end is no other process. */
static gboolean
jank_wait_poll_is_waker (const JankDescriptor *descriptor)
{
  if (descriptor->kind == JANK_DESCRIPTOR_SOCKET)
    return descriptor->name[0] == '\0' && strcmp (descriptor->filesystem, "unix") == 0;
  return jank_wait_poll_is_eventfd (descriptor);
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
jank_wait_poll_describe_descriptors (JankWaitDraft *draft, const JankPolled *polled)
{
  JankDescriptor descriptors[MAX_NAMES];
  const JankDescriptor *chosen;
  guint n = MIN (polled->n, MAX_NAMES);
  JankDescriptor other;

  for (guint i = 0; i < MIN (polled->n, JANK_MAX_POLLED) && (i < n || !draft->wait->wakes_loops); i++)
    {
      JankDescriptor *descriptor = i < n ? &descriptors[i] : &other;

      jank_descriptor_look (polled->fds[i], descriptor);
      draft->wait->wakes_loops |= jank_wait_poll_is_eventfd (descriptor);
      if (i >= n)
        continue;
      g_string_append (draft->detail, i != 0 ? ", " : "");
      jank_descriptor_append (descriptor, polled->fds[i], draft->detail);
    }
  if (polled->n > MAX_NAMES)
    g_string_append (draft->detail, " …");
  chosen = polled->n <= MAX_NAMES ? jank_wait_poll_choose (descriptors, n) : NULL;
  if (chosen == NULL)
    return;
  jank_wait_poll_set_descriptor (draft->wait, chosen);
  g_strlcpy (draft->address, chosen->address, sizeof draft->address);
}

void
jank_wait_describe_poll (JankWaitDraft *draft)
{
  JankPolled polled;

  draft->wait->kind = JANK_WAIT_POLL;
  draft->polls = TRUE;
  jank_arguments_read_polled (0, draft->tid, draft->call, draft->shape, &polled);
  draft->wait->timeout_ns = jank_arguments_read_timeout (0, draft->call, draft->shape);

  if (polled.n == 0 && draft->shape->shape != JANK_SHAPE_EPOLL && draft->shape->shape != JANK_SHAPE_EPOLL2 &&
      draft->wait->timeout_ns >= 0)
    draft->wait->kind = JANK_WAIT_SLEEP;
  if (polled.n != 0)
    g_string_append_printf (draft->detail, " of %u: ", polled.n);
  jank_wait_poll_describe_descriptors (draft, &polled);
  if (draft->wait->timeout_ns >= 0)
    {
      g_string_append (draft->detail, polled.n != 0 ? "; time-out " : " of ");
      jank_wait_append_time (draft->detail, draft->wait->timeout_ns);
    }
}
