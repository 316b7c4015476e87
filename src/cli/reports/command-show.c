/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch show`: prints one report, as text or as JSON. Only reads. */

#include "cli/cli.h"

#include <glib/gi18n.h>

#include "cli/programs/programs.h"
#include "reports.h"
#include "text/jank-report-lines-private.h"

/* Whether debug information could name it. */
static gboolean
is_nameless (JankReport *report, gint call)
{
  const JankReportCall *place = g_ptr_array_index (report->calls, call);
  const JankReportModule *module = jank_report_get_module (report, place);

  return place->symbol == NULL && module != NULL && module->build_id != NULL;
}

static void
tell_about_servers (JankReport *report, gboolean asked, const char *trouble)
{
  gint culprit = jank_report_find_own_step (report);
  const GArray *path = report->heaviest.path;
  gboolean nameless = FALSE;

  for (guint i = 0; i < path->len; i++)
    nameless |= is_nameless (report, g_array_index (path, JankReportStep, i).call);
  if (trouble != NULL && nameless)
    cli_warn ("%s", trouble);
  else if (!asked && culprit >= 0 && is_nameless (report, g_array_index (path, JankReportStep, culprit).call))
    cli_warn (_("The culprit's name is unknown on this machine; --debuginfod asks the servers in $DEBUGINFOD_URLS"));
}

/* Returns: FALSE when there is none, which has been said, or with an error */
static gboolean
find_newest (const char *folder, JankFilter *filter, char **ret_id, GError **error)
{
  g_auto (CliReports) reports = { 0 };

  if (!cli_reports_find (&reports, folder, filter, error))
    return FALSE;
  if (reports.rows->len == 0)
    {
      cli_warn_none (reports.store, filter);
      return FALSE;
    }
  *ret_id = g_strdup (((JankRow *) g_ptr_array_index (reports.rows, 0))->id);
  return TRUE;
}

int
command_show (int argc, char **argv)
{
  gboolean redact = FALSE, debuginfod = FALSE;
  ReportStyle style = { .json = FALSE };
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &style.json, N_("Print the report as JSON"), NULL },
    { "debuginfod", 0, 0, G_OPTION_ARG_NONE, &debuginfod,
      N_("Ask the servers in $DEBUGINFOD_URLS for missing debug information"), NULL },
    { "redact", 0, 0, G_OPTION_ARG_NONE, &redact,
      N_("Remove private data (paths, peers, titles) before sharing"), NULL },
    { "native", 0, 0, G_OPTION_ARG_NONE, &style.native,
      N_("Show all calls of the stack, including those of libraries and interpreters"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_autofree char *newest = NULL;
  g_autoptr (JankReport) report = NULL;
  g_autoptr (JankSourceLines) lines = NULL;
  g_autoptr (BusNames) names = NULL;
  g_autoptr (GError) error = NULL;

  if (!cli_begin (&argc, &argv, _("[ID|latest|FILE|-]"), 1, entries, filter,
                  _("Shows one stall: what froze, for how long, in which function. The beginning or end of an ID is "
                    "enough if it matches one report. Without an ID, the latest report that matches the filters is "
                    "shown. A FILE contains a slash or ends in ‘.json’; ‘-’ reads standard input.")))
    return CLI_USAGE;

  if (argc > 1 && !jank_filter_is_empty (filter))
    return cli_fail_usage ("show", _("Choose either a report or filters"));
  if (!jank_filter_is_empty (filter) && !find_newest (folder, filter, &newest, &error))
    return error != NULL ? cli_fail (error) : CLI_FAILED;
  report = load_report (folder, argc > 1 ? argv[1] : newest != NULL ? newest : JANK_STORE_LATEST, &error);
  if (report == NULL)
    return cli_fail (error);

  lines = jank_source_lines_new (debuginfod ? JANK_SOURCE_LINES_DEBUGINFOD : JANK_SOURCE_LINES_LOCAL, NULL);
  jank_report_fill_lines (report, lines);
  names = bus_names_new ();
  bus_names_fill (names, report);
  tell_about_servers (report, debuginfod, jank_source_lines_get_trouble (lines));
  if (redact)
    jank_report_redact (report);
  print_report (report, &style);
  return CLI_FINE;
}
