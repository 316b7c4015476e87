/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* These stand in front of the functions that may block, and report them to the library once it watches the program.
 * A call inside another one is part of it. Any thread; elsewhere than on the main one they only pass on. Allocates
 * nothing.
 *
 * GIO's synchronous calls are seen where each of them waits: in a loop over a context of its own. So calls by Python
 * and gjs are seen, too, which find GIO's functions behind us. */

#include "jank-preload-strict-private.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "jank-preload-private.h"

#define GLIB    "libglib-2.0.so.0"
#define LIBDBUS "libdbus-1.so.3"
#define GIO     "/libgio-2.0.so."

#define LIBC(X) \
  X (fsync) X (fdatasync) X (flock) X (lockf) X (lockf64) X (fcntl) X (fcntl64) X (open) X (open64) X (openat) \
  X (openat64) \
  X (fopen) X (fopen64) X (connect) X (getaddrinfo) X (gethostbyname) X (wait) X (waitpid) X (wait4) X (waitid) \
  X (system) X (popen)

#define LIBRARIES(X) \
  X (g_main_loop_run, GLIB) X (g_main_context_iteration, GLIB) X (g_main_context_default, GLIB) \
  X (dbus_connection_send_with_reply_and_block, LIBDBUS)

#define LIBC_INDEX(name)             LIBC_##name,
#define LIBC_NAME(name)              #name,
#define LIBRARY_INDEX(name, library) LIBRARY_##name,
#define LIBRARY_NAME(name, library)  { #name, library },

enum { LIBC (LIBC_INDEX) N_LIBC };
enum { LIBRARIES (LIBRARY_INDEX) N_LIBRARY };

static const char *const libc_names[N_LIBC] = { LIBC (LIBC_NAME) };
static const struct { const char *name, *library; } library_names[N_LIBRARY] = { LIBRARIES (LIBRARY_NAME) };
static void *_Atomic libc_next[N_LIBC], *_Atomic library_next[N_LIBRARY];

#define NEXT(name)         jank_preload_next (&libc_next[LIBC_##name], #name)
#define LIBRARY_NEXT(name) jank_preload_strict_library (LIBRARY_##name)

/* The rest of a function: in tail position where the call is not counted. */
#define BLOCK(ret, kind, name, target, fd, call_next) \
  do \
    { \
      JankPreloadCall begun = jank_preload_strict_begin (&(JankStrictCall) { kind, name, target, fd, \
                                                                             __builtin_return_address (0) }); \
      ret result; \
\
      if (begun.site == 0) \
        return call_next; \
      result = call_next; \
      jank_preload_strict_end (begun); \
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

/* main thread and its signal handlers only, so relaxed */
static _Atomic uint64_t outer_turn;   /* of the loop */
static atomic_int connecting_fd = -1; /* connect() has begun and not ended */
static _Atomic uintptr_t outer_frame; /* where on the stack the call under way was seen, 0: there is none */

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

JankPreloadCall
jank_preload_strict_begin (const JankStrictCall *call)
{
  const JankStrictFuncs *known = jank_preload_strict_get_funcs ();
  const uintptr_t frame = (uintptr_t) __builtin_frame_address (0);
  const int saved_errno = errno;
  JankPreloadCall begun = { 0 };

  /* A call that the program jumped out of, by siglongjmp(), does not end: later calls are further up the stack, or in
   * another turn. */
  if (known == NULL || !jank_preload_is_main_thread () ||
      (atomic_load_explicit (&outer_frame, memory_order_relaxed) > frame &&
       atomic_load_explicit (&outer_turn, memory_order_relaxed) == known->get_turn ()))
    {
      errno = saved_errno;
      return begun;
    }
  atomic_store_explicit (&outer_turn, known->get_turn (), memory_order_relaxed);
  atomic_store_explicit (&outer_frame, frame, memory_order_relaxed);
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

/* Whether caller is in a library whose path has that part. */
static bool
jank_preload_strict_is_from (const void *caller, const char *library)
{
  struct dl_find_object found;

  return _dl_find_object ((void *) caller, &found) == 0 && strstr (found.dlfo_link_map->l_name, library) != NULL;
}

/* Whether it is on a network or FUSE mount. path: (nullable) */
static bool
jank_preload_strict_is_remote (const char *path)
{
  const JankStrictFuncs *known = jank_preload_strict_get_funcs ();
  const int saved_errno = errno;
  bool is_remote = known != NULL && path != NULL && jank_preload_is_main_thread () && known->is_remote (path);

  errno = saved_errno;
  return is_remote;
}

static void *
jank_preload_strict_do_nothing (void)
{
  return NULL;
}

/* The library may be loaded for a plug-in alone, where the loader's search behind us does not reach. */
static __attribute__ ((noinline, cold)) void *
jank_preload_strict_search (unsigned function)
{
  const int saved_errno = errno;
  void *next = dlsym (RTLD_NEXT, library_names[function].name);
  void *library = next == NULL ? dlopen (library_names[function].library, RTLD_LAZY | RTLD_NOLOAD) : NULL;

  if (library != NULL)
    next = dlsym (library, library_names[function].name);
  if (next == NULL)
    dlerror ();
  atomic_store_explicit (&library_next[function], next, memory_order_relaxed);
  errno = saved_errno;
  return next != NULL ? next : (void *) jank_preload_strict_do_nothing;
}

static void *
jank_preload_strict_library (unsigned function)
{
  void *next = atomic_load_explicit (&library_next[function], memory_order_relaxed);

  return __builtin_expect (next != NULL, 1) ? next : jank_preload_strict_search (function);
}

void
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

/* Files on network and FUSE mounts */

#define OPEN(name, folder_parameter, folder_argument, is_here) \
  int jank_preload_strict_##name (folder_parameter const char *path, int flags, ...) __asm__ (#name) \
  __attribute__ ((visibility ("default"))); \
  int \
  jank_preload_strict_##name (folder_parameter const char *path, int flags, ...) \
  { \
    int (*next) (folder_parameter const char *, int, ...) = \
        (int (*) (folder_parameter const char *, int, ...)) NEXT (name); \
    unsigned mode = 0; \
    va_list list; \
\
    va_start (list, flags); \
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) \
      mode = va_arg (list, unsigned); \
    va_end (list); \
    if (!(is_here) || !jank_preload_strict_is_remote (path)) \
      return next (folder_argument path, flags, mode); \
    BLOCK (int, JANK_STRICT_OPEN, "open", path, -1, next (folder_argument path, flags, mode)); \
  }
#define NONE
#define FOLDER_PARAMETER int folder,
#define FOLDER_ARGUMENT  folder,
#define FOLDER_IS_HERE   folder == AT_FDCWD

OPEN (open, NONE, NONE, true)
OPEN (open64, NONE, NONE, true)
OPEN (openat, FOLDER_PARAMETER, FOLDER_ARGUMENT, FOLDER_IS_HERE)
OPEN (openat64, FOLDER_PARAMETER, FOLDER_ARGUMENT, FOLDER_IS_HERE)
FUNCTION (FILE *, fopen, (const char *path, const char *mode), (path, mode), jank_preload_strict_is_remote (path),
          JANK_STRICT_OPEN, path, -1)
FUNCTION (FILE *, fopen64, (const char *path, const char *mode), (path, mode), jank_preload_strict_is_remote (path),
          JANK_STRICT_OPEN, path, -1)

/* The network. A socket that does not block is connected when somebody polls for it. */

typedef int ConnectFunc (int, const struct sockaddr *, socklen_t);

EXPORT int
connect (int fd, const struct sockaddr *address, socklen_t n_bytes)
{
  ConnectFunc *next = NEXT (connect);
  int (*control) (int, int, ...) = (int (*) (int, int, ...)) NEXT (fcntl);
  const int saved_errno = errno;
  int flags = control (fd, F_GETFL), error;

  errno = saved_errno;
  if (flags < 0 || (flags & O_NONBLOCK) == 0)
    BLOCK (int, JANK_STRICT_CONNECT, "connect", NULL, fd, next (fd, address, n_bytes));
  error = next (fd, address, n_bytes);
  if (error < 0 && errno == EINPROGRESS)
    {
      if (jank_preload_strict_get_funcs () != NULL && jank_preload_is_main_thread ())
        atomic_store_explicit (&connecting_fd, fd, memory_order_relaxed);
      errno = EINPROGRESS;
    }
  return error;
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
FUNCTION (struct hostent *, gethostbyname, (const char *name), (name), jank_preload_strict_is_name (name),
          JANK_STRICT_DNS, name, -1)

/* Child processes */

FUNCTION (pid_t, wait, (int *status), (status), true, JANK_STRICT_CHILD, NULL, -1)
FUNCTION (pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), (options & WNOHANG) == 0,
          JANK_STRICT_CHILD, NULL, -1)
FUNCTION (pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options, usage),
          (options & WNOHANG) == 0, JANK_STRICT_CHILD, NULL, -1)
