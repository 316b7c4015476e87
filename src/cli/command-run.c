/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch run`: stdin, stdout and the exit status are the command's own; what jankwatch has to say goes
 * to stderr after the command ended. */

#include "config.h"

#include "cli.h"

#include <string.h>

#include <glib/gi18n.h>

#include "export/jank-export-text-private.h"
#include "watched-run.h"

static void
print_worst (const JankSessionStall *worst)
{
  g_autofree char *length = jank_text_duration (worst->duration_ns);
  g_autofree char *culprit = jank_text_clean (worst->culprit);
  g_autofree char *id = jank_text_clean (worst->id);
  const char *severity = jank_export_text_severity (worst->severity);

  if (*culprit != '\0' && worst->kind == JANK_REPORT_STARTUP)
    cli_warn (_("The worst took %s (%s), at start-up: %s"), length, severity, culprit);
  else if (*culprit != '\0')
    cli_warn (_("The worst took %s (%s): %s"), length, severity, culprit);
  else
    cli_warn (_("The worst took %s (%s)"), length, severity);
  cli_warn (_("More about it: jankwatch show %s"), id);
}

static void
print_stalls (WatchedRun *run)
{
  const JankSessionStall *worst = jank_session_summary_worst (run->summary);
  g_autofree char *total = jank_text_duration (run->summary->total_ns);
  gulong n_stalls = (gulong) run->summary->n_stalls;

  if (n_stalls == 0)
    {
      cli_warn (_("No stalls"));
      return;
    }
  cli_warn (g_dngettext (GETTEXT_PACKAGE, "%lu stall, %s in total", "%lu stalls, %s in total", n_stalls),
            n_stalls, total);
  if (worst != NULL)
    print_worst (worst);
}

static void
print_summary (WatchedRun *run)
{
  g_autofree char *frames = NULL;

  if (run->summary->processes->len == 0)
    {
      if (run->can_store)
        cli_warn (_("Nothing was watched: nothing in this command uses GTK 4 or GLib's main loop"));
      return;
    }
  print_stalls (run);
  if (run->summary->frame_clock != NULL)
    {
      frames = jank_export_text_frames (run->summary->frame_clock);
      cli_warn ("%s", frames);
    }
}

static void
print_report (WatchedRun *run)
{
  const JankSessionStall *worst = jank_session_summary_worst (run->summary);
  g_autoptr (JankReport) report = worst != NULL ? watched_run_load (run, worst) : NULL;
  JankTextStyle style = cli_text_style (stderr, 80);
  g_autofree char *text = NULL;

  if (report == NULL)
    return;
  text = jank_export_text (report, &style);
  g_printerr ("\n%s", text);
}

/* Shows what the command's processes said; FALSE when the file for it cannot be written. */
static gboolean
tell (WatchedRun *run, char **command, const char *json, gboolean with_report)
{
  g_autoptr (JsonNode) node = NULL;

  if (run->summary == NULL || !run->started)
    return TRUE;
  print_summary (run);
  if (with_report)
    print_report (run);
  if (json == NULL)
    return TRUE;
  node = jank_session_summary_to_node (run->summary, (const char *const *) command, run->exit_status);
  return cli_write_json (json, node);
}

int
command_run (int argc, char **argv)
{
  gboolean with_report = FALSE, overlay = FALSE;
  g_autofree char *json = NULL, *store = NULL;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, N_("Write the summary to FILE, as JSON"), N_("FILE") },
    { "overlay", 0, 0, G_OPTION_ARG_NONE, &overlay, N_("Show the frame rate in the command's windows"), NULL },
    { "report", 0, 0, G_OPTION_ARG_NONE, &with_report, N_("Also show the report of the worst stall"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Keep the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "run", _("[--] COMMAND…"),
    _("Runs COMMAND and watches the main loop of its GTK 4 programs, and of COMMAND itself. The exit status is "
      "that of COMMAND."), entries);
  g_autoptr (WatchedRun) run = NULL;
  char **command;
  int status;

  g_option_context_set_strict_posix (context, TRUE);
  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  command = argv + (argc > 1 && strcmp (argv[1], "--") == 0 ? 2 : 1);
  if (*command == NULL)
    return cli_fail_usage ("run", _("Tell which command to run"));
  if (store != NULL && strchr (store, ',') != NULL)
    return cli_fail_usage ("run", _("The name of a store may not have a comma: ‘%s’"), store);

  run = watched_run (command, store, overlay ? "overlay" : NULL, NULL);
  if (run == NULL)
    return CLI_FAILED;
  status = run->exit_status;
  if (!tell (run, command, json, with_report) && status == CLI_FINE)
    status = CLI_FAILED;
  return status;
}
