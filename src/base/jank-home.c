/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/jank-home-private.h"

#include <pwd.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>

#define PASSWD_BYTES (64 * 1024)

/* Returns: (transfer full) (nullable) */
static char *
jank_home_get_home (void)
{
  const char *home = g_getenv ("HOME");
  g_autofree char *buffer = NULL;
  struct passwd entry, *found = NULL;

  if (home == NULL || !g_path_is_absolute (home))
    {
      buffer = g_malloc (PASSWD_BYTES);
      if (getpwuid_r (getuid (), &entry, buffer, PASSWD_BYTES, &found) != 0 || found == NULL)
        return NULL;
      home = found->pw_dir;
    }
  return home != NULL && g_path_is_absolute (home) ? g_strdup (home) : NULL;
}

/* Returns: (transfer full) (nullable) */
static char *
jank_home_get_file (const char *variable, const char *below_home, const char *file)
{
  const char *folder = g_getenv (variable);
  g_autofree char *home = NULL;

  if (folder != NULL && g_path_is_absolute (folder))
    return g_build_filename (folder, file, NULL);
  home = jank_home_get_home ();
  return home != NULL ? g_build_filename (home, below_home, file, NULL) : NULL;
}

char *
jank_home_get_store (void)
{
  char *store = jank_home_get_file ("XDG_STATE_HOME", ".local/state", "jankwatch");

  return store != NULL ? store : g_strdup (JANK_HOME_NO_STORE);
}

const char *
jank_home_explain (const char *folder, int number)
{
  if (folder != NULL && !g_str_has_prefix (folder, JANK_HOME_NO_STORE))
    return g_strerror (number);
  return _("neither the variable that names the folder nor HOME is an absolute path, and the user has no home folder");
}

char *
jank_home_get_config (const char *file)
{
  return jank_home_get_file ("XDG_CONFIG_HOME", ".config", file);
}

char *
jank_home_get_settings (void)
{
  return jank_home_get_config ("jankwatch/settings.conf");
}
