/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch run` preloads this into the program it starts and into those behind a wrapper (jank-preload-exec.c),
 * for programs that use GLib's main loop and never touch GIO, which would load the GIO module. GLib waits by poll()
 * or ppoll() of the C library. These stand in front of them, until GLib waits for the first time for the default
 * context, on the main thread: then the library is started.
 *
 * Any other call costs a few comparisons. The program and its children see the environment that they would see without
 * us. Only the C library is used: a program without GLib gets none. */

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jank-preload-private.h"
#include "jank-preload-strict-private.h"

#define GLIB     "/libglib-2.0.so."
#define LIBRARY  "libjankwatch-1.so.0"
#define ACTIVATE "jank_activate"

#define N_CALLERS 8

typedef int PollFunc (struct pollfd *, nfds_t, int);
typedef int PPollFunc (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

PollFunc poll;
PPollFunc ppoll;

static void *_Atomic next_poll, *_Atomic next_ppoll;
static atomic_bool is_over;                 /* nothing more to wait for */
static pid_t program;                       /* not its forks; 0: `run` does not follow it */
static _Atomic uintptr_t others[N_CALLERS]; /* return addresses outside of GLib */
static atomic_uint n_others;

void *
jank_preload_find_next (void *_Atomic *slot, const char *name)
{
  void *next = dlsym (RTLD_NEXT, name);

  atomic_store_explicit (slot, next, memory_order_relaxed);
  return next;
}

void
jank_preload_begin (void)
{
  const char *asked = getenv ("JANKWATCH");

  if (asked != NULL && strcmp (asked, "1") == 0)
    program = getpid ();
  else
    atomic_store_explicit (&is_over, true, memory_order_relaxed);
}

EXPORT bool
jank_preload_is_here (void)
{
  return getpid () == program;
}

bool
jank_preload_is_main_thread (void)
{
  return syscall (SYS_gettid) == program;
}

bool
jank_preload_is_over (void)
{
  return atomic_load_explicit (&is_over, memory_order_relaxed);
}

static bool
jank_preload_is_known_other (uintptr_t caller)
{
  for (unsigned i = 0; i < N_CALLERS; i++)
    if (atomic_load_explicit (&others[i], memory_order_relaxed) == caller)
      return true;
  return false;
}

static void *
jank_preload_find_glib (const void *caller)
{
  Dl_info info;

  if (dladdr (caller, &info) == 0 || info.dli_fname == NULL || strstr (info.dli_fname, GLIB) == NULL)
    return NULL;
  return dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

static bool
jank_preload_is_default_contexts (void *glib)
{
  int (*is_owner) (void *context) = (int (*) (void *)) dlsym (glib, "g_main_context_is_owner");

  return is_owner != NULL && is_owner (NULL);
}

static void
jank_preload_start (void)
{
  void *library;
  void (*activate) (bool is_in_wait);

  if (atomic_exchange_explicit (&is_over, true, memory_order_relaxed))
    return;
  /* Never unloaded: its thread and its signal handler stay. */
  library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  activate = library != NULL ? (void (*) (bool)) dlsym (library, ACTIVATE) : NULL;
  if (activate != NULL)
    activate (true);
}

static void
jank_preload_look (const void *caller)
{
  int saved_errno = errno;
  void *glib;

  if (jank_preload_is_known_other ((uintptr_t) caller) || !jank_preload_is_main_thread ())
    return;
  glib = jank_preload_find_glib (caller);
  if (glib == NULL)
    {
      unsigned i = atomic_fetch_add_explicit (&n_others, 1, memory_order_relaxed);

      atomic_store_explicit (&others[i % N_CALLERS], (uintptr_t) caller, memory_order_relaxed);
    }
  else
    {
      if (jank_preload_is_default_contexts (glib))
        jank_preload_start ();
      dlclose (glib);
    }
  errno = saved_errno;
}

/* Calls in tail position: on the stack GLib calls the C library, as ever. Not those that wait for a connection. */

EXPORT int
poll (struct pollfd *fds, nfds_t n_fds, int timeout)
{
  PollFunc *next = jank_preload_next (&next_poll, "poll");
  JankPreloadCall call = { 0 };
  int fd, n;

  if (!jank_preload_is_over ())
    jank_preload_look (__builtin_return_address (0));
  fd = timeout != 0 ? jank_preload_strict_find_connecting (fds, n_fds, __builtin_return_address (0)) : -1;
  if (fd >= 0)
    call = jank_preload_strict_begin (&(JankStrictCall) { JANK_STRICT_CONNECT, "connect", NULL, fd,
                                                          __builtin_return_address (0), false });
  if (call.site == 0)
    return next (fds, n_fds, timeout);
  n = next (fds, n_fds, timeout);
  jank_preload_strict_end (call);
  return n;
}

EXPORT int
ppoll (struct pollfd *fds, nfds_t n_fds, const struct timespec *timeout, const sigset_t *mask)
{
  PPollFunc *next = jank_preload_next (&next_ppoll, "ppoll");

  if (!jank_preload_is_over ())
    jank_preload_look (__builtin_return_address (0));
  return next (fds, n_fds, timeout, mask);
}
