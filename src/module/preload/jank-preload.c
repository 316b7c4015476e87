/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch run` preloads this into the program it starts, for programs that use GLib's main loop and never touch GIO,
 * which would load the GIO module. GLib waits by poll() or ppoll() of the C library. These stand in front of them, until
 * GLib waits for the first time for the default context, on the main thread: then the library is started.
 *
 * Any other call costs a few comparisons. The program and its children see the environment that they would see without
 * us. Only the C library is used: a program without GLib gets none. */

#include "config.h"

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

#define GLIB     "/libglib-2.0.so."
#define LIBRARY  "libjankwatch-1.so.0"
#define ACTIVATE "jank_activate"
#define PRELOAD  "LD_PRELOAD="

#define N_CALLERS 8

#define EXPORT __attribute__ ((visibility ("default")))

typedef int PollFunc (struct pollfd *, nfds_t, int);
typedef int PPollFunc (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

PollFunc poll;
PPollFunc ppoll;

static _Atomic (PollFunc *) next_poll;
static _Atomic (PPollFunc *) next_ppoll;
static atomic_bool is_over;            /* nothing more to wait for */
static pid_t program;                  /* not its forks */
static _Atomic uintptr_t others[N_CALLERS]; /* return addresses outside of GLib */
static atomic_uint n_others;

static bool
is_known_other (uintptr_t caller)
{
  for (unsigned i = 0; i < N_CALLERS; i++)
    if (atomic_load_explicit (&others[i], memory_order_relaxed) == caller)
      return true;
  return false;
}

static void *
find_glib (const void *caller)
{
  Dl_info info;

  if (dladdr (caller, &info) == 0 || info.dli_fname == NULL || strstr (info.dli_fname, GLIB) == NULL)
    return NULL;
  return dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

static bool
is_default_contexts (void *glib)
{
  int (*is_owner) (void *context) = (int (*) (void *)) dlsym (glib, "g_main_context_is_owner");

  return is_owner != NULL && is_owner (NULL);
}

static void
start (void)
{
  void *library;
  void (*activate) (void);

  if (atomic_exchange_explicit (&is_over, true, memory_order_relaxed))
    return;
  /* Never unloaded: its thread and its signal handler stay. */
  library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  activate = library != NULL ? (void (*) (void)) dlsym (library, ACTIVATE) : NULL;
  if (activate != NULL)
    activate ();
}

static void
look (const void *caller)
{
  int saved_errno = errno;
  void *glib;

  if (is_known_other ((uintptr_t) caller) || getpid () != program || syscall (SYS_gettid) != program)
    return;
  glib = find_glib (caller);
  if (glib == NULL)
    {
      unsigned i = atomic_fetch_add_explicit (&n_others, 1, memory_order_relaxed);

      atomic_store_explicit (&others[i % N_CALLERS], (uintptr_t) caller, memory_order_relaxed);
    }
  else
    {
      if (is_default_contexts (glib))
        start ();
      dlclose (glib);
    }
  errno = saved_errno;
}

/* Calls in tail position: on the stack GLib calls the C library, as ever. */

EXPORT int
poll (struct pollfd *fds, nfds_t n_fds, int timeout)
{
  PollFunc *next = atomic_load_explicit (&next_poll, memory_order_relaxed);

  if (next == NULL)
    {
      next = (PollFunc *) dlsym (RTLD_NEXT, "poll");
      atomic_store_explicit (&next_poll, next, memory_order_relaxed);
    }
  if (!atomic_load_explicit (&is_over, memory_order_relaxed))
    look (__builtin_return_address (0));
  return next (fds, n_fds, timeout);
}

EXPORT int
ppoll (struct pollfd *fds, nfds_t n_fds, const struct timespec *timeout, const sigset_t *mask)
{
  PPollFunc *next = atomic_load_explicit (&next_ppoll, memory_order_relaxed);

  if (next == NULL)
    {
      next = (PPollFunc *) dlsym (RTLD_NEXT, "ppoll");
      atomic_store_explicit (&next_ppoll, next, memory_order_relaxed);
    }
  if (!atomic_load_explicit (&is_over, memory_order_relaxed))
    look (__builtin_return_address (0));
  return next (fds, n_fds, timeout, mask);
}

/* Takes our name off the front of the variable. */
static void
restore (char **variable)
{
  char *value = *variable + strlen (PRELOAD);
  size_t n;
  Dl_info info;

  if (dladdr ((void *) &restore, &info) == 0)
    return;
  n = strlen (info.dli_fname);
  if (strncmp (value, info.dli_fname, n) != 0)
    return;
  if (value[n] == ':')
    memmove (value, value + n + 1, strlen (value + n + 1) + 1);
  else if (value[n] == '\0')
    for (; variable[0] != NULL; variable++)
      variable[0] = variable[1];
}

__attribute__ ((constructor)) static void
begin (int argc, char **argv, char **envp)
{
  const char *asked = getenv ("JANKWATCH");

  program = getpid ();
  if (asked == NULL || strcmp (asked, "1") != 0)
    atomic_store_explicit (&is_over, true, memory_order_relaxed);
  for (char **variable = envp; *variable != NULL; variable++)
    if (strncmp (*variable, PRELOAD, strlen (PRELOAD)) == 0)
      {
        restore (variable);
        break;
      }
}
