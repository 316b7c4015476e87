/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the preloaded library's files share. */

#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* Before main(): looks whether this process is to be watched. */
void  jank_preload_begin   (void);

/* `run` follows this process: not its forks, and not one whose JANKWATCH is not 1. */
bool  jank_preload_is_here (void);

/* Whether this is that process's main thread. */
bool  jank_preload_is_main_thread (void);

/* This process is watched already, or will not be. Any thread, also between vfork() and exec(). */
bool  jank_preload_is_over (void);

void *jank_preload_find_next (void *_Atomic *slot, const char *name);

/* As jank_preload_next(), in a library that may be loaded for a plug-in alone, such as a binding, where the loader's
 * search behind us does not reach. */
void *jank_preload_next_in (void *_Atomic *slot, const char *name, const char *library);

/* The function of this name that would be called without us, also before our constructor. slot: remembers it */
static inline void *
jank_preload_next (void *_Atomic *slot, const char *name)
{
  void *next = atomic_load_explicit (slot, memory_order_relaxed);

  return __builtin_expect (next != NULL, 1) ? next : jank_preload_find_next (slot, name);
}
