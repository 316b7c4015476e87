/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Used by the watcher thread of each observed process and by the command, on the same folder and without
 * a lock. It only ever removes files whose names are IDs, and never the one just written. */

#include "store/jank-store-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/jank-error.h"
#include "store/jank-chains-private.h"
#include "store/jank-folder-private.h"
#include "json/jank-json-private.h"
#include "proc/jank-task-private.h"
#include "report/jank-report-json-private.h"
#include "verdict/jank-verdict-private.h"

/* The kernel gives its boot time in whole seconds, and that follows every correction of the clock. */
#define SLACK_US (2 * G_USEC_PER_SEC)

struct _JankStore
{
  /* set at construction */
  char   *folder; /* (owned) */
  guint   max_reports;
  guint64 max_bytes;
};

JankStore *
jank_store_new (const char *folder, guint max_reports, guint64 max_bytes)
{
  JankStore *self = g_new0 (JankStore, 1);

  self->folder = g_strdup (folder);
  self->max_reports = MAX (max_reports, 1);
  self->max_bytes = max_bytes;
  jank_json_time_zone ();
  return self;
}

void
jank_store_free (JankStore *self)
{
  g_free (self->folder);
  g_free (self);
}

const char *
jank_store_get_folder (JankStore *self)
{
  return self->folder;
}

char *
jank_store_make_id (void)
{
  static gint n_made;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return g_strdup_printf ("%04d%02d%02d-%02d%02d%02d-%d-%d",
                          g_date_time_get_year (now), g_date_time_get_month (now),
                          g_date_time_get_day_of_month (now), g_date_time_get_hour (now),
                          g_date_time_get_minute (now), g_date_time_get_second (now),
                          (gint) getpid (), g_atomic_int_add (&n_made, 1) + 1);
}

gboolean
jank_store_is_id (const char *text)
{
  static const guint min_digits[] = { 8, 6, 1, 1 }, max_digits[] = { 8, 6, 10, 10 };

  for (guint i = 0; i < G_N_ELEMENTS (min_digits); i++)
    {
      gsize n = strspn (text, "0123456789");

      if (n < min_digits[i] || n > max_digits[i])
        return FALSE;
      text += n;
      if (*text != (i + 1 < G_N_ELEMENTS (min_digits) ? '-' : '\0'))
        return FALSE;
      text++;
    }
  return TRUE;
}

static void
jank_store_trim (JankStore *self, const char *keep, guint max_reports, guint64 n_more_bytes)
{
  jank_folder_trim (self->folder, NULL, jank_store_is_id, keep, max_reports,
                    self->max_bytes - MIN (n_more_bytes, self->max_bytes));
}

gboolean
jank_store_write (JankStore *self, JankReport *report, GError **error)
{
  g_autofree char *text = NULL;
  gboolean is_new;
  gsize n_bytes;

  if (report->id == NULL || !jank_store_is_id (report->id))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID, _("Cannot save a report in ‘%s’: ‘%s’ is not an ID"),
                   self->folder, report->id != NULL ? report->id : "");
      return FALSE;
    }

  text = jank_report_generate_json (report, FALSE);
  n_bytes = strlen (text);
  /* Room is made before a new file comes. One that is there already is finished first, however full the folder is. */
  is_new = !jank_store_has (self, report->id);
  if (is_new)
    jank_store_trim (self, NULL, self->max_reports - 1, n_bytes);
  if (!jank_folder_write (self->folder, NULL, report->id, text, n_bytes, error))
    return FALSE;
  if (!is_new)
    jank_store_trim (self, report->id, self->max_reports, 0);
  return TRUE;
}

gboolean
jank_store_has (JankStore *self, const char *id)
{
  return jank_folder_has (self->folder, id);
}

/* Since the Unix epoch; 0: unknown */
static gint64
jank_process_boot_time_us (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    return 0;
  line = strstr (text, "\nbtime ");
  return line != NULL ? g_ascii_strtoll (line + strlen ("\nbtime "), NULL, 10) * G_USEC_PER_SEC : 0;
}

gboolean
jank_process_is_alive (gint pid, gint64 real_us)
{
  JankTask task;

  return jank_task_read_first (pid, &task) && strchr ("ZXx", task.state) == NULL &&
         jank_process_boot_time_us () + task.began_boot_ns / 1000 <= real_us + SLACK_US;
}

