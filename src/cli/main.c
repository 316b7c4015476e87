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

/* Returns: (transfer full) */
static char *
help_text (void)
{
  GString *text = g_string_new (_("Finds what freezes a GTK program, from inside the running program.\n"));

  g_string_append_printf (text, "\n%s\n  jankwatch %s\n\n%s\n", _("Usage:"), _("COMMAND [OPTION…]"), _("Commands:"));
  for (guint i = 0; i < cli_n_commands; i++)
    g_string_append_printf (text, "  %-12s%s\n", cli_commands[i].name, _(cli_commands[i].summary));
  g_string_append_printf (text, "\n%s\n", _("Options:"));
  g_string_append_printf (text, "  %-12s%s\n", "--help", _("Show this help"));
  g_string_append_printf (text, "  %-12s%s\n", "--version", _("Show the version"));
  g_string_append_printf (text, "\n%s\n", _("“jankwatch COMMAND --help” tells more about a command."));
  return g_string_free (text, FALSE);
}

static int
fail_command (const char *name)
{
  g_autofree const char **names = g_new0 (const char *, cli_n_commands + 1);
  g_autofree char *sentence = NULL, *text = NULL, *program = g_find_program_in_path (name);

  for (guint i = 0; i < cli_n_commands; i++)
    names[i] = cli_commands[i].name;
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

static int
dispatch (int argc, char **argv)
{
  g_autofree char *help = help_text ();
  gboolean wants_help = argc > 1 && strcmp (argv[1], "help") == 0;
  const CliCommand *command = argc > 1 ? cli_find_command (argv[wants_help && argc > 2 ? 2 : 1]) : NULL;

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
