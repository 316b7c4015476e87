/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "monitor/sinks/jank-delivery-private.h"

#include <dlfcn.h>
#include <string.h>
#include <glib/gi18n-lib.h>

#include "base/jank-clock-private.h"
#include "base/jank-errands-private.h"
#include "base/jank-error.h"
#include "monitor/sinks/jank-spawn-private.h"

#define COMMAND_EVERY_NS JANK_NS_PER_S
#define NOTIFY_EVERY_NS  (60 * JANK_NS_PER_S)

struct _JankDelivery
{
  /* set at construction */
  char   **environment;    /* (owned) of what is started */
  char    *own_command;    /* (owned) (nullable): "jankwatch", where it is */

  /* watcher thread only */
  gint64   told_ns;        /* CLOCK_MONOTONIC, 0: never */
  gint64   notified_ns;
  gboolean has_said_dropped, has_warned;
};

/* Without what would have jankwatch watch these processes, too. Returns: (transfer full) */
static char **
make_environment (void)
{
  g_auto (GStrv) all = g_get_environ ();
  const char *modules = g_environ_getenv (all, "GTK_MODULES");
  g_auto (GStrv) items = modules != NULL ? g_strsplit (modules, ":", -1) : NULL;
  g_autoptr (GStrvBuilder) rest = g_strv_builder_new ();
  g_auto (GStrv) kept = NULL;
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; all[i] != NULL; i++)
    if (!g_str_has_prefix (all[i], "JANKWATCH") && !g_str_has_prefix (all[i], "GTK_MODULES="))
      g_ptr_array_add (out, g_strdup (all[i]));
  for (guint i = 0; items != NULL && items[i] != NULL; i++)
    if (!g_str_equal (items[i], "jankwatch"))
      g_strv_builder_add (rest, items[i]);
  kept = g_strv_builder_end (rest);
  if (kept[0] != NULL)
    {
      g_autofree char *list = g_strjoinv (":", kept);

      g_ptr_array_add (out, g_strconcat ("GTK_MODULES=", list, NULL));
    }
  g_ptr_array_add (out, NULL);
  return (char **) g_ptr_array_free (out, FALSE);
}

char *
jank_delivery_find_command (char **environment)
{
  g_autofree char *installed = g_build_filename (JANK_BIN_DIR, "jankwatch", NULL);
  Dl_info library;

  if (dladdr ((void *) jank_delivery_new, &library) != 0)
    {
      g_autofree char *folder = g_path_get_dirname (library.dli_fname);
      g_autofree char *built = g_build_filename (folder, "cli", "jankwatch", NULL);

      if (g_file_test (built, G_FILE_TEST_IS_EXECUTABLE))
        return g_canonicalize_filename (built, NULL);
    }
  if (g_file_test (installed, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&installed);
  return jank_spawn_find ("jankwatch", g_environ_getenv (environment, "PATH"));
}

JankDelivery *
jank_delivery_new (void)
{
  JankDelivery *self = g_new0 (JankDelivery, 1);

  self->environment = make_environment ();
  self->own_command = jank_delivery_find_command (self->environment);
  return self;
}

void
jank_delivery_free (JankDelivery *self)
{
  g_strfreev (self->environment);
  g_free (self->own_command);
  g_free (self);
}

static void
warn_once (JankDelivery *self, const GError *error)
{
  if (!self->has_warned)
    jank_errands_say (_("%s. Reports are kept, but nobody is told of them"), error->message);
  self->has_warned = TRUE;
}

static gboolean
run_command (JankDelivery *self, const char *command, const char *path, GError **error)
{
  g_auto (GStrv) words = NULL;
  g_autofree const char **argv = NULL;
  g_autofree char *file = NULL;
  gint n_words;

  if (!g_shell_parse_argv (command, &n_words, &words, error))
    {
      g_prefix_error (error, _("Could not run “%s”: "), command);
      return FALSE;
    }
  file = jank_spawn_find (words[0], g_environ_getenv (self->environment, "PATH"));
  if (file == NULL)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("Could not run “%s”: there is no such command"), words[0]);
      return FALSE;
    }
  argv = g_new0 (const char *, (gsize) n_words + 2);
  for (gint i = 0; i < n_words; i++)
    argv[i] = words[i];
  argv[0] = file;
  argv[n_words] = path;
  return jank_spawn (argv, (const char *const *) self->environment, error);
}

static void
tell_command (JankDelivery *self, const char *command, const char *path, gint64 now_ns)
{
  g_autoptr (GError) error = NULL;

  if (self->told_ns != 0 && now_ns - self->told_ns < COMMAND_EVERY_NS)
    {
      if (!self->has_said_dropped)
        jank_errands_say (_("Could not run “%s” for every report: more than one came in a second. Only the first of them was passed on"), command);
      self->has_said_dropped = TRUE;
      return;
    }
  self->told_ns = now_ns;
  if (!run_command (self, command, path, &error))
    warn_once (self, error);
}

static void
notify (JankDelivery *self, const char *path, gint64 now_ns)
{
  const char *argv[] = { self->own_command, "notify", path, NULL };
  g_autoptr (GError) error = NULL;

  if (self->notified_ns != 0 && now_ns - self->notified_ns < NOTIFY_EVERY_NS)
    return;
  self->notified_ns = now_ns;
  if (self->own_command == NULL)
    g_set_error (&error, JANK_ERROR, JANK_ERROR_NOT_FOUND,
                 _("Could not show a notification: the command “jankwatch” is not installed"));
  else
    jank_spawn (argv, (const char *const *) self->environment, &error);
  if (error != NULL)
    warn_once (self, error);
}

void
jank_delivery_tell (JankDelivery *self, const JankSettings *settings, const char *path, gint64 now_ns)
{
  if (settings->on_report[0] != '\0')
    tell_command (self, settings->on_report, path, now_ns);
  if (settings->notify)
    notify (self, path, now_ns);
}
