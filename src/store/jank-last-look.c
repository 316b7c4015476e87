/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-last-look-private.h"

#include <fcntl.h>

#include "base/jank-whole-file-private.h"
#include "store/jank-folder-private.h"

#define FILE_NAME "last-look"

gint64
jank_last_look_load (const char *store)
{
  g_autofree char *path = g_build_filename (store, FILE_NAME, NULL), *text = NULL;
  gsize n_bytes;

  text = jank_folder_read_fd (open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), path, &n_bytes, NULL);
  return text != NULL ? MAX (g_ascii_strtoll (text, NULL, 10), 0) : 0;
}

gboolean
jank_last_look_save (const char *store, gint64 real_us, GError **error)
{
  g_autofree char *path = g_build_filename (store, FILE_NAME, NULL);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "\n", real_us);

  return jank_whole_file_write_own (path, text, error);
}
