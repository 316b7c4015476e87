/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The observed process writes its file. After the first 1000 stalls, which are listed, they are only counted. */

/* The rows of its tables stand below the structs in the header. */
#define JANK_SESSION_FIELDS
#include "store/jank-session-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "frames/jank-hang-rate-private.h"
#include "store/jank-folder-private.h"
#include "json/jank-field-json-private.h"
#include "json/jank-json-private.h"

#define MAX_FILES 1000
#define MAX_BYTES (32 << 20)
#define MAX_NAME_LENGTH 64
#define MAX_FILE_NAME_LENGTH (MAX_NAME_LENGTH + sizeof "-2147483647" - 1)

struct _JankSession
{
  /* set at construction */
  char           *store;  /* (owned) */
  char           *name;   /* (owned) of the file */
  guint           max_stalls; /* that are listed */

  JankSessionSummary *file; /* (owned): what will be in it */
  /* Of each kind the one added last, also when it was only counted; began_ns 0: none yet */
  struct { gint64 began_ns, duration_ns; } last[JANK_N_REPORT_KINDS];
  gboolean        saved;
};

static gboolean
finish_stall (gpointer self)
{
  JankSessionStall *stall = self;

  if ((gint) stall->severity < 0)
    stall->severity = jank_severity_of (stall->duration_ns);
  return stall->id != NULL && (gint) stall->outcome >= 0;
}

static gboolean
finish_call (gpointer self)
{
  return (gint) ((JankSessionCall *) self)->kind >= 0;
}

char *
jank_session_summary_to_json (const JankSessionSummary *self, gboolean pretty)
{
  g_autoptr (JsonNode) node = jank_table_to_node (&jank_session_summary_table, self);
  JsonObject *root = json_node_get_object (node);

  jank_json_add_text (root, "schema", JANK_SESSION_SCHEMA);
  if (self->exit_status < 0)
    json_object_remove_member (root, "processes"); /* a file is of one process, a summary of any number */
  return jank_json_generate (node, pretty ? JANK_JSON_PRETTY : JANK_JSON_COMPACT);
}

