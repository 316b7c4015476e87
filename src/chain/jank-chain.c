/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nothing is guessed: a process with several threads at work could answer by any of them, an end of a pipe that several
 * processes have could be served by any, and a thread that polls may be idle. */

#include "config.h"

#include "chain/jank-chain-private.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-text-clean-private.h"
#include "chain/jank-dbus-wait-private.h"
#include "proc/jank-proc-private.h"
#include "proc/jank-syscalls-private.h"

#define MAX_LINKS 32
#define MAX_THREADS 256
/* Of all branches, so that a crowd of processes ends. */
#define MAX_LOOKS 512
/* A chain that changed while it was read is read again, if that is quick. */
#define MAX_TRIES 4
#define MAX_TRYING_NS (100 * JANK_NS_PER_MS)
#define SETTLE_US 3000

/* A walk from the first process to the cause. */
typedef struct
{
  JankKernel             kernel;
  const JankChainTeller *teller;
  GPtrArray             *links; /* (owned) (element-type JankLink) */
  guint                  closes_at;
  guint                  n_looks;
} Walk;

static void
jank_link_free (gpointer data)
{
  JankLink *self = data;

  g_free (self->function);
  g_free (self);
}

static void
jank_link_copy_clean (char *to, gsize n_bytes, const char *text)
{
  g_autofree char *clean = jank_text_cut (text, n_bytes - 1);

  g_strlcpy (to, clean, n_bytes);
}

