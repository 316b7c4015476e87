/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file's row has its path as ID, so that two files of one report stay two. */

#include "view/jank-view-private.h"

#include <fcntl.h>

#include <glib/gi18n-lib.h>

#include "base/jank-text-clean-private.h"
#include "export/jank-export-private.h"
#include "store/jank-folder-private.h"
#include "text/jank-report-lines-private.h"
#include "verdict/jank-verdict-private.h"

#define SOURCE_WIDTH 200 /* bytes of a line */

struct _JankViewSource
{
  JankStore       *store;  /* (owned) (nullable) */
  JankFilter      *filter; /* (owned) (nullable) */
  char           **paths;  /* (owned) (nullable) */
  GMutex           mutex;  /* one thread reads the store or lines at a time */
  JankSourceLines *lines;  /* (owned) */
  GHashTable      *names;  /* (owned): as jank_rows_name() */
};

static void
clear_list (gpointer data)
{
  JankViewList *self = data;

  g_clear_pointer (&self->problems, g_ptr_array_unref);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->files, g_ptr_array_unref);
  g_clear_pointer (&self->bad, g_ptr_array_unref);
}

void
jank_view_list_unref (JankViewList *self)
{
  g_atomic_rc_box_release_full (self, clear_list);
}

static JankViewSource *
source_new (void)
{
  JankViewSource *self = g_atomic_rc_box_new0 (JankViewSource);

  g_mutex_init (&self->mutex);
  self->lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  return self;
}

JankViewSource *
jank_view_source_new_store (JankStore *store, JankFilter *filter)
{
  JankViewSource *self = source_new ();

  self->store = store;
  self->filter = filter;
  return self;
}

JankViewSource *
jank_view_source_new_files (char **paths)
{
  JankViewSource *self = source_new ();

  self->paths = g_strdupv (paths);
  return self;
}

JankViewSource *
jank_view_source_ref (JankViewSource *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_source (gpointer data)
{
  JankViewSource *self = data;

  g_clear_pointer (&self->store, jank_store_free);
  g_clear_pointer (&self->filter, jank_filter_free);
  g_clear_pointer (&self->paths, g_strfreev);
  g_clear_pointer (&self->lines, jank_source_lines_free);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_mutex_clear (&self->mutex);
}

void
jank_view_source_unref (JankViewSource *self)
{
  g_atomic_rc_box_release_full (self, clear_source);
}

/* Waits for no pipe and reads no device. */
static JankReport *
load_file (const char *path, GError **error)
{
  gsize n_bytes = 0;
  gint fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  g_autofree char *text = jank_folder_read_fd (fd, path, &n_bytes, error);
  JankReport *report;

  if (text == NULL)
    return NULL;
  report = jank_verdict_load (text, n_bytes, error);
  if (report == NULL)
    g_prefix_error (error, _("Cannot read ‘%s’: "), path);
  return report;
}

static void
add_bad_cb (const char *sentence, gpointer data)
{
  g_ptr_array_add (data, jank_text_clean (sentence));
}

static GPtrArray *
read_files (JankViewSource *self, GPtrArray *bad)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GPtrArray *rows = g_ptr_array_new_with_free_func (jank_row_free);

  for (guint i = 0; self->paths[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (JankReport) report = load_file (self->paths[i], &error);
      JankRow *row;

      if (report == NULL)
        {
          add_bad_cb (error->message, bad);
          continue;
        }
      jank_report_fill_culprit_line (report, self->lines);
      row = jank_row_from_report (report);
      jank_set_text (&row->id, self->paths[i]);
      g_ptr_array_add (rows, row);
    }
  return rows;
}

/* Returns: FALSE with an error */
static gboolean
read_store (JankViewSource *self, JankViewList *list, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autoptr (JankIndex) index = jank_index_new (self->store, add_bad_cb, NULL, list->bad, error);

  if (index == NULL)
    return FALSE;
  list->rows = jank_index_find (index, self->filter);
  list->files = jank_index_find_sessions (index, self->filter);
  jank_rows_name (list->rows, self->store, (JankRowsFunc) jank_report_fill_culprit_line, self->lines, self->names,
                  NULL);
  return TRUE;
}

static void
list_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  JankViewSource *self = data;
  g_autoptr (JankViewList) list = g_atomic_rc_box_new0 (JankViewList);
  GError *error = NULL;

  list->bad = g_ptr_array_new_with_free_func (g_free);
  if (self->paths != NULL)
    {
      list->rows = read_files (self, list->bad);
      list->files = g_ptr_array_new ();
    }
  else if (!read_store (self, list, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  list->problems = jank_problems_new (list->rows, list->files, JANK_BY_FINGERPRINT);
  g_task_return_pointer (task, g_steal_pointer (&list), (GDestroyNotify) jank_view_list_unref);
}

void
jank_view_source_list (JankViewSource *self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);

  g_task_set_task_data (task, jank_view_source_ref (self), (GDestroyNotify) jank_view_source_unref);
  g_task_run_in_thread (task, list_thread);
}

typedef struct
{
  JankViewSource *source; /* (owned) */
  char           *id;     /* (owned) */
  char           *lines;  /* (owned) (nullable): of the source, around the culprit */
} Load;

static void
free_load (gpointer data)
{
  Load *load = data;

  jank_view_source_unref (load->source);
  g_free (load->id);
  g_free (load->lines);
  g_free (load);
}

/* Returns: (transfer full) (nullable): it is not on this machine */
static char *
read_source (const JankReport *report)
{
  g_autofree char *root = jank_export_source_root ();
  g_autofree char *path = jank_export_source_find (root, report->culprit.file);
  char *lines = path != NULL ? jank_export_source_lines (root, path, report->culprit.line, SOURCE_WIDTH) : NULL;

  return lines != NULL ? g_strchomp (lines) : NULL;
}

static void
load_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Load *load = data;
  JankViewSource *self = load->source;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GError *error = NULL;
  JankReport *report;

  /* Whoever steps through a list quickly waits for the last one only. */
  if (g_task_return_error_if_cancelled (task))
    return;
  report = self->paths != NULL ? load_file (load->id, &error) : jank_store_load (self->store, load->id, &error);
  if (report == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  jank_report_fill_lines (report, self->lines);
  load->lines = read_source (report);
  g_task_return_pointer (task, report, (GDestroyNotify) jank_report_unref);
}

void
jank_view_source_load (JankViewSource *self, const char *id, GCancellable *cancellable, GAsyncReadyCallback callback,
                       gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Load *load = g_new0 (Load, 1);

  load->source = jank_view_source_ref (self);
  load->id = g_strdup (id);
  g_task_set_task_data (task, load, free_load);
  g_task_run_in_thread (task, load_thread);
}

JankReport *
jank_view_source_load_finish (GAsyncResult *result, char **ret_lines, GError **error)
{
  Load *load = g_task_get_task_data (G_TASK (result));

  *ret_lines = g_steal_pointer (&load->lines);
  return g_task_propagate_pointer (G_TASK (result), error);
}
