/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls on what <pthread.h> and <semaphore.h> offer, held by a thread named "holder". */

#include "kinds.h"

#include <pthread.h>
#include <semaphore.h>

extern void stall_in_mutex (gint64 length_ns);
extern void stall_in_timed_mutex (gint64 length_ns);
extern void stall_in_read_lock (gint64 length_ns);
extern void stall_in_write_lock (gint64 length_ns);
extern void stall_in_cond_wait (gint64 length_ns);
extern void stall_in_cond_timedwait (gint64 length_ns);
extern void stall_in_semaphore (gint64 length_ns);
extern void stall_in_barrier (gint64 length_ns);
extern void stall_in_join (gint64 length_ns);
extern void stall_in_once (gint64 length_ns);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t semaphore;
static gboolean is_ready;   /* under the mutex */
static gint is_in_once;     /* (atomic) */
static gint64 once_ns;

static void
start_holder (const char *lock, const void *address, gboolean names_owner, const HolderJob *job, gint64 length_ns)
{
  truth.lock = lock;
  truth.lock_address = address;
  truth.holder = holder_start_thread ("holder", job, length_ns);
  truth.holder_function = job->keep == holder_computes ? "holder_computes" : "holder_sleeps";
  truth.lock_owner = names_owner ? truth.holder : 0;
}

/* On the holder's thread. */
static void
take_mutex (void)
{
  pthread_mutex_lock (&mutex);
}

static void
give_mutex (void)
{
  pthread_mutex_unlock (&mutex);
}

static void
prepare_mutex_of (int type, int protocol, int robust, gint64 length_ns)
{
  const HolderJob job = { take_mutex, holder_sleeps, give_mutex };
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, type);
  pthread_mutexattr_setprotocol (&attributes, protocol);
  pthread_mutexattr_setrobust (&attributes, robust);
  kinds_check (pthread_mutex_init (&mutex, &attributes) == 0, "pthread_mutex_init");
  start_holder ("mutex", &mutex, TRUE, &job, length_ns);
}

/* Its holder computes. */
static void
prepare_mutex_normal (gint64 length_ns)
{
  const HolderJob job = { take_mutex, holder_computes, give_mutex };

  start_holder ("mutex", &mutex, TRUE, &job, length_ns);
}

static void
prepare_mutex_recursive (gint64 length_ns)
{
  prepare_mutex_of (PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, length_ns);
}

static void
prepare_mutex_errorcheck (gint64 length_ns)
{
  prepare_mutex_of (PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, length_ns);
}

static void
prepare_mutex_adaptive (gint64 length_ns)
{
  prepare_mutex_of (PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED, length_ns);
}

static void
prepare_mutex_pi (gint64 length_ns)
{
  prepare_mutex_of (PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED, length_ns);
}

static void
prepare_mutex_robust (gint64 length_ns)
{
  prepare_mutex_of (PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST, length_ns);
}

G_NO_INLINE void
stall_in_mutex (gint64 length_ns)
{
  pthread_mutex_lock (&mutex);
  kinds_sink++;
  pthread_mutex_unlock (&mutex);
  kinds_sink++;
}

G_NO_INLINE void
stall_in_timed_mutex (gint64 length_ns)
{
  struct timespec until = kinds_timespec (kinds_clock_ns (CLOCK_REALTIME) + 60 * NS_PER_S);

  kinds_sink += pthread_mutex_timedlock (&mutex, &until) == 0;
  pthread_mutex_unlock (&mutex);
  kinds_sink++;
}

/* On the holder's thread. */
static void
take_write_lock (void)
{
  pthread_rwlock_wrlock (&rwlock);
}

static void
take_read_lock (void)
{
  pthread_rwlock_rdlock (&rwlock);
}

static void
give_rwlock (void)
{
  pthread_rwlock_unlock (&rwlock);
}

static void
prepare_read_lock (gint64 length_ns)
{
  const HolderJob job = { take_write_lock, holder_sleeps, give_rwlock };

  start_holder ("rwlock", &rwlock, TRUE, &job, length_ns);
}

G_NO_INLINE void
stall_in_read_lock (gint64 length_ns)
{
  pthread_rwlock_rdlock (&rwlock);
  kinds_sink++;
}

