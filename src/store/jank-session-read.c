/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The reader's half of a session, in the command: many files of unknown writers become one summary, and
 * what cannot be read is left out. Writes nothing. */

#include "config.h"

#include "store/jank-session-private.h"

#include <string.h>

#include "store/jank-folder-private.h"
#include "report/jank-json-private.h"
#include "store/jank-process-private.h"

static void
process_free (gpointer data)
{
  JankSessionProcess *process = data;

  g_free (process->app.name);
  g_free (process->app.id);
  g_free (process->app.exe);
  g_free (process);
}

void
jank_session_summary_free (JankSessionSummary *self)
{
  g_free (self->session);
  g_ptr_array_unref (self->processes);
  g_ptr_array_unref (self->stalls);
  g_ptr_array_unref (self->sources);
  g_clear_pointer (&self->frame_clock, jank_report_frame_clock_free);
  g_free (self);
}

static gint64
add_saturated (gint64 a, gint64 b)
{
  return a > JANK_JSON_MAX_COUNT - b ? JANK_JSON_MAX_COUNT : a + b;
}

static void
add_count (guint64 *sum, guint64 n)
{
  *sum = (guint64) add_saturated ((gint64) *sum, (gint64) n);
}

static void
add_self (JankSessionSelf *sum, const JankSessionSelf *self)
{
  add_count (&sum->samples, self->samples);
  add_count (&sum->lost_samples, self->lost_samples);
  add_count (&sum->signals_sent, self->signals_sent);
  add_count (&sum->no_answer, self->no_answer);
  add_count (&sum->wakeups, self->wakeups);
  sum->cost_ns = add_saturated (sum->cost_ns, self->cost_ns);
}

static void
read_self (JankSessionSelf *self, JsonObject *object)
{
  self->samples = (guint64) jank_json_get_count (object, "samples");
  self->lost_samples = (guint64) jank_json_get_count (object, "lost_samples");
  self->signals_sent = (guint64) jank_json_get_count (object, "signals_sent");
  self->no_answer = (guint64) jank_json_get_count (object, "no_answer");
  self->wakeups = (guint64) jank_json_get_count (object, "wakeups");
  self->cost_ns = jank_json_get_count (object, "cost_ns");
}

/* Returns: (transfer full) (nullable) */
static JankSessionStall *
read_stall (JsonObject *object, gint pid, gboolean alive)
{
  const char *id = jank_json_get_text (object, "id");
  JankSessionStall *stall;
  JankOutcome outcome;

  if (id == NULL || !jank_outcome_from_nick (jank_json_get_text (object, "outcome"), &outcome))
    return NULL;

  stall = g_new0 (JankSessionStall, 1);
  stall->id = g_strdup (id);
  stall->pid = pid;
  if (!jank_report_kind_from_nick (jank_json_get_text (object, "kind"), &stall->kind))
    stall->kind = JANK_REPORT_STALL;
  stall->began_monotonic_ns = jank_json_get_count (object, "began_monotonic_ns");
  stall->duration_ns = jank_json_get_count (object, "duration_ns");
  stall->outcome = outcome == JANK_OUTCOME_ONGOING && !alive ? JANK_OUTCOME_KILLED : outcome;
  stall->culprit = jank_json_dup_text (object, "culprit");
  if (!jank_severity_from_nick (jank_json_get_text (object, "severity"), &stall->severity))
    stall->severity = jank_severity_of (stall->duration_ns);
  return stall;
}

static JankSessionProcess *
read_process (JsonObject *root)
{
  JankSessionProcess *process = g_new0 (JankSessionProcess, 1);
  JsonObject *app = jank_json_get_object (root, "app");

  process->app.name = jank_json_dup_text (app, "name");
  process->app.id = jank_json_dup_text (app, "id");
  process->app.exe = jank_json_dup_text (app, "exe");
  process->app.pid = (gint) jank_json_get_int (root, "pid", 0, G_MAXINT, 0);
  process->n_stalls = (guint64) jank_json_get_count (root, "n_stalls");
  process->total_ns = jank_json_get_count (root, "total_ns");
  read_self (&process->self, jank_json_get_object (root, "self"));
  return process;
}

