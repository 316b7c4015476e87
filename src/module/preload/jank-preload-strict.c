/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells the library of calls that may block, once that watches the program. A call inside another one is part of it.
 * Allocates nothing. */

#include "jank-preload-strict-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "base/jank-clock-private.h"
#include "jank-preload-private.h"
#include "jank-preload-strict-calls-private.h"

EXPORT JankStrictSetFunc jank_preload_set_strict;

static const JankStrictFuncs *_Atomic funcs; /* (nullable): the program is not watched yet */

/* main thread and its signal handlers only, so relaxed */
static _Atomic uintptr_t outer_frame; /* where on the stack the call under way was seen, 0: there is none */
static _Atomic uint64_t outer_turn;   /* of the loop */
static atomic_int connecting_fd = -1; /* connect() has begun and not ended */

void
jank_preload_set_strict (const JankStrictFuncs *given)
{
  atomic_store_explicit (&funcs, given, memory_order_release);
}

static const JankStrictFuncs *
jank_preload_strict_get_funcs (void)
{
  return atomic_load_explicit (&funcs, memory_order_acquire);
}

/* A call that the program jumped out of, by siglongjmp(), does not end: later calls are further up the stack, or in
 * another turn. Returns: whether this call is not part of another one */
static bool
jank_preload_strict_enter (const JankStrictFuncs *known, uintptr_t frame)
{
  const uint64_t turn = known->get_turn ();

  if (atomic_load_explicit (&outer_frame, memory_order_relaxed) > frame &&
      atomic_load_explicit (&outer_turn, memory_order_relaxed) == turn)
    return false;
  atomic_store_explicit (&outer_turn, turn, memory_order_relaxed);
  atomic_store_explicit (&outer_frame, frame, memory_order_relaxed);
  return true;
}

JankPreloadCall
jank_preload_strict_begin (const JankStrictCall *call)
{
  const JankStrictFuncs *known = jank_preload_strict_get_funcs ();
  const int saved_errno = errno;
  JankPreloadCall begun = { 0 };

  if (known == NULL || !jank_preload_is_main_thread () ||
      !jank_preload_strict_enter (known, (uintptr_t) __builtin_frame_address (0)))
    {
      errno = saved_errno;
      return begun;
    }
  begun.site = known->begin (call);
  if (begun.site == 0)
    atomic_store_explicit (&outer_frame, 0, memory_order_relaxed);
  else
    begun.began_ns = jank_clock_now_ns ();
  errno = saved_errno;
  return begun;
}

void
jank_preload_strict_end (JankPreloadCall call)
{
  const int saved_errno = errno;

  if (call.site == 0)
    return;
  jank_preload_strict_get_funcs ()->end (call.site, jank_clock_now_ns () - call.began_ns);
  atomic_store_explicit (&outer_frame, 0, memory_order_relaxed);
  errno = saved_errno;
}

void
jank_preload_strict_note_connecting (int fd)
{
  if (jank_preload_strict_get_funcs () != NULL && jank_preload_is_main_thread ())
    atomic_store_explicit (&connecting_fd, fd, memory_order_relaxed);
}

/* A loop that polls is not blocked: GLib's own poll is none of these. */
int
jank_preload_strict_find_connecting (const struct pollfd *fds, nfds_t n_fds, const void *caller)
{
  const int fd = atomic_load_explicit (&connecting_fd, memory_order_relaxed);

  for (nfds_t i = 0; fd >= 0 && i < n_fds; i++)
    if (fds[i].fd == fd && jank_preload_is_main_thread () && !jank_preload_strict_is_from (caller, "/libglib-2.0.so."))
      {
        atomic_store_explicit (&connecting_fd, -1, memory_order_relaxed);
        return fd;
      }
  return -1;
}

bool
jank_preload_strict_is_from (const void *caller, const char *library)
{
  struct dl_find_object found;

  return _dl_find_object ((void *) caller, &found) == 0 && strstr (found.dlfo_link_map->l_name, library) != NULL;
}

bool
jank_preload_strict_is_remote (const char *path)
{
  const JankStrictFuncs *known = jank_preload_strict_get_funcs ();
  const int saved_errno = errno;
  bool is_remote = known != NULL && path != NULL && jank_preload_is_main_thread () && known->is_remote (path);

  errno = saved_errno;
  return is_remote;
}
