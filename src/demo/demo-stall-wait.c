/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls of a thread that waits: for time, for a disk, for a lock. */

#include "demo.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>
#include <glib/gi18n.h>

typedef struct
{
  pthread_mutex_t mutex;
  sem_t held; /* posted once by the worker, when it holds the mutex */
  int64_t duration_ns;
} HeldLock;

/* Each thread has one and wants the other's. */
typedef struct
{
  pthread_mutex_t first, second;
  sem_t held; /* posted once by the worker, when it holds the second */
} LockPair;

G_NO_INLINE void
stall_sleep (int64_t duration_ns)
{
  if (usleep ((useconds_t) (duration_ns / 1000)) != 0)
    g_printerr ("usleep: %s\n", g_strerror (errno));
}

G_NO_INLINE void
stall_file (int64_t duration_ns)
{
  int64_t until_ns = demo_now_ns () + duration_ns;
  /* Not the temporary folder, which often is memory. */
  char path[] = "/var/tmp/jankwatch-demo-XXXXXX";
  static char block[256 * 1024];
  int fd = mkstemp (path);

  memset (block, 'j', sizeof block);
  while (fd >= 0 && demo_now_ns () < until_ns)
    {
      if (pwrite (fd, block, sizeof block, 0) < 0 || fsync (fd) != 0)
        break;
    }
  if (fd < 0 || demo_now_ns () < until_ns)
    g_printerr (_("Cannot write ‘%s’: %s\n"), path, g_strerror (errno));
  if (fd >= 0)
    {
      unlink (path);
      close (fd);
    }
}

static gpointer
lock_holder_thread (gpointer data)
{
  HeldLock *lock = data;

  pthread_mutex_lock (&lock->mutex);
  sem_post (&lock->held);
  g_usleep ((gulong) (lock->duration_ns / 1000));
  pthread_mutex_unlock (&lock->mutex);
  return NULL;
}

G_NO_INLINE void
stall_lock (int64_t duration_ns)
{
  HeldLock lock = { .duration_ns = duration_ns };
  GThread *holder;

  pthread_mutex_init (&lock.mutex, NULL);
  sem_init (&lock.held, 0, 0);
  holder = g_thread_new ("lock-holder", lock_holder_thread, &lock);
  while (sem_wait (&lock.held) != 0)
    continue;

  pthread_mutex_lock (&lock.mutex);
  pthread_mutex_unlock (&lock.mutex);

  g_thread_join (holder);
  sem_destroy (&lock.held);
  pthread_mutex_destroy (&lock.mutex);
}

static gpointer
rival_thread (gpointer data)
{
  LockPair *pair = data;

  pthread_mutex_lock (&pair->second);
  sem_post (&pair->held);
  pthread_mutex_lock (&pair->first);
  pthread_mutex_unlock (&pair->first);
  pthread_mutex_unlock (&pair->second);
  return NULL;
}

/* A deadlock, but for the time-out that ends it. */
G_NO_INLINE void
stall_deadlock (int64_t duration_ns)
{
  LockPair pair = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
  struct timespec until;
  GThread *rival;

  sem_init (&pair.held, 0, 0);
  pthread_mutex_lock (&pair.first);
  rival = g_thread_new ("rival", rival_thread, &pair);
  while (sem_wait (&pair.held) != 0)
    continue;

  clock_gettime (CLOCK_REALTIME, &until);
  duration_ns += until.tv_nsec;
  until.tv_sec += duration_ns / 1000000000;
  until.tv_nsec = duration_ns % 1000000000;
  if (pthread_mutex_timedlock (&pair.second, &until) == 0)
    pthread_mutex_unlock (&pair.second);

  pthread_mutex_unlock (&pair.first);
  g_thread_join (rival);
  sem_destroy (&pair.held);
}
