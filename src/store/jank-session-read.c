/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command merges the files, whoever wrote them, and leaves out what cannot be read. Writes nothing. */

#include "store/jank-session-private.h"

#include <string.h>

#include "base/jank-each-private.h"
#include "base/jank-order-private.h"
#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"
#include "store/jank-folder-private.h"
#include "store/jank-store-private.h"

static void
jank_session_read_add_self (JankSessionSelf *sum, const JankSessionSelf *self)
{
  jank_json_sum (&sum->samples, self->samples);
  jank_json_sum (&sum->lost_samples, self->lost_samples);
  jank_json_sum (&sum->signals_sent, self->signals_sent);
  jank_json_sum (&sum->no_answer, self->no_answer);
  jank_json_sum (&sum->wakeups, self->wakeups);
  jank_json_sum (&sum->cost_ns, self->cost_ns);
}

/* Files of older versions have no counts by kind. */
static void
jank_session_read_add_reports (JankSessionSummary *self, const JankSessionSummary *file)
{
  guint64 n = 0;

  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    {
      n |= file->n_reports[i];
      jank_json_sum (&self->n_reports[i], file->n_reports[i]);
    }
  if (n == 0)
    jank_json_sum (&self->n_reports[JANK_REPORT_STALL], file->n_stalls);
}

JANK_ORDER_FALLING (jank_session_read_compare_total_cb, JankSessionSource *const, [0]->total_ns)

/* from: (element-type as to), empty afterwards */
static void
jank_session_read_take_all (GPtrArray *to, GPtrArray *from)
{
  while (from->len > 0)
    g_ptr_array_add (to, g_ptr_array_steal_index (from, 0));
}

static void
jank_session_read_take_stalls (JankSessionSummary *self, JankSessionSummary *file)
{
  gboolean alive = jank_process_is_alive (file->app.pid, file->began_real_us);

  JANK_EACH (JankSessionStall, stall, file->stalls)
    {
      stall->pid = file->app.pid;
      if (stall->outcome == JANK_OUTCOME_ONGOING && !alive)
        stall->outcome = JANK_OUTCOME_KILLED;
    }
  jank_session_read_take_all (self->stalls, file->stalls);
}

static void
jank_session_read_add_turns (JankTimeFigures *self, const JankTimeFigures *file)
{
  JankTimeFigures most = file->n > self->n ? *file : *self;
  guint64 n = self->n;
  gint64 total_ns = self->total_ns;

  jank_json_sum (&n, file->n);
  jank_json_sum (&total_ns, file->total_ns);
  most.longest_ns = MAX (self->longest_ns, file->longest_ns);
  *self = most;
  self->n = n;
  self->total_ns = total_ns;
}

static void
jank_session_read_merge (JankSessionSummary *self, JankSessionSummary *file)
{
  JankSessionProcess *process = jank_session_process_new ();
  JankSessionFigures *figures = &self->figures, *added = &file->figures;

  jank_json_sum (&self->n_stalls, file->n_stalls);
  jank_json_sum (&self->total_ns, file->total_ns);
  jank_session_read_add_self (&self->self, &file->self);
  jank_json_sum (&self->hangs.n_hangs, file->hangs.n_hangs);
  jank_json_sum (&self->hangs.hung_ns, file->hangs.hung_ns);
  jank_json_sum (&self->hangs.watched_ns, file->hangs.watched_ns);
  self->hangs.s_per_hour = jank_session_hang_rate (&self->hangs);
  if (file->startup.frame_ns > self->startup.frame_ns)
    self->startup = file->startup;
  self->reach = MAX (self->reach, file->reach);
  jank_session_read_add_turns (&self->turns, &file->turns);
  if (added->n_figures > 0)
    {
      figures->least_fps = figures->n_figures > 0 ? MIN (figures->least_fps, added->least_fps) : added->least_fps;
      figures->newest_fps = added->newest_fps;
      jank_json_sum (&figures->n_figures, added->n_figures);
    }
  jank_report_inputs_merge (&self->inputs, &file->inputs);
  jank_session_read_add_reports (self, file);
  jank_session_read_take_all (self->sources, file->sources);
  g_ptr_array_sort (self->sources, jank_session_read_compare_total_cb);
  g_ptr_array_set_size (self->sources, (gint) MIN (self->sources->len, JANK_SESSION_MAX_SOURCES));
  jank_session_read_take_stalls (self, file);
  self->is_strict |= file->is_strict;
  jank_session_read_take_all (self->calls, file->calls);
  if (self->frame_clock == NULL)
    self->frame_clock = g_steal_pointer (&file->frame_clock);
  else if (file->frame_clock != NULL)
    jank_report_frame_clock_merge (self->frame_clock, file->frame_clock);

  process->app = file->app;
  file->app = (JankSessionApp) { NULL };
  process->n_stalls = file->n_stalls;
  process->total_ns = file->total_ns;
  process->self = file->self;
  g_ptr_array_add (self->processes, process);
}

