/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sets the variables that bring jankwatch into the command's processes, runs it, and merges the session
 * files that they left in the store. Into other processes it looks by /proc alone (onlooker.c). */

#include "watched.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-home-private.h"
#include "base/jank-starter-private.h"
#include "cli/cli.h"
#include "text/jank-report-lines-private.h"

#define MODULE_NAME "jankwatch"
#define SESSION_US  100000

/* envp: (transfer full). Returns: (transfer full): with item added to the list that variable name holds */
static char **
add_to_list (char **envp, const char *name, const char *item, const char *separator, gboolean first)
{
  const char *before = g_environ_getenv (envp, name);
  g_auto (GStrv) items = before != NULL && *before != '\0' ? g_strsplit (before, separator, -1) : NULL;
  g_autofree char *after = NULL;

  if (items == NULL)
    return g_environ_setenv (envp, name, item, TRUE);
  if (g_strv_contains ((const char *const *) items, item))
    return envp;
  after = first ? g_strconcat (item, separator, before, NULL) : g_strconcat (before, separator, item, NULL);
  return g_environ_setenv (envp, name, after, TRUE);
}

/* The session's name ends in our process number: the module watches the children of that process. */
static char *
make_session (void)
{
  g_autofree char *id = jank_store_make_id ();

  return g_strndup (id, (gsize) (strrchr (id, '-') - id));
}

static char **
make_environment (const char *module_folder, const char *preload, const char *session, const char *store,
                  const char *setting, const char *const *environment)
{
  g_autofree char *gtk_path = locate_gtk_path (), *preloaded = NULL;
  char **envp = g_get_environ ();
  char marks[JANK_STARTER_BYTES];

  jank_starter_read_marks (marks);
  for (guint i = 0; environment != NULL && environment[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (environment[i], "=", 2);

      envp = g_environ_setenv (envp, pair[0], pair[1], TRUE);
    }
  envp = add_to_list (envp, "GTK_MODULES", MODULE_NAME, ":", FALSE);
  if (gtk_path != NULL)
    envp = add_to_list (envp, "GTK_PATH", gtk_path, ":", FALSE);
  envp = add_to_list (envp, "GIO_EXTRA_MODULES", module_folder, ":", TRUE);
  /* The runtime of that sanitizer refuses to start behind a library. */
  envp = add_to_list (envp, "ASAN_OPTIONS", "verify_asan_link_order=0", ":", FALSE);
  preloaded = g_strjoin (":", preload, g_environ_getenv (envp, "LD_PRELOAD"), NULL);
  if (preload != NULL)
    envp = g_environ_setenv (envp, "LD_PRELOAD", preloaded, TRUE);
  envp = g_environ_setenv (envp, "JANKWATCH", "1", TRUE);
  envp = g_environ_setenv (envp, "JANKWATCH_SESSION", session, TRUE);
  envp = g_environ_setenv (envp, JANK_STARTER_VARIABLE, marks, TRUE);
  if (setting != NULL)
    envp = add_to_list (envp, "JANKWATCH_CONFIG", setting, ",", FALSE);
  if (store != NULL)
    {
      g_autofree char *store_setting = g_strconcat ("store=", store, NULL);

      envp = add_to_list (envp, "JANKWATCH_CONFIG", store_setting, ",", FALSE);
    }
  return envp;
}

static gboolean
prepare_store (JankStore *store)
{
  g_autofree char *sessions = g_build_filename (jank_store_get_folder (store), JANK_SESSION_FOLDER, NULL);
  gint folder = jank_home_open_folder (jank_store_get_folder (store), JANK_SESSION_FOLDER, JANK_HOME_MAKE);
  gint number = folder < 0 || faccessat (folder, ".", W_OK | X_OK, 0) != 0 ? errno : 0;

  if (folder >= 0)
    close (folder);
  if (number == 0)
    return TRUE;
  cli_warn (_("Cannot write to the folder ‘%s’: %s. The command runs, but reports are not saved"), sessions,
            jank_home_explain (sessions, number));
  return FALSE;
}

/* Two runs of one command are two sessions. Returns: (transfer full) */
static char *
make_new_session (void)
{
  static char *last; /* (owned) */
  char *session = make_session ();

  while (g_strcmp0 (session, last) == 0)
    {
      g_usleep (SESSION_US);
      g_free (session);
      session = make_session ();
    }
  g_free (last);
  last = g_strdup (session);
  return session;
}

WatchedRun *
watched_run (char **argv, const char *store, const char *setting, const char *const *environment, gboolean live,
             gboolean is_strict)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *module_folder = locate_module_folder (&error);
  g_autofree char *program = g_path_get_basename (argv[0]);
  g_autofree char *session = make_new_session ();
  g_autofree char *preload = NULL;
  g_auto (GStrv) envp = NULL;
  News *news;
  WatchedRun *self;

  if (module_folder == NULL)
    {
      cli_warn ("%s", error->message);
      return NULL;
    }

  self = g_new0 (WatchedRun, 1);
  self->is_strict = is_strict;
  self->store = cli_open_store (store, program);
  self->can_store = prepare_store (self->store);
  preload = preload_find (argv[0], is_strict, &self->why_not_all);
  envp = make_environment (module_folder, preload, session, store != NULL ? jank_store_get_folder (self->store) : NULL,
                           setting, environment);
  news = self->can_store ? news_start (jank_store_get_folder (self->store), session, live, &error) : NULL;
  if (error != NULL)
    cli_warn ("%s", error->message);
  g_clear_error (&error);
  self->onlooker = onlooker_start (module_folder);
  self->exit_status = child_run (argv, envp, &self->why_not_run);
  onlooker_stop (self->onlooker);
  g_clear_pointer (&news, news_stop);
  self->lines = jank_source_lines_new (JANK_SOURCE_LINES_LOCAL, NULL);
  self->names = bus_names_new ();
  self->summary = jank_session_load (jank_store_get_folder (self->store), session, &error);
  if (self->summary == NULL && self->can_store)
    cli_warn ("%s", error->message);
  return self;
}

void
watched_run_free (WatchedRun *self)
{
  jank_store_free (self->store);
  jank_source_lines_free (self->lines);
  bus_names_free (self->names);
  g_clear_pointer (&self->summary, jank_session_summary_free);
  onlooker_free (self->onlooker);
  g_free (self->why_not_all);
  g_free (self->why_not_run);
  g_free (self);
}

JankReport *
watched_run_load (WatchedRun *self, const JankSessionStall *stall)
{
  g_autoptr (GError) error = NULL;
  JankReport *report = jank_store_load (self->store, stall->id, &error);

  if (report == NULL)
    cli_warn ("%s", error->message);
  else
    {
      jank_report_fill_lines (report, self->lines);
      bus_names_fill (self->names, report);
    }
  return report;
}
