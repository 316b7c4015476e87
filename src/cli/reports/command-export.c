/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch export`: writes reports in the format of another program. Only reads the store. */

#include "cli/cli.h"

#include <unistd.h>

#include <glib/gi18n.h>

#include "cli/programs/programs.h"
#include "export/jank-export-private.h"
#include "reports.h"
#include "text/jank-report-lines-private.h"

/* Returns: (transfer full): a line a format */
static char *
describe_formats (void)
{
  GString *text = g_string_new (_("Formats:"));

  for (guint i = 0; i < jank_export_n_formats; i++)
    g_string_append_printf (text, "\n  %-12s%s", jank_export_formats[i]->name, _(jank_export_formats[i]->summary));
  return g_string_free (text, FALSE);
}

/* Files of the store that are no report are named. Returns: (transfer full) (element-type JankReport) (nullable) */
static GPtrArray *
load_filtered (const char *folder, JankFilter *filter, GError **error)
{
  g_auto (CliReports) found = { 0 };
  g_autoptr (GPtrArray) reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);

  if (!cli_reports_find (&found, folder, filter, error))
    return NULL;
  progress_begin (_("Reading reports"));
  for (guint i = 0; i < found.rows->len; i++)
    {
      const JankRow *row = g_ptr_array_index (found.rows, i);
      g_autoptr (GError) gone = NULL;
      JankReport *report = jank_store_load (found.store, row->id, &gone);

      if (report != NULL)
        g_ptr_array_add (reports, report);
      else
        cli_fail (gone);
      progress_step (i + 1, found.rows->len);
    }
  progress_end ();
  if (reports->len == 0)
    cli_warn_none (found.store, filter);
  return g_steal_pointer (&reports);
}

/* What cannot be read is named and left out. */
static GPtrArray *
load_named (const char *folder, char **names, gboolean *ret_complete)
{
  GPtrArray *reports = g_ptr_array_new_with_free_func ((GDestroyNotify) jank_report_unref);

  *ret_complete = TRUE;
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      JankReport *report = load_report (folder, names[i], &error);

      if (report != NULL)
        g_ptr_array_add (reports, report);
      else
        *ret_complete = cli_fail (error) == CLI_FINE;
    }
  return reports;
}

static int
export_reports (GPtrArray *reports, const JankExportFormat *format, gboolean redact, gboolean native, const char *path)
{
  g_autoptr (JankExport) export = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  gconstpointer data;
  gsize n_bytes;

  if (format->flags & JANK_EXPORT_FOR_OTHERS)
    cli_speak_english ();
  export = jank_export_new (reports, redact || (format->flags & JANK_EXPORT_FOR_OTHERS), native);
  bytes = format->make (export, &error);
  if (bytes == NULL)
    return cli_fail (error);
  data = g_bytes_get_data (bytes, &n_bytes);
  return cli_write (path, data, n_bytes) ? CLI_FINE : CLI_FAILED;
}

static int
fail_format (const char *name)
{
  g_autofree const char **names = g_new0 (const char *, jank_export_n_formats + 1);

  for (guint i = 0; i < jank_export_n_formats; i++)
    names[i] = jank_export_formats[i]->name;
  return cli_fail_word ("export", name, names, _("This jankwatch has no format ‘%s’"), name);
}

int
command_export (int argc, char **argv)
{
  gboolean redact = FALSE, native = FALSE, debuginfod = FALSE, complete = TRUE;
  g_autofree char *folder = NULL, *name = NULL, *path = NULL;
  const GOptionEntry entries[] = {
    { "format", 'f', 0, G_OPTION_ARG_STRING, &name, N_("Write this format"), N_("FORMAT") },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &path, N_("Write to FILE instead of standard output"), N_("FILE") },
    { "redact", 0, 0, G_OPTION_ARG_NONE, &redact,
      N_("Remove private data (paths, peers, titles) before sharing"), NULL },
    { "native", 0, 0, G_OPTION_ARG_NONE, &native, N_("Keep the calls of a script's interpreter"), NULL },
    { "debuginfod", 0, 0, G_OPTION_ARG_NONE, &debuginfod,
      N_("Ask the servers in $DEBUGINFOD_URLS for missing debug information"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_autoptr (GOptionContext) context = cli_context_new (
    "export", _("[ID|latest|FILE…]"),
    _("Converts the named reports, or all that match the filters, for other programs. The beginning of an ID is enough "
      "if it matches one report. A FILE contains a slash or ends in ‘.json’."), entries, filter);
  g_autofree char *formats = describe_formats ();
  const JankExportFormat *format;
  g_autoptr (GPtrArray) reports = NULL;
  g_autoptr (JankSourceLines) lines = NULL;
  g_autoptr (BusNames) names = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_option_context_set_description (context, formats);
  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (name == NULL)
    return cli_fail_usage ("export", _("Choose a --format"));
  format = jank_export_format_find (name);
  if (format == NULL)
    return fail_format (name);
  if ((format->flags & JANK_EXPORT_BINARY) && cli_is_stdout (path) && isatty (STDOUT_FILENO))
    return cli_fail_usage ("export", _("The format ‘%s’ is binary: use --output"), name);

  if (argc > 1 && !jank_filter_is_empty (filter))
    return cli_fail_usage ("export", _("Name reports, or use filters"));

  reports = argc > 1 ? load_named (folder, argv + 1, &complete) : load_filtered (folder, filter, &error);
  if (reports == NULL)
    return cli_fail (error);
  if (reports->len == 0 && !complete)
    return CLI_FAILED;
  lines = jank_source_lines_new (debuginfod ? JANK_SOURCE_LINES_DEBUGINFOD : JANK_SOURCE_LINES_LOCAL, NULL);
  names = bus_names_new ();
  progress_begin (_("Naming functions"));
  for (guint i = 0; i < reports->len; i++)
    {
      jank_report_fill_lines (g_ptr_array_index (reports, i), lines);
      bus_names_fill (names, g_ptr_array_index (reports, i));
      progress_step (i + 1, reports->len);
    }
  progress_end ();
  if (jank_source_lines_get_trouble (lines) != NULL)
    cli_warn ("%s", jank_source_lines_get_trouble (lines));

  status = export_reports (reports, format, redact, native, path);
  return status == CLI_FINE && !complete ? CLI_FAILED : status;
}