static gint
jank_session_read_compare_began_cb (gconstpointer a, gconstpointer b)
{
  const JankSessionStall *x = *(JankSessionStall *const *) a, *y = *(JankSessionStall *const *) b;

  if (x->began_monotonic_ns != y->began_monotonic_ns)
    return x->began_monotonic_ns < y->began_monotonic_ns ? -1 : 1;
  return strcmp (x->id, y->id);
}

JankSessionSummary *
jank_session_load_file (const char *store_folder, const char *name)
{
  gsize n_bytes = 0;
  g_autofree char *text = jank_folder_read (store_folder, JANK_SESSION_FOLDER, name, &n_bytes, NULL);
  g_autoptr (JsonNode) node = text != NULL ? jank_json_parse (text, n_bytes, JANK_SESSION_SCHEMA, NULL) : NULL;
  g_autoptr (JankSessionSummary) file = node != NULL ? jank_session_summary_new () : NULL;
  guint element;

  if (file == NULL || !jank_table_read (&jank_session_summary_table, file, json_node_get_object (node), &element) ||
      file->session == NULL)
    return NULL;
  return g_steal_pointer (&file);
}

GPtrArray *
jank_session_load_files (const char *store_folder)
{
  g_autoptr (GPtrArray) entries = jank_folder_scan (store_folder, JANK_SESSION_FOLDER, jank_session_is_file_name, NULL,
                                                    NULL);
  GPtrArray *files = g_ptr_array_new_with_free_func (jank_session_summary_free);

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      JankSessionSummary *file = jank_session_load_file (store_folder,
                                                         ((JankFolderEntry *) g_ptr_array_index (entries, i))->name);

      if (file != NULL)
        g_ptr_array_add (files, file);
    }
  return files;
}

JankSessionSummary *
jank_session_load (const char *store_folder, const char *session, GError **error)
{
  g_autofree char *prefix = g_strconcat (session, "-", NULL);
  g_autoptr (GPtrArray) entries = jank_folder_scan (store_folder, JANK_SESSION_FOLDER, jank_session_is_file_name, NULL,
                                                    error);
  JankSessionSummary *self;

  if (entries == NULL)
    return NULL;

  self = jank_session_summary_new ();
  self->session = g_strdup (session);
  JANK_EACH (JankFolderEntry, entry, entries)
    {
      g_autoptr (JankSessionSummary) file = g_str_has_prefix (entry->name, prefix)
                                            ? jank_session_load_file (store_folder, entry->name) : NULL;

      if (file != NULL && strcmp (file->session, session) == 0)
        jank_session_read_merge (self, file);
    }
  g_ptr_array_sort (self->stalls, jank_session_read_compare_began_cb);
  return self;
}

gboolean
jank_session_summary_is_empty (const JankSessionSummary *self)
{
  return self->processes->len == 0 || self->reach == JANK_SESSION_STARTED || self->reach == JANK_SESSION_UNDRAWN;
}

const JankSessionStall *
jank_session_summary_longest (const JankSessionSummary *self, JankReportKind kind)
{
  const JankSessionStall *longest = NULL;

  JANK_EACH (const JankSessionStall, stall, self->stalls)
    if (stall->kind == kind && (longest == NULL || stall->duration_ns > longest->duration_ns))
      longest = stall;
  return longest;
}

const JankSessionStall *
jank_session_summary_worst (const JankSessionSummary *self)
{
  const JankSessionStall *stall = jank_session_summary_longest (self, JANK_REPORT_STALL);
  const JankSessionStall *startup = jank_session_summary_longest (self, JANK_REPORT_STARTUP);

  if (stall == NULL || startup == NULL)
    return stall != NULL ? stall : startup;
  return startup->duration_ns > stall->duration_ns ? startup : stall;
}

void
jank_session_summary_set_command (JankSessionSummary *self, char **command, gint exit_status)
{
  for (guint i = 0; command[i] != NULL; i++)
    {
      JankSessionWord *word = jank_session_word_new ();

      word->text = g_strdup (command[i]);
      g_ptr_array_add (self->command, word);
    }
  self->exit_status = exit_status;
}
