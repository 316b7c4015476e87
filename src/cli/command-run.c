/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch run`: stdin, stdout and the exit status belong to the command; jankwatch writes to stderr:
 * lines the moment the command stalls, and the rest after it has ended. */

#include "config.h"

#include "cli.h"

#include <string.h>

#include <glib/gi18n.h>

#include "settings/jank-settings-private.h"
#include "text/jank-text-report-private.h"
#include "watched/run-summary.h"
#include "watched/watched-run.h"

static void
print_report (WatchedRun *run)
{
  const JankSessionStall *worst = run_summary_worst (run);
  g_autoptr (JankReport) report = worst != NULL ? watched_run_load (run, worst) : NULL;
  JankTextStyle style = cli_text_style (stderr, 80);
  g_autofree char *text = NULL;

  if (report == NULL)
    return;
  text = jank_text_report (report, &style);
  g_printerr ("\n%s", text);
}

/* Returns: FALSE if the file json cannot be written */
static gboolean
tell (WatchedRun *run, char **command, const char *json, gboolean with_report)
{
  g_autofree char *text = NULL;

  if (run->summary == NULL || !run->started)
    return TRUE;
  run_summary_print (run);
  if (with_report)
    print_report (run);
  if (json == NULL)
    return TRUE;
  jank_session_summary_set_command (run->summary, command, run->exit_status);
  text = jank_session_summary_to_json (run->summary, TRUE);
  return cli_write_json (json, text);
}

/* Which settings there are for the programs that are watched. Returns: (transfer full) */
static char *
describe_settings (void)
{
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autoptr (GString) out = g_string_new (_("Settings in JANKWATCH_CONFIG, with their defaults:"));
  g_autofree char *list = jank_settings_list (TRUE);

  jank_text_end_line (out);
  jank_text_append_left (out, &style, "", 2, NULL);
  jank_text_append_wrapped (out, &style, list, 2, 2, NULL);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

int
command_run (int argc, char **argv)
{
  gboolean with_report = FALSE, overlay = FALSE, quiet = FALSE, sources = FALSE;
  g_autofree char *json = NULL, *store = NULL, *settings = NULL, *description = describe_settings ();
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, N_("Write the summary to FILE, as JSON"), N_("FILE") },
    { "overlay", 0, 0, G_OPTION_ARG_NONE, &overlay, N_("Show the frame rate in the command's windows"), NULL },
    { "quiet", 0, 0, G_OPTION_ARG_NONE, &quiet, N_("Print nothing while the command runs"), NULL },
    { "report", 0, 0, G_OPTION_ARG_NONE, &with_report, N_("Also show the report of the worst stall"), NULL },
    { "sources", 0, 0, G_OPTION_ARG_NONE, &sources, N_("Also show the time of each source of the main loop"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Keep the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "run", _("[--] COMMAND…"),
    _("Runs COMMAND and watches its main loop, also behind a wrapper such as env or a script, and that of the GTK "
      "programs it starts. The exit status is that of COMMAND."), entries);
  g_autoptr (WatchedRun) run = NULL;
  char **command;
  int status;

  g_option_context_set_strict_posix (context, TRUE);
  g_option_context_set_description (context, description);
  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  command = argv + (argc > 1 && strcmp (argv[1], "--") == 0 ? 2 : 1);
  if (*command == NULL)
    return cli_fail_usage ("run", _("Name a command to run"));
  if (!cli_check_store ("run", store))
    return CLI_USAGE;

  settings = g_strconcat (overlay ? "overlay" : "", overlay && sources ? "," : "", sources ? "sources" : "", NULL);
  run = watched_run (command, store, *settings != '\0' ? settings : NULL, NULL, !quiet);
  if (run == NULL)
    return CLI_FAILED;
  status = run->exit_status;
  if (!tell (run, command, json, with_report) && status == CLI_FINE)
    status = CLI_FAILED;
  return status;
}
