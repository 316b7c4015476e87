/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every combination of a user's variables. */

#include "base/jank-home-private.h"

#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include "settings/jank-settings-private.h"
#include "test.h"

static const char *const values[] = { NULL, "", "relative/folder", ".", "~", "/absolute" };

static void
set (const char *name, const char *value)
{
  if (value != NULL)
    g_setenv (name, value, TRUE);
  else
    g_unsetenv (name);
}

/* Returns: (transfer full) (nullable) */
static char *
expect (const char *folder, const char *home, const char *below, const char *file)
{
  const struct passwd *entry = getpwuid (getuid ());
  const char *own = entry != NULL && g_path_is_absolute (entry->pw_dir) ? entry->pw_dir : NULL;

  if (folder != NULL && *folder == '/')
    return g_build_filename (folder, file, NULL);
  if (home != NULL && *home == '/')
    own = home;
  return own != NULL ? g_build_filename (own, below, file, NULL) : NULL;
}

/* Nothing is kept from one to the next: a program may set its variables at any time. */
TEST (all)
{
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      {
        g_autofree char *store = expect (values[i], values[k], ".local/state", "jankwatch");
        g_autofree char *file = expect (values[i], values[k], ".config", "jankwatch/settings.conf");
        g_autofree char *found_store = NULL, *found_file = NULL;
        g_autoptr (JankSettings) settings = NULL;

        set ("XDG_STATE_HOME", values[i]);
        set ("XDG_CONFIG_HOME", values[i]);
        set ("HOME", values[k]);
        found_store = jank_home_get_store ();
        found_file = jank_home_get_settings ();
        settings = jank_settings_new ();
        g_assert_cmpstr (found_store, ==, store != NULL ? store : JANK_HOME_NO_STORE);
        g_assert_cmpstr (found_file, ==, file);
        g_assert_cmpstr (settings->store, ==, found_store);
      }
}

TEST (explained)
{
  g_assert_cmpstr (jank_home_explain ("/folder", EACCES), ==, g_strerror (EACCES));
  g_assert_nonnull (strstr (jank_home_explain (NULL, 0), "HOME"));
  g_assert_nonnull (strstr (jank_home_explain (JANK_HOME_NO_STORE "/sessions", ENOTDIR), "HOME"));
}

TESTS ("/base/home")