/* A lock does not know who reads. */
static void
prepare_write_lock (gint64 length_ns)
{
  const HolderJob job = { take_read_lock, holder_sleeps, give_rwlock };

  start_holder ("rwlock", &rwlock, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_write_lock (gint64 length_ns)
{
  pthread_rwlock_wrlock (&rwlock);
  kinds_sink++;
}

/* On the holder's thread. */
static void
signal_cond (void)
{
  pthread_mutex_lock (&mutex);
  is_ready = TRUE;
  pthread_cond_signal (&cond);
  pthread_mutex_unlock (&mutex);
}

static void
prepare_cond (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, signal_cond };

  start_holder ("cond", &cond, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_cond_wait (gint64 length_ns)
{
  pthread_mutex_lock (&mutex);
  while (!is_ready)
    pthread_cond_wait (&cond, &mutex);
  pthread_mutex_unlock (&mutex);
  kinds_sink++;
}

static void
prepare_cond_timed (gint64 length_ns)
{
  truth.lock = "cond";
  truth.lock_address = &cond;
}

G_NO_INLINE void
stall_in_cond_timedwait (gint64 length_ns)
{
  struct timespec until = kinds_timespec (kinds_clock_ns (CLOCK_REALTIME) + length_ns);

  pthread_mutex_lock (&mutex);
  while (pthread_cond_timedwait (&cond, &mutex, &until) == 0)
    continue;
  pthread_mutex_unlock (&mutex);
  kinds_sink++;
}

static void
post_semaphore (void)
{
  sem_post (&semaphore);
}

static void
prepare_semaphore (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, post_semaphore };

  sem_init (&semaphore, 0, 0);
  start_holder ("sem", &semaphore, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_semaphore (gint64 length_ns)
{
  while (sem_wait (&semaphore) != 0)
    kinds_sink++;
}

static void
reach_barrier (void)
{
  pthread_barrier_wait (&barrier);
}

static void
prepare_barrier (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, reach_barrier };

  pthread_barrier_init (&barrier, NULL, 2);
  start_holder ("barrier", &barrier, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_barrier (gint64 length_ns)
{
  kinds_sink += (guint64) pthread_barrier_wait (&barrier);
}

static void
prepare_join (gint64 length_ns)
{
  const HolderJob job = { NULL, holder_sleeps, NULL };

  start_holder ("join", NULL, TRUE, &job, length_ns);
}

G_NO_INLINE void
stall_in_join (gint64 length_ns)
{
  pthread_join (holder_get_pthread (), NULL);
  kinds_sink++;
}

/* On the holder's thread. */
static void
once_routine (void)
{
  g_atomic_int_set (&is_in_once, 1);
  holder_sleeps (once_ns);
}

static void
keep_once (gint64 length_ns)
{
  once_ns = length_ns;
  pthread_once (&once, once_routine);
}

static void
prepare_once (gint64 length_ns)
{
  const HolderJob job = { NULL, keep_once, NULL };

  start_holder ("once", &once, FALSE, &job, length_ns);
}

G_NO_INLINE void
stall_in_once (gint64 length_ns)
{
  while (g_atomic_int_get (&is_in_once) == 0)
    g_thread_yield ();
  pthread_once (&once, once_routine);
  kinds_sink++;
}

#define LOCK(name, stall, prepare) { name, KIND (stall), "blocked", "lock", "futex", prepare }

const Kind kinds_lock[] = {
  LOCK ("mutex-normal", stall_in_mutex, prepare_mutex_normal),
  LOCK ("mutex-recursive", stall_in_mutex, prepare_mutex_recursive),
  LOCK ("mutex-errorcheck", stall_in_mutex, prepare_mutex_errorcheck),
  LOCK ("mutex-adaptive", stall_in_mutex, prepare_mutex_adaptive),
  LOCK ("mutex-pi", stall_in_mutex, prepare_mutex_pi),
  LOCK ("mutex-robust", stall_in_mutex, prepare_mutex_robust),
  LOCK ("mutex-timed", stall_in_timed_mutex, prepare_mutex_recursive),
  LOCK ("rwlock-read", stall_in_read_lock, prepare_read_lock),
  LOCK ("rwlock-write", stall_in_write_lock, prepare_write_lock),
  LOCK ("cond", stall_in_cond_wait, prepare_cond),
  LOCK ("cond-timed", stall_in_cond_timedwait, prepare_cond_timed),
  LOCK ("semaphore", stall_in_semaphore, prepare_semaphore),
  LOCK ("barrier", stall_in_barrier, prepare_barrier),
  LOCK ("join", stall_in_join, prepare_join),
  LOCK ("once", stall_in_once, prepare_once),
};
const guint n_kinds_lock = G_N_ELEMENTS (kinds_lock);
