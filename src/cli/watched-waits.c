/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "watched-waits.h"

#include <string.h>

#include "bus-names.h"
#include "cli.h"

struct _WatchedWaits
{
  JankStore *store; /* (owned) */
  BusNames  *names; /* (owned) (nullable): none was asked for yet */
};

/* Which kinds of a report's waits tell whom else a thread waits for. */
static const struct { const char *kind; JankHopKind hop; } kinds[] = {
  { "dbus", JANK_HOP_DBUS }, { "child", JANK_HOP_CHILD }, { "lock", JANK_HOP_LOCK },
};

WatchedWaits *
watched_waits_new (const char *store)
{
  WatchedWaits *self = g_new0 (WatchedWaits, 1);

  self->store = cli_open_store (store, NULL);
  return self;
}

void
watched_waits_free (WatchedWaits *self)
{
  g_clear_pointer (&self->names, bus_names_free);
  jank_store_free (self->store);
  g_free (self);
}

/* A report's ID has the process's number. Returns: (transfer full) (nullable): of the last report of that number */
static char *
find_last_id (WatchedWaits *self, pid_t pid)
{
  g_autoptr (GDir) folder = g_dir_open (jank_store_get_folder (self->store), 0, NULL);
  g_autofree char *part = g_strdup_printf ("-%d-", (int) pid), *last = NULL;
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *id = g_str_has_suffix (name, ".json") ? g_strndup (name, strlen (name) - strlen (".json")) : NULL;

      if (id != NULL && strstr (id, part) != NULL && jank_store_is_id (id) && (last == NULL || strcmp (id, last) > 0))
        {
          g_free (last);
          last = g_steal_pointer (&id);
        }
    }
  return g_steal_pointer (&last);
}

static gboolean
is_of_main_thread (JankReport *report)
{
  for (guint i = 0; i < report->threads->len; i++)
    {
      const JankReportThread *thread = g_ptr_array_index (report->threads, i);

      if (thread->observed)
        return thread->tid == report->app.pid;
    }
  return FALSE;
}

/* Returns: (transfer full) (nullable): of the stall that the process's main thread is in */
static JankReport *
load_ongoing (WatchedWaits *self, pid_t pid)
{
  g_autofree char *id = find_last_id (self, pid);
  g_autoptr (JankReport) report = id != NULL ? jank_store_load (self->store, id, NULL) : NULL;

  if (report == NULL || report->app.pid != pid || report->stall.outcome != JANK_OUTCOME_ONGOING ||
      !is_of_main_thread (report))
    return NULL;
  return g_steal_pointer (&report);
}

static void
add_peer (JankHop *hop, pid_t pid, const JankReportWait *wait)
{
  gboolean is_lock = wait->lock.owner > 0;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (wait->kind, kinds[i].kind) == 0 && (is_lock || kinds[i].hop != JANK_HOP_LOCK))
      {
        *hop = (JankHop) { .kind = kinds[i].hop, .timeout_ns = -1 };
        g_strlcpy (hop->target, wait->target != NULL ? wait->target : "", sizeof hop->target);
        if (is_lock || wait->peer_pid > 0)
          hop->peers[hop->n_peers++] = (JankPeer) { is_lock ? pid : wait->peer_pid, is_lock ? wait->lock.owner : 0 };
      }
}

void
watched_waits_tell (const JankLook *look, JankTold *told, gpointer data)
{
  WatchedWaits *self = data;
  g_autoptr (JankReport) report = NULL;
  const JankReportSample *last;
  JankHop *hop = &told->hop;

  if (look->tid != look->pid || (hop->kind != JANK_HOP_COMPUTING && hop->kind != JANK_HOP_UNKNOWN && !hop->is_poll))
    return;
  report = load_ongoing (self, look->pid);
  if (report == NULL || report->samples->len == 0)
    return;
  if (hop->kind == JANK_HOP_COMPUTING)
    {
      if (report->culprit.function != NULL)
        told->function = jank_report_name_culprit (report->culprit.function, report->culprit.callee,
                                                   report->culprit.callee_share);
      return;
    }
  if (self->names == NULL)
    self->names = bus_names_new ();
  bus_names_fill (self->names, report);
  last = g_ptr_array_index (report->samples, report->samples->len - 1);
  if (last->wait != NULL)
    add_peer (hop, look->pid, last->wait);
}
