/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch watch`: carries out on-report and notify for programs that are watched without `jankwatch run`. */

#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-home-private.h"
#include "cli/watched/watched.h"

int
command_watch (int argc, char **argv)
{
  g_autofree char *store = NULL;
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (GOptionContext) context = cli_option_context_new (
    "watch", "",
    _("Waits for reports of watched programs, runs the command of the setting on-report for each, and shows a "
      "notification where the setting notify asks for it. Ends with Ctrl+C."), entries);
  g_autoptr (JankStore) opened = NULL;
  g_autoptr (GError) error = NULL;
  News *news;
  sigset_t ends;
  int number;

  if (!cli_parse (context, &argc, &argv))
    return CLI_USAGE;
  if (argc != 1)
    return cli_fail_usage ("watch", _("It takes no arguments"));
  if (!cli_check_store ("watch", store))
    return CLI_USAGE;
  opened = cli_open_store (store, NULL);
  number = jank_home_open_folder (jank_store_get_folder (opened), NULL, JANK_HOME_MAKE);
  if (number >= 0)
    close (number);

  sigemptyset (&ends);
  sigaddset (&ends, SIGINT);
  sigaddset (&ends, SIGTERM);
  sigaddset (&ends, SIGHUP);
  pthread_sigmask (SIG_BLOCK, &ends, NULL);
  news = news_start (jank_store_get_folder (opened), NULL, FALSE, &error);
  if (error != NULL)
    return cli_fail (error);
  cli_warn (_("Waiting for reports in ‘%s’"), jank_store_get_folder (opened));
  while (sigwait (&ends, &number) != 0)
    ;
  news_stop (news);
  return CLI_FINE;
}
