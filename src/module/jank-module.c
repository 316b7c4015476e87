/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "module/jank-module-private.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "base/jank-starter-private.h"
#include "monitor/jank-activate-private.h"

#define LIBRARY "libjankwatch-1.so.0"

/* What the kernel keeps of a thread's name. */
#define NAME_BYTES 15

bool
jank_module_list_has (const char *list, const char *name, size_t max)
{
  size_t n = strlen (name);

  for (const char *entry = list; entry != NULL; entry = strchr (entry, ':'))
    {
      size_t n_entry;

      entry += *entry == ':';
      n_entry = strcspn (entry, ":");
      if (n == (n_entry < max ? n_entry : max) && strncmp (entry, name, n) == 0)
        return true;
    }
  return false;
}

bool
jank_module_is_left_out (void)
{
  const char *asked = getenv ("JANKWATCH"), *except = getenv ("JANKWATCH_EXCEPT");
  char name[NAME_BYTES + 1] = "";

  if (except == NULL || (asked != NULL && strcmp (asked, "1") == 0))
    return false;
  prctl (PR_GET_NAME, name);
  return jank_module_list_has (except, program_invocation_short_name, SIZE_MAX) ||
         jank_module_list_has (except, name, NAME_BYTES);
}

bool
jank_module_is_forbidden (void)
{
  const char *asked = getenv ("JANKWATCH");

  return getauxval (AT_SECURE) != 0 || (asked != NULL && strcmp (asked, "0") == 0) || jank_starter_is_service ();
}

const char *
jank_module_start (void)
{
  /* Never unloaded: its thread and its signal handler stay. */
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void (*activate) (int64_t, bool) =
    library != NULL ? (void (*) (int64_t, bool)) dlsym (library, JANK_ACTIVATE_SYMBOL) : NULL;

  if (activate == NULL)
    return dlerror ();
  activate (0, false);
  return NULL;
}
