/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* These stand in front of the functions that may block, and report them to the library once it watches the program.
 * A call inside another one is part of it. Any thread; elsewhere than on the main one they only pass on. Allocates
 * nothing.
 *
 * GIO's synchronous calls are seen where each of them waits: in a loop over a context of its own. So calls by Python
 * and gjs are seen, too, which find GIO's functions behind us. */

#include "jank-preload-private.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jank-strict-call-private.h"

#define GLIB "libglib-2.0.so.0"
#define GIO  "/libgio-2.0.so."

#define LIBC(X) \
  X (fsync) X (fdatasync) X (flock) X (lockf) X (lockf64) X (fcntl) X (fcntl64) X (connect) X (getaddrinfo) X (wait) \
  X (waitpid) X (waitid) X (system) X (popen)

#define LIBC_INDEX(name) LIBC_##name,
#define LIBC_NAME(name)  #name,

enum { LIBC (LIBC_INDEX) N_LIBC };

static const char *const libc_names[N_LIBC] = { LIBC (LIBC_NAME) };
static void *_Atomic libc_next[N_LIBC];

#define NEXT(name) jank_preload_next (&libc_next[LIBC_##name], #name)

/* The rest of a function: in tail position where the call is not counted. */
#define BLOCK(ret, kind, name, target, fd, call_next) \
  do \
    { \
      ret result; \
\
      if (!jank_preload_strict_begin (&(JankStrictCall) { kind, name, target, fd, __builtin_return_address (0) })) \
        return call_next; \
      result = call_next; \
      jank_preload_strict_end (); \
      return result; \
    } \
  while (0)

/* A whole function of the C library, by its symbol: headers have other names for some of these where files are
 * large. */
#define FUNCTION(ret, name, parameters, arguments, may_block, kind, target, fd) \
  ret jank_preload_strict_##name parameters __asm__ (#name) __attribute__ ((visibility ("default"))); \
  ret jank_preload_strict_##name parameters \
  { \
    ret (*next) parameters = (ret (*) parameters) NEXT (name); \
\
    if (!(may_block)) \
      return next arguments; \
    BLOCK (ret, kind, #name, target, fd, next arguments); \
  }

EXPORT JankStrictSetFunc jank_preload_set_strict;

static const JankStrictFuncs *_Atomic funcs; /* (nullable): the program is not watched yet */

void
jank_preload_set_strict (const JankStrictFuncs *given)
{
  atomic_store_explicit (&funcs, given, memory_order_release);
}

static bool
jank_preload_strict_begin (const JankStrictCall *call)
{
  const JankStrictFuncs *known = atomic_load_explicit (&funcs, memory_order_acquire);
  const int saved_errno = errno;
  bool counts = known != NULL && jank_preload_is_main_thread () && known->begin (call);

  errno = saved_errno;
  return counts;
}

static void
jank_preload_strict_end (void)
{
  const int saved_errno = errno;

  atomic_load_explicit (&funcs, memory_order_acquire)->end ();
  errno = saved_errno;
}

/* Whether caller is in a library whose path has that part. */
static bool
jank_preload_strict_is_from (const void *caller, const char *library)
{
  struct dl_find_object found;

  return _dl_find_object ((void *) caller, &found) == 0 && strstr (found.dlfo_link_map->l_name, library) != NULL;
}

/* Some of these may be called in a signal's handler, where nothing can be searched for. */
__attribute__ ((constructor)) static void
jank_preload_strict_prepare (void)
{
  for (unsigned i = 0; i < N_LIBC; i++)
    jank_preload_next (&libc_next[i], libc_names[i]);
  dlerror ();
}

/* The disk, and locks of files */

FUNCTION (int, fsync, (int fd), (fd), true, JANK_STRICT_SYNC, NULL, fd)
FUNCTION (int, fdatasync, (int fd), (fd), true, JANK_STRICT_SYNC, NULL, fd)
FUNCTION (int, flock, (int fd, int operation), (fd, operation), (operation & (LOCK_NB | LOCK_UN)) == 0,
          JANK_STRICT_LOCK, NULL, fd)
FUNCTION (int, lockf, (int fd, int command, long n), (fd, command, n), command == F_LOCK, JANK_STRICT_LOCK, NULL, fd)
FUNCTION (int, lockf64, (int fd, int command, int64_t n), (fd, command, n), command == F_LOCK, JANK_STRICT_LOCK, NULL,
          fd)

/* What follows is a word, or is not read. */
#define FCNTL(name) \
  int jank_preload_strict_##name (int fd, int command, ...) __asm__ (#name) __attribute__ ((visibility ("default"))); \
  int \
  jank_preload_strict_##name (int fd, int command, ...) \
  { \
    int (*next) (int, int, void *) = (int (*) (int, int, void *)) NEXT (name); \
    va_list list; \
    void *word; \
\
    va_start (list, command); \
    word = va_arg (list, void *); \
    va_end (list); \
    if (command != F_SETLKW && command != F_OFD_SETLKW) \
      return next (fd, command, word); \
    BLOCK (int, JANK_STRICT_LOCK, "fcntl", NULL, fd, next (fd, command, word)); \
  }

FCNTL (fcntl)
FCNTL (fcntl64)

/* The network */

EXPORT int
connect (int fd, const struct sockaddr *address, socklen_t n_bytes)
{
  int (*next) (int, const struct sockaddr *, socklen_t) = NEXT (connect);
  int (*control) (int, int, ...) = (int (*) (int, int, ...)) NEXT (fcntl);
  const int saved_errno = errno;
  int flags = control (fd, F_GETFL);

  errno = saved_errno;
  if (flags >= 0 && (flags & O_NONBLOCK) != 0)
    return next (fd, address, n_bytes);
  BLOCK (int, JANK_STRICT_CONNECT, "connect", NULL, fd, next (fd, address, n_bytes));
}

/* Nobody is asked for an address in digits. */
static bool
jank_preload_strict_is_name (const char *name)
{
  unsigned char room[sizeof (struct in6_addr)];
  const int saved_errno = errno;
  bool is_name = name != NULL && inet_pton (AF_INET, name, room) != 1 && inet_pton (AF_INET6, name, room) != 1;

  errno = saved_errno;
  return is_name;
}

FUNCTION (int, getaddrinfo,
          (const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **ret_info),
          (name, service, hints, ret_info),
          jank_preload_strict_is_name (name) && (hints == NULL || (hints->ai_flags & AI_NUMERICHOST) == 0),
          JANK_STRICT_DNS, name, -1)

/* Child processes */

FUNCTION (pid_t, wait, (int *status), (status), true, JANK_STRICT_CHILD, NULL, -1)
FUNCTION (pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), (options & WNOHANG) == 0,
          JANK_STRICT_CHILD, NULL, -1)
