/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "chain/jank-hop-private.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/jank-memory-private.h"
#include "chain/jank-hop-draft-private.h"
#include "proc/jank-proc-private.h"
#include "proc/jank-syscalls-private.h"
#include "wait/jank-arguments-private.h"
#include "descriptors/jank-children-private.h"
#include "descriptors/jank-socket-private.h"
#include "wait/jank-wait-page-private.h"

static void
jank_hop_look_at_fd (JankHopDraft *draft)
{
  int fd = (int) draft->look->call.args[draft->look->shape->fd];

  if (draft->look->call.number == SYS_flock)
    jank_hop_look_at_file_lock (draft, fd);
  else
    jank_hop_look_at_descriptor (draft, fd);
}

/* The one that may keep the thread waiting: a disk answers by itself. */
static void
jank_hop_look_at_copy (JankHopDraft *draft)
{
  int from = (int) draft->look->call.args[draft->look->shape->fd];
  int to = (int) draft->look->call.args[draft->look->shape->other];

  jank_hop_look_at_descriptor (draft, strstr (draft->look->wchan, "write") != NULL ? to : from);
}

static void
jank_hop_look_at_fcntl (JankHopDraft *draft)
{
  int command = (int) draft->look->call.args[1];

  if (command == F_SETLKW || command == F_OFD_SETLKW)
    jank_hop_look_at_file_lock (draft, (int) draft->look->call.args[0]);
}

static void
jank_hop_look_at_path (JankHopDraft *draft)
{
  char path[2 * PATH_MAX];
  JankMount mount;

  if (strstr (draft->look->wchan, "lease") != NULL)
    {
      jank_hop_look_at_lease (draft);
      return;
    }
  if (!jank_arguments_read_path (draft->look->pid, &draft->look->call, draft->look->shape, path, sizeof path))
    return;
  jank_proc_text (draft->hop->target, sizeof draft->hop->target, path);
  jank_hop_set_mount (draft, jank_mounts_find_path (path, &mount) ? &mount : NULL);
}

static void
jank_hop_look_at_connect (JankHopDraft *draft)
{
  struct sockaddr_storage address = { 0 };
  const guint64 *args = draft->look->call.args;
  char name[128] = "";

  if (args[2] <= sizeof address && jank_memory_read_all_of (draft->look->pid, args[1], &address, args[2]))
    jank_socket_address_text (&address, (socklen_t) args[2], name, sizeof name);
  if (address.ss_family == AF_UNIX)
    jank_hop_look_at_name (draft, name);
  else
    jank_hop_look_at_descriptor (draft, (int) args[0]);
}

static void
jank_hop_look_at_sleep (JankHopDraft *draft)
{
  draft->hop->kind = JANK_HOP_SLEEP;
}

static void
jank_hop_add_children (JankHopDraft *draft, pid_t number)
{
  JankChildren children;

  draft->hop->kind = JANK_HOP_CHILD;
  jank_children_list (draft->look->pid, &children);
  for (guint i = 0; i < children.n; i++)
    if (number == 0 || jank_look_is_known_as (draft->look->pid, children.pids[i], number))
      jank_hop_add_peer (draft->hop, children.pids[i], 0);
}

static void
jank_hop_look_at_wait (JankHopDraft *draft)
{
  jank_hop_add_children (draft, jank_arguments_read_child (draft->look->pid, &draft->look->call, draft->look->shape));
}

static void
jank_hop_look_at_memory (JankHopDraft *draft)
{
  if (draft->look->state == 'D')
    draft->hop->kind = JANK_HOP_DISK;
}

/* Calls without a shape of their own. */
static void
jank_hop_look_at_other (JankHopDraft *draft)
{
  static const char *const idle[] = { "pause", "rt_sigsuspend", "rt_sigtimedwait" };
  static const char *const starts[] = { "vfork", "clone", "clone3" };
  const char *name = jank_syscall_get_name ((gint) draft->look->call.number);

  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (idle); i++)
    if (strcmp (name, idle[i]) == 0)
      draft->hop->kind = JANK_HOP_IDLE;
  /* So waits a shell for its children, whose end is a signal. */
  if (g_strcmp0 (name, "rt_sigsuspend") == 0)
    {
      draft->hop->is_poll = TRUE;
      jank_hop_add_children (draft, 0);
      if (draft->hop->n_peers == 0)
        draft->hop->kind = JANK_HOP_IDLE;
    }
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (starts); i++)
    if (strcmp (name, starts[i]) == 0)
      jank_hop_add_children (draft, 0);
}

/* A page that a mapped file has to give. */
static void
jank_hop_look_at_page (JankHopDraft *draft)
{
  g_autofree char *maps = NULL;
  JankMapped mapped;
  char path[48];

  if (draft->look->state != 'D')
    return;
  draft->hop->kind = JANK_HOP_DISK;
  jank_proc_path (path, sizeof path, draft->look->pid, "maps");
  maps = jank_proc_read_long (path);
  if (!jank_wait_page_find_mapped (maps, &mapped))
    return;
  jank_hop_set_mount (draft, &mapped.mount);
  if (mapped.is_only)
    jank_proc_text (draft->hop->target, sizeof draft->hop->target, mapped.path);
}

