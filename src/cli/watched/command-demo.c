/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch demo`: runs the program that stalls on purpose as `run` does, then shows its worst report. */

#include "cli/cli.h"

#include <string.h>

#include <glib/gi18n.h>

#include "watched.h"
#include "text/jank-text-report-private.h"

#define DEMO "jankwatch-demo"

/* Returns: (nullable): the spin of the demo, else its longest stall after start-up, else its worst report */
static const JankSessionStall *
find_worst (WatchedRun *run)
{
  const JankSessionSummary *summary = run->summary;
  const JankSessionStall *worst = NULL;

  JANK_EACH (const JankSessionStall, stall, summary->stalls)
    {
      if (stall->kind == JANK_REPORT_SPIN)
        return stall;
      if (stall->kind == JANK_REPORT_STALL && (worst == NULL || stall->duration_ns > worst->duration_ns))
        worst = stall;
    }
  return worst != NULL ? worst : run_summary_worst (run);
}

static int
print_worst (WatchedRun *run)
{
  const JankSessionStall *worst = run->summary != NULL ? find_worst (run) : NULL;
  g_autoptr (JankReport) report = worst != NULL ? watched_run_load (run, worst) : NULL;
  JankTextStyle style = cli_text_style (stdout, 80);
  g_autofree char *text = NULL;

  if (report == NULL)
    {
      if (run->exit_status == CLI_FINE && worst == NULL)
        cli_warn (_("The demo program ended without any stall"));
      return run->exit_status == CLI_FINE && worst != NULL ? CLI_FAILED : run->exit_status;
    }
  text = jank_text_report (report, &style);
  g_print ("%s", text);
  return run->exit_status;
}

static int
run_demo (char **argv, const char *store, gboolean needs_person)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Display) display = NULL;
  g_autoptr (WatchedRun) run = NULL;

  if (!display_is_set ())
    {
      if (needs_person)
        return cli_fail_usage ("demo", _("There is no display for the demo program; choose a stall with --auto"));
      display = display_new (&error);
      if (display == NULL)
        return cli_fail (error);
    }

  run = watched_run (argv, store, NULL, display_get_environment (display), FALSE, FALSE);
  return run != NULL ? print_worst (run) : CLI_FAILED;
}

static int
list_kinds (char *program)
{
  char *argv[] = { program, (char *) "--list", NULL };
  g_auto (GStrv) envp = g_get_environ ();
  g_autofree char *why = NULL;

  return child_run (argv, envp, &why);
}

/* Of --auto, as the demo program lists them. Returns: (transfer full) (nullable): it cannot say */
static char **
command_demo_list_kinds (void)
{
  g_autofree char *program = locate_program ("demo", DEMO, NULL), *text = NULL;
  char *argv[] = { program, (char *) "--list", NULL };
  g_auto (GStrv) lines = NULL;

  if (program == NULL ||
      !g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL, NULL, NULL))
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    lines[i][strcspn (lines[i], " ")] = '\0';
  return g_steal_pointer (&lines);
}

int
command_demo (int argc, char **argv)
{
  gboolean list = FALSE;
  g_autofree char *kind = NULL, *store = NULL, *program = NULL;
  const GOptionEntry entries[] = {
    { "auto", 0, 0, G_OPTION_ARG_STRING, &kind, N_("Stall in this way without a click, then exit"), N_("KIND") },
    { "list", 0, 0, G_OPTION_ARG_NONE, &list, N_("List the kinds of stall"), NULL },
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Save the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_auto (GStrv) kinds = NULL;

  if (!cli_begin (&argc, &argv, _("[KIND] [-- OPTION…]"), CLI_ANY_WORDS, entries, NULL,
                  _("Runs a small GTK program with a button for each kind of stall, and shows the report of the "
                    "worst one. Without a display, --auto starts Xvfb. Options after “--” are passed to the demo "
                    "program.")))
    return CLI_USAGE;
  if (!cli_check_store ("demo", store))
    return CLI_USAGE;
  if (kind == NULL && argc > 1 && argv[1][0] != '-')
    {
      kind = g_strdup (argv[1]);
      argv++;
      argc--;
    }
  program = locate_program ("demo", DEMO, &error);
  if (program == NULL)
    return cli_fail (error);
  if (list)
    return list_kinds (program);

  kinds = kind != NULL ? command_demo_list_kinds () : NULL;
  if (kinds != NULL && cli_find_word ((const char *const *) kinds, kind) < 0)
    return cli_fail_word ("demo", kind, (const char *const *) kinds, _("There is no stall called ‘%s’; see --list"),
                          kind);

  g_ptr_array_add (command, program);
  if (kind != NULL)
    {
      g_ptr_array_add (command, (char *) "--auto");
      g_ptr_array_add (command, kind);
    }
  for (int i = argc > 1 && strcmp (argv[1], "--") == 0 ? 2 : 1; i < argc; i++)
    g_ptr_array_add (command, argv[i]);
  g_ptr_array_add (command, NULL);
  return run_demo ((char **) command->pdata, store, kind == NULL);
}
