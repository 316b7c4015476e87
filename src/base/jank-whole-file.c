/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-whole-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <glib/gi18n-lib.h>

#include "base/jank-error.h"

static gboolean
jank_whole_file_fail (GError **error, int code)
{
  g_set_error_literal (error, G_FILE_ERROR, (gint) g_file_error_from_errno (code), g_strerror (code));
  return FALSE;
}

/* Also makes the file that a link without one points to. */
static gboolean
jank_whole_file_write_into (const char *path, const char *data, gsize n_bytes, int mode, GError **error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, mode), code = 0;

  if (fd < 0)
    return jank_whole_file_fail (error, errno);
  while (n_bytes > 0 && code == 0)
    {
      gssize n_written = write (fd, data, n_bytes);

      if (n_written < 0 && errno != EINTR)
        code = errno;
      data += MAX (n_written, 0);
      n_bytes -= (gsize) MAX (n_written, 0);
    }
  if (close (fd) != 0 && code == 0)
    code = errno;
  return code == 0 || jank_whole_file_fail (error, code);
}

gboolean
jank_whole_file_write (const char *path, const char *data, gsize n_bytes, int mode, GError **error)
{
  struct stat info, link;
  gboolean exists = stat (path, &info) == 0, is_link = lstat (path, &link) == 0 && S_ISLNK (link.st_mode);
  char *target = NULL;
  gboolean written;

  if (exists ? !S_ISREG (info.st_mode) : is_link)
    return jank_whole_file_write_into (path, data, n_bytes, mode, error);
  if (exists && access (path, W_OK) != 0)
    return jank_whole_file_fail (error, errno);
  if (is_link && (target = realpath (path, NULL)) == NULL)
    return jank_whole_file_fail (error, errno);
  written = g_file_set_contents_full (target != NULL ? target : path, data, (gssize) n_bytes,
                                      G_FILE_SET_CONTENTS_CONSISTENT,
                                      exists ? (int) (info.st_mode & 0777) : mode, error);
  free (target);
  return written;
}

gboolean
jank_whole_file_write_own (const char *path, const char *text, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) failure = NULL;

  g_mkdir_with_parents (folder, 0700);
  if (jank_whole_file_write (path, text, strlen (text), 0600, &failure))
    return TRUE;
  g_set_error (error, JANK_ERROR, JANK_ERROR_FAILED, _("Could not write “%s”: %s. The file is unchanged"), path,
               failure->message);
  return FALSE;
}
