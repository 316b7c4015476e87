/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "home.h"

#include <glib.h>

#include "folder.h"

static char *own; /* (owned) (nullable): it is the parent's */

void
home_isolate (void)
{
  const char *home = g_getenv ("JANK_TEST_HOME");

  if (home == NULL)
    home = own = folder_new ("jank-home");
  g_setenv ("JANK_TEST_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_STATE_HOME", home, TRUE);
  g_unsetenv ("JANKWATCH_CONFIG");
}

int
home_run (void)
{
  int status = g_test_run ();

  if (own != NULL)
    folder_remove (own);
  g_clear_pointer (&own, g_free);
  return status;
}
