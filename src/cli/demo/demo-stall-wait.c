/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls of a thread that waits: for time, for a disk, for a lock; and a handler that waits without a stall,
 * because a main loop runs inside it. */

#include "config.h"

#include "demo-stall.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib/gi18n.h>

typedef struct
{
  pthread_mutex_t mutex;
  sem_t held; /* posted once by the worker, when it holds the mutex */
  int64_t duration_ns;
} HeldLock;

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
    g_printerr (_("Writing ‘%s’: %s\n"), path, g_strerror (errno));
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

static gboolean
nested_over_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

G_NO_INLINE void
stall_nested (int64_t duration_ns)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add ((guint) (duration_ns / 1000000), nested_over_cb, loop);
  g_main_loop_run (loop);
}
