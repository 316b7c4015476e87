/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Begins before main(): whether this process is watched, and the holders of locks are written down. */

#include <stdlib.h>
#include <string.h>

#include "jank-preload-locks-private.h"
#include "jank-preload-private.h"

#define KEY "locks="

EXPORT void jank_preload_forget_holders (void);

void
jank_preload_forget_holders (void)
{
  jank_preload_locks_set_on (false);
}

/* The setting in the environment counts from the beginning, one in a file once the library has read it. */
static bool
jank_preload_holders_are_asked (void)
{
  const char *settings = getenv ("JANKWATCH_CONFIG"), *found = NULL;

  while (settings != NULL && (settings = strstr (settings, KEY)) != NULL)
    found = settings += strlen (KEY);
  return found == NULL || *found == '\0' || strchr ("nf0", *found) == NULL;
}

__attribute__ ((constructor)) static void
jank_preload_holders_begin (void)
{
  jank_preload_begin ();
  jank_preload_locks_begin ();
  jank_preload_semaphores_begin ();
  jank_preload_locks_set_on (jank_preload_is_here () && jank_preload_holders_are_asked ());
}
