/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each editor has its own way to name a line. Unknown ones get the file alone. */

#include "gtk/inspector/jank-inspector-editor-private.h"

#include <dlfcn.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

/* $f: file; $l: line; $c: file:line. One word each. */
static const struct { const char *editor, *arguments; } ways[] = {
  { "code", "--goto $c" }, { "codium", "--goto $c" }, { "emacs", "+$l $f" }, { "emacsclient", "-n +$l $f" },
  { "geany", "+$l $f" }, { "gedit", "+$l $f" }, { "gnome-builder", "$c" }, { "gnome-text-editor", "$f +$l" },
  { "gvim", "+$l $f" }, { "kate", "--line $l $f" }, { "kdevelop", "$c" }, { "kwrite", "--line $l $f" },
  { "mousepad", "--line=$l $f" }, { "pluma", "+$l $f" }, { "subl", "$c" }, { "xed", "+$l $f" }, { "zed", "$c" },
};

static char *
jank_inspector_editor_expand (const char *argument, const char *file, guint line)
{
  g_autofree char *number = g_strdup_printf ("%u", MAX (line, 1));
  g_autofree char *both = g_strconcat (file, ":", number, NULL);
  g_autoptr (GString) result = g_string_new (argument);

  if (g_string_replace (result, "$l", number, 1) == 0 && g_string_replace (result, "$c", both, 1) == 0)
    g_string_replace (result, "$f", file, 1);
  return g_strdup (result->str);
}

char **
jank_inspector_editor_command (const char *editor, const char *file, guint line)
{
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    if (g_strcmp0 (editor, ways[i].editor) == 0)
      {
        g_auto (GStrv) words = g_strsplit (ways[i].arguments, " ", -1);
        g_autoptr (GStrvBuilder) command = g_strv_builder_new ();

        g_strv_builder_add (command, editor);
        for (guint k = 0; words[k] != NULL; k++)
          {
            g_autofree char *word = jank_inspector_editor_expand (words[k], file, line);

            g_strv_builder_add (command, word);
          }
        return g_strv_builder_end (command);
      }
  return NULL;
}

/* For a command that must not be watched, as a child with our environment would be. Returns: (transfer full) */
static GSubprocess *
jank_inspector_editor_spawn (const char *const *command, GSubprocessFlags flags, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);

  g_subprocess_launcher_unsetenv (launcher, "JANKWATCH");
  g_subprocess_launcher_unsetenv (launcher, "JANKWATCH_SESSION");
  g_subprocess_launcher_unsetenv (launcher, "GTK_MODULES");
  return g_subprocess_launcher_spawnv (launcher, command, error);
}

gboolean
jank_inspector_editor_open (const char *file, guint line, GError **error)
{
  g_autoptr (GAppInfo) app = g_app_info_get_default_for_type ("text/x-csrc", FALSE);
  g_autofree char *editor = app != NULL ? g_path_get_basename (g_app_info_get_executable (app)) : NULL;
  g_auto (GStrv) command = editor != NULL ? jank_inspector_editor_command (editor, file, line) : NULL;
  g_autoptr (GFile) location = g_file_new_for_path (file);
  g_autoptr (GList) files = g_list_append (NULL, location);
  g_autoptr (GSubprocess) child = NULL;

  if (command != NULL)
    {
      child = jank_inspector_editor_spawn ((const char *const *) command, G_SUBPROCESS_FLAGS_NONE, error);
      return child != NULL;
    }
  if (app != NULL)
    return g_app_info_launch (app, files, NULL, error);
  g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE,
               _("Could not open “%s” at line %u: no application for source files is installed"), file, line);
  return FALSE;
}

static void
jank_inspector_editor_answered_cb (GObject *child, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  g_autofree char *text = NULL;
  GError *error = NULL;

  if (!g_subprocess_communicate_utf8_finish (G_SUBPROCESS (child), result, &text, NULL, &error))
    g_task_return_error (task, error);
  else if (!g_subprocess_get_successful (G_SUBPROCESS (child)))
    g_task_return_new_error (task, JANK_ERROR, JANK_ERROR_FAILED,
                             _("The command “jankwatch” could not read the report"));
  else
    g_task_return_pointer (task, g_steal_pointer (&text), g_free);
}

/* The command `jankwatch`: beside this library in the build folder, else installed, else in the PATH. */
static char *
jank_inspector_editor_find_command (void)
{
  g_autofree char *installed = g_build_filename (JANK_BIN_DIR, "jankwatch", NULL);
  Dl_info library;

  if (dladdr ((void *) jank_inspector_editor_find_command, &library) != 0)
    {
      g_autofree char *folder = g_path_get_dirname (library.dli_fname);
      g_autofree char *built = g_build_filename (folder, "..", "cli", "jankwatch", NULL);

      if (g_file_test (built, G_FILE_TEST_IS_EXECUTABLE))
        return g_canonicalize_filename (built, NULL);
    }
  return g_file_test (installed, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer (&installed)
                                                            : g_find_program_in_path ("jankwatch");
}

void
jank_inspector_editor_ask (JankReport *report, const char *const *words, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  g_autoptr (GStrvBuilder) line = g_strv_builder_new ();
  g_autofree char *json = jank_report_to_json (report), *command = jank_inspector_editor_find_command ();
  g_autoptr (GSubprocess) child = NULL;
  g_auto (GStrv) argv = NULL;
  GError *error = NULL;

  if (command == NULL)
    {
      g_task_return_new_error (task, JANK_ERROR, JANK_ERROR_NOT_FOUND,
                               _("The command “jankwatch”, which knows the source, is not installed"));
      return;
    }
  g_strv_builder_add (line, command);
  g_strv_builder_addv (line, (const char **) words);
  g_strv_builder_add (line, "-");
  argv = g_strv_builder_end (line);
  child = jank_inspector_editor_spawn ((const char *const *) argv, G_SUBPROCESS_FLAGS_STDIN_PIPE |
                                       G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error);
  if (child != NULL)
    g_subprocess_communicate_utf8_async (child, json, cancellable, jank_inspector_editor_answered_cb,
                                         g_steal_pointer (&task));
  else
    g_task_return_error (task, error);
}