FUNCTION (int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options),
          (options & WNOHANG) == 0, JANK_STRICT_CHILD, NULL, -1)

FUNCTION (int, system, (const char *line), (line), line != NULL, JANK_STRICT_CHILD, line, -1)
/* Whoever reads from the stream waits for that child, too. */
FUNCTION (FILE *, popen, (const char *line, const char *type), (line, type), line != NULL, JANK_STRICT_CHILD, line, -1)

/* D-Bus, and what else GIO waits for */

EXPORT void g_main_loop_run (void *loop);
EXPORT int  g_main_context_iteration (void *context, int may_block);

void
g_main_loop_run (void *loop)
{
  static void *_Atomic slot;
  void (*next) (void *) = (void (*) (void *)) jank_preload_next_in (&slot, "g_main_loop_run", GLIB);
  bool counts = jank_preload_strict_is_from (__builtin_return_address (0), GIO) &&
                jank_preload_strict_begin (&(JankStrictCall) { JANK_STRICT_DBUS, "g_main_loop_run", NULL, -1,
                                                               __builtin_return_address (0) });

  next (loop);
  if (counts)
    jank_preload_strict_end ();
}

/* GSubprocess waits so; g_application_run() turns the default context. */
int
g_main_context_iteration (void *context, int may_block)
{
  static void *_Atomic slot, *_Atomic default_slot;
  int (*next) (void *, int) =
    (int (*) (void *, int)) jank_preload_next_in (&slot, "g_main_context_iteration", GLIB);
  void *(*get_default) (void) =
    (void *(*) (void)) jank_preload_next_in (&default_slot, "g_main_context_default", GLIB);

  if (!may_block || context == NULL || context == get_default () ||
      !jank_preload_strict_is_from (__builtin_return_address (0), GIO))
    return next (context, may_block);
  BLOCK (int, JANK_STRICT_CHILD, "g_subprocess_wait", NULL, -1, next (context, may_block));
}