/* The last part of the path of its control group that is a service or a scope. */
static void
jank_link_read_unit (JankLink *self)
{
  char path[48], text[2048];
  g_auto (GStrv) parts = NULL;

  jank_proc_path (path, sizeof path, self->look.pid, "cgroup");
  if (!jank_proc_read (path, text, sizeof text))
    return;
  parts = g_strsplit (g_strchomp (text), "/", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (g_str_has_suffix (parts[i], ".service") || g_str_has_suffix (parts[i], ".scope"))
      jank_link_copy_clean (self->unit, sizeof self->unit, parts[i]);
}

static void
jank_link_read_names (JankLink *self)
{
  g_autofree char *ids = jank_look_read_status (self->look.pid, "Uid:");
  uid_t uid = ids != NULL ? (uid_t) strtoul (ids, NULL, 10) : getuid ();
  char name[64];

  jank_proc_get_name (self->look.pid, name, sizeof name);
  jank_link_copy_clean (self->name, sizeof self->name, name);
  if (self->look.call.kind == JANK_SYSCALL_BLOCKED)
    self->syscall = jank_syscall_get_name ((gint) self->look.call.number);
  if (uid == getuid ())
    return;
  g_snprintf (self->user, sizeof self->user, "%u", (guint) uid);
  if (getpwuid (uid) != NULL)
    jank_link_copy_clean (self->user, sizeof self->user, getpwuid (uid)->pw_name);
  jank_link_read_unit (self);
}

/* Whether a thread may sleep like that for ever with nothing wrong, and serves nobody meanwhile. */
static gboolean
jank_walk_is_idle (const JankHop *hop)
{
  return hop->kind == JANK_HOP_IDLE || hop->kind == JANK_HOP_BUS || hop->is_poll ||
         (hop->kind == JANK_HOP_UNKNOWN && hop->n_peers == 0);
}

static void
jank_walk_look (Walk *self, pid_t pid, pid_t tid, JankLook *ret_look, JankHop *ret_hop)
{
  jank_look_at (pid, tid, ret_look);
  jank_hop_find (&self->kernel, ret_look, ret_hop);
  self->n_looks++;
}

/* Which threads of a process that is waited for may be those that answer: those at work, and the main one. */
static void
jank_walk_find_threads (Walk *self, pid_t pid, JankHop *ret_threads)
{
  g_autoptr (GArray) tasks = NULL;
  char folder[48];
  guint n_tasks;

  *ret_threads = (JankHop) { .n_peers = 1, .peers = { { pid, pid } } };
  jank_proc_path (folder, sizeof folder, pid, "task");
  tasks = jank_task_list (folder, MAX_THREADS, 0, &n_tasks);
  for (guint i = 0; n_tasks > 1 && i < tasks->len; i++)
    {
      pid_t tid = g_array_index (tasks, JankTask, i).tid;
      JankLook look;
      JankHop hop;

      jank_walk_look (self, pid, tid, &look, &hop);
      if (hop.kind == JANK_HOP_STOPPED || hop.kind == JANK_HOP_TRACED || hop.kind == JANK_HOP_HIDDEN)
        return;
      if (tid != pid && !jank_walk_is_idle (&hop) && hop.kind != JANK_HOP_ENDED &&
          ret_threads->n_peers++ < JANK_HOP_MAX_PEERS)
        ret_threads->peers[ret_threads->n_peers - 1] = (JankPeer) { pid, tid };
    }
}

/* Returns: (transfer none): added */
static JankLink *
jank_walk_add (Walk *self, pid_t pid, pid_t tid)
{
  JankLink *link = g_new0 (JankLink, 1);

  jank_walk_look (self, pid, tid, &link->look, &link->hop);
  if (self->teller != NULL && pid == tid)
    self->teller->tell (pid, &link->hop, &link->function, self->teller->data);
  if (link->hop.is_woken && jank_dbus_wait_is_possible (&link->look))
    link->hop.kind = JANK_HOP_BUS;
  jank_link_read_names (link);
  g_ptr_array_add (self->links, link);
  return link;
}

/* A closed chain is a deadlock only if nobody in it may be merely idle. */
static gboolean
jank_walk_closes (Walk *self, pid_t pid, pid_t tid)
{
  JankLink *last = g_ptr_array_index (self->links, self->links->len - 1);
  guint at = 0;

  while (at < self->links->len && (((JankLink *) g_ptr_array_index (self->links, at))->look.pid != pid ||
                                   ((JankLink *) g_ptr_array_index (self->links, at))->look.tid != tid))
    at++;
  if (at == self->links->len)
    return FALSE;
  self->closes_at = at;
  for (guint i = at; i < self->links->len; i++)
    if (((JankLink *) g_ptr_array_index (self->links, i))->hop.is_poll)
      self->closes_at = G_MAXUINT;
  if (self->closes_at == G_MAXUINT)
    last->hop.kind = JANK_HOP_IDLE;
  return TRUE;
}

static void     jank_walk_on       (Walk *self, pid_t pid, pid_t tid);
static gboolean jank_walk_to_peers (Walk *self, const JankHop *hop, gboolean first);

static void
jank_walk_to_thread (Walk *self, pid_t pid, pid_t tid)
{
  if (!jank_walk_closes (self, pid, tid))
    jank_walk_on (self, pid, tid);
}

static void
jank_walk_to_peer (Walk *self, const JankPeer *peer)
{
  JankHop threads;

  if (peer->tid != 0)
    {
      jank_walk_to_thread (self, peer->pid, peer->tid);
      return;
    }
  jank_walk_find_threads (self, peer->pid, &threads);
  if (threads.n_peers == 1)
    jank_walk_to_thread (self, peer->pid, peer->pid);
  else if (threads.n_peers > JANK_HOP_MAX_PEERS || !jank_walk_to_peers (self, &threads, TRUE))
    jank_walk_add (self, peer->pid, peer->pid)->hop = (JankHop) { .kind = JANK_HOP_THREADS, .timeout_ns = -1 };
}

/* Whether two walks from one process come to the same cause. */
static gboolean
jank_walk_has_same_end (GPtrArray *a, GPtrArray *b)
{
  const JankLink *one = g_ptr_array_index (a, a->len - 1), *other = g_ptr_array_index (b, b->len - 1);

  return one->hop.kind == other->hop.kind &&
         (one->hop.kind == JANK_HOP_IDLE || (one->look.pid == other->look.pid && one->look.tid == other->look.tid));
}

/* Any of several may answer: all are followed, and the first or shortest way to their common cause is taken. Returns:
 * FALSE: they have none */
static gboolean
jank_walk_to_peers (Walk *self, const JankHop *hop, gboolean first)
{
  guint n_before = self->links->len, closes_at = self->closes_at;
  GPtrArray *best = NULL;
  gboolean differ = FALSE;

  for (guint i = 0; i < hop->n_peers && !differ; i++)
    {
      Walk branch = { self->kernel, self->teller, g_ptr_array_new_with_free_func (jank_link_free), G_MAXUINT,
                      self->n_looks };

      for (guint k = 0; k < n_before; k++)
        g_ptr_array_add (branch.links, g_ptr_array_index (self->links, k));
      jank_walk_to_peer (&branch, &hop->peers[i]);
      self->kernel = branch.kernel;
      self->n_looks = branch.n_looks;
      differ = best != NULL && (branch.closes_at != closes_at || !jank_walk_has_same_end (best, branch.links));
      if (best == NULL || (!differ && !first && branch.links->len < best->len))
        {
          GPtrArray *worse = best;

          best = branch.links;
          branch.links = worse;
          closes_at = branch.closes_at;
        }
      if (branch.links != NULL)
        {
          for (guint k = 0; k < n_before; k++)
            g_ptr_array_steal_index (branch.links, 0);
          g_ptr_array_unref (branch.links);
        }
    }
  for (guint k = 0; k < n_before; k++)
    g_ptr_array_steal_index (best, 0);
  if (differ)
    {
      g_ptr_array_unref (best);
      return FALSE;
    }
  g_ptr_array_extend_and_steal (self->links, best);
  self->closes_at = closes_at;
  return TRUE;
}

static void
jank_walk_on (Walk *self, pid_t pid, pid_t tid)
{
  JankLink *link = jank_walk_add (self, pid, tid);

  if (!jank_hop_kind_has_peer (link->hop.kind) || link->hop.n_peers == 0 || self->links->len >= MAX_LINKS ||
      self->n_looks > MAX_LOOKS)
    return;
  if (link->hop.n_peers == 1)
    jank_walk_to_peer (self, &link->hop.peers[0]);
  else
    {
      JankHop hop = link->hop;

      if (!jank_walk_to_peers (self, &hop, FALSE))
        link->hop.kind = JANK_HOP_SEVERAL;
    }
}

static gboolean
jank_walk_is_settled (const Walk *self)
{
  const JankLink *end = g_ptr_array_index (self->links, self->links->len - 1);

  if (end->hop.kind == JANK_HOP_COMPUTING)
    g_usleep (SETTLE_US);
  for (guint i = 0; i < self->links->len; i++)
    {
      const JankLink *link = g_ptr_array_index (self->links, i);

      if (link->hop.kind != JANK_HOP_THREADS &&
          !jank_look_is_the_same (&link->look, jank_walk_is_idle (&link->hop)))
        return FALSE;
    }
  return TRUE;
}

JankChain *
jank_chain_new (pid_t pid, const JankChainTeller *teller)
{
  JankChain *self = g_new0 (JankChain, 1);
  g_autofree char *process = jank_look_read_status (pid, "Tgid:");
  pid_t leader = process != NULL ? atoi (process) : 0;
  gint64 began_ns = jank_clock_now_ns ();

  for (guint i = 0; leader > 0 && i < MAX_TRIES && !self->is_settled &&
                    (i == 0 || jank_clock_now_ns () - began_ns < MAX_TRYING_NS); i++)
    {
      Walk walk = { { NULL }, teller, g_ptr_array_new_with_free_func (jank_link_free), G_MAXUINT, 0 };

      jank_walk_on (&walk, leader, pid);
      self->is_settled = jank_walk_is_settled (&walk);
      jank_kernel_clear (&walk.kernel);
      g_clear_pointer (&self->links, g_ptr_array_unref);
      self->links = walk.links;
      self->closes_at = MIN (walk.closes_at, walk.links->len);
    }
  if (self->links == NULL)
    g_clear_pointer (&self, jank_chain_free);
  return self;
}

void
jank_chain_free (JankChain *self)
{
  g_clear_pointer (&self->links, g_ptr_array_unref);
  g_free (self);
}

const char *
jank_chain_get_cause (const JankChain *self)
{
  const JankLink *end = jank_chain_get_end (self);

  if (jank_chain_is_deadlock (self))
    return "deadlock";
  return jank_hop_kind_to_nick (jank_hop_kind_has_peer (end->hop.kind) ? JANK_HOP_UNKNOWN : end->hop.kind);
}

const JankLink *
jank_chain_get_end (const JankChain *self)
{
  return g_ptr_array_index (self->links, self->links->len - 1);
}

gboolean
jank_chain_is_deadlock (const JankChain *self)
{
  return self->closes_at < self->links->len;
}
