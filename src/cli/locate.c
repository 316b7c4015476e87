/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A command that lies in a folder src/cli is one of a build folder, and finds the other parts there. */

#include "config.h"

#include "locate.h"

#include <glib/gi18n.h>

#include "base/jank-error.h"

#define MODULE_FILE "libgiojankwatch.so"
#define GTK_MODULE_FILE "libjankwatch.so"
#define PRELOAD_FILE "libjankwatch-preload.so"
#define DEMO_FILE "jankwatch-demo"
#define VIEW_FILE "jankwatch-view"

/* The folder "src" of the build folder. Returns: (transfer full) (nullable) */
static char *
build_source_folder (void)
{
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = exe != NULL ? g_path_get_dirname (exe) : NULL;

  return folder != NULL && g_str_has_suffix (folder, "/src/cli") ? g_path_get_dirname (folder) : NULL;
}

char *
locate_module_folder (GError **error)
{
  g_autofree char *source = build_source_folder ();
  g_autofree char *built = source != NULL ? g_build_filename (source, "module", NULL) : NULL;
  g_autofree char *built_file = built != NULL ? g_build_filename (built, MODULE_FILE, NULL) : NULL;
  g_autofree char *installed_file = g_build_filename (JANK_GIO_MODULE_DIR, MODULE_FILE, NULL);

  if (built_file != NULL && g_file_test (built_file, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&built);
  if (g_file_test (installed_file, G_FILE_TEST_EXISTS))
    return g_strdup (JANK_GIO_MODULE_DIR);

  g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND,
               _("Cannot watch programs: ‘%s’ is not there; jankwatch is not completely installed"),
               built_file != NULL ? built_file : installed_file);
  return NULL;
}

static gboolean
has_gtk_module (const char *folder)
{
  g_autofree char *file = folder != NULL ? g_build_filename (folder, "modules", GTK_MODULE_FILE, NULL) : NULL;

  return file != NULL && g_file_test (file, G_FILE_TEST_EXISTS);
}

char *
locate_gtk_path (void)
{
  g_autofree char *source = build_source_folder ();
  g_autofree char *built = source != NULL ? g_build_filename (source, "module", NULL) : NULL;

  if (has_gtk_module (built))
    return g_steal_pointer (&built);
  return has_gtk_module (JANK_GTK3_PATH) ? g_strdup (JANK_GTK3_PATH) : NULL;
}

char *
locate_preload (void)
{
  g_autofree char *source = build_source_folder ();
  g_autofree char *built = source != NULL ? g_build_filename (source, "module", "preload", PRELOAD_FILE, NULL) : NULL;
  g_autofree char *installed = g_build_filename (JANK_PKGLIB_DIR, PRELOAD_FILE, NULL);

  if (built != NULL && g_file_test (built, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&built);
  return g_file_test (installed, G_FILE_TEST_EXISTS) ? g_steal_pointer (&installed) : NULL;
}

/* folder: in the source folder. Returns: (transfer full) (nullable) */
static char *
locate_program (const char *folder, const char *name, GError **error)
{
  g_autofree char *source = build_source_folder ();
  g_autofree char *built = source != NULL ? g_build_filename (source, folder, name, NULL) : NULL;
  g_autofree char *installed = g_build_filename (JANK_LIBEXEC_DIR, name, NULL);

  if (built != NULL && g_file_test (built, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&built);
  if (g_file_test (installed, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&installed);

  g_set_error (error, JANK_ERROR, JANK_ERROR_NOT_FOUND, _("Cannot find the program ‘%s’; jankwatch was built without it"),
               built != NULL ? built : installed);
  return NULL;
}

char *
locate_demo (GError **error)
{
  return locate_program ("demo", DEMO_FILE, error);
}

char *
locate_view (GError **error)
{
  return locate_program ("view", VIEW_FILE, error);
}
