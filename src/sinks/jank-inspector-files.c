/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files are written under another name and renamed; only the user can read them. */

#include "config.h"

#include "sinks/jank-inspector-files-private.h"

#include <string.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "base/jank-error.h"
#include "base/jank-home-private.h"
#include "base/jank-whole-file-private.h"
#include "sinks/jank-program-private.h"

#define FILE_MODE    0600
#define FOLDER_MODE  0700

static gboolean
jank_inspector_files_write_file (const char *path, const char *text, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) failure = NULL;

  g_mkdir_with_parents (folder, FOLDER_MODE);
  if (jank_whole_file_write (path, text, strlen (text), FILE_MODE, &failure))
    return TRUE;
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Could not write “%s”: %s. The file is unchanged"),
               path, failure->message);
  return FALSE;
}

/* GLib takes any other for a mistake of the program's. */
static gboolean
jank_inspector_files_is_group_name (const char *name)
{
  if (*name == '\0')
    return FALSE;
  for (; *name != '\0'; name++)
    if (*name == '[' || *name == ']' || g_ascii_iscntrl (*name))
      return FALSE;
  return TRUE;
}

gboolean
jank_inspector_files_save_settings (const JankSettings *settings, GHashTable *keys, GError **error)
{
  g_autofree char *path = jank_home_get_settings ();
  g_autoptr (JankProgram) program = jank_program_new ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) failure = NULL;
  g_autofree char *text = NULL;
  GHashTableIter iter;
  gpointer key;

  if (path == NULL || !jank_inspector_files_is_group_name (program->name))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_UNAVAILABLE, _("Could not write the settings: %s"),
                   path == NULL ? jank_home_explain (NULL,
                                                     0) : _("a key file can have no group of the program's name"));
      return FALSE;
    }
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS | G_KEY_FILE_KEEP_TRANSLATIONS, &failure) &&
      !g_error_matches (failure, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED,
                   _("Could not read “%s”: %s. The settings were not written, so as not to lose what is in it"), path,
                   failure->message);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, keys);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_autofree char *value = jank_settings_get (settings, key);

      g_key_file_set_string (file, program->name, key, value != NULL ? value : "");
    }
  text = g_key_file_to_data (file, NULL, NULL);
  return jank_inspector_files_write_file (path, text, error);
}
