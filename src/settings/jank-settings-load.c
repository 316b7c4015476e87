/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings/jank-settings-private.h"

#include <errno.h>
#include <string.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

#include "base/jank-home-private.h"

/* Entries of one source come in two passes: presets, then all others. */
static void
jank_settings_load_set_or_warn (JankSettings *self, const char *key, const char *value, gboolean presets,
                                GPtrArray *warnings)
{
  g_autoptr (GError) error = NULL;

  if (g_str_equal (key, "preset") != presets)
    return;
  if (!jank_settings_set (self, key, value, &error))
    g_ptr_array_add (warnings, g_utf8_make_valid (error->message, -1));
}

static void
jank_settings_load_apply_entries (JankSettings *self, const char *text, gboolean presets, GPtrArray *warnings)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) entries = g_strsplit (valid, ",", -1);

  for (guint i = 0; entries[i] != NULL; i++)
    {
      char *equals = strchr (entries[i], '=');

      if (equals != NULL)
        *equals = '\0';
      g_strstrip (entries[i]);
      if (equals != NULL)
        jank_settings_load_set_or_warn (self, entries[i], g_strstrip (equals + 1), presets, warnings);
      else if (entries[i][0] != '\0')
        jank_settings_load_set_or_warn (self, entries[i], jank_settings_is_yes_no (entries[i]) ? "yes" : "",
                                        presets, warnings);
    }
}

void
jank_settings_apply_text (JankSettings *self, const char *text, GPtrArray *warnings)
{
  jank_settings_load_apply_entries (self, text, TRUE, warnings);
  jank_settings_load_apply_entries (self, text, FALSE, warnings);
}

static void
jank_settings_load_apply_keys (JankSettings *self, GKeyFile *file, const char *group, gboolean presets,
                               GPtrArray *warnings)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);

  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_string (file, group, keys[i], NULL);

      jank_settings_load_set_or_warn (self, keys[i], value != NULL ? g_strstrip (value) : "", presets, warnings);
    }
}

static void
jank_settings_load_apply_group (JankSettings *self, GKeyFile *file, const char *group, GPtrArray *warnings)
{
  jank_settings_load_apply_keys (self, file, group, TRUE, warnings);
  jank_settings_load_apply_keys (self, file, group, FALSE, warnings);
}

/* Whoever opens a pipe waits until somebody writes to it. For a file that is not there GLib makes a text, and keeps
 * it for the program, which may not have set its language yet. */
static gboolean
jank_settings_load_load (GKeyFile *file, const char *path, GError **error)
{
  GStatBuf status;
  gboolean is_found = g_stat (path, &status) == 0;

  if (!is_found && (errno == ENOENT || errno == ENOTDIR))
    return FALSE;
  if (!is_found || S_ISREG (status.st_mode))
    return g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error);
  g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, _("it is not a regular file"));
  return FALSE;
}

void
jank_settings_apply_file (JankSettings *self, const char *path, const char *program, GPtrArray *warnings)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  if (!jank_settings_load_load (file, path, &error))
    {
      if (error != NULL)
        {
          g_autofree char *text =
            g_strdup_printf (_("Could not read the settings in “%s”: %s. They are ignored"), path, error->message);

          g_ptr_array_add (warnings, g_utf8_make_valid (text, -1)); /* a file name need not be UTF-8 */
        }
      return;
    }

  jank_settings_load_apply_group (self, file, "default", warnings);
  if (program != NULL && !g_str_equal (program, "default"))
    jank_settings_load_apply_group (self, file, program, warnings);
}

/* While the desktop's compositor works for two frames, every window misses them. */
static const struct { const char *program, *settings; } defaults[] = {
  { "gnome-shell", "threshold=32ms,first-sample=20ms" },
};

JankSettings *
jank_settings_load (const char *program, GPtrArray *warnings)
{
  JankSettings *self = jank_settings_new ();
  g_autofree char *path = jank_home_get_settings ();
  const char *text = g_getenv ("JANKWATCH_CONFIG");

  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    if (g_strcmp0 (program, defaults[i].program) == 0)
      jank_settings_apply_text (self, defaults[i].settings, warnings);
  if (path != NULL)
    jank_settings_apply_file (self, path, program, warnings);
  if (text != NULL)
    jank_settings_apply_text (self, text, warnings);
  return self;
}
