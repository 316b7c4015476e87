/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "guest/jank-plugin-private.h"

#include <dlfcn.h>
#include <unistd.h>

/* In the folder of whoever has this function, in the library's own folder of plug-ins, or in the build tree. */
gpointer
jank_plugin_find (const char *library, const char *symbol, GError **error)
{
  static const char *const folders[] = { "jankwatch-1", "gtk", "gtk/gtk3", "gtk/clutter", "javascript", "text", "" };
  g_autofree char *folder = NULL, *path = NULL;
  gpointer opened, found;
  Dl_info own;

  if (dladdr ((void *) jank_plugin_find, &own) != 0)
    folder = g_path_get_dirname (own.dli_fname);
  for (guint i = 0; i < G_N_ELEMENTS (folders) && (path == NULL || access (path, R_OK) != 0); i++)
    {
      g_free (path);
      path = g_build_filename (folder != NULL ? folder : "", folders[i], library, NULL);
    }
  opened = dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  found = opened != NULL ? dlsym (opened, symbol) : NULL;
  if (found == NULL)
    g_set_error_literal (error, G_FILE_ERROR, access (path, R_OK) == 0 ? G_FILE_ERROR_FAILED : G_FILE_ERROR_NOENT,
                         dlerror ());
  return found;
}
