/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/jank-export-source-private.h"

#include <string.h>

#include <glib/gstdio.h>

#include "base/jank-text-clean-private.h"

#define SYSTEM_FOLDER "/usr/"
#define MAX_BYTES     (4 * 1024 * 1024)
#define LINES_BEFORE  5
#define N_LINES       10

/* Whether folder is path or around it. */
static gboolean
is_around (const char *folder, const char *path)
{
  gsize n = strlen (folder);

  return strncmp (folder, path, n) == 0 && (path[n] == '\0' || path[n] == '/' || folder[n - 1] == '/');
}

char *
jank_export_source_root (void)
{
  g_autofree char *here = g_get_current_dir (), *folder = g_strdup (here);

  for (;;)
    {
      g_autofree char *git = g_build_filename (folder, ".git", NULL);
      char *parent = g_path_get_dirname (folder);
      gboolean is_top = g_file_test (git, G_FILE_TEST_EXISTS), is_last = strcmp (parent, folder) == 0;

      if (is_top || is_last)
        {
          g_free (parent);
          parent = g_strdup (is_top ? folder : here);
          return is_around (parent, g_get_home_dir ()) ? (g_free (parent), NULL) : parent;
        }
      g_free (folder);
      folder = parent;
    }
}

static gboolean
is_source (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 && S_ISREG (info.st_mode) && info.st_size <= MAX_BYTES;
}

static gboolean
is_hidden (const char *path)
{
  return strstr (path, "/.") != NULL;
}

/* Built elsewhere, a file has the end of its path in common with ours. */
char *
jank_export_source_find (const char *root, const char *file)
{
  g_autofree char *path = file != NULL ? g_canonicalize_filename (file, NULL) : NULL;
  const char *part = path;

  if (path == NULL)
    return NULL;
  if (root != NULL && is_around (root, path))
    part = path + strlen (root);
  for (; root != NULL && part != NULL && *part != '\0'; part = strchr (part + 1, '/'))
    {
      g_autofree char *here = g_strconcat (root, part, NULL);

      if (!is_hidden (part) && is_source (here))
        return g_strdup (part + 1);
    }
  return g_str_has_prefix (path, SYSTEM_FOLDER) && !is_hidden (path) && is_source (path)
         ? g_steal_pointer (&path) : NULL;
}

char *
jank_export_source_lines (const char *root, const char *path, guint line, gsize width)
{
  g_autofree char *whole = g_path_is_absolute (path) ? g_strdup (path) : g_build_filename (root, path, NULL),
      *text = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  guint from = MAX (line, LINES_BEFORE + 1) - LINES_BEFORE, number = 1;

  if (line == 0 || !g_file_get_contents (whole, &text, NULL, NULL))
    return NULL;
  for (char *at = text, *end; at != NULL && number < from + N_LINES; at = end, number++)
    {
      g_autofree char *clean = NULL, *cut = NULL;

      end = strchr (at, '\n');
      if (end != NULL)
        *end++ = '\0';
      if (number < from || (end == NULL && *at == '\0'))
        continue;
      clean = jank_text_clean (g_strdelimit (at, "\t\r", ' '));
      cut = jank_text_cut (g_strchomp (clean), width);
      g_string_append_printf (out, "%c%5u%s%s\n", number == line ? '>' : ' ', number, *cut != '\0' ? "  " : "", cut);
    }
  return number > line ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
}
