/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program writes the report of a stall that lasts anew from time to time, always under one ID: that has the
 * stacks. */

#include "view/jank-view-private.h"

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "cli/programs/programs.h"
#include "store/jank-store-private.h"
#include "text/jank-report-lines-private.h"
#include "text/jank-text-report-private.h"

#define ASK_NS JANK_NS_PER_S

/* All but the reference count belongs to the look under way. */
struct _JankViewNow
{
  char            *folder; /* (owned) */
  JankLiveReader  *reader; /* (owned) (nullable): there was no look yet */
  WatchedWaits    *waits;  /* (owned) */
  ProgramChains   *chains; /* (owned) */
  JankSourceLines *lines;  /* (owned) */
  gint             pid;    /* whose report is wanted */
  char            *shown;  /* (owned) (nullable): path of the report that was loaded last */
  gint64           written_us; /* when it was written */
  gint64           asked_ns;
};

static void
jank_view_running_free (gpointer data)
{
  JankViewRunning *self = data;

  g_free (self->name);
  g_free (self->state);
  g_free (self->says);
  g_free (self->figures);
  g_clear_pointer (&self->report, jank_report_unref);
  g_free (self);
}

JankViewNow *
jank_view_now_new (const char *store_folder)
{
  JankViewNow *self = g_atomic_rc_box_new0 (JankViewNow);

  self->folder = g_strdup (store_folder);
  return self;
}

static void
jank_view_now_clear (gpointer data)
{
  JankViewNow *self = data;

  g_clear_pointer (&self->chains, program_chains_free);
  g_clear_pointer (&self->waits, watched_waits_free);
  g_clear_pointer (&self->reader, jank_live_reader_free);
  g_clear_pointer (&self->lines, jank_source_lines_free);
  g_free (self->shown);
  g_free (self->folder);
}

void
jank_view_now_unref (JankViewNow *self)
{
  g_atomic_rc_box_release_full (self, jank_view_now_clear);
}

static void
jank_view_now_changed (gpointer data, JankLiveProgram *program)
{
  if (program->stall != NULL)
    watched_waits_fill (((JankViewNow *) data)->waits, program, program->stall);
}

static void
jank_view_now_gone (gpointer data, JankLiveProgram *program)
{
  program_chains_drop (((JankViewNow *) data)->chains, program);
}

static void
jank_view_now_open (JankViewNow *self)
{
  static const JankLiveReaderFuncs funcs = { .changed = jank_view_now_changed, .gone = jank_view_now_gone };

  self->reader = jank_live_reader_new (self->folder, NULL, &funcs, self);
  self->waits = watched_waits_new (self->reader);
  self->chains = program_chains_new (self->waits);
  self->lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
}

/* Returns: (transfer full) (nullable): there is none, or it was loaded before */
static JankReport *
jank_view_now_load (JankViewNow *self, const JankLiveProgram *program)
{
  g_autoptr (JankStore) store = NULL;
  g_autofree char *path = NULL, *name = NULL;
  JankReport *report;
  GStatBuf info;
  gint64 written_us;

  if (program->live->store == NULL || program->stall == NULL || !jank_store_is_id (program->stall->id))
    return NULL;
  name = g_strconcat (program->stall->id, ".json", NULL);
  path = g_build_filename (program->live->store, name, NULL);
  if (g_stat (path, &info) != 0)
    return NULL;
  written_us = info.st_mtim.tv_sec * G_USEC_PER_SEC + info.st_mtim.tv_nsec / JANK_NS_PER_US;
  if (g_strcmp0 (path, self->shown) == 0 && written_us == self->written_us)
    return NULL;
  store = jank_store_new (program->live->store, G_MAXUINT, G_MAXUINT64);
  report = jank_store_load (store, program->stall->id, NULL);
  if (report == NULL)
    return NULL;
  jank_report_fill_lines (report, self->lines);
  g_free (self->shown);
  self->shown = g_steal_pointer (&path);
  self->written_us = written_us;
  return report;
}

static char *
jank_view_now_describe (const ProgramRow *row)
{
  g_autofree char *longest = jank_text_duration (row->longest_ns);
  guint n = (guint) row->n_stalls;
  g_autofree char *stalls = g_strdup_printf (ngettext ("%u stall", "%u stalls", n), n);
  g_autofree char *longest_text = g_strdup_printf (_("the longest %s"), longest);
  g_autofree char *fps = g_strdup_printf (_("%.0f FPS"), row->program->live->fps);
  g_autoptr (GString) text = g_string_new (stalls);

  if (row->n_stalls > 0)
    jank_text_append_item (text, longest_text);
  if (row->program->live->fps >= 0)
    jank_text_append_item (text, fps);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static JankViewRunning *
jank_view_now_make (JankViewNow *self, const ProgramRow *row)
{
  JankViewRunning *running = g_new0 (JankViewRunning, 1);
  const JankLiveProgram *program = row->program;
  g_autofree char *says = row->rank < 2 && program->stall != NULL ? program_row_say (program->stall, row->chain) : NULL;
  g_autoptr (GString) lines = g_string_new (says);

  g_string_replace (lines, " → ", "\n→ ", 0);
  running->pid = program->pid;
  running->name = g_strdup (jank_text_or_empty (program->live->name));
  running->state = program_row_say_state (row);
  running->says = says != NULL ? g_strdup (lines->str) : NULL;
  running->figures = jank_view_now_describe (row);
  running->rank = row->rank;
  if (row->rank == 0 && program->pid == self->pid)
    running->report = jank_view_now_load (self, program);
  return running;
}

static void
jank_view_now_look_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  JankViewNow *self = data;
  GPtrArray *all = g_ptr_array_new_with_free_func (jank_view_running_free);
  g_autoptr (GArray) rows = NULL;

  if (self->reader == NULL)
    jank_view_now_open (self);
  jank_live_reader_look (self->reader);
  if (jank_clock_now_ns () - self->asked_ns >= ASK_NS)
    {
      jank_live_reader_ask (self->reader);
      self->asked_ns = jank_clock_now_ns ();
    }
  rows = program_rows_new (self->reader, self->chains, "", 0);
  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (all, jank_view_now_make (self, &g_array_index (rows, ProgramRow, i)));
  g_task_return_pointer (task, all, (GDestroyNotify) g_ptr_array_unref);
}

void
jank_view_now_look (JankViewNow *self, gint pid, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);

  if (self->pid != pid)
    g_clear_pointer (&self->shown, g_free);
  self->pid = pid;
  g_task_set_task_data (task, g_atomic_rc_box_acquire (self), (GDestroyNotify) jank_view_now_unref);
  g_task_run_in_thread (task, jank_view_now_look_thread);
}

GPtrArray *
jank_view_now_finish (GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
