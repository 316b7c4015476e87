/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* `jankwatch run` preloads this into the program that it starts. It starts the library as soon as GLib is there: so
 * start-up is watched, too, always on the main thread and never while the loader runs constructors, where libraries are
 * half initialized:
 * - before main(), in a program that is linked with GLib;
 * - when a language binding asks for its first namespace by introspection (Python, Lua, Ruby …);
 * - else when GLib waits for the first time for the default context, by poll() or ppoll() of the C library.
 *
 * Any other call costs a few comparisons. A wrapper such as env or a shell leaves LD_PRELOAD to the program behind it;
 * the first process that starts the library takes us out, so its children start as without us. Only the C library is
 * used: a program without GLib gets none. */

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
#include <time.h>
#include <unistd.h>

#include "base/jank-starter-private.h"
#include "jank-preload-private.h"

#define GLIB     "libglib-2.0.so.0"
#define LIBRARY  "libjankwatch-1.so.0"
#define ACTIVATE "jank_activate"
#define OWN_FILE "/libjankwatch-preload"

#define N_CALLERS 8

typedef int PollFunc (struct pollfd *, nfds_t, int);
typedef int PPollFunc (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
typedef int MainFunc (int, char **, char **);
typedef int StartFunc (MainFunc *, int, char **, MainFunc *, void (*) (void), void (*) (void), void *);
typedef void *RequireFunc (void *, const char *, const char *, int, void **);

PollFunc poll;
PPollFunc ppoll;

static void *_Atomic next_poll, *_Atomic next_ppoll;
static atomic_bool is_over;                 /* nothing more to wait for */
static pid_t program;                       /* not its forks; 0: `run` does not follow it */
static int64_t began_ns;                    /* CLOCK_MONOTONIC, when this was loaded */
static MainFunc *program_main;
static _Atomic uintptr_t others[N_CALLERS]; /* return addresses outside of GLib */
static atomic_uint n_others;

void *
jank_preload_find_next (void *_Atomic *slot, const char *name)
{
  void *next = dlsym (RTLD_NEXT, name);

  atomic_store_explicit (slot, next, memory_order_relaxed);
  return next;
}

/* Takes the library out of LD_PRELOAD. Other threads may read the environment, so all happens inside the variable's
 * text; for the loader an empty one is none. Before main() a variable of ours alone goes. */
static void
jank_preload_leave_environment (bool is_before_main)
{
  char *list = getenv ("LD_PRELOAD"), *ours = list != NULL ? strstr (list, OWN_FILE) : NULL, *end;

  if (ours == NULL)
    return;
  end = ours + strcspn (ours, ": ");
  while (ours > list && strchr (": ", ours[-1]) == NULL)
    ours--;
  if (*end != '\0')
    memmove (ours, end + 1, strlen (end + 1) + 1);
  else if (ours > list)
    ours[-1] = '\0';
  else if (is_before_main)
    unsetenv ("LD_PRELOAD");
  else
    *list = '\0';
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

  if (dladdr (caller, &info) == 0 || info.dli_fname == NULL || strstr (info.dli_fname, "/" GLIB) == NULL)
    return NULL;
  return dlopen (info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

static void
jank_preload_start (int64_t startup_began_ns, bool is_in_wait)
{
  void *library;
  void (*activate) (int64_t startup_began_ns, bool is_in_wait);

  if (atomic_exchange_explicit (&is_over, true, memory_order_relaxed))
    return;
  jank_preload_leave_environment (startup_began_ns != 0);
  /* Never unloaded: its thread and its signal handler stay. */
  library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  activate = library != NULL ? (void (*) (int64_t, bool)) dlsym (library, ACTIVATE) : NULL;
  if (activate != NULL)
    activate (startup_began_ns, is_in_wait);
}

/* GLib waits. A synchronous call of GIO's does so for a context of its own inside g_application_run(), which owns the
 * default context: then the program is still starting up. */
static void
jank_preload_start_in_wait (void *glib)
{
  int (*is_owner) (void *context) = (int (*) (void *)) dlsym (glib, "g_main_context_is_owner");
  void *(*get_pushed) (void) = (void *(*) (void)) dlsym (glib, "g_main_context_get_thread_default");

  if (is_owner != NULL && get_pushed != NULL && is_owner (NULL))
    jank_preload_start (0, get_pushed () == NULL);
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
      jank_preload_start_in_wait (glib);
      dlclose (glib);
    }
  errno = saved_errno;
}

static void
jank_preload_start_with_glib (int64_t startup_began_ns)
{
  const int saved_errno = errno;
  void *glib;

  if (jank_preload_is_over () || !jank_preload_is_main_thread ())
    return;
  glib = dlopen (GLIB, RTLD_LAZY | RTLD_NOLOAD);
  if (glib != NULL)
    {
      jank_preload_start (startup_began_ns, false);
      dlclose (glib);
    }
  else
    dlerror ();
  errno = saved_errno;
}

void
jank_preload_begin (void)
{
  const char *asked = getenv ("JANKWATCH");
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  began_ns = now.tv_sec * INT64_C (1000000000) + now.tv_nsec;
  /* What the bus starts for whoever asks is not the command's. */
  if (asked != NULL && strcmp (asked, "1") == 0 && !jank_starter_is_service ())
    program = getpid ();
  else
    {
      atomic_store_explicit (&is_over, true, memory_order_relaxed);
      jank_preload_leave_environment (true);
    }
}

static int
jank_preload_main (int argc, char **argv, char **envp)
{
  jank_preload_start_with_glib (began_ns);
  return program_main (argc, argv, envp);
}

/* Calls in tail position: on the stack GLib calls the C library, as ever. */

EXPORT int
poll (struct pollfd *fds, nfds_t n_fds, int timeout)
{
  PollFunc *next = jank_preload_next (&next_poll, "poll");

  if (!jank_preload_is_over ())
    jank_preload_look (__builtin_return_address (0));
  return next (fds, n_fds, timeout);
}

EXPORT int
ppoll (struct pollfd *fds, nfds_t n_fds, const struct timespec *timeout, const sigset_t *mask)
{
  PPollFunc *next = jank_preload_next (&next_ppoll, "ppoll");

  if (!jank_preload_is_over ())
    jank_preload_look (__builtin_return_address (0));
  return next (fds, n_fds, timeout, mask);
}

/* Behind all constructors and before the program's first instruction. */
EXPORT int __libc_start_main (MainFunc *func, int argc, char **argv, MainFunc *init, void (*fini) (void),
                              void (*loader_fini) (void), void *stack_end);

int
__libc_start_main (MainFunc *func, int argc, char **argv, MainFunc *init, void (*fini) (void),
                   void (*loader_fini) (void), void *stack_end)
{
  StartFunc *next = (StartFunc *) dlsym (RTLD_NEXT, "__libc_start_main");

  program_main = func;
  return next (jank_preload_main, argc, argv, init, fini, loader_fini, stack_end);
}

void *
jank_preload_next_in (void *_Atomic *slot, const char *name, const char *library)
{
  const int saved_errno = errno;
  void *next = jank_preload_next (slot, name), *file = next == NULL ? dlopen (library, RTLD_LAZY | RTLD_NOLOAD) : NULL;

  if (file != NULL)
    atomic_store_explicit (slot, next = dlsym (file, name), memory_order_relaxed);
  errno = saved_errno;
  return next;
}

/* Those of girepository-1.0 and 2.0. */

#define REQUIRE(function, library) \
  EXPORT void *function (void *repository, const char *namespace, const char *version, int flags, void **error); \
  void * \
  function (void *repository, const char *namespace, const char *version, int flags, void **error) \
  { \
    static void *_Atomic next; \
    RequireFunc *require = (RequireFunc *) jank_preload_next_in (&next, #function, library); \
    jank_preload_start_with_glib (0); \
    return require != NULL ? require (repository, namespace, version, flags, error) : NULL; \
  }

REQUIRE (g_irepository_require, "libgirepository-1.0.so.1")
REQUIRE (gi_repository_require, "libgirepository-2.0.so.0")
