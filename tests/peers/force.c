/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded into other people's test programs, watched or not. Many never wait for the default context, so neither the
 * GIO module nor the preload of `jankwatch run` would watch them: this starts the library where GLib's tests begin. */

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT int g_test_run (void);

/* Not the processes that a test starts: the GIO module leaves them alone, too. */
static bool
is_watched (void)
{
  const char *session = getenv ("JANKWATCH_SESSION");
  const char *pid = session != NULL ? strrchr (session, '-') : NULL;

  return pid != NULL && atoi (pid + 1) == getppid ();
}

static void
start (void)
{
  void *library = is_watched () ? dlopen (LIBRARY, RTLD_NOW | RTLD_NODELETE) : NULL;
  void (*activate) (void) = library != NULL ? (void (*) (void)) dlsym (library, "jank_activate") : NULL;

  if (activate != NULL)
    activate ();
}

int
g_test_run (void)
{
  int (*next) (void) = (int (*) (void)) dlsym (RTLD_NEXT, "g_test_run");

  start ();
  return next ();
}
