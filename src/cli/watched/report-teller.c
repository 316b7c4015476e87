/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watched.h"

#include <signal.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/jank-clock-private.h"
#include "settings/jank-settings-private.h"
#include "cli/cli.h"

#define COMMAND_EVERY_NS JANK_NS_PER_S

struct _ReportTeller
{
  /* set at construction */
  char       *folder;      /* (owned): the store's */
  char      **environment; /* (owned) of what is started */
  char       *own_command; /* (owned) (nullable) */

  gint64      told_ns;     /* CLOCK_MONOTONIC, 0: never */
  gboolean    has_said_dropped, has_warned;
};

/* Without what would have jankwatch watch these processes, too. Returns: (transfer full) */
static char **
make_environment (void)
{
  g_auto (GStrv) all = g_get_environ ();
  const char *modules = g_environ_getenv (all, "GTK_MODULES");
  g_auto (GStrv) items = modules != NULL ? g_strsplit (modules, ":", -1) : NULL;
  g_autoptr (GStrvBuilder) out = g_strv_builder_new (), rest = g_strv_builder_new ();
  g_auto (GStrv) kept = NULL;

  for (guint i = 0; all[i] != NULL; i++)
    if (!g_str_has_prefix (all[i], "JANKWATCH") && !g_str_has_prefix (all[i], "GTK_MODULES="))
      g_strv_builder_add (out, all[i]);
  for (guint i = 0; items != NULL && items[i] != NULL; i++)
    if (!g_str_equal (items[i], "jankwatch"))
      g_strv_builder_add (rest, items[i]);
  kept = g_strv_builder_end (rest);
  if (kept[0] != NULL)
    {
      g_autofree char *list = g_strjoinv (":", kept);
      g_autofree char *variable = g_strconcat ("GTK_MODULES=", list, NULL);

      g_strv_builder_add (out, variable);
    }
  return g_strv_builder_end (out);
}

/* In the child: keys of the terminal are not for it, and `jankwatch run` ignores some signals. */
static void
set_up_child (gpointer data)
{
  setsid ();
  signal (SIGINT, SIG_DFL);
  signal (SIGQUIT, SIG_DFL);
}

static void
start (ReportTeller *self, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (g_spawn_async (NULL, argv, self->environment,
                     G_SPAWN_SEARCH_PATH_FROM_ENVP | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                     set_up_child, NULL, NULL, &error) || self->has_warned)
    return;
  self->has_warned = TRUE;
  cli_warn (_("Could not run “%s”: %s. Reports are still saved"), argv[0], error->message);
}

static void
tell_command (ReportTeller *self, const char *command, const char *path)
{
  gint64 now_ns = jank_clock_now_ns ();
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) parsed = NULL, argv = NULL;
  g_autoptr (GError) error = NULL;

  if (self->told_ns != 0 && now_ns - self->told_ns < COMMAND_EVERY_NS)
    {
      if (!self->has_said_dropped)
        cli_warn (_("“%s” was not run for every report: more than one arrived within a second. Only the first one was "
                    "passed on"),
                  command);
      self->has_said_dropped = TRUE;
      return;
    }
  self->told_ns = now_ns;
  if (!g_shell_parse_argv (command, NULL, &parsed, &error))
    {
      cli_warn (_("Could not run “%s”: %s. Reports are still saved"), command, error->message);
      return;
    }
  g_strv_builder_addv (words, (const char **) parsed);
  g_strv_builder_add (words, path);
  argv = g_strv_builder_end (words);
  start (self, argv);
}

void
report_teller_tell (ReportTeller *self, JankReport *report)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (JankSettings) settings = jank_settings_load (report->app.name, warnings);
  g_autofree char *file = g_strconcat (report->id, ".json", NULL);
  g_autofree char *path = g_build_filename (self->folder, file, NULL);
  char *notify[] = { self->own_command, (char *) "notify", path, NULL };

  if (settings->on_report[0] != '\0')
    tell_command (self, settings->on_report, path);
  if (settings->notify && self->own_command != NULL)
    start (self, notify);
}

ReportTeller *
report_teller_new (const char *folder)
{
  ReportTeller *self = g_new0 (ReportTeller, 1);

  self->folder = g_strdup (folder);
  self->environment = make_environment ();
  self->own_command = g_file_read_link ("/proc/self/exe", NULL);
  return self;
}

void
report_teller_free (ReportTeller *self)
{
  g_strfreev (self->environment);
  g_free (self->own_command);
  g_free (self->folder);
  g_free (self);
}
