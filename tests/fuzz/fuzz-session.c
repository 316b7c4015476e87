/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file of one process of a session: anybody who may write there may write anything. */

#include <glib/gstdio.h>

#include "store/jank-session-private.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes);

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize n_bytes)
{
  static char *store, *path;
  g_autoptr (GError) error = NULL;
  JankSessionSummary *summary;

  if (store == NULL)
    {
      g_autofree char *folder = NULL;

      store = g_dir_make_tmp ("jankwatch-fuzz-XXXXXX", NULL);
      folder = g_build_filename (store, "sessions", NULL);
      g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
      path = g_build_filename (folder, "fuzz-1.json", NULL);
    }
  g_assert_true (g_file_set_contents_full (path, (const char *) data, (gssize) n_bytes, G_FILE_SET_CONTENTS_NONE, 0600,
                                           NULL));
  summary = jank_session_load (store, "fuzz", &error);
  g_assert_nonnull (summary);
  jank_session_summary_worst (summary);
  jank_session_summary_free (summary);
  g_unlink (path);
  return 0;
}