static JankReport *
jank_store_read_report (JankStore *self, const char *id, gboolean brief, GError **error)
{
  static const char *const rest[] = { "stacks", "stacks_complete", "frames", "threads", "sources",
                                     "frame_clock", "process",
                                      "toolkit", "limit", "self", NULL };
  gsize n_bytes = 0;
  g_autofree char *text = jank_folder_read (self->folder, NULL, id, &n_bytes, error);
  g_autoptr (JankReport) report = NULL;
  g_autoptr (JankReportChain) chain = NULL;

  if (text == NULL)
    return NULL;

  if (brief)
    n_bytes = jank_json_strip (text, n_bytes, rest);
  /* What is left of an older report is not enough for a verdict. */
  report = brief ? jank_report_from_json (text, n_bytes, error) : jank_verdict_load (text, n_bytes, error);
  if (report == NULL)
    {
      g_prefix_error (error, _("Cannot read the report ‘%s’ in ‘%s’: "), id, self->folder);
      return NULL;
    }
  if (strcmp (report->id, id) != 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_INVALID,
                   _("Cannot read the report ‘%s’ in ‘%s’: its ID is ‘%s’"), id, self->folder, report->id);
      return NULL;
    }

  if (report->stall.outcome == JANK_OUTCOME_ONGOING &&
      !jank_process_is_alive (report->app.pid, report->stall.began_real_us))
    report->stall.outcome = JANK_OUTCOME_KILLED;
  chain = brief ? NULL : jank_chains_load (self->folder, id);
  if (chain != NULL)
    {
      g_clear_pointer (&report->chain, jank_report_chain_free);
      report->chain = g_steal_pointer (&chain);
    }
  return g_steal_pointer (&report);
}

/* The newest report that can be read; the first error when none can. */
static JankReport *
jank_store_load_latest (JankStore *self, GPtrArray *entries, GError **error)
{
  g_autoptr (GError) first_error = NULL;

  for (guint i = 0; i < entries->len; i++)
    {
      JankFolderEntry *entry = g_ptr_array_index (entries, i);
      JankReport *report = jank_store_read_report (self, entry->name, FALSE, first_error == NULL ? &first_error : NULL);

      if (report != NULL)
        return report;
    }

  if (first_error != NULL)
    g_propagate_error (error, g_steal_pointer (&first_error));
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("There is no report in ‘%s’"), self->folder);
  return NULL;
}

JankReport *
jank_store_load (JankStore *self, const char *name, GError **error)
{
  g_autoptr (GPtrArray) entries = NULL;
  const char *found = NULL;
  guint n_found = 0;

  if (jank_store_is_id (name) && jank_store_has (self, name))
    return jank_store_read_report (self, name, FALSE, error);
  entries = jank_folder_scan (self->folder, NULL, jank_store_is_id, NULL, error);
  if (entries == NULL)
    return NULL;
  g_ptr_array_sort (entries, jank_folder_compare_newest_first);
  if (strcmp (name, JANK_STORE_LATEST) == 0)
    return jank_store_load_latest (self, entries, error);

  for (guint i = 0; i < entries->len; i++)
    {
      JankFolderEntry *entry = g_ptr_array_index (entries, i);
      gsize n_before = strlen (entry->name) - MIN (strlen (name), strlen (entry->name));
      gboolean is_end = n_before > 0 && entry->name[n_before - 1] == '-' && strcmp (entry->name + n_before, name) == 0;

      if (*name != '\0' && (is_end || g_str_has_prefix (entry->name, name)))
        {
          found = entry->name;
          n_found++;
        }
    }

  if (n_found == 1)
    return jank_store_read_report (self, found, FALSE, error);
  if (n_found > 1)
    g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("‘%s’ matches %u reports in ‘%s’"),
                 name, n_found, self->folder);
  else
    g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("There is no report ‘%s’ in ‘%s’"),
                 name, self->folder);
  return NULL;
}

JankReport *
jank_store_load_brief (JankStore *self, const char *id, GError **error)
{
  return jank_store_read_report (self, id, TRUE, error);
}

gboolean
jank_store_remove (JankStore *self, const char *id, GError **error)
{
  gint number = jank_store_is_id (id) ? jank_folder_remove (self->folder, NULL, id) : ENOENT;

  if (number != 0)
    {
      g_set_error (error, JANK_ERROR, number == ENOENT ? JANK_ERROR_NOT_FOUND : JANK_ERROR_FAILED,
                   _("Cannot remove the report ‘%s’ from ‘%s’: %s"), id, self->folder, g_strerror (number));
      return FALSE;
    }
  jank_chains_remove (self->folder, id);
  return TRUE;
}
