/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ci-files.h"

#include <glib/gi18n.h>

#include "cli.h"
#include "export/jank-export-private.h"

/* As GitLab's manual calls it. */
#define GITLAB_FILE "gl-code-quality-report.json"

const char *const ci_files_places[] = { "github", "gitlab", NULL };

CiFiles
ci_files (void)
{
  return (CiFiles) {
    .reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref),
    .checks = g_ptr_array_new_with_free_func (jank_export_check_free),
  };
}

void
ci_files_clear (CiFiles *self)
{
  g_free (self->junit);
  g_free (self->annotate);
  g_ptr_array_unref (self->reports);
  g_ptr_array_unref (self->checks);
}

gboolean
ci_files_check (const CiFiles *self, const char *command)
{
  if (self->annotate == NULL || cli_find_word (ci_files_places, self->annotate) >= 0)
    return TRUE;
  cli_fail_word (command, self->annotate, ci_files_places, _("--annotate: “github” or “gitlab”, not ‘%s’"),
                 self->annotate);
  return FALSE;
}

gboolean
ci_files_is_wanted (const CiFiles *self)
{
  return self->junit != NULL || self->annotate != NULL;
}

void
ci_files_add_check (CiFiles *self, const char *name, JankExportResult result, const char *text)
{
  g_ptr_array_add (self->checks, jank_export_check_new (name, result, text));
}

void
ci_files_judge (CiFiles *self, const char *limit, JankExportResult result, const char *figure)
{
  static const int status[] = { CLI_FINE, CLI_EXCEEDED, CLI_CANNOT_TELL };
  g_autofree char *what = figure != NULL ? g_strdup_printf ("%s (%s)", limit, figure) : g_strdup (limit);
  g_autofree char *text = NULL;

  if (result == JANK_EXPORT_CANNOT_TELL)
    text = g_strdup_printf (_("Cannot measure whether the limit is exceeded: %s"), what);
  else if (result == JANK_EXPORT_FAILED)
    text = g_strdup_printf (_("Limit exceeded: %s"), what);
  if (result != JANK_EXPORT_PASSED)
    cli_warn ("%s", text);
  ci_files_add_check (self, limit, result, text);
  if (self->status != CLI_EXCEEDED && result != JANK_EXPORT_PASSED)
    self->status = status[result];
}

/* path NULL: to standard error, where GitHub reads, too; standard output is the command's. */
static gboolean
write_format (const JankExport *export, const char *format, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = jank_export_format_find (format)->make (export, &error);
  gsize n_bytes = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &n_bytes) : NULL;

  if (bytes == NULL)
    return cli_fail (error) == CLI_FINE;
  return path != NULL ? cli_write (path, data, n_bytes) : fwrite (data, 1, n_bytes, stderr) == n_bytes;
}

void
ci_files_write (CiFiles *self, gboolean has_limits)
{
  g_autoptr (JankExport) export = ci_files_is_wanted (self) ? jank_export_new (self->reports, FALSE, FALSE) : NULL;
  gboolean written = TRUE;

  if (export == NULL)
    return;
  export->checks = g_ptr_array_ref (self->checks);
  export->has_limits = has_limits;
  if (self->junit != NULL)
    written &= write_format (export, "junit", self->junit);
  if (self->annotate != NULL)
    written &= write_format (export, self->annotate,
                             g_str_equal (self->annotate, "gitlab") ? GITLAB_FILE : NULL);
  if (!written && self->status == CLI_FINE)
    self->status = CLI_FAILED;
}
