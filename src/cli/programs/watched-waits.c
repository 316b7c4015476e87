/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include "cli/reports/gist-places.h"
#include "proc/jank-proc-private.h"

struct _WatchedWaits
{
  /* set at construction */
  JankLiveReader *reader;

  BusNames       *names;  /* (owned) */
  GistPlaces     *places; /* (owned) */
};

/* Which kinds of a report's waits tell whom else a thread waits for. */
static const struct { const char *kind; JankHopKind hop; } kinds[] = {
  { "dbus", JANK_HOP_DBUS }, { "child", JANK_HOP_CHILD }, { "lock", JANK_HOP_LOCK },
};

WatchedWaits *
watched_waits_new (JankLiveReader *reader)
{
  WatchedWaits *self = g_new0 (WatchedWaits, 1);

  self->reader = reader;
  self->names = bus_names_new ();
  self->places = gist_places_new ();
  return self;
}

void
watched_waits_free (WatchedWaits *self)
{
  bus_names_free (self->names);
  gist_places_free (self->places);
  g_free (self);
}

void
watched_waits_fill (WatchedWaits *self, const JankLiveProgram *program, JankReport *gist)
{
  gist_places_fill (self->places, program->live->store, gist);
  bus_names_fill (self->names, gist);
}

/* Returns: (nullable): whose loop that thread runs, and which tells of a stall */
static JankLiveProgram *
find_program (WatchedWaits *self, const JankLook *look)
{
  g_autoptr (GPtrArray) programs = jank_live_reader_get_all (self->reader);

  for (guint i = 0; i < programs->len; i++)
    {
      JankLiveProgram *program = g_ptr_array_index (programs, i);
      pid_t tid = program->live->tid;

      if (program->pid == look->pid && program->stall != NULL &&
          (tid == 0 ? look->tid == look->pid : jank_look_is_known_as (look->pid, look->tid, tid)))
        return program;
    }
  return NULL;
}

/* The newest. Returns: (nullable) */
static const JankReportWait *
find_wait (const JankReport *gist)
{
  const JankReportSample *last = NULL;

  for (guint i = 0; i < gist->samples->len; i++)
    if (last == NULL || jank_report_get_sample (gist, i)->at_ns >= last->at_ns)
      last = jank_report_get_sample (gist, i);
  return last != NULL ? last->wait : NULL;
}

/* As the program numbers it, but a D-Bus service, which the reader has found. */
static void
add_peer (JankHop *hop, pid_t pid, const JankReportWait *wait)
{
  pid_t tid = wait->lock.owner > 0 ? jank_proc_find_thread (pid, wait->lock.owner) : 0;
  gboolean is_known = tid > 0;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (wait->kind, kinds[i].kind) == 0 && (is_known || kinds[i].hop != JANK_HOP_LOCK))
      {
        *hop = (JankHop) { .kind = kinds[i].hop, .timeout_ns = -1 };
        g_strlcpy (hop->target, wait->target != NULL ? wait->target : "", sizeof hop->target);
        if (hop->kind == JANK_HOP_CHILD)
          is_known = jank_look_is_known_as (pid, wait->peer_pid, wait->peer_pid);
        if (hop->kind == JANK_HOP_LOCK || (wait->peer_pid > 0 && (is_known || hop->kind == JANK_HOP_DBUS)))
          hop->peers[hop->n_peers++] = (JankPeer) { hop->kind == JANK_HOP_LOCK ? pid : wait->peer_pid, tid };
        return;
      }
}

static void
tell_what_it_waits_for (const JankLook *look, JankTold *told, gpointer data)
{
  WatchedWaits *self = data;
  JankHop *hop = &told->hop;
  JankLiveProgram *program;
  const JankReportWait *wait;
  JankReport *gist;

  if (hop->kind != JANK_HOP_COMPUTING && hop->kind != JANK_HOP_UNKNOWN && hop->kind != JANK_HOP_HIDDEN && !hop->is_poll)
    return;
  program = find_program (self, look);
  if (program == NULL)
    return;
  gist = program->stall;
  watched_waits_fill (self, program, gist);
  wait = find_wait (gist);
  if (hop->kind != JANK_HOP_COMPUTING && wait != NULL)
    add_peer (hop, look->pid, wait);
  if (hop->kind != JANK_HOP_COMPUTING || gist->culprit.function == NULL)
    return;
  told->function = jank_report_name_culprit (gist->culprit.function, gist->culprit.callee, gist->culprit.callee_share);
  told->file = g_strdup (gist->culprit.file);
  told->line = gist->culprit.line;
}

JankReportChain *
watched_waits_read (WatchedWaits *self, pid_t pid)
{
  return jank_chain_read (pid, &(JankChainTeller) { tell_what_it_waits_for, self });
}
