/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch view`: checks its options, then becomes the program that has the window. */

#include "cli/cli.h"

#include <errno.h>
#include <unistd.h>

#include <glib/gi18n.h>

int
command_view (int argc, char **argv)
{
  g_autofree char *folder = NULL, *program = NULL;
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &folder, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankFilter) filter = jank_filter_new ();
  g_auto (GStrv) all = g_strdupv (argv);
  g_autoptr (GError) error = NULL;

  if (!cli_begin (&argc, &argv, _("[FILE…]"), CLI_ANY_WORDS, entries, filter,
                  _("Opens a window with recorded problems, or those in files: what froze, where and why.")))
    return CLI_USAGE;
  if (argc > 1 && (folder != NULL || !jank_filter_is_empty (filter)))
    return cli_fail_usage ("view", _("Choose either files or filters"));
  program = locate_program ("view", "jankwatch-view", &error);
  if (program == NULL)
    return cli_fail (error);
  /* What the window would read, where the terminal tells how far it is. */
  if (argc == 1 && isatty (STDERR_FILENO) == 1)
    {
      g_autoptr (JankStore) store = cli_open_store (folder, "jankwatch");
      g_autoptr (JankIndex) index = cli_open_index (store, NULL);
    }
  execv (program, all);
  cli_warn (_("Cannot run ‘%s’: %s"), program, g_strerror (errno));
  return CLI_FAILED;
}