static gboolean
jank_session_is_safe (const char *name, gsize max_length)
{
  gsize n = strlen (name);

  return n > 0 && n <= max_length && strspn (name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-") == n;
}

gboolean
jank_session_is_name (const char *session)
{
  return jank_session_is_safe (session, MAX_NAME_LENGTH);
}

gboolean
jank_session_is_file_name (const char *name)
{
  return jank_session_is_safe (name, MAX_FILE_NAME_LENGTH);
}

JankSession *
jank_session_new (const char *store_folder, const char *session, const JankSessionApp *app, gboolean lists_stalls)
{
  JankSession *self = g_new0 (JankSession, 1);

  self->store = g_strdup (store_folder);
  self->name = g_strdup_printf ("%s-%d", session, app->pid);
  self->max_stalls = lists_stalls ? JANK_SESSION_MAX_STALLS : 0;
  self->file = jank_session_summary_new ();
  self->file->session = g_strdup (session);
  self->file->app = (JankSessionApp) {
    g_strdup (app->name), g_strdup (app->id), g_strdup (app->exe), g_strdup (app->version), app->pid,
  };
  self->file->began_real_us = g_get_real_time ();
  jank_json_time_zone ();
  return self;
}

void
jank_session_free (JankSession *self)
{
  g_free (self->store);
  g_free (self->name);
  jank_session_summary_free (self->file);
  g_free (self);
}

static JankSessionStall *
jank_session_find_stall (JankSession *self, JankReportKind kind, gint64 began_ns)
{
  for (guint i = self->file->stalls->len; i > 0; i--)
    {
      JankSessionStall *stall = g_ptr_array_index (self->file->stalls, i - 1);

      if (stall->kind == kind && stall->began_monotonic_ns == began_ns)
        return stall;
    }
  return NULL;
}

static void
jank_session_fill_stall (JankSessionStall *stall, JankReport *report)
{
  jank_set_text (&stall->id, report->id);
  stall->kind = report->kind;
  stall->began_monotonic_ns = report->stall.began_monotonic_ns;
  stall->duration_ns = report->stall.duration_ns;
  stall->severity = report->stall.severity;
  stall->outcome = report->stall.outcome;
  jank_set_text (&stall->culprit, report->culprit.function);
  stall->fps = report->stall.fps;
}

static void
jank_session_add_to_total (JankSession *self, JankReportKind kind, gint64 duration_ns)
{
  if (jank_report_kind_is_stall (kind))
    self->file->total_ns += duration_ns;
}

void
jank_session_add (JankSession *self, JankReport *report)
{
  JankReportKind kind = report->kind;
  JankSessionStall *stall = jank_session_find_stall (self, kind, report->stall.began_monotonic_ns);

  if (stall != NULL)
    jank_session_add_to_total (self, kind, -stall->duration_ns);
  else if (self->last[kind].began_ns == report->stall.began_monotonic_ns)
    jank_session_add_to_total (self, kind, -self->last[kind].duration_ns);
  else
    self->file->n_reports[kind]++;

  if (stall == NULL && self->file->stalls->len < self->max_stalls)
    {
      stall = jank_session_stall_new ();
      g_ptr_array_add (self->file->stalls, stall);
    }
  if (stall != NULL)
    jank_session_fill_stall (stall, report);

  jank_session_add_to_total (self, kind, report->stall.duration_ns);
  self->last[kind].duration_ns = report->stall.duration_ns;
  self->last[kind].began_ns = report->stall.began_monotonic_ns;
}

JankSessionSummary *
jank_session_get_file (JankSession *self)
{
  return self->file;
}

void
jank_session_set_sources (JankSession *self, GPtrArray *sources)
{
  g_ptr_array_unref (self->file->sources);
  self->file->sources = sources;
}

void
jank_session_set_calls (JankSession *self, GPtrArray *calls)
{
  self->file->is_strict = TRUE;
  g_ptr_array_ref (calls);
  g_ptr_array_unref (self->file->calls);
  self->file->calls = calls;
}

void
jank_session_set_frames (JankSession *self, JankReportFrameClock *frame_clock)
{
  g_clear_pointer (&self->file->frame_clock, jank_report_frame_clock_free);
  self->file->frame_clock = frame_clock;
  if (self->file->frame_clock == NULL)
    return;
  /* The stacks are in reports. */
  for (guint i = 0; i < self->file->frame_clock->late_frames->len; i++)
    g_array_index (self->file->frame_clock->late_frames, JankReportLateFrame, i).stack = JANK_REPORT_NO_INDEX;
}

double
jank_session_hang_rate (const JankSessionHangs *self)
{
  JankHangRate rate = { .hung_ns = self->hung_ns, .n_hangs = self->n_hangs };

  return jank_hang_rate_get (&rate, self->watched_ns);
}

gboolean
jank_session_save (JankSession *self, GError **error)
{
  g_autofree char *text = NULL;

  if (!jank_session_is_name (self->file->session))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                   _("Cannot save the session ‘%s’ in ‘%s’: that is not a file name"),
                   self->file->session, self->store);
      return FALSE;
    }

  self->file->hangs.s_per_hour = jank_session_hang_rate (&self->file->hangs);
  self->file->n_stalls = self->file->n_reports[JANK_REPORT_STALL] + self->file->n_reports[JANK_REPORT_STARTUP];
  text = jank_session_summary_to_json (self->file, FALSE);
  if (!self->saved)
    jank_folder_trim (self->store, JANK_SESSION_FOLDER, jank_session_is_file_name, self->name, MAX_FILES - 1,
                      MAX_BYTES - MIN (strlen (text), MAX_BYTES));
  if (!jank_folder_write (self->store, JANK_SESSION_FOLDER, self->name, text, strlen (text), error))
    return FALSE;
  self->saved = TRUE;
  return TRUE;
}
