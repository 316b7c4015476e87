/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for something that is open: a socket, a pipe, a terminal, a file. */

#include "chain/jank-hop-draft-private.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proc/jank-proc-private.h"
#include "wait/jank-arguments-private.h"
#include "descriptors/jank-descriptor-private.h"

/* A descriptor of the thread's process. */
typedef struct
{
  JankHolder  holder;
  const char *link;
} Open;

void
jank_hop_add_holders (JankHopDraft *draft, const GArray *holders, int but_mode)
{
  gboolean is_own = FALSE;

  for (guint i = 0; holders != NULL && i < holders->len; i++)
    {
      const JankHolder *holder = &g_array_index (holders, JankHolder, i);

      if (but_mode >= 0 && jank_holder_read_mode (holder) == but_mode)
        continue;
      if (holder->pid == draft->look->pid)
        is_own = TRUE;
      else
        jank_hop_add_peer (draft->hop, holder->pid, 0);
    }
  if (is_own && draft->hop->n_peers == 0)
    jank_hop_add_peer (draft->hop, draft->look->pid, 0);
}

static void
jank_hop_set_end (JankHopDraft *draft, const JankSocketEnd *end)
{
  g_strlcpy (draft->hop->target, end->name, sizeof draft->hop->target);
  draft->hop->peer_inode = end->is_accepted ? end->peer : 0;
  if (end->listens)
    draft->hop->kind = JANK_HOP_IDLE;
  else if (end->is_remote)
    draft->hop->kind = JANK_HOP_HOST;
  else
    {
      draft->hop->kind = end->is_display ? JANK_HOP_DISPLAY : JANK_HOP_SOCKET;
      jank_hop_add_holders (draft, jank_holders_find_socket (jank_kernel_get_holders (draft->kernel), end->peer), -1);
      if (end->peer == 0)
        draft->hop->kind = JANK_HOP_UNKNOWN;
    }
}

static void
jank_hop_look_at_socket (JankHopDraft *draft, const Open *open)
{
  JankSocketEnd end;

  /* The kernel lists sockets of the reader's network namespace. */
  if (!jank_sockets_find (jank_kernel_get_sockets (draft->kernel),
                          strtoull (open->link + strlen ("socket:["), NULL, 10), &end))
    {
      draft->hop->kind = draft->hop->is_poll ? JANK_HOP_IDLE : JANK_HOP_SOCKET;
      return;
    }
  jank_hop_set_end (draft, &end);
}

void
jank_hop_look_at_name (JankHopDraft *draft, const char *name)
{
  guint64 inode = jank_sockets_find_name (jank_kernel_get_sockets (draft->kernel), name);

  draft->hop->kind = JANK_HOP_SOCKET;
  g_strlcpy (draft->hop->target, name, sizeof draft->hop->target);
  jank_hop_add_holders (draft, jank_holders_find_socket (jank_kernel_get_holders (draft->kernel), inode), -1);
}

static void
jank_hop_look_at_pipe (JankHopDraft *draft, const Open *open)
{
  int own_mode = jank_holder_read_mode (&open->holder);

  draft->hop->kind = JANK_HOP_PIPE;
  if (open->link[0] == '/')
    jank_proc_text (draft->hop->target, sizeof draft->hop->target, open->link);
  jank_hop_add_holders (draft, jank_holders_find (jank_kernel_get_holders (draft->kernel), open->link),
                        own_mode == O_RDWR ? -1 : own_mode);
}

/* What a terminal is called is its own where a process sees another instance of devpts. */
static gboolean
jank_hop_sees (pid_t pid, const Open *open)
{
  char path[PATH_MAX], own[64];
  struct stat seen, is;

  jank_proc_path (path, sizeof path, pid, "root%s", open->link);
  jank_proc_path (own, sizeof own, open->holder.pid, "fd/%d", open->holder.fd);
  return stat (path, &seen) == 0 && stat (own, &is) == 0 && seen.st_dev == is.st_dev && seen.st_ino == is.st_ino;
}

/* All of them have one link: the kernel's number tells them apart. */
static void
jank_hop_add_numbered (JankHopDraft *draft, const Open *open, const char *link, const char *field, const char *number)
{
  const GArray *holders = jank_holders_find (jank_kernel_get_holders (draft->kernel), link);

  for (guint i = 0; number != NULL && holders != NULL && i < holders->len; i++)
    {
      const JankHolder *holder = &g_array_index (holders, JankHolder, i);
      g_autofree char *its = holder->pid != draft->look->pid ? jank_holder_read_info (holder, field) : NULL;

      if (g_strcmp0 (number, its) == 0 && (open->link[0] != '/' || jank_hop_sees (holder->pid, open)))
        jank_hop_add_peer (draft->hop, holder->pid, 0);
    }
}

static void
jank_hop_look_at_eventfd (JankHopDraft *draft, const Open *open)
{
  g_autofree char *number = jank_holder_read_info (&open->holder, "eventfd-id:");

  jank_hop_add_numbered (draft, open, open->link, "eventfd-id:", number);
  draft->hop->kind = draft->hop->n_peers != 0 ? JANK_HOP_EVENT : JANK_HOP_IDLE;
}

static void
jank_hop_look_at_pidfd (JankHopDraft *draft, const Open *open)
{
  g_autofree char *pid = jank_holder_read_info (&open->holder, "Pid:");

  draft->hop->kind = JANK_HOP_CHILD;
  jank_hop_add_peer (draft->hop, pid != NULL ? atoi (pid) : 0, 0);
}

