/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The writer's half of a session: in the observed process, on whichever one thread owns it. The file is
 * bounded: past the first 1000, stalls are only counted. */

#include "config.h"

#include "store/jank-session-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "frames/jank-hang-rate-private.h"
#include "store/jank-folder-private.h"
#include "report/jank-json-private.h"

#define MAX_FILES 50
#define MAX_NAME_LENGTH 64
#define MAX_FILE_NAME_LENGTH (MAX_NAME_LENGTH + sizeof "-2147483647" - 1)

struct _JankSession
{
  /* set at construction */
  char           *folder;  /* (owned) */
  char           *session; /* (owned) */
  char           *name;    /* (owned) of the file */
  JankSessionApp  app;     /* (owned) */
  gint64          began_real_us;

  GPtrArray      *stalls;  /* (owned) (element-type JankSessionStall) */
  guint64         n_reports[JANK_N_REPORT_KINDS];
  gint64          total_ns;     /* of those that are stalls */
  /* Of each kind the one added last, also when it was only counted; began_ns 0: none yet */
  struct { gint64 began_ns, duration_ns; } last[JANK_N_REPORT_KINDS];
  JankSessionSelf self;
  JankSessionHangs hangs;
  GPtrArray      *sources; /* (owned) (element-type JankSessionSource) */
  JankReportFrameClock *frame_clock; /* (owned) (nullable) */
  gboolean        saved;
};

void
jank_session_stall_free (gpointer stall)
{
  JankSessionStall *self = stall;

  g_free (self->id);
  g_free (self->culprit);
  g_free (self);
}

