/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded into other people's test programs, watched or not. Many never wait for the default context, so neither the
 * GIO module nor the preload of `jankwatch run` would watch them: this starts the library where GLib's tests begin. */

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Set by program.py. */
#define VARIABLE "PEERS_FORCE"

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT int g_test_run (void);

/* Not in the processes that a test starts: the GIO module leaves them alone, too. */
static void
start (void)
{
  const char *asked = getenv ("JANKWATCH");
  bool is_watched = asked != NULL && strcmp (asked, "1") == 0 && getenv (VARIABLE) != NULL;
  void *library = is_watched ? dlopen (LIBRARY, RTLD_NOW | RTLD_NODELETE) : NULL;
  void (*activate) (void) = library != NULL ? (void (*) (void)) dlsym (library, "jank_activate") : NULL;

  unsetenv (VARIABLE);
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
