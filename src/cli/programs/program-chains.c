/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include <errno.h>
#include <signal.h>

#include "base/jank-clock-private.h"
#include "proc/jank-proc-private.h"

/* A chain is old after this, or after so many times what it took to read, for each program that hangs: all together
 * take at most a twentieth of a CPU. */
#define EVERY_NS  JANK_NS_PER_S
#define PER_COST  20

/* A program's last stall. */
typedef struct
{
  gint64           began_ns;
  gint64           read_ns;  /* when its chain was read last */
  gint64           cost_ns;  /* what that took */
  JankReportChain *chain;    /* (owned) (nullable): that */
  JankReportChain *first;    /* (owned) (nullable): the first that led out of the program, if another */
} Known;

struct _ProgramChains
{
  WatchedWaits *waits;
  GHashTable   *known; /* (owned) of JankLiveProgram → (owned) Known */
};

static void
known_free (gpointer data)
{
  Known *self = data;

  g_clear_pointer (&self->chain, jank_report_chain_free);
  g_clear_pointer (&self->first, jank_report_chain_free);
  g_free (self);
}

ProgramChains *
program_chains_new (WatchedWaits *waits)
{
  ProgramChains *self = g_new0 (ProgramChains, 1);

  self->waits = waits;
  self->known = g_hash_table_new_full (NULL, NULL, NULL, known_free);
  return self;
}

void
program_chains_free (ProgramChains *self)
{
  g_hash_table_unref (self->known);
  g_free (self);
}

pid_t
program_chains_find_thread (const JankLiveProgram *program)
{
  pid_t tid = program->live->tid > 0 ? jank_proc_find_thread (program->pid, program->live->tid) : 0;

  return tid > 0 ? tid : program->pid;
}

/* Whether it leads out of the program, to a process that is there. */
static gboolean
chain_leads_on (const JankReportChain *chain)
{
  const JankReportLink *last = g_ptr_array_index (chain->links, chain->links->len - 1);

  return jank_report_chain_leaves (chain) && (last->pid <= 0 || kill (last->pid, 0) == 0 || errno == EPERM);
}

static void
read_chain (ProgramChains *self, const JankLiveProgram *program, Known *known)
{
  g_autoptr (JankReportChain) chain = NULL;
  gint64 now_ns = jank_clock_now_ns ();

  chain = watched_waits_read (self->waits, program_chains_find_thread (program));
  known->read_ns = jank_clock_now_ns ();
  known->cost_ns = known->read_ns - now_ns;
  /* The stall goes on, so what has ended was not its cause. */
  if (known->first != NULL && !chain_leads_on (known->first))
    g_clear_pointer (&known->first, jank_report_chain_free);
  if (known->first == NULL && known->chain != NULL && chain_leads_on (known->chain))
    known->first = g_steal_pointer (&known->chain);
  g_clear_pointer (&known->chain, jank_report_chain_free);
  if (chain == NULL || !chain->is_settled)
    return;
  chain->began_monotonic_ns = known->began_ns;
  chain->at_ns = now_ns - known->began_ns;
  known->chain = g_steal_pointer (&chain);
}

/* Returns: (nullable) */
static Known *
find_known (ProgramChains *self, const JankLiveProgram *program, const JankReport *gist)
{
  Known *known = g_hash_table_lookup (self->known, program);

  return known != NULL && known->began_ns == gist->stall.began_monotonic_ns ? known : NULL;
}

const JankReportChain *
program_chains_look (ProgramChains *self, const JankLiveProgram *program)
{
  const JankReport *gist = program->stall;
  gint64 every_ns;
  Known *known;

  if (gist == NULL || program->pid <= 0 || !jank_report_kind_is_stall (gist->kind))
    return NULL;
  known = find_known (self, program, gist);
  if (known == NULL)
    {
      known = g_new0 (Known, 1);
      known->began_ns = gist->stall.began_monotonic_ns;
      g_hash_table_replace (self->known, (gpointer) program, known);
    }
  every_ns = MAX (EVERY_NS, PER_COST * known->cost_ns * g_hash_table_size (self->known));
  if (jank_clock_now_ns () - known->read_ns >= every_ns)
    read_chain (self, program, known);
  return known->chain;
}

JankReportChain *
program_chains_get_first (ProgramChains *self, const JankLiveProgram *program, const JankReport *gist)
{
  const Known *known = find_known (self, program, gist);

  if (known == NULL || known->first != NULL || known->chain == NULL)
    return known != NULL ? known->first : NULL;
  return jank_report_chain_leaves (known->chain) ? known->chain : NULL;
}

void
program_chains_drop (ProgramChains *self, const JankLiveProgram *program)
{
  g_hash_table_remove (self->known, program);
}
