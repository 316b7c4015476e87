/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store/jank-last-look-private.h"

#include <string.h>

#include "store/jank-folder-private.h"

#define FILE_NAME "last-look"

gint64
jank_last_look_load (const char *store)
{
  gsize n_bytes;
  g_autofree char *text = jank_folder_read_file (store, NULL, FILE_NAME, &n_bytes, NULL);

  return text != NULL ? MAX (g_ascii_strtoll (text, NULL, 10), 0) : 0;
}

gboolean
jank_last_look_save (const char *store, gint64 real_us, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "\n", real_us);

  return jank_folder_write_file (store, NULL, FILE_NAME, text, strlen (text), error);
}