FUNCTION (int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options),
          (options & WNOHANG) == 0, JANK_STRICT_CHILD, NULL, -1)

FUNCTION (int, system, (const char *line), (line), line != NULL, JANK_STRICT_CHILD, line, -1)
/* Whoever reads from the stream waits for that child, too. */
FUNCTION (FILE *, popen, (const char *line, const char *type), (line, type), line != NULL, JANK_STRICT_CHILD, line, -1)

/* D-Bus, and what else GIO waits for */

EXPORT void  g_main_loop_run (void *loop);
EXPORT int   g_main_context_iteration (void *context, int may_block);
EXPORT void *dbus_connection_send_with_reply_and_block (void *connection, void *message, int timeout_ms, void *error);

void
g_main_loop_run (void *loop)
{
  void (*next) (void *) = (void (*) (void *)) LIBRARY_NEXT (g_main_loop_run);
  JankPreloadCall begun = { 0 };

  if (jank_preload_strict_is_from (__builtin_return_address (0), GIO))
    begun = jank_preload_strict_begin (&(JankStrictCall) { JANK_STRICT_DBUS, "g_main_loop_run", NULL, -1,
                                                           __builtin_return_address (0) });
  if (begun.site == 0)
    {
      next (loop);
      return;
    }
  next (loop);
  jank_preload_strict_end (begun);
}

/* GSubprocess waits so; g_application_run() turns the default context. */
int
g_main_context_iteration (void *context, int may_block)
{
  int (*next) (void *, int) = (int (*) (void *, int)) LIBRARY_NEXT (g_main_context_iteration);
  void *(*get_default) (void) = (void *(*) (void)) LIBRARY_NEXT (g_main_context_default);

  if (!may_block || context == NULL || context == get_default () ||
      !jank_preload_strict_is_from (__builtin_return_address (0), GIO))
    return next (context, may_block);
  BLOCK (int, JANK_STRICT_CHILD, "g_subprocess_wait", NULL, -1, next (context, may_block));
}

void *
dbus_connection_send_with_reply_and_block (void *connection, void *message, int timeout_ms, void *error)
{
  void *(*next) (void *, void *, int, void *) =
    (void *(*) (void *, void *, int, void *)) LIBRARY_NEXT (dbus_connection_send_with_reply_and_block);

  BLOCK (void *, JANK_STRICT_DBUS, "dbus_connection_send_with_reply_and_block", NULL, -1,
         next (connection, message, timeout_ms, error));
}