static gboolean
is_safe (const char *name, gsize max_length)
{
  gsize n = strlen (name);

  return n > 0 && n <= max_length && strspn (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-") == n;
}

gboolean
jank_session_is_name (const char *session)
{
  return is_safe (session, MAX_NAME_LENGTH);
}

gboolean
jank_session_is_file_name (const char *name)
{
  return is_safe (name, MAX_FILE_NAME_LENGTH);
}

JankSession *
jank_session_new (const char *store_folder, const char *session, const JankSessionApp *app)
{
  JankSession *self = g_new0 (JankSession, 1);

  self->folder = g_build_filename (store_folder, JANK_SESSION_FOLDER, NULL);
  self->session = g_strdup (session);
  self->name = g_strdup_printf ("%s-%d", session, app->pid);
  self->app.name = g_strdup (app->name);
  self->app.id = g_strdup (app->id);
  self->app.exe = g_strdup (app->exe);
  self->app.pid = app->pid;
  self->began_real_us = g_get_real_time ();
  self->stalls = g_ptr_array_new_with_free_func (jank_session_stall_free);
  self->sources = g_ptr_array_new_with_free_func (jank_session_source_free);
  jank_json_time_zone ();
  return self;
}

void
jank_session_free (JankSession *self)
{
  g_free (self->folder);
  g_free (self->session);
  g_free (self->name);
  g_free (self->app.name);
  g_free (self->app.id);
  g_free (self->app.exe);
  g_ptr_array_unref (self->stalls);
  g_ptr_array_unref (self->sources);
  g_clear_pointer (&self->frame_clock, jank_report_frame_clock_free);
  g_free (self);
}

static JankSessionStall *
find_stall (JankSession *self, JankReportKind kind, gint64 began_ns)
{
  for (guint i = self->stalls->len; i > 0; i--)
    {
      JankSessionStall *stall = g_ptr_array_index (self->stalls, i - 1);

      if (stall->kind == kind && stall->began_monotonic_ns == began_ns)
        return stall;
    }
  return NULL;
}

static void
fill_stall (JankSessionStall *stall, JankReport *report)
{
  g_free (stall->id);
  stall->id = g_strdup (report->id);
  stall->kind = report->kind;
  stall->began_monotonic_ns = report->stall.began_monotonic_ns;
  stall->duration_ns = report->stall.duration_ns;
  stall->severity = report->stall.severity;
  stall->outcome = report->stall.outcome;
  g_free (stall->culprit);
  stall->culprit = g_strdup (report->culprit.function);
}

static void
add_to_total (JankSession *self, JankReportKind kind, gint64 duration_ns)
{
  if (jank_report_kind_is_stall (kind))
    self->total_ns += duration_ns;
}

void
jank_session_add (JankSession *self, JankReport *report)
{
  JankReportKind kind = report->kind;
  JankSessionStall *stall = find_stall (self, kind, report->stall.began_monotonic_ns);

  if (stall != NULL)
    add_to_total (self, kind, -stall->duration_ns);
  else if (self->last[kind].began_ns == report->stall.began_monotonic_ns)
    add_to_total (self, kind, -self->last[kind].duration_ns);
  else
    self->n_reports[kind]++;

  if (stall == NULL && self->stalls->len < JANK_SESSION_MAX_STALLS)
    {
      stall = g_new0 (JankSessionStall, 1);
      g_ptr_array_add (self->stalls, stall);
    }
  if (stall != NULL)
    fill_stall (stall, report);

  add_to_total (self, kind, report->stall.duration_ns);
  self->last[kind].duration_ns = report->stall.duration_ns;
  self->last[kind].began_ns = report->stall.began_monotonic_ns;
}

void
jank_session_remove (JankSession *self, gint64 began_ns)
{
  JankSessionStall *stall = find_stall (self, JANK_REPORT_STALL, began_ns);

  if (stall == NULL && self->last[JANK_REPORT_STALL].began_ns != began_ns)
    return;
  self->total_ns -= stall != NULL ? stall->duration_ns : self->last[JANK_REPORT_STALL].duration_ns;
  self->n_reports[JANK_REPORT_STALL]--;
  self->last[JANK_REPORT_STALL].began_ns = 0;
  if (stall != NULL)
    g_ptr_array_remove (self->stalls, stall);
}

void
jank_session_set_self (JankSession *self, const JankSessionSelf *value)
{
  self->self = *value;
}

void
jank_session_set_hangs (JankSession *self, const JankSessionHangs *value)
{
  self->hangs = *value;
}

void
jank_session_set_sources (JankSession *self, GPtrArray *sources)
{
  g_ptr_array_unref (self->sources);
  self->sources = sources;
}

void
jank_session_set_frames (JankSession *self, JankReportFrameClock *frame_clock)
{
  g_clear_pointer (&self->frame_clock, jank_report_frame_clock_free);
  self->frame_clock = frame_clock;
  if (self->frame_clock == NULL)
    return;
  /* The stacks are in reports. */
  for (guint i = 0; i < self->frame_clock->late_frames->len; i++)
    g_array_index (self->frame_clock->late_frames, JankReportLateFrame, i).stack = JANK_REPORT_NO_INDEX;
}

JankSessionSource *
jank_session_source_new (const char *name, const char *function)
{
  JankSessionSource *self = g_new0 (JankSessionSource, 1);

  self->name = g_utf8_make_valid (name, -1);
  self->function = g_strdup (function);
  return self;
}

void
jank_session_source_free (gpointer source)
{
  JankSessionSource *self = source;

  g_free (self->name);
  g_free (self->function);
  g_free (self);
}

double
jank_session_hang_rate (const JankSessionHangs *self)
{
  JankHangRate rate = { .hung_ns = self->hung_ns, .n_hangs = self->n_hangs };

  return jank_hang_rate_get (&rate, self->watched_ns);
}

guint64
jank_session_count_stalls (const guint64 *n_reports)
{
  guint64 n = 0;

  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    if (jank_report_kind_is_stall ((JankReportKind) i))
      n += n_reports[i];
  return n;
}

void
jank_session_reports_to_json (const guint64 *n_reports, JsonObject *parent)
{
  JsonObject *object = jank_json_add_object (parent, "n_reports");

  for (guint i = 0; i < JANK_N_REPORT_KINDS; i++)
    jank_json_add_count (object, jank_report_kind_to_nick ((JankReportKind) i), (gint64) n_reports[i]);
}

void
jank_session_hangs_to_json (const JankSessionHangs *self, JsonObject *parent)
{
  JsonObject *object = jank_json_add_object (parent, "hangs");

  jank_json_add_count (object, "count", (gint64) self->n_hangs);
  jank_json_add_count (object, "total_ns", self->hung_ns);
  jank_json_add_count (object, "watched_ns", self->watched_ns);
  jank_json_add_number (object, "s_per_hour", jank_session_hang_rate (self));
}

void
jank_session_sources_to_json (GPtrArray *sources, JsonObject *parent)
{
  JsonArray *array;

  if (sources->len == 0)
    return;
  array = jank_json_add_array (parent, "sources");
  for (guint i = 0; i < sources->len; i++)
    {
      const JankSessionSource *source = g_ptr_array_index (sources, i);
      JsonObject *object = jank_json_append_object (array);

      jank_json_add_text (object, "name", source->name);
      jank_json_add_text (object, "function", source->function);
      json_object_set_int_member (object, "priority", source->priority);
      jank_json_add_count (object, "count", source->count);
      jank_json_add_count (object, "total_ns", source->total_ns);
      jank_json_add_count (object, "longest_ns", source->longest_ns);
    }
}

void
jank_session_app_to_json (const JankSessionApp *app, JsonObject *parent)
{
  JsonObject *object = jank_json_add_object (parent, "app");

  jank_json_add_text (object, "name", app->name);
  jank_json_add_text (object, "id", app->id);
  jank_json_add_text (object, "exe", app->exe);
  jank_json_add_count (object, "pid", app->pid);
}

void
jank_session_stall_to_json (const JankSessionStall *stall, JsonArray *array)
{
  JsonObject *object = jank_json_append_object (array);

  jank_json_add_text (object, "id", stall->id);
  jank_json_add_text (object, "kind", jank_report_kind_to_nick (stall->kind));
  jank_json_add_count (object, "began_monotonic_ns", stall->began_monotonic_ns);
  jank_json_add_count (object, "duration_ns", stall->duration_ns);
  jank_json_add_text (object, "severity", jank_severity_to_nick (stall->severity));
  jank_json_add_text (object, "outcome", jank_outcome_to_nick (stall->outcome));
  jank_json_add_text (object, "culprit", stall->culprit);
  if (stall->pid > 0)
    jank_json_add_count (object, "pid", stall->pid);
}

void
jank_session_self_to_json (const JankSessionSelf *self, JsonObject *parent)
{
  JsonObject *object = jank_json_add_object (parent, "self");

  jank_json_add_count (object, "samples", (gint64) self->samples);
  jank_json_add_count (object, "lost_samples", (gint64) self->lost_samples);
  jank_json_add_count (object, "cost_ns", self->cost_ns);
  jank_json_add_count (object, "signals_sent", (gint64) self->signals_sent);
  jank_json_add_count (object, "no_answer", (gint64) self->no_answer);
  jank_json_add_count (object, "wakeups", (gint64) self->wakeups);
}

static char *
to_text (JankSession *self)
{
  JsonObject *root = json_object_new ();
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), root);
  JsonArray *stalls;

  jank_json_add_text (root, "schema", JANK_SESSION_SCHEMA);
  jank_json_add_text (root, "session", self->session);
  jank_json_add_count (root, "pid", self->app.pid);
  jank_json_add_time (root, "began", self->began_real_us);
  jank_session_app_to_json (&self->app, root);
  jank_json_add_count (root, "n_stalls", (gint64) jank_session_count_stalls (self->n_reports));
  jank_json_add_count (root, "total_ns", self->total_ns);
  jank_session_reports_to_json (self->n_reports, root);
  stalls = jank_json_add_array (root, "stalls");
  for (guint i = 0; i < self->stalls->len; i++)
    jank_session_stall_to_json (g_ptr_array_index (self->stalls, i), stalls);
  jank_session_self_to_json (&self->self, root);
  jank_session_hangs_to_json (&self->hangs, root);
  jank_session_sources_to_json (self->sources, root);
  jank_report_frame_clock_to_json (self->frame_clock, root);
  json_object_unref (root);

  return jank_json_generate (node, JANK_JSON_COMPACT);
}

gboolean
jank_session_save (JankSession *self, GError **error)
{
  g_autofree char *text = NULL;

  if (!jank_session_is_name (self->session))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("Cannot save the session ‘%s’ in ‘%s’: not a name"),
                   self->session, self->folder);
      return FALSE;
    }

  text = to_text (self);
  if (!jank_folder_write (self->folder, self->name, text, strlen (text), error))
    return FALSE;

  if (!self->saved)
    jank_folder_trim (self->folder, jank_session_is_file_name, self->name, MAX_FILES, G_MAXUINT64);
  self->saved = TRUE;
  return TRUE;
}
