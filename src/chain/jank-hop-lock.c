/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits for a lock on a file, a lease, or a lock in memory. */

#include "chain/jank-hop-draft-private.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"
#include "wait/jank-arguments-private.h"
#include "descriptors/jank-file-locks-private.h"
#include "wait/jank-lock-private.h"

/* glibc's, Rust's and GLib's locks alike. */
#define CONTENDED 2

static const GArray *
jank_hop_get_locks (JankHopDraft *draft)
{
  if (draft->kernel->locks == NULL)
    draft->kernel->locks = jank_file_locks_read ();
  return draft->kernel->locks;
}

/* The kernel lists an open file's locks with it, whoever took them. */
static gboolean
jank_hop_has_lock (const JankHolder *holder, guint64 inode)
{
  g_autofree char *line = jank_holder_read_info (holder, "lock:"), *end = NULL;

  end = g_strdup_printf (":%" G_GUINT64_FORMAT " ", inode);
  return line != NULL && strstr (line, end) != NULL;
}

/* Returns: TRUE also where it cannot be told */
static gboolean
jank_hop_process_has_lock (pid_t pid, guint64 inode)
{
  char path[48];
  const struct dirent *entry;
  gboolean has = FALSE, may_read = FALSE;
  DIR *folder;

  jank_proc_path (path, sizeof path, pid, "fdinfo");
  folder = opendir (path);
  while (folder != NULL && !has && (entry = readdir (folder)) != NULL)
    {
      JankHolder holder = { pid, atoi (entry->d_name) };

      if (!g_ascii_isdigit (entry->d_name[0]))
        continue;
      may_read |= jank_holder_read_mode (&holder) >= 0;
      has = jank_hop_has_lock (&holder, inode);
    }
  if (folder != NULL)
    closedir (folder);
  return has || !may_read;
}

/* Who took a lock may be gone, or have left it to a child. In a namespace of processes the kernel's list then leaves
 * the lock out. lock: (nullable): not listed */
static void
jank_hop_add_lock_holders (JankHopDraft *draft, const JankFileLock *lock, guint64 inode, const char *link)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (JankHolder));
  const GArray *holders;

  if (lock != NULL && lock->pid > 0 && (kill (lock->pid, 0) == 0 || errno == EPERM) &&
      jank_hop_process_has_lock (lock->pid, inode))
    {
      jank_hop_add_peer (draft->hop, lock->pid, 0);
      return;
    }
  holders = jank_holders_find (jank_kernel_get_holders (draft->kernel), link);
  for (guint i = 0; holders != NULL && i < holders->len; i++)
    if (jank_hop_has_lock (&g_array_index (holders, JankHolder, i), inode))
      g_array_append_val (found, g_array_index (holders, JankHolder, i));
  jank_hop_add_holders (draft, found, -1);
}

void
jank_hop_look_at_file_lock (JankHopDraft *draft, int fd)
{
  guint64 inode = jank_file_locks_read_inode (draft->look->pid, fd);
  char path[64], link[PATH_MAX] = "";

  draft->hop->kind = JANK_HOP_FILE_LOCK;
  jank_proc_path (path, sizeof path, draft->look->pid, "fd/%d", fd);
  if (jank_proc_read_link (path, link, sizeof link))
    jank_proc_text (draft->hop->target, sizeof draft->hop->target, link);
  if (inode != 0)
    jank_hop_add_lock_holders (draft, jank_file_locks_find_wait (jank_hop_get_locks (draft), draft->look->pid, inode),
                               inode, link);
}

void
jank_hop_look_at_lease (JankHopDraft *draft)
{
  const JankFileLock *lock = jank_file_locks_find_wait (jank_hop_get_locks (draft), draft->look->pid, 0);
  char path[2 * PATH_MAX];

  draft->hop->kind = JANK_HOP_LEASE;
  if (jank_arguments_read_path (draft->look->pid, &draft->look->call, draft->look->shape, path, sizeof path))
    jank_proc_text (draft->hop->target, sizeof draft->hop->target, path);
  if (lock != NULL && lock->is_lease && lock->pid > 0)
    jank_hop_add_peer (draft->hop, lock->pid, 0);
}

/* Returns: a descriptor of the process that is open on that file, -1: none */
static int
jank_hop_find_open (pid_t pid, guint64 inode)
{
  char path[48];
  const struct dirent *entry;
  int fd = -1;
  DIR *folder;

  jank_proc_path (path, sizeof path, pid, "fd");
  folder = opendir (path);
  while (folder != NULL && fd < 0 && (entry = readdir (folder)) != NULL)
    if (g_ascii_isdigit (entry->d_name[0]) && jank_file_locks_read_inode (pid, atoi (entry->d_name)) == inode)
      fd = atoi (entry->d_name);
  if (folder != NULL)
    closedir (folder);
  return fd;
}

void
jank_hop_look_at_listed (JankHopDraft *draft)
{
  const JankFileLock *lock = jank_file_locks_find_wait (jank_hop_get_locks (draft), draft->look->pid, 0);

  if (lock != NULL && lock->is_lease)
    jank_hop_look_at_lease (draft);
  else if (lock != NULL)
    jank_hop_look_at_file_lock (draft, jank_hop_find_open (draft->look->pid, lock->inode));
}

/* A thread of any process that the reader may look into. */
static void
jank_hop_add_thread (JankHopDraft *draft, pid_t number, gboolean is_private)
{
  pid_t tid = jank_proc_find_thread (draft->look->pid, number);
  g_autofree char *process = NULL;

  if (tid != 0)
    jank_hop_add_peer (draft->hop, draft->look->pid, tid);
  else if (!is_private && jank_look_is_known_as (draft->look->pid, number, number))
    {
      process = jank_proc_read_field (number, "Tgid:", "status");
      jank_hop_add_peer (draft->hop, process != NULL ? atoi (process) : 0, number);
    }
}

void
jank_hop_look_at_futex (JankHopDraft *draft)
{
  const JankSyscall *call = &draft->look->call;
  guint32 operation = (guint32) call->args[1], command = operation & FUTEX_CMD_MASK, word, bits;
  gboolean is_private = (operation & FUTEX_PRIVATE_FLAG) != 0;
  pid_t owner = 0;

  if (!jank_memory_read_all_of (draft->look->pid, call->args[0], &word, sizeof word))
    return;
  if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
    owner = (pid_t) (word & FUTEX_TID_MASK);
  else if (word == (guint32) call->args[2] && jank_lock_read_mutex (draft->look->pid, call->args[0], &bits, &owner) &&
           (word == CONTENDED || (pid_t) (word & FUTEX_TID_MASK) == owner))
    ;
  else
    owner = 0;
  draft->hop->kind = JANK_HOP_LOCK;
  if (owner > 0)
    jank_hop_add_thread (draft, owner, is_private);
  /* The kernel clears a thread's number when it ends, and wakes whoever waits for that: pthread_join(). */
  if (draft->hop->n_peers == 0 && !is_private && word == (guint32) call->args[2] && word > 0)
    {
      draft->hop->kind = JANK_HOP_JOIN;
      jank_hop_add_thread (draft, (pid_t) word, TRUE);
    }
  if (draft->hop->n_peers == 0)
    draft->hop->kind = JANK_HOP_UNKNOWN;
}
