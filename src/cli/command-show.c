/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch show`: one report, as text for people or as JSON. Reads only. */

#include "config.h"

#include "cli.h"

#include <glib/gi18n.h>

#include "export/jank-export-text-private.h"
#include "export/jank-source-lines-private.h"
#include "report/jank-report-json-private.h"

static void
print_report (JankReport *report, gboolean json)
{
  if (json)
    {
      g_autofree char *text = jank_report_generate_json (report, TRUE);

      fputs (text, stdout);
      fputc ('\n', stdout);
    }
  else
    {
      JankTextStyle style = cli_text_style (stdout, 80);
      g_autofree char *text = jank_export_text (report, &style);

      g_print ("%s", text);
    }
}

int
command_show (int argc, char **argv)
{
  gboolean json = FALSE, redact = FALSE, debuginfod = FALSE;
  g_autofree char *folder = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_("Print the report as JSON"), NULL },
    { "debuginfod", 0, 0, G_OPTION_ARG_NONE, &debuginfod,
      N_("Ask the servers of $DEBUGINFOD_URLS for the lines of the source that are not here"), NULL },
    { "redact", 0, 0, G_OPTION_ARG_NONE, &redact,
      N_("Leave out paths, peers and titles: for a report that others read"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "show", _("[ID|latest]"),
    _("Shows one stall: what froze, for how long, in which function. The beginning of an ID is enough where it "
      "fits one report; without an ID the latest is shown."), entries);
  g_autoptr (JankStore) store = NULL;
  g_autoptr (JankReport) report = NULL;
  g_autoptr (GError) error = NULL;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc > 2)
    return cli_fail_usage ("show", _("Unexpected argument ‘%s’"), argv[2]);

  store = cli_open_store (folder, "jankwatch");
  report = jank_store_load (store, argc > 1 ? argv[1] : JANK_STORE_LATEST, &error);
  if (report == NULL)
    {
      cli_warn ("%s", error->message);
      return CLI_FAILED;
    }

  jank_source_lines_fill (report, debuginfod ? JANK_SOURCE_LINES_DEBUGINFOD : JANK_SOURCE_LINES_LOCAL);
  if (redact)
    jank_report_redact (report);
  print_report (report, json);
  return CLI_FINE;
}
