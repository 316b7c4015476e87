/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command that lies in a folder src/cli is one of a build folder, and finds the other parts there. */

#include "cli.h"

#include <glib/gi18n.h>

#include "base/jank-error.h"

#define MODULE_FILE "libgiojankwatch.so"
#define GTK_MODULE_FILE "libjankwatch.so"
#define PRELOAD_FILE "libjankwatch-preload.so"
#define STRICT_FILE "libjankwatch-preload-strict.so"

/* folder: in the folder "src" of the build folder, and its own where it is installed. Returns: (transfer full)
 * (nullable): the one that has file; without one, ret_tried (nullable) is where file was looked for */
static char *
locate_folder (const char *folder, const char *installed, const char *file, char **ret_tried)
{
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *own = exe != NULL ? g_path_get_dirname (exe) : NULL;
  g_autofree char *source = own != NULL && g_str_has_suffix (own, "/src/cli") ? g_path_get_dirname (own) : NULL;
  g_autofree char *built = source != NULL ? g_build_filename (source, folder, NULL) : NULL;
  const char *const places[] = { built, installed };
  g_autofree char *tried = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = places[i] != NULL ? g_build_filename (places[i], file, NULL) : NULL;

      if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
        return g_strdup (places[i]);
      if (tried == NULL)
        tried = g_steal_pointer (&path);
    }
  if (ret_tried != NULL)
    *ret_tried = g_steal_pointer (&tried);
  return NULL;
}

char *
locate_module_folder (GError **error)
{
  g_autofree char *tried = NULL;
  char *folder = locate_folder ("module", JANK_GIO_MODULE_DIR, MODULE_FILE, &tried);

  if (folder == NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND,
                 _("Cannot watch programs: ‘%s’ is not there; jankwatch is not completely installed"), tried);
  return folder;
}

char *
locate_gtk_path (void)
{
  g_autofree char *folder = locate_folder ("module", JANK_GTK3_PATH, "modules/" GTK_MODULE_FILE, NULL);

  return g_strcmp0 (folder, JANK_GTK3_PATH) == 0 ? g_strdup (JANK_GTK3_PATH ":" JANK_GTK4_PATH)
                                                 : g_steal_pointer (&folder);
}

char *
locate_preload (gboolean is_strict)
{
  const char *file = is_strict ? STRICT_FILE : PRELOAD_FILE;
  g_autofree char *folder = locate_folder ("module/preload", JANK_PKGLIB_DIR, file, NULL);

  return folder != NULL ? g_build_filename (folder, file, NULL) : NULL;
}

char *
locate_program (const char *folder, const char *name, GError **error)
{
  g_autofree char *tried = NULL;
  g_autofree char *found = locate_folder (folder, JANK_LIBEXEC_DIR, name, &tried);

  if (found == NULL)
    g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND,
                 _("Cannot find the program ‘%s’; jankwatch was built without it"), tried);
  return found != NULL ? g_build_filename (found, name, NULL) : NULL;
}
