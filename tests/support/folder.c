/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "folder.h"

#include <glib/gstdio.h>

char *
folder_new (const char *name)
{
  g_autofree char *template = g_strconcat (name, "-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  char *path = g_dir_make_tmp (template, &error);

  g_assert_no_error (error);
  return path;
}

guint
folder_clear (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        {
          folder_remove (child);
          continue;
        }
      g_unlink (child);
      n++;
    }
  return n;
}

void
folder_remove (const char *path)
{
  folder_clear (path);
  g_assert_cmpint (g_rmdir (path), ==, 0);
}
