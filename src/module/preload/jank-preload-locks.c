/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Locks whose memory does not say who holds them: GMutex, and the readers of a pthread_rwlock_t (so of a GRWLock, too).
 * These functions stand in front of GLib's and the C library's and write down the holder, for reports. GLib's calls to
 * its own locks are not seen, nor code that is inlined.
 *
 * Any thread, before main() and between fork() and exec() as well. errno is the C library's. */

#include "jank-preload-locks-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jank-preload-private.h"

#define GLIB "libglib-2.0.so.0"

enum
{
  MUTEX_LOCK, MUTEX_TRYLOCK, MUTEX_UNLOCK, COND_WAIT, COND_WAIT_UNTIL, COND_TIMED_WAIT, CONTEXT_WAIT, N_GLIB
};

static const char *const glib_names[N_GLIB] = {
  "g_mutex_lock",      "g_mutex_trylock",   "g_mutex_unlock",      "g_cond_wait",
  "g_cond_wait_until", "g_cond_timed_wait", "g_main_context_wait",
};
static void *_Atomic glib_next[N_GLIB];

enum
{
  RDLOCK, TRYRDLOCK, TIMEDRDLOCK, CLOCKRDLOCK, UNLOCK, N_LIBC
};

static const char *const libc_names[N_LIBC] = {
  "pthread_rwlock_rdlock",      "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock",
  "pthread_rwlock_clockrdlock", "pthread_rwlock_unlock",
};
static void *_Atomic libc_next[N_LIBC];

EXPORT JankHeldLocks jank_preload_held_locks;
__thread JankPreloadThread jank_preload_own_thread __attribute__ ((tls_model ("initial-exec")));

__attribute__ ((cold)) JankPreloadThread
jank_preload_locks_learn_thread (void)
{
  if (atomic_load_explicit (&jank_preload_held_locks.is_on, memory_order_relaxed))
    {
      jank_preload_own_thread.tid = (uint32_t) syscall (SYS_gettid);
      jank_preload_own_thread.line = jank_held_line (&jank_preload_held_locks, jank_preload_own_thread.tid);
    }
  return jank_preload_own_thread;
}

static inline void
jank_preload_locks_taken (const void *lock)
{
  JankPreloadThread thread = jank_preload_locks_get_thread ();

  if (thread.line != NULL)
    jank_held_replace (thread.line, 0, jank_held_word (lock, thread.tid));
}

static inline void
jank_preload_locks_given_up (const void *lock)
{
  JankPreloadThread thread = jank_preload_locks_get_thread ();

  if (thread.line != NULL)
    jank_held_replace (thread.line, jank_held_word (lock, thread.tid), 0);
}

/* Whoever asks whether these functions exist finds ours, also without GLib. */
static int
jank_preload_locks_do_nothing (void)
{
  return 0;
}

/* GLib may be loaded for a plug-in alone, where the loader's search behind us does not reach. All at once: it is a
 * library of GLib's that calls first, while it is loaded, not a thread for which the loader waits. */
static __attribute__ ((noinline, cold)) void *
jank_preload_locks_search (unsigned function)
{
  const int saved_errno = errno;
  void *glib = NULL, *next;

  if (dlsym (RTLD_NEXT, glib_names[function]) == NULL)
    {
      dlerror ();
      glib = dlopen (GLIB, RTLD_LAZY | RTLD_NOLOAD);
    }
  for (unsigned i = 0; i < N_GLIB; i++)
    atomic_store_explicit (&glib_next[i], dlsym (glib != NULL ? glib : RTLD_NEXT, glib_names[i]), memory_order_relaxed);
  next = atomic_load_explicit (&glib_next[function], memory_order_relaxed);
  if (next == NULL)
    dlerror ();
  errno = saved_errno;
  return next != NULL ? next : (void *) jank_preload_locks_do_nothing;
}

static inline void *
jank_preload_locks_glib (unsigned function)
{
  void *next = atomic_load_explicit (&glib_next[function], memory_order_relaxed);

  return __builtin_expect (next != NULL, 1) ? next : jank_preload_locks_search (function);
}

/* A function of type ret (*) parameters. */
#define GLIB_NEXT(function, ret, parameters) \
  ret (*next) parameters = (ret (*) parameters) jank_preload_locks_glib (function)

