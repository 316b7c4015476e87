/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include "base/jank-each-private.h"
#include "live/jank-live-file-private.h"
#include "outside/jank-outside-dump-private.h"
#include "proc/jank-proc-private.h"
#include "store/jank-store-private.h"
#include "text/jank-report-lines-private.h"

/* What the store's report of a problem knows. */
typedef struct
{
  JankReport *raw;   /* (owned): its gist */
  JankReport *named; /* (owned): the same, with the names and lines of its culprit and threads */
} Known;

struct _WatchedWaits
{
  /* set at construction */
  JankLiveReader  *reader;

  BusNames        *names;  /* (owned) */
  JankSourceLines *lines;  /* (owned) */
  GHashTable      *places; /* (owned) (owned) report and culprit → (owned) (nullable) Known */
};

/* Which waits of a report tell whom else a thread waits for. lock: of it, NULL: whatever it is; the first that fits */
static const struct { const char *kind, *lock; JankHopKind hop; } kinds[] = {
  { "dbus", NULL, JANK_HOP_DBUS },   { "child", NULL, JANK_HOP_CHILD },   { "wake", NULL, JANK_HOP_WAKE },
  { "lock", "join", JANK_HOP_JOIN }, { "lock", "cond", JANK_HOP_WAKE },   { "lock", "GCond", JANK_HOP_WAKE },
  { "lock", "sem", JANK_HOP_WAKE },  { "lock", "barrier", JANK_HOP_WAKE }, { "lock", "unknown", JANK_HOP_UNKNOWN },
  { "lock", NULL, JANK_HOP_LOCK },
};

static void
known_free (gpointer data)
{
  Known *self = data;

  if (self == NULL)
    return;
  jank_report_unref (self->raw);
  jank_report_unref (self->named);
  g_free (self);
}

WatchedWaits *
watched_waits_new (JankLiveReader *reader)
{
  WatchedWaits *self = g_new0 (WatchedWaits, 1);

  self->reader = reader;
  self->names = bus_names_new ();
  self->lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  self->places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  return self;
}

void
watched_waits_free (WatchedWaits *self)
{
  bus_names_free (self->names);
  jank_source_lines_free (self->lines);
  g_hash_table_unref (self->places);
  g_free (self);
}

/* Returns: (transfer full) (nullable): the file may be that of a longer stall, of another culprit */
static Known *
load_known (WatchedWaits *self, const char *folder, const JankReport *gist)
{
  g_autoptr (JankStore) store = jank_store_new (folder, G_MAXUINT, G_MAXUINT64);
  g_autoptr (JankReport) report = jank_store_load (store, gist->id, NULL);
  Known *known;

  if (report == NULL || g_strcmp0 (report->culprit.function, gist->culprit.function) != 0)
    return NULL;
  known = g_new0 (Known, 1);
  known->raw = jank_live_gist_new (report);
  jank_report_fill_lines (report, self->lines);
  known->named = jank_live_gist_new (report);
  known->named->culprit.file = g_strdup (report->culprit.file);
  known->named->culprit.line = report->culprit.line;
  return known;
}

/* Another stall of the problem may have met a thread elsewhere. */
static void
copy_thread (const Known *known, JankReportThread *thread)
{
  const JankReportThread *raw = jank_report_find_thread (known->raw, thread->tid);
  const JankReportThread *named = jank_report_find_thread (known->named, thread->tid);

  if (raw == NULL || named == NULL || g_strcmp0 (raw->function, thread->function) != 0)
    return;
  jank_set_text (&thread->function, named->function);
  jank_set_text (&thread->file, named->file);
  thread->line = named->line;
}

/* Names and source lines are found here, by the report on disk, not in the program. Filled once, a gist has other names
 * than its report, which says more when the stall has ended. store (nullable): the program's folder */
static void
fill_places (WatchedWaits *self, const char *store, JankReport *gist)
{
  g_autofree char *key = g_strdup_printf ("%s\n%d\n%s", gist->id, gist->stall.outcome, gist->culprit.function);
  const Known *known;

  if (gist->culprit.file != NULL || store == NULL || !jank_store_is_id (gist->id))
    return;
  if (!g_hash_table_contains (self->places, key))
    g_hash_table_insert (self->places, g_strdup (key), load_known (self, store, gist));
  known = g_hash_table_lookup (self->places, key);
  if (known == NULL)
    return;
  jank_set_text (&gist->culprit.function, known->named->culprit.function);
  jank_set_text (&gist->culprit.file, known->named->culprit.file);
  gist->culprit.line = known->named->culprit.line;
  for (guint i = 0; i < gist->threads->len; i++)
    copy_thread (known, g_ptr_array_index (gist->threads, i));
}

