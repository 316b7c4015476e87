/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which lock is behind a futex, and which thread holds it. No guesses: what the lock's memory, the waiter's stack and
 * the preloaded library's record do not show is unknown. Watcher thread only. */

#pragma once

#include <glib.h>
#include <sys/types.h>

#include "unwind/jank-stack-private.h"
typedef enum
{
  JANK_LOCK_UNKNOWN,  /* a futex that no function known to us waits on */
  JANK_LOCK_MUTEX,    /* pthread mutex, of any type */
  JANK_LOCK_RWLOCK,
  JANK_LOCK_COND,
  JANK_LOCK_SEM,
  JANK_LOCK_BARRIER,
  JANK_LOCK_JOIN,     /* the end of a thread */
  JANK_LOCK_GMUTEX,   /* GMutex: a bare word, whose owner is in the preloaded library's record alone */
  JANK_LOCK_GRWLOCK,
  JANK_LOCK_GCOND,
  JANK_LOCK_ONCE,     /* pthread_once, g_once_init_enter */
  JANK_LOCK_GIL,      /* Python's, which one thread of an interpreter holds */
  JANK_LOCK_PYTHON,   /* threading.Lock */
  JANK_LOCK_PYTHON_RLOCK,
  JANK_N_LOCKS
} JankLockKind;

typedef struct
{
  JankLockKind kind;
  guint64      address; /* of the lock, or of the futex word where the lock is unknown; 0: none */
  pid_t        owner;   /* thread that holds it, or that is to end; 0: unknown */
} JankLock;

/* Finds the preloaded library's record, if `run` brought it, or ends it. Before the watcher begins, on a thread that
 * may wait for the loader's lock. */
void        jank_lock_prepare        (gboolean is_recorded);

/* A futex word at address, waited on by a thread whose stack holds these calls, innermost first. */
void        jank_lock_look           (guint64 address, guint32 operation, pid_t waiter, const JankCall *calls,
                                      guint n_calls, JankLock *ret_lock);

/* A pthread mutex in the memory of process pid, 0: this one. ret_owner: thread, as that process numbers it; 0: none.
 * FALSE: there is none at that address */
gboolean    jank_lock_read_mutex     (pid_t pid, guint64 address, guint32 *ret_bits, pid_t *ret_owner);

/* Whether the owner found then is still to be believed: a semaphore that another thread has posted since is no lock. */
gboolean    jank_lock_has_owner      (const JankLock *self);

/* "mutex", "GMutex" …: as in the report schema; the same in every language. */
const char *jank_lock_kind_to_nick (JankLockKind kind);
