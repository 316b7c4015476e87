/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "programs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/jank-error.h"
#include "base/jank-whole-file-private.h"

#define CHECK_LINE "# check "

/* Returns: (transfer full): the last line of a file with this text */
static char *
make_check_line (const char *text, guint n_folders)
{
  g_autofree char *check = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  return g_strdup_printf (CHECK_LINE "%.16s %u\n", check, n_folders);
}

/* Returns: (transfer full) (nullable): its check is wrong */
static char *
find_text (const char *all, guint *ret_n_folders)
{
  const char *line = g_strrstr (all, CHECK_LINE);
  const char *number = line != NULL ? strrchr (line, ' ') : NULL;
  g_autofree char *text = line != NULL ? g_strndup (all, (gsize) (line - all)) : NULL, *right = NULL;
  guint n_folders = number != NULL ? (guint) g_ascii_strtoull (number, NULL, 10) : 0;

  if (line == NULL)
    return NULL;
  right = make_check_line (text, n_folders);
  if (!g_str_equal (line, right))
    return NULL;
  *ret_n_folders = n_folders;
  return g_steal_pointer (&text);
}

void
session_file_read (SessionFile *self, const char *path)
{
  g_autofree char *all = NULL;
  struct stat info;

  *self = (SessionFile) { .path = path };
  if (lstat (path, &info) != 0)
    return;
  if (S_ISREG (info.st_mode) && g_file_get_contents (path, &all, NULL, NULL))
    self->text = find_text (all, &self->n_folders);
  self->state = self->text != NULL ? SESSION_FILE_OURS : SESSION_FILE_FOREIGN;
  self->since_us = (gint64) info.st_mtim.tv_sec * G_USEC_PER_SEC + info.st_mtim.tv_nsec / 1000;
}

void
session_file_clear (SessionFile *self)
{
  g_clear_pointer (&self->text, g_free);
}

static guint
count_missing_folders (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return g_file_test (folder, G_FILE_TEST_EXISTS) ? 0 : 1 + count_missing_folders (folder);
}

static void
remove_folders (const char *path, guint n_folders)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (n_folders > 0 && rmdir (folder) == 0)
    remove_folders (folder, n_folders - 1);
}

gboolean
session_file_write (SessionFile *self, const char *text, GError **error)
{
  guint n_made = self->state == SESSION_FILE_OURS ? 0 : count_missing_folders (self->path);
  g_autofree char *line = make_check_line (text, self->n_folders + n_made), *all = g_strconcat (text, line, NULL);

  if (g_strcmp0 (self->text, text) == 0)
    return TRUE;
  if (jank_whole_file_write_own (self->path, all, error))
    return TRUE;
  remove_folders (self->path, n_made);
  return FALSE;
}

gboolean
session_file_remove (SessionFile *self, GError **error)
{
  if (unlink (self->path) != 0)
    {
      g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Cannot remove ‘%s’: %s"), self->path, g_strerror (errno));
      return FALSE;
    }
  remove_folders (self->path, self->n_folders);
  return TRUE;
}