void
watched_waits_fill (WatchedWaits *self, const JankLiveProgram *program, JankReport *gist)
{
  fill_places (self, program->live->store, gist);
  bus_names_fill (self->names, gist);
}

/* Returns: (nullable): whose loop that thread runs, and which tells of a stall */
static JankLiveProgram *
find_program (WatchedWaits *self, const JankLook *look)
{
  g_autoptr (GPtrArray) programs = jank_live_reader_get_all (self->reader);

  JANK_EACH (JankLiveProgram, program, programs)
    {
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

/* Of a lock whose owner is known, whatever it is; of others the row. */
static JankHopKind
find_kind (const JankReportWait *wait)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strcmp0 (wait->kind, kinds[i].kind) == 0 &&
        (kinds[i].lock == NULL || g_strcmp0 (wait->lock.kind, kinds[i].lock) == 0))
      return kinds[i].hop == JANK_HOP_WAKE && wait->lock.owner > 0 ? JANK_HOP_LOCK : kinds[i].hop;
  return JANK_HOP_UNKNOWN;
}

/* As the program numbers it, but a D-Bus service, which the reader has found. */
static void
add_peer (JankHop *hop, pid_t pid, const JankReportWait *wait)
{
  JankHopKind kind = find_kind (wait);
  pid_t tid = wait->lock.owner > 0 ? jank_proc_find_thread (pid, wait->lock.owner) : 0;

  if (kind == JANK_HOP_UNKNOWN)
    return;
  *hop = (JankHop) { .kind = kind, .timeout_ns = kind == JANK_HOP_DBUS ? -1 : hop->timeout_ns };
  g_strlcpy (hop->target, wait->lock.kind != NULL ? wait->lock.kind : wait->target != NULL ? wait->target : "",
             sizeof hop->target);
  if (tid > 0)
    hop->peers[hop->n_peers++] = (JankPeer) { pid, tid };
  else if (wait->peer_pid > 0 &&
           (kind == JANK_HOP_DBUS || (kind == JANK_HOP_CHILD && jank_look_is_known_as (pid, wait->peer_pid,
                                                                                       wait->peer_pid))))
    hop->peers[hop->n_peers++] = (JankPeer) { wait->peer_pid, 0 };
}

/* What its stack tells: a call of the main loop's own waits for events, one of a callback for what it polls. is_stuck:
 * the watched loop is another than the one that waits there */
static void
look_at_stack (const JankLook *look, JankHop *hop, JankReport *report, gboolean is_stuck)
{
  const JankReportWait *wait = find_wait (report);

  if (jank_report_is_idle (report) && !is_stuck)
    {
      *hop = (JankHop) { .kind = JANK_HOP_IDLE, .is_poll = TRUE, .timeout_ns = -1 };
      g_strlcpy (hop->target, "main loop", sizeof hop->target);
      return;
    }
  hop->is_poll &= !is_stuck && !jank_report_is_in_callback (report);
  if (wait != NULL)
    add_peer (hop, look->pid, wait);
}

/* The one place that says what a thread waits for where the kernel alone does not: its stack, read now. Only where the
 * reader may not, what the program's watcher has told. */
static void
tell_what_it_waits_for (const JankLook *look, JankTold *told, gpointer data)
{
  WatchedWaits *self = data;
  JankHop *hop = &told->hop;
  JankLiveProgram *program;
  g_autoptr (JankReport) report = NULL;

  if (hop->kind != JANK_HOP_COMPUTING && hop->kind != JANK_HOP_UNKNOWN && hop->kind != JANK_HOP_HIDDEN && !hop->is_poll)
    return;
  program = find_program (self, look);
  if (hop->kind != JANK_HOP_COMPUTING)
    report = jank_outside_dump_thread (look->pid, look->tid);
  if (report != NULL)
    bus_names_fill (self->names, report);
  else if (program != NULL)
    {
      report = jank_report_ref (program->stall);
      watched_waits_fill (self, program, report);
    }
  if (report == NULL)
    return;
  if (hop->kind != JANK_HOP_COMPUTING)
    look_at_stack (look, hop, report, program != NULL);
  else if (report->culprit.function != NULL)
    {
      told->function = jank_report_name_culprit (report->culprit.function, report->culprit.callee,
                                                 report->culprit.callee_share);
      told->file = g_strdup (report->culprit.file);
      told->line = report->culprit.line;
    }
}

JankReportChain *
watched_waits_read (WatchedWaits *self, pid_t pid)
{
  return jank_chain_read (pid, &(JankChainTeller) { tell_what_it_waits_for, self });
}
