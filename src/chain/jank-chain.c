/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nothing is guessed: a process with several threads at work could answer by any of them, an end of a pipe that several
 * processes have could be served by any, and a thread that polls may be idle. */

#include "chain/jank-chain-private.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "base/jank-each-private.h"
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

/* A step of it. */
typedef struct
{
  JankLook look;
  JankTold told; /* its hop, and what it computes */
} JankLink;

static void
jank_link_free (gpointer data)
{
  JankLink *self = data;

  g_free (self->told.function);
  g_free (self->told.file);
  g_free (self);
}

/* The last part of the path of its control group that is a service or a scope. Returns: (transfer full) (nullable) */
static char *
jank_link_read_unit (const JankLink *self)
{
  char path[48], text[2048];
  g_auto (GStrv) parts = NULL;
  guint i;

  jank_proc_path (path, sizeof path, self->look.pid, "cgroup");
  if (!jank_proc_read (path, text, sizeof text))
    return NULL;
  parts = g_strsplit (g_strchomp (text), "/", -1);
  for (i = g_strv_length (parts); i > 0; i--)
    if (g_str_has_suffix (parts[i - 1], ".service") || g_str_has_suffix (parts[i - 1], ".scope"))
      return g_strdup (parts[i - 1]);
  return NULL;
}

static void
jank_link_report_names (const JankLink *self, JankReportLink *link)
{
  g_autofree char *ids = jank_proc_read_field (self->look.pid, "Uid:", "status");
  uid_t uid = ids != NULL ? (uid_t) strtoul (ids, NULL, 10) : getuid ();
  const struct passwd *user = uid != getuid () ? getpwuid (uid) : NULL;
  char name[64];

  jank_proc_get_name (self->look.pid, name, sizeof name);
  link->name = g_strdup (name);
  if (self->look.call.kind == JANK_SYSCALL_BLOCKED)
    link->syscall = g_strdup (jank_syscall_get_name ((gint) self->look.call.number));
  if (uid == getuid ())
    return;
  link->user = user != NULL ? g_strdup (user->pw_name) : g_strdup_printf ("%u", (guint) uid);
  link->unit = jank_link_read_unit (self);
}

static char *
jank_link_dup_known (const char *text)
{
  return text[0] != '\0' ? g_strdup (text) : NULL;
}

/* Returns: (transfer full) */
static JankReportLink *
jank_link_report (JankLink *self)
{
  const JankHop *hop = &self->told.hop;
  JankReportLink *link = jank_report_link_new ();

  link->pid = self->look.pid;
  link->tid = self->look.tid;
  jank_link_report_names (self, link);
  link->kind = hop->kind;
  link->is_poll = hop->is_poll;
  for (guint i = 0; i < hop->n_peers; i++)
    g_array_append_vals (link->peers, &(gint) { hop->peers[i].pid }, 1);
  link->target = jank_link_dup_known (hop->target);
  link->filesystem = jank_link_dup_known (hop->filesystem);
  link->mount = jank_link_dup_known (hop->mount);
  link->timeout_ns = hop->timeout_ns;
  link->is_rest = hop->is_rest;
  link->function = g_steal_pointer (&self->told.function);
  link->file = g_steal_pointer (&self->told.file);
  link->line = self->told.line;
  return link;
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

  jank_walk_look (self, pid, tid, &link->look, &link->told.hop);
  if (self->teller != NULL)
    self->teller->tell (&link->look, &link->told, self->teller->data);
  g_ptr_array_add (self->links, link);
  return link;
}

/* A closed chain is a deadlock only if each wait in it lasts until another one ends. */
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
    {
      const JankHop *hop = &((JankLink *) g_ptr_array_index (self->links, i))->told.hop;

      if (hop->is_poll || hop->timeout_ns >= 0)
        self->closes_at = G_MAXUINT;
    }
  if (self->closes_at == G_MAXUINT)
    last->told.hop.kind = last->told.hop.is_poll || last->told.hop.timeout_ns < 0 ? JANK_HOP_IDLE : JANK_HOP_SLEEP;
  return TRUE;
}

