/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* All commands, in the order of the help. */

#include "cli.h"

#include <string.h>

#include <glib/gi18n.h>

const CliCommand cli_commands[] = {
  { "run", command_run, N_("Run a program and report its stalls") },
  { "top", command_top, N_("Show what the watched programs do now, those that hang first") },
  { "list", command_list, N_("List the recorded stalls") },
  { "show", command_show, N_("Show one of them: what froze, for how long, and why") },
  { "export", command_export, N_("Write reports for other programs: profilers, a web browser, an issue tracker") },
  { "summary", command_summary, N_("Sum them up: one row per problem, over all sessions") },
  { "diff", command_diff, N_("Compare two versions, or any two sets of sessions: what is new, gone, slower, faster") },
  { "view", command_view, N_("Look at them in a window") },
  { "send", command_send, N_("Send reports to a server that collects them from many machines") },
  { "report-bug", command_report_bug, N_("Open the page for a new issue in a program's bug tracker, with a report") },
  { "presets", command_presets, N_("List the rules of other monitors") },
  { "why", command_why, N_("Say what a program waits for, and who is behind that") },
  { "session", command_session, N_("Watch the programs of the whole session, from the next login on") },
  { "dump", command_dump, N_("Show what a program does now, hanging or not") },
  { "watch", command_watch, N_("React to new reports: run a command, show a notification") },
  { "notify", command_notify, N_("Show a desktop notification of a report") },
  { "demo", command_demo, N_("Try it on a program that stalls on purpose") },
};
const guint cli_n_commands = G_N_ELEMENTS (cli_commands);

const CliCommand *
cli_find_command (const char *name)
{
  for (guint i = 0; i < cli_n_commands; i++)
    if (strcmp (name, cli_commands[i].name) == 0)
      return &cli_commands[i];
  return NULL;
}