static void
merge_reports (JankSessionSummary *self, JsonObject *object, guint64 n_stalls)
{
  if (object == NULL)
    add_count (&self->n_reports[JANK_REPORT_STALL], n_stalls);
  for (guint i = 0; object != NULL && i < JANK_N_REPORT_KINDS; i++)
    add_count (&self->n_reports[i],
               (guint64) jank_json_get_count (object, jank_report_kind_to_nick ((JankReportKind) i)));
}

static void
merge_hangs (JankSessionHangs *sum, JsonObject *object)
{
  add_count (&sum->n_hangs, (guint64) jank_json_get_count (object, "count"));
  sum->hung_ns = add_saturated (sum->hung_ns, jank_json_get_count (object, "total_ns"));
  sum->watched_ns = add_saturated (sum->watched_ns, jank_json_get_count (object, "watched_ns"));
}

static gint
compare_total_cb (gconstpointer a, gconstpointer b)
{
  const JankSessionSource *x = *(JankSessionSource *const *) a, *y = *(JankSessionSource *const *) b;

  return x->total_ns > y->total_ns ? -1 : x->total_ns < y->total_ns;
}

static void
merge_sources (JankSessionSummary *self, JsonArray *array)
{
  guint n = array != NULL ? MIN (json_array_get_length (array), JANK_SESSION_MAX_SOURCES) : 0;

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = jank_json_get_element (array, i);
      const char *name = jank_json_get_text (object, "name");
      JankSessionSource *source = jank_session_source_new (name != NULL ? name : "", jank_json_get_text (object, "function"));

      source->priority = (gint) jank_json_get_int (object, "priority", G_MININT, G_MAXINT, 0);
      source->count = jank_json_get_count (object, "count");
      source->total_ns = jank_json_get_count (object, "total_ns");
      source->longest_ns = jank_json_get_count (object, "longest_ns");
      g_ptr_array_add (self->sources, source);
    }
  g_ptr_array_sort (self->sources, compare_total_cb);
  if (self->sources->len > JANK_SESSION_MAX_SOURCES)
    g_ptr_array_set_size (self->sources, JANK_SESSION_MAX_SOURCES);
}

/* frame_clock: (transfer full) (nullable) */
static void
merge_frames (JankSessionSummary *self, JankReportFrameClock *frame_clock)
{
  if (frame_clock == NULL)
    return;
  if (self->frame_clock == NULL)
    {
      self->frame_clock = frame_clock;
      return;
    }
  jank_report_frame_clock_merge (self->frame_clock, frame_clock);
  jank_report_frame_clock_free (frame_clock);
}

static void
merge (JankSessionSummary *self, JsonObject *root)
{
  JankSessionProcess *process = read_process (root);
  JsonArray *stalls = jank_json_get_array (root, "stalls");
  guint n_stalls = stalls != NULL ? json_array_get_length (stalls) : 0;
  gboolean alive = jank_process_is_alive (process->app.pid, jank_json_get_time (root, "began"));

  g_ptr_array_add (self->processes, process);
  add_count (&self->n_stalls, process->n_stalls);
  self->total_ns = add_saturated (self->total_ns, process->total_ns);
  add_self (&self->self, &process->self);
  merge_reports (self, jank_json_get_object (root, "n_reports"), process->n_stalls);
  merge_hangs (&self->hangs, jank_json_get_object (root, "hangs"));
  merge_sources (self, jank_json_get_array (root, "sources"));
  merge_frames (self, jank_report_frame_clock_from_json (jank_json_get_object (root, "frame_clock"), 0));

  for (guint i = 0; i < MIN (n_stalls, JANK_SESSION_MAX_STALLS); i++)
    {
      JankSessionStall *stall = read_stall (jank_json_get_element (stalls, i), process->app.pid, alive);

      if (stall != NULL)
        g_ptr_array_add (self->stalls, stall);
    }
}

static gint
compare_began_cb (gconstpointer a, gconstpointer b)
{
  const JankSessionStall *x = *(JankSessionStall *const *) a, *y = *(JankSessionStall *const *) b;

  if (x->began_monotonic_ns != y->began_monotonic_ns)
    return x->began_monotonic_ns < y->began_monotonic_ns ? -1 : 1;
  return strcmp (x->id, y->id);
}