#define LIBC_NEXT(function, ret, parameters) \
  ret (*next) parameters = (ret (*) parameters) jank_preload_next (&libc_next[function], libc_names[function])

EXPORT void g_mutex_lock (void *mutex);
EXPORT int  g_mutex_trylock (void *mutex);
EXPORT void g_mutex_unlock (void *mutex);
EXPORT void g_cond_wait (void *cond, void *mutex);
EXPORT int  g_cond_wait_until (void *cond, void *mutex, int64_t until_us);
EXPORT int  g_cond_timed_wait (void *cond, void *mutex, void *until);
EXPORT int  g_main_context_wait (void *context, void *cond, void *mutex);

void
g_mutex_lock (void *mutex)
{
  GLIB_NEXT (MUTEX_LOCK, void, (void *));

  next (mutex);
  jank_preload_locks_taken (mutex);
}

int
g_mutex_trylock (void *mutex)
{
  GLIB_NEXT (MUTEX_TRYLOCK, int, (void *));
  int is_taken = next (mutex);

  if (is_taken)
    jank_preload_locks_taken (mutex);
  return is_taken;
}

void
g_mutex_unlock (void *mutex)
{
  GLIB_NEXT (MUTEX_UNLOCK, void, (void *));

  jank_preload_locks_given_up (mutex);
  next (mutex);
}

/* Gives the mutex up while it waits. */

void
g_cond_wait (void *cond, void *mutex)
{
  GLIB_NEXT (COND_WAIT, void, (void *, void *));

  jank_preload_locks_given_up (mutex);
  next (cond, mutex);
  jank_preload_locks_taken (mutex);
}

/* So do these. mutex: b or c */
#define DEFINE_WAIT(index, function, type, mutex) \
  int \
  function (void *a, void *b, type c) \
  { \
    GLIB_NEXT (index, int, (void *, void *, type)); \
    int result; \
\
    jank_preload_locks_given_up (mutex); \
    result = next (a, b, c); \
    jank_preload_locks_taken (mutex); \
    return result; \
  }

DEFINE_WAIT (COND_WAIT_UNTIL, g_cond_wait_until, int64_t, b)
DEFINE_WAIT (COND_TIMED_WAIT, g_cond_timed_wait, void *, b)
DEFINE_WAIT (CONTEXT_WAIT, g_main_context_wait, void *, c)

/* A writer is in the lock's memory. */

static inline int
jank_preload_locks_read (pthread_rwlock_t *lock, int error)
{
  if (error == 0)
    jank_preload_locks_taken (lock);
  return error;
}

EXPORT int
pthread_rwlock_rdlock (pthread_rwlock_t *lock)
{
  LIBC_NEXT (RDLOCK, int, (pthread_rwlock_t *));

  return jank_preload_locks_read (lock, next (lock));
}

EXPORT int
pthread_rwlock_tryrdlock (pthread_rwlock_t *lock)
{
  LIBC_NEXT (TRYRDLOCK, int, (pthread_rwlock_t *));

  return jank_preload_locks_read (lock, next (lock));
}

EXPORT int
pthread_rwlock_timedrdlock (pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
  LIBC_NEXT (TIMEDRDLOCK, int, (pthread_rwlock_t *, const struct timespec *));

  return jank_preload_locks_read (lock, next (lock, until));
}

EXPORT int
pthread_rwlock_clockrdlock (pthread_rwlock_t *restrict lock, clockid_t clock, const struct timespec *restrict until)
{
  LIBC_NEXT (CLOCKRDLOCK, int, (pthread_rwlock_t *, clockid_t, const struct timespec *));

  return jank_preload_locks_read (lock, next (lock, clock, until));
}

EXPORT int
pthread_rwlock_unlock (pthread_rwlock_t *lock)
{
  LIBC_NEXT (UNLOCK, int, (pthread_rwlock_t *));

  jank_preload_locks_given_up (lock);
  return next (lock);
}

void
jank_preload_locks_set_on (bool on)
{
  atomic_store_explicit (&jank_preload_held_locks.is_on, on, memory_order_relaxed);
}

void
jank_preload_locks_begin (void)
{
  for (unsigned i = 0; i < N_LIBC; i++)
    jank_preload_next (&libc_next[i], libc_names[i]);
  for (unsigned i = 0; i < N_GLIB; i++)
    jank_preload_next (&glib_next[i], glib_names[i]);
  dlerror ();
}
