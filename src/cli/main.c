/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The `jankwatch` command: finds the command by its name and hands the rest over. */

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-nearest-private.h"

#define N_DESCRIPTORS 64

typedef struct
{
  const char *name;
  int       (*run) (int argc, char **argv);
  const char *summary;
} Command;

/* In the order of the help. */
static const Command commands[] = {
  { "run", command_run, N_("Run a program and report its stalls") },
  { "top", command_top, N_("Show what watched programs are doing, hanging ones first") },
  { "list", command_list, N_("List recorded stalls") },
  { "show", command_show, N_("Show one stall: what froze, for how long, and why") },
  { "export", command_export, N_("Convert reports for profilers, web browsers and issue trackers") },
  { "summary", command_summary, N_("Summarize stalls, one row per problem") },
  { "diff", command_diff, N_("Compare two versions: new, gone, slower and faster problems") },
  { "view", command_view, N_("Open the reports in a window") },
  { "send", command_send, N_("Send reports to an OTLP or Sentry server") },
  { "report-bug", command_report_bug, N_("Open a new issue in a program's bug tracker, with a report") },
  { "presets", command_presets, N_("List the rules of other stall detectors") },
  { "why", command_why, N_("Show what a program is waiting for, across processes") },
  { "session", command_session, N_("Watch every GTK program in your session, from the next login") },
  { "dump", command_dump, N_("Show what every thread of a program is doing") },
  { "watch", command_watch, N_("Run a command or show a notification for each new report") },
  { "notify", command_notify, N_("Show a desktop notification of a report") },
  { "demo", command_demo, N_("Run a demo program that stalls on purpose") },
};

/* Returns: (transfer full) */
static char *
help_text (void)
{
  GString *text = g_string_new (_("Finds what freezes a GTK program, from inside the running program.\n"));

  g_string_append_printf (text, "\n%s\n  jankwatch %s\n\n%s\n", _("Usage:"), _("COMMAND [OPTION…]"), _("Commands:"));
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    g_string_append_printf (text, "  %-12s%s\n", commands[i].name, _(commands[i].summary));
  g_string_append_printf (text, "\n%s\n", _("Options:"));
  g_string_append_printf (text, "  %-12s%s\n", "--help", _("Show this help"));
  g_string_append_printf (text, "  %-12s%s\n", "--version", _("Show the version"));
  g_string_append_printf (text, "\n%s\n", _("Run “jankwatch COMMAND --help” for help on a command."));
  return g_string_free (text, FALSE);
}

static int
fail_command (const char *name)
{
  g_autofree const char **names = g_new0 (const char *, G_N_ELEMENTS (commands) + 1);
  g_autofree char *sentence = NULL, *text = NULL, *program = g_find_program_in_path (name);

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  if (program != NULL)
    sentence = g_strdup_printf (_("‘%s’ is not a command of jankwatch; to watch the program: jankwatch run %s"), name,
                                name);
  else
    sentence = g_strdup_printf (_("‘%s’ is not a command of jankwatch"), name);
  text = jank_nearest_explain (sentence, name, names);
  cli_warn ("%s", text);
  g_printerr (_("Try “jankwatch --help”.\n"));
  return CLI_USAGE;
}

/* GLib aborts where it cannot open what it needs. Returns: whether a command may open as many as it needs */
static gboolean
has_descriptors (void)
{
  int all[N_DESCRIPTORS];
  guint n = 0;
  gboolean enough;

  while (n < N_DESCRIPTORS && (all[n] = open ("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
    n++;
  enough = n == N_DESCRIPTORS || errno != EMFILE;
  while (n > 0)
    close (all[--n]);
  return enough;
}

static const Command *
find_command (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (name, commands[i].name) == 0)
      return &commands[i];
  return NULL;
}

static int
dispatch (int argc, char **argv)
{
  g_autofree char *help = help_text ();
  gboolean wants_help = argc > 1 && strcmp (argv[1], "help") == 0;
  const Command *command = argc > 1 ? find_command (argv[wants_help && argc > 2 ? 2 : 1]) : NULL;

  if (argc < 2)
    {
      g_printerr ("%s", help);
      return CLI_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || (wants_help && argc == 2))
    {
      g_print ("%s", help);
      return CLI_FINE;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      g_print ("jankwatch %s\n", JANK_VERSION);
      return CLI_FINE;
    }
  if (command == NULL)
    return fail_command (argv[wants_help ? 2 : 1]);
  if (!has_descriptors ())
    {
      cli_warn (_("Cannot start: %d file descriptors are needed; “ulimit -n” raises the limit"), N_DESCRIPTORS);
      return CLI_FAILED;
    }
  if (wants_help)
    return command->run (2, (char *[]) { argv[2], (char *) "--help", NULL });
  return command->run (argc - 1, argv + 1);
}

int
main (int argc, char **argv)
{
  int status;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, JANK_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  status = dispatch (argc, argv);
  if (fflush (stdout) != 0 || ferror (stdout))
    {
      cli_warn (_("Cannot write to standard output: %s"), g_strerror (errno));
      return status == CLI_FINE ? CLI_FAILED : status;
    }
  return status;
}