static void
merge_file (JankSessionSummary *self, const char *folder, const char *name)
{
  gsize n_bytes = 0;
  g_autofree char *text = jank_folder_read (folder, name, &n_bytes, NULL);
  g_autoptr (JsonNode) node = text != NULL ? jank_json_parse (text, n_bytes, JANK_SESSION_SCHEMA, NULL) : NULL;
  JsonObject *root = node != NULL ? json_node_get_object (node) : NULL;

  if (g_strcmp0 (jank_json_get_text (root, "session"), self->session) == 0)
    merge (self, root);
}

JankSessionSummary *
jank_session_load (const char *store_folder, const char *session, GError **error)
{
  g_autofree char *folder = g_build_filename (store_folder, JANK_SESSION_FOLDER, NULL);
  g_autofree char *prefix = g_strconcat (session, "-", NULL);
  g_autoptr (GPtrArray) entries = jank_folder_scan (folder, jank_session_is_file_name, NULL, error);
  JankSessionSummary *self;

  if (entries == NULL)
    return NULL;

  self = g_new0 (JankSessionSummary, 1);
  self->session = g_strdup (session);
  self->processes = g_ptr_array_new_with_free_func (process_free);
  self->stalls = g_ptr_array_new_with_free_func (jank_session_stall_free);
  self->sources = g_ptr_array_new_with_free_func (jank_session_source_free);
  for (guint i = 0; i < entries->len; i++)
    {
      JankFolderEntry *entry = g_ptr_array_index (entries, i);

      if (g_str_has_prefix (entry->name, prefix))
        merge_file (self, folder, entry->name);
    }
  g_ptr_array_sort (self->stalls, compare_began_cb);
  return self;
}

const JankSessionStall *
jank_session_summary_longest (const JankSessionSummary *self, JankReportKind kind)
{
  const JankSessionStall *longest = NULL;

  for (guint i = 0; i < self->stalls->len; i++)
    {
      const JankSessionStall *stall = g_ptr_array_index (self->stalls, i);

      if (stall->kind == kind && (longest == NULL || stall->duration_ns > longest->duration_ns))
        longest = stall;
    }
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

JsonNode *
jank_session_summary_to_node (const JankSessionSummary *self, const char *const *command, gint exit_status)
{
  JsonObject *root = json_object_new ();
  JsonNode *node = json_node_init_object (json_node_alloc (), root);
  JsonArray *array;

  jank_json_add_text (root, "schema", JANK_SESSION_SCHEMA);
  jank_json_add_text (root, "session", self->session);
  array = jank_json_add_array (root, "command");
  for (guint i = 0; command[i] != NULL; i++)
    {
      g_autofree char *word = g_utf8_make_valid (command[i], -1);

      json_array_add_string_element (array, word);
    }
  jank_json_add_count (root, "exit_status", exit_status);
  jank_json_add_count (root, "n_stalls", (gint64) self->n_stalls);
  jank_json_add_count (root, "total_ns", self->total_ns);
  jank_session_reports_to_json (self->n_reports, root);
  array = jank_json_add_array (root, "stalls");
  for (guint i = 0; i < self->stalls->len; i++)
    jank_session_stall_to_json (g_ptr_array_index (self->stalls, i), array);
  jank_session_self_to_json (&self->self, root);
  jank_session_hangs_to_json (&self->hangs, root);
  jank_session_sources_to_json (self->sources, root);
  jank_report_frame_clock_to_json (self->frame_clock, root);

  array = jank_json_add_array (root, "processes");
  for (guint i = 0; i < self->processes->len; i++)
    {
      const JankSessionProcess *process = g_ptr_array_index (self->processes, i);
      JsonObject *object = jank_json_append_object (array);

      jank_session_app_to_json (&process->app, object);
      jank_json_add_count (object, "n_stalls", (gint64) process->n_stalls);
      jank_json_add_count (object, "total_ns", process->total_ns);
      jank_session_self_to_json (&process->self, object);
    }
  json_object_unref (root);
  return node;
}