/* Daemons between two, which pass on what others say. */
static gboolean
jank_link_is_bus (const JankLink *self)
{
  static const char *const names[] = { "dbus-daemon", "dbus-broker", "xdg-dbus-proxy" };
  char name[32];

  jank_proc_get_name (self->look.pid, name, sizeof name);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* Whom a bus has asked for the answer is in the message alone. It is left out, whatever it does between two messages;
 * what keeps it from its work is told. Returns: whether the last link was one */
static gboolean
jank_walk_leave_bus_out (Walk *self)
{
  static const JankHopKind kept[] =
      { JANK_HOP_ENDED, JANK_HOP_STOPPED, JANK_HOP_TRACED, JANK_HOP_DISK, JANK_HOP_MOUNT };
  guint n = self->links->len;
  const JankLink *last = g_ptr_array_index (self->links, n - 1);
  JankHop *waits = n > 1 ? &((JankLink *) g_ptr_array_index (self->links, n - 2))->told.hop : NULL;

  if (waits == NULL || (waits->kind != JANK_HOP_SOCKET && waits->kind != JANK_HOP_BUS && waits->kind != JANK_HOP_DBUS))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    if (last->told.hop.kind == kept[i])
      return FALSE;
  if (!jank_link_is_bus (last))
    return FALSE;
  if (waits->kind == JANK_HOP_SOCKET)
    waits->kind = JANK_HOP_BUS;
  g_ptr_array_set_size (self->links, (gint) n - 1);
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
    jank_walk_add (self, peer->pid, peer->pid)->told.hop = (JankHop) { .kind = JANK_HOP_THREADS, .timeout_ns = -1 };
}

/* Whether two walks from one process come to the same cause: where every way leads back, wherever to, nobody is left
 * who could end the wait. */
static gboolean
jank_walk_has_same_end (GPtrArray *a, gboolean a_closes, GPtrArray *b, gboolean b_closes)
{
  const JankLink *one = g_ptr_array_index (a, a->len - 1), *other = g_ptr_array_index (b, b->len - 1);

  if (a_closes || b_closes)
    return a_closes && b_closes;
  return one->told.hop.kind == other->told.hop.kind &&
         (one->told.hop.kind == JANK_HOP_IDLE ||
          (one->look.pid == other->look.pid && one->look.tid == other->look.tid));
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
      differ = best != NULL && !jank_walk_has_same_end (best, closes_at != G_MAXUINT, branch.links,
                                                        branch.closes_at != G_MAXUINT);
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

  if (jank_walk_leave_bus_out (self) || !jank_hop_kind_has_peer (link->told.hop.kind) || link->told.hop.n_peers == 0 ||
      self->links->len >= MAX_LINKS || self->n_looks > MAX_LOOKS)
    return;
  if (link->told.hop.n_peers == 1)
    jank_walk_to_peer (self, &link->told.hop.peers[0]);
  else
    {
      JankHop hop = link->told.hop;

      if (!jank_walk_to_peers (self, &hop, FALSE))
        link->told.hop.kind = JANK_HOP_SEVERAL;
    }
}

/* Who polls for what comes from somebody that only waits for events is idle, too: nothing waits in all of the chain. */
static void
jank_walk_end_in_idle (Walk *self)
{
  JankLink *first = g_ptr_array_index (self->links, 0);
  const JankLink *end = g_ptr_array_index (self->links, self->links->len - 1);

  for (guint i = 0; i + 1 < self->links->len; i++)
    if (!((JankLink *) g_ptr_array_index (self->links, i))->told.hop.is_poll)
      return;
  if (end->told.hop.kind != JANK_HOP_IDLE || self->links->len == 1)
    return;
  g_ptr_array_set_size (self->links, 1);
  first->told.hop = (JankHop) { .kind = JANK_HOP_IDLE, .is_poll = TRUE, .timeout_ns = -1 };
}

static gboolean
jank_walk_is_settled (const Walk *self)
{
  const JankLink *end = g_ptr_array_index (self->links, self->links->len - 1);

  if (end->told.hop.kind == JANK_HOP_COMPUTING)
    g_usleep (SETTLE_US);
  JANK_EACH (const JankLink, link, self->links)
    if (link->told.hop.kind != JANK_HOP_THREADS &&
        !jank_look_is_the_same (&link->look, jank_walk_is_idle (&link->told.hop)))
      return FALSE;
  return TRUE;
}

/* Returns: (transfer full) */
static JankReportChain *
jank_walk_report (const Walk *self)
{
  JankReportChain *chain = jank_report_chain_new ();
  const JankReportLink *end;

  for (guint i = 0; i < self->links->len; i++)
    g_ptr_array_add (chain->links, jank_link_report (g_ptr_array_index (self->links, i)));
  chain->closes_at = self->closes_at < self->links->len ? (gint) self->closes_at : -1;
  end = jank_report_chain_get_end (chain);
  if (jank_report_chain_is_deadlock (chain))
    chain->cause = g_strdup ("deadlock");
  else
    chain->cause = g_strdup (jank_hop_kind_nicks[jank_hop_kind_has_peer (end->kind) ? JANK_HOP_UNKNOWN : end->kind]);
  jank_table_clean (&jank_report_chain_table, chain);
  return chain;
}

JankReportChain *
jank_chain_read (pid_t pid, const JankChainTeller *teller)
{
  g_autoptr (JankReportChain) chain = NULL;
  g_autofree char *process = jank_proc_read_field (pid, "Tgid:", "status");
  pid_t leader = process != NULL ? atoi (process) : 0;
  gint64 began_ns = jank_clock_now_ns ();
  gboolean is_settled = FALSE;

  for (guint i = 0; leader > 0 && i < MAX_TRIES && !is_settled &&
                    (i == 0 || jank_clock_now_ns () - began_ns < MAX_TRYING_NS); i++)
    {
      Walk walk = { { NULL }, teller, g_ptr_array_new_with_free_func (jank_link_free), G_MAXUINT, 0 };

      jank_walk_on (&walk, leader, pid);
      jank_walk_end_in_idle (&walk);
      is_settled = jank_walk_is_settled (&walk);
      jank_kernel_clear (&walk.kernel);
      g_clear_pointer (&chain, jank_report_chain_free);
      chain = jank_walk_report (&walk);
      chain->is_settled = is_settled;
      g_ptr_array_unref (walk.links);
    }
  return g_steal_pointer (&chain);
}