/* Who reads is a person; what is written is taken by whoever has the other end. */
static void
jank_hop_look_at_terminal (JankHopDraft *draft, const Open *open)
{
  const char *number = strrchr (open->link, '/') + 1;

  jank_proc_text (draft->hop->target, sizeof draft->hop->target, open->link);
  draft->hop->kind = JANK_HOP_PERSON;
  if (draft->look->shape->shape != JANK_SHAPE_WRITE)
    return;
  jank_hop_add_numbered (draft, open, "/dev/ptmx", "tty-index:", number);
  jank_hop_add_numbered (draft, open, "/dev/pts/ptmx", "tty-index:", number);
  draft->hop->kind = draft->hop->n_peers != 0 ? JANK_HOP_TERMINAL : JANK_HOP_DEVICE;
}

static void
jank_hop_look_at_file (JankHopDraft *draft, const Open *open)
{
  JankMount mount;

  jank_proc_text (draft->hop->target, sizeof draft->hop->target, open->link);
  if (jank_descriptor_is_device (open->link))
    draft->hop->kind = JANK_HOP_DEVICE;
  else if (strstr (draft->look->wchan, "pipe") != NULL)
    jank_hop_look_at_pipe (draft, open);
  else
    jank_hop_set_mount (draft, jank_descriptor_find_mount (draft->look->pid, open->holder.fd, &mount) ? &mount : NULL);
}

/* The first that fits. wakes: a loop is woken by it, beside what it waits for. look (nullable): the kind is all */
static const struct
{
  const char *link;
  gboolean    wakes;
  void      (*look) (JankHopDraft *draft, const Open *open);
  JankHopKind kind;
} by_link[] = {
  { "socket:[", FALSE, jank_hop_look_at_socket },
  { "pipe:[", FALSE, jank_hop_look_at_pipe },
  { "anon_inode:[eventfd]", TRUE, jank_hop_look_at_eventfd },
  { "anon_inode:[timerfd]", TRUE, NULL, JANK_HOP_SLEEP },
  { "anon_inode:[pidfd]", FALSE, jank_hop_look_at_pidfd },
  { "pidfd:[", FALSE, jank_hop_look_at_pidfd },
  { "anon_inode:", TRUE, NULL, JANK_HOP_IDLE },
  { "/dev/fuse", FALSE, NULL, JANK_HOP_IDLE },
  { "/dev/pts/", FALSE, jank_hop_look_at_terminal },
  { "/dev/tty", FALSE, jank_hop_look_at_terminal },
  { "/dev/console", FALSE, jank_hop_look_at_terminal },
  { "/", FALSE, jank_hop_look_at_file },
};

/* Returns: row of by_link, its length: none */
static guint
jank_hop_read_link (pid_t pid, int fd, char ret_link[PATH_MAX])
{
  char path[64];
  guint i = 0;

  jank_proc_path (path, sizeof path, pid, "fd/%d", fd);
  if (fd < 0 || !jank_proc_read_link (path, ret_link, PATH_MAX))
    return G_N_ELEMENTS (by_link);
  while (i < G_N_ELEMENTS (by_link) && !g_str_has_prefix (ret_link, by_link[i].link))
    i++;
  return i;
}

void
jank_hop_look_at_descriptor (JankHopDraft *draft, int fd)
{
  char link[PATH_MAX];
  guint row = jank_hop_read_link (draft->look->pid, fd, link);
  Open open = { { draft->look->pid, fd }, link };

  if (row >= G_N_ELEMENTS (by_link))
    return;
  draft->hop->kind = by_link[row].kind;
  if (by_link[row].look != NULL)
    by_link[row].look (draft, &open);
}

/* Which of the descriptors a thread polls it waits for, if that is one. Returns: FALSE: there are several, of different
 * files; ret_fd: -1: none */
static gboolean
jank_hop_find_polled (JankHopDraft *draft, const JankPolled *polled, int *ret_fd)
{
  char link[PATH_MAX], found[PATH_MAX] = "";

  *ret_fd = -1;
  for (guint i = 0; i < MIN (polled->n, JANK_MAX_POLLED); i++)
    {
      guint row = jank_hop_read_link (draft->look->pid, polled->fds[i], link);

      if (row >= G_N_ELEMENTS (by_link) || by_link[row].wakes)
        continue;
      if (found[0] != '\0' && strcmp (found, link) != 0)
        return FALSE;
      g_strlcpy (found, link, sizeof found);
      *ret_fd = polled->fds[i];
    }
  return polled->n <= JANK_MAX_POLLED;
}

void
jank_hop_look_at_poll (JankHopDraft *draft)
{
  const JankLook *look = draft->look;
  gboolean is_epoll = look->shape->shape == JANK_SHAPE_EPOLL || look->shape->shape == JANK_SHAPE_EPOLL2;
  JankPolled polled;
  int fd;

  draft->hop->is_poll = TRUE;
  draft->hop->kind = JANK_HOP_IDLE;
  jank_arguments_read_polled (look->pid, look->tid, &look->call, look->shape, &polled);
  if (polled.n == 0 && !is_epoll && draft->hop->timeout_ns >= 0)
    draft->hop->kind = JANK_HOP_SLEEP;
  else if (jank_hop_find_polled (draft, &polled, &fd) && fd >= 0)
    jank_hop_look_at_descriptor (draft, fd);
  if (draft->hop->kind == JANK_HOP_UNKNOWN)
    draft->hop->kind = JANK_HOP_IDLE;
}
