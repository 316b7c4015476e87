/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls of a thread that waits: for time, for a disk, for a lock; handlers inside which a main loop runs; and the
 * table of all stalls. */

#include "demo.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "demo-stall-compute.h"

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

/* A loop that spins for less CPU time is not worth a report. */
#define SPIN_MIN_NS (INT64_C (3) * 1000000000)

static gboolean
loop_over_cb (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

static void
run_loop (int64_t duration_ns)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_timeout_add ((guint) (duration_ns / 1000000), loop_over_cb, loop);
  g_main_loop_run (loop);
}

G_NO_INLINE void
stall_nested (int64_t duration_ns)
{
  run_loop (duration_ns);
}

/* Not static: it is to be named in a stripped program. */
G_NO_INLINE gboolean
spin_check_again_cb (gpointer data)
{
  unsigned *n_checks = data;

  (*n_checks)++;
  return G_SOURCE_CONTINUE;
}

G_NO_INLINE void
stall_spin (int64_t duration_ns)
{
  int64_t until_ns = read_cpu_ns () + MAX (duration_ns, SPIN_MIN_NS), now_ns;
  unsigned n_checks = 0;
  guint id = g_idle_add (spin_check_again_cb, &n_checks);

  g_source_set_name_by_id (id, "[jankwatch-demo] check again");
  while ((now_ns = read_cpu_ns ()) < until_ns)
    run_loop (until_ns - now_ns);
  g_source_remove (id);
}

G_NO_INLINE void
stall_split (int64_t duration_ns)
{
  const int n_turns = 5;

  for (int i = 0; i < n_turns; i++)
    {
      split_heavy (duration_ns * 60 / 100 / n_turns);
      split_medium (duration_ns * 25 / 100 / n_turns);
      split_light (duration_ns * 15 / 100 / n_turns);
    }
  demo_sink++;
}

const DemoStall demo_stalls[] = {
  { "compute", N_("Compute"), N_("Counts prime numbers in a loop"), stall_compute },
  { "sleep", N_("Sleep"), N_("Calls usleep() and waits"), stall_sleep },
  { "file", N_("File"), N_("Writes a temporary file, over and over"), stall_file },
  { "lock", N_("Lock"), N_("Waits for a mutex that another thread holds"), stall_lock },
  { "deadlock", N_("Deadlock"), N_("Two threads wait for each other, until one gives up"), stall_deadlock },
  { "dbus", N_("D-Bus"), N_("Calls a slow service and waits for the answer"), stall_dbus },
  { "split", N_("Split"), N_("Three functions share the time, one takes most"), stall_split },
  { "list", N_("List"), N_("Scrolls a list; every tenth row takes half a second"), stall_list, TRUE },
  { "nested", N_("Nested loop"), N_("Runs a main loop inside: nothing freezes"), stall_nested, TRUE },
  { "spin", N_("Spin"), N_("An idle function that never ends: one CPU is busy for three seconds"), stall_spin, TRUE },
};
const gsize n_demo_stalls = G_N_ELEMENTS (demo_stalls);

const DemoStall *
demo_stall_find (const char *name)
{
  for (gsize i = 0; i < n_demo_stalls; i++)
    {
      if (g_str_equal (demo_stalls[i].name, name))
        return &demo_stalls[i];
    }
  return NULL;
}
