/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "settings-fixture.h"

#include <string.h>
#include <glib/gstdio.h>

#include "base/jank-error.h"
#include "folder.h"

void
settings_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->settings = jank_settings_new ();
  fixture->warnings = g_ptr_array_new_with_free_func (g_free);
  fixture->folder = folder_new ("jank-settings");
  fixture->path = g_build_filename (fixture->folder, "settings.conf", NULL);
}

void
settings_tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  jank_settings_free (fixture->settings);
  g_ptr_array_unref (fixture->warnings);
  g_free (fixture->folder);
  g_free (fixture->path);
}

void
settings_write_file (Fixture *fixture, const char *text, gssize n_bytes)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (fixture->path, text, n_bytes, &error);
  g_assert_no_error (error);
}

const char *
settings_get_warning (const Fixture *fixture, guint i)
{
  g_assert_cmpuint (i, <, fixture->warnings->len);
  return fixture->warnings->pdata[i];
}

void
settings_assert_has (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    g_error ("“%s” does not say “%s”", text, part);
}

void
settings_assert_equal (const JankSettings *a, const JankSettings *b)
{
  const char *const *names = jank_settings_get_names ();

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *a_text = jank_settings_get (a, names[i]), *b_text = jank_settings_get (b, names[i]);

      g_assert_cmpstr (a_text, ==, b_text);
    }
}

void
settings_assert_refused (Fixture *fixture, const char *key, const char *value, const char *accepted, const char *in_use)
{
  g_autoptr (JankSettings) before = jank_settings_copy (fixture->settings);
  g_autoptr (GError) error = NULL;

  g_assert_false (jank_settings_set (fixture->settings, key, value, &error));
  g_assert_error (error, JANK_ERROR, JANK_ERROR_INVALID);
  settings_assert_has (error->message, key);
  settings_assert_has (error->message, value);
  settings_assert_has (error->message, accepted);
  settings_assert_has (error->message, in_use);
  settings_assert_equal (fixture->settings, before);
}
