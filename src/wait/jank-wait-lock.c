/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for another thread of this process, or for a child process. */

#include "wait/jank-wait-detail-private.h"

#include <linux/futex.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"
#include "wait/jank-arguments-private.h"

/* As the kernel defines it; older headers do not. */
typedef struct
{
  guint64 value, address;
  guint32 flags;
  guint32 reserved;
} FutexWaiter;

static void
jank_wait_lock_append_owner (GString *detail, const JankLock *lock)
{
  char path[64], name[32];

  if (lock->owner == 0)
    return;
  g_string_append_printf (detail, lock->kind == JANK_LOCK_JOIN ? " of thread %d" : " held by thread %d",
                          (int) lock->owner);
  jank_proc_path (path, sizeof path, 0, "task/%d/comm", (int) lock->owner);
  if (jank_proc_read (path, name, sizeof name))
    g_string_append_printf (detail, " %s", g_strchomp (name));
}

void
jank_wait_describe_lock (JankWaitDraft *draft)
{
  JankWait *wait = draft->wait;
  guint64 address = draft->call->args[0];
  guint32 operation = (guint32) draft->call->args[1];
  FutexWaiter waiter;

  wait->kind = JANK_WAIT_LOCK;
  if (draft->shape->shape == JANK_SHAPE_FUTEX_WAITV)
    {
      g_string_append_printf (draft->detail, " of %u", (guint) draft->call->args[1]);
      if (draft->call->args[1] == 1 && jank_memory_read_all (address, &waiter, sizeof waiter))
        wait->lock.address = waiter.address;
      return;
    }

  jank_lock_look (address, operation, draft->tid, draft->calls, draft->n_calls, &wait->lock);
  wait->timeout_ns = jank_arguments_read_timeout (0, draft->call, draft->shape);
  g_string_assign (draft->detail, wait->lock.kind == JANK_LOCK_UNKNOWN ? "futex" :
                                                                         jank_lock_kind_to_nick (wait->lock.kind));
  g_string_append_printf (draft->detail, " 0x%" G_GINT64_MODIFIER "x", wait->lock.address);
  jank_wait_lock_append_owner (draft->detail, &wait->lock);
}

void
jank_wait_set_child (JankWaitDraft *draft, pid_t child)
{
  JankWait *wait = draft->wait;

  wait->kind = JANK_WAIT_CHILD;
  wait->target[0] = '\0';
  wait->peer_pid = child;
  if (child == 0)
    return;
  jank_proc_get_name (child, wait->target, sizeof wait->target);
  g_string_append_printf (draft->detail, " for %s[%d]", wait->target, (int) child);
}
