/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch watch`: carries out on-report and notify for programs that are watched without `jankwatch run`. */

#include "cli/cli.h"

#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n.h>

#include "base/jank-home-private.h"
#include "cli/watched/watched.h"

static gboolean
watch_end_cb (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
command_watch (int argc, char **argv)
{
  g_autofree char *store = NULL;
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_FILENAME, &store, N_("Read the reports in DIR"), N_("DIR") },
    { NULL },
  };
  g_autoptr (JankStore) opened = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  const int ends[] = { SIGINT, SIGTERM, SIGHUP };
  News *news;
  int number;

  if (!cli_begin (&argc, &argv, "", CLI_ANY_WORDS, entries, NULL,
                  _("Waits for reports of watched programs. For each, runs the command in the setting on-report, "
                    "and shows a notification if the setting notify is on. Press Ctrl+C to exit.")))
    return CLI_USAGE;
  if (argc != 1)
    return cli_fail_usage ("watch", _("Arguments are not allowed"));
  if (!cli_check_store ("watch", store))
    return CLI_USAGE;
  opened = cli_open_store (store, NULL);
  number = jank_home_open_folder (jank_store_get_folder (opened), NULL, JANK_HOME_MAKE);
  if (number >= 0)
    close (number);

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    g_unix_signal_add (ends[i], watch_end_cb, loop);
  news = news_start (jank_store_get_folder (opened), NULL, FALSE, &error);
  if (error != NULL)
    return cli_fail (error);
  cli_warn (_("Waiting for reports in ‘%s’"), jank_store_get_folder (opened));
  g_main_loop_run (loop);
  news_stop (news);
  return CLI_FINE;
}