static void (*const by_shape[]) (JankHopDraft *draft) = {
  [JANK_SHAPE_READ] = jank_hop_look_at_fd,         [JANK_SHAPE_WRITE] = jank_hop_look_at_fd,
  [JANK_SHAPE_COPY] = jank_hop_look_at_copy,       [JANK_SHAPE_FD] = jank_hop_look_at_fd,
  [JANK_SHAPE_OPEN] = jank_hop_look_at_path,       [JANK_SHAPE_CONNECT] = jank_hop_look_at_connect,
  [JANK_SHAPE_POLL] = jank_hop_look_at_poll,       [JANK_SHAPE_PPOLL] = jank_hop_look_at_poll,
  [JANK_SHAPE_SELECT] = jank_hop_look_at_poll,     [JANK_SHAPE_PSELECT] = jank_hop_look_at_poll,
  [JANK_SHAPE_EPOLL] = jank_hop_look_at_poll,      [JANK_SHAPE_EPOLL2] = jank_hop_look_at_poll,
  [JANK_SHAPE_FUTEX] = jank_hop_look_at_futex,     [JANK_SHAPE_FUTEX_WAITV] = jank_hop_look_at_other,
  [JANK_SHAPE_SLEEP] = jank_hop_look_at_sleep,     [JANK_SHAPE_CLOCK_SLEEP] = jank_hop_look_at_sleep,
  [JANK_SHAPE_WAIT4] = jank_hop_look_at_wait,      [JANK_SHAPE_WAITID] = jank_hop_look_at_wait,
  [JANK_SHAPE_IOCTL] = jank_hop_look_at_fd,        [JANK_SHAPE_FCNTL] = jank_hop_look_at_fcntl,
  [JANK_SHAPE_MEMORY] = jank_hop_look_at_memory,   [JANK_SHAPE_OTHER] = jank_hop_look_at_other,
};

/* What the state alone tells, and a reader without the right to trace. */
static const struct { char state; JankHopKind kind; } by_state[] = {
  { 0, JANK_HOP_ENDED }, { 'Z', JANK_HOP_ENDED }, { 'X', JANK_HOP_ENDED }, { 'T', JANK_HOP_STOPPED },
  { 't', JANK_HOP_TRACED }, { 'R', JANK_HOP_COMPUTING },
};

static gboolean
jank_hop_look_at_state (JankHopDraft *draft)
{
  for (guint i = 0; i < G_N_ELEMENTS (by_state); i++)
    if (draft->look->state == by_state[i].state)
      {
        draft->hop->kind = by_state[i].kind;
        return TRUE;
      }
  return FALSE;
}

/* Where calls may not be read the kernel's function may: under Yama. Which file a thread reads it does not tell. */
static void
jank_hop_look_at_wchan (JankHopDraft *draft)
{
  static const char *const locks[] = { "lock_inode_wait", "fcntl_setlk", "__break_lease" };

  draft->hop->kind = JANK_HOP_HIDDEN;
  if (strstr (draft->look->wchan, "nanosleep") != NULL)
    draft->hop->kind = JANK_HOP_SLEEP;
  else if (strcmp (draft->look->wchan, "do_wait") == 0)
    jank_hop_add_children (draft, 0);
  for (guint i = 0; i < G_N_ELEMENTS (locks) && draft->hop->kind == JANK_HOP_HIDDEN; i++)
    if (strstr (draft->look->wchan, locks[i]) != NULL)
      jank_hop_look_at_listed (draft);
}

void
jank_hop_find (JankKernel *kernel, const JankLook *look, JankHop *ret_hop)
{
  JankHopDraft draft = { kernel, look, ret_hop };

  *ret_hop = (JankHop) { .kind = JANK_HOP_UNKNOWN, .timeout_ns = -1 };
  if (jank_hop_look_at_state (&draft))
    {
      if (ret_hop->kind == JANK_HOP_TRACED)
        {
          gint64 tracer = jank_proc_to_number (jank_proc_read_field (look->pid, "TracerPid:", "status"));

          jank_hop_add_peer (ret_hop, (pid_t) MAX (tracer, 0), 0);
        }
      return;
    }
  if (look->call.kind == JANK_SYSCALL_RUNNING)
    ret_hop->kind = JANK_HOP_COMPUTING;
  else if (look->call.kind == JANK_SYSCALL_UNKNOWN)
    jank_hop_look_at_wchan (&draft);
  else if (look->call.number == -1)
    jank_hop_look_at_page (&draft);
  else
    {
      ret_hop->timeout_ns = jank_arguments_read_timeout (look->pid, &look->call, look->shape);
      ret_hop->is_rest = jank_arguments_is_absolute (&look->call, look->shape);
      by_shape[look->shape->shape] (&draft);
    }
}
