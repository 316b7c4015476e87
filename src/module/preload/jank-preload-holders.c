/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the library asks of the preloaded one: who holds a lock. And whether holders are written down at all. */

#include <stdlib.h>
#include <string.h>

#include "jank-preload-locks-private.h"
#include "jank-preload-private.h"

#define KEY "locks="

EXPORT int  jank_preload_find_holder (const void *lock, int waiter, bool is_shared);
EXPORT bool jank_preload_is_lock (const void *semaphore);
EXPORT void jank_preload_forget_holders (void);

/* The watcher's thread. A thread that holds what it waits for comes first. Of several readers one is named; several
 * holders of an exclusive lock cannot all be right. Returns: a thread's ID; 0: unknown */
int
jank_preload_find_holder (const void *lock, int waiter, bool is_shared)
{
  unsigned n_holders;
  bool is_lock;
  int holder;

  if (!jank_preload_is_here () || (uintptr_t) lock % 8 != 0)
    return 0;
  holder = jank_preload_locks_find_holder (lock, waiter, &n_holders);
  if (n_holders == 0)
    return jank_preload_semaphores_find_holder (lock, waiter, &is_lock);
  return n_holders == 1 || is_shared ? holder : 0;
}

/* The watcher's thread. Whether a semaphore still serves as one. */
bool
jank_preload_is_lock (const void *semaphore)
{
  bool is_lock;

  jank_preload_semaphores_find_holder (semaphore, 0, &is_lock);
  return is_lock;
}

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

void
jank_preload_holders_begin (void)
{
  jank_preload_locks_begin ();
  jank_preload_semaphores_begin ();
  jank_preload_locks_set_on (jank_preload_is_here () && jank_preload_holders_are_asked ());
}
