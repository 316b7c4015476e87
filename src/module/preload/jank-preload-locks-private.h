/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files that write down the holders of locks share. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/jank-held-locks-private.h"

/* Exclusive locks and readers, and semaphores that serve as locks. */
extern JankHeldLocks jank_preload_held_locks;

typedef struct
{
  _Atomic uint64_t *line; /* in the table of locks; (nullable): tid is not known yet, or nothing is written down */
  uint32_t          tid;
} JankPreloadThread;

extern __thread JankPreloadThread jank_preload_own_thread __attribute__ ((tls_model ("initial-exec")));

JankPreloadThread jank_preload_locks_learn_thread (void);

static inline JankPreloadThread
jank_preload_locks_get_thread (void)
{
  JankPreloadThread thread = jank_preload_own_thread;

  return __builtin_expect (thread.line != NULL, 1) ? thread : jank_preload_locks_learn_thread ();
}

/* Whether threads that are not known yet write down what they hold. */
void jank_preload_locks_set_on          (bool on);

/* Before main(): find all that can be found, as some of these functions may be called in a signal's handler. */
void jank_preload_locks_begin           (void);
void jank_preload_semaphores_begin      (void);
