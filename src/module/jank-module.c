/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "module/jank-module-private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "monitor/jank-activate-private.h"

#define LIBRARY "libjankwatch-1.so.0"

bool
jank_module_is_forbidden (void)
{
  const char *asked = getenv ("JANKWATCH");

  return getauxval (AT_SECURE) != 0 || (asked != NULL && strcmp (asked, "0") == 0);
}

const char *
jank_module_start (void)
{
  /* Never unloaded: its thread and its signal handler stay. */
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void (*activate) (bool) = library != NULL ? (void (*) (bool)) dlsym (library, JANK_ACTIVATE_SYMBOL) : NULL;

  if (activate == NULL)
    return dlerror ();
  activate (false);
  return NULL;
}
