/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "export/jank-export-private.h"

#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/jank-text-clean-private.h"
#include "elf/jank-elf-private.h"

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

static gboolean
is_tracked (const char *root, const char *path)
{
  g_autofree char *pathspec = g_strconcat (":(literal)", path, NULL);
  const char *const argv[] = { "git", "-c", "core.fsmonitor=false", "-c", "safe.directory=*", "ls-files",
                               "--error-unmatch", "--", pathspec, NULL };
  int status = 1;

  return g_spawn_sync (root, (char **) argv, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                       NULL, &status, NULL) && status == 0;
}

static gboolean
is_here (const JankReportModule *module)
{
  g_autoptr (JankElf) elf = module->path != NULL && module->build_id != NULL ? jank_elf_new (module->path, NULL) : NULL;
  g_autofree char *build_id = elf != NULL ? jank_text_from_bits (elf->build_id, elf->n_build_id) : NULL;

  return build_id != NULL && g_str_equal (build_id, module->build_id);
}

gboolean
jank_export_source_is_quotable (const char *root, const char *path, const JankReport *report)
{
  g_autofree char *here = g_build_filename (root, path, NULL);
  char *real_root = realpath (root, NULL), *real = realpath (here, NULL);
  gboolean is_below = !g_path_is_absolute (path) && real_root != NULL && real != NULL && is_around (real_root, real);
  const char *names[] = { report->culprit.module, report->app.exe };
  const JankReportModule *module = NULL;

  free (real_root);
  free (real);
  for (guint k = 0; k < G_N_ELEMENTS (names) && module == NULL; k++)
    for (guint i = 0; names[k] != NULL && i < report->modules->len && module == NULL; i++)
      {
        const JankReportModule *other = g_ptr_array_index (report->modules, i);

        if (g_strcmp0 (other->path, names[k]) == 0 && other->build_id != NULL)
          module = other;
      }
  return is_below && module != NULL && is_here (module) && is_tracked (root, path);
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
