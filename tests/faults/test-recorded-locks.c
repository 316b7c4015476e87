/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program must not notice of the preloaded library, which stands in front of its locks. Run with that library
 * and without, as what is expected is the C library's and GLib's. */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib.h>

#include "base/jank-held-locks-private.h"
#include "test.h"

#define N_HELD    20
#define N_THREADS 600
#define N_MUTEXES 6
#define STRESS_US 300000

static GMutex mutex;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int early_errors;

/* Before any constructor. */
static void
lock_early (void)
{
  sem_t sem;

  g_mutex_lock (&mutex);
  early_errors += g_mutex_trylock (&mutex);
  g_mutex_unlock (&mutex);
  early_errors += pthread_rwlock_rdlock (&rwlock) + pthread_rwlock_unlock (&rwlock);
  early_errors += sem_init (&sem, 0, 1) + sem_wait (&sem) + sem_post (&sem) + sem_destroy (&sem);
}

__attribute__ ((section (".preinit_array"), used)) static void (*const early) (void) = lock_early;

TEST (early)
{
  g_assert_cmpint (early_errors, ==, 0);
}

static int
find_holder (const void *lock)
{
  JankHeldLocks *record = dlsym (RTLD_DEFAULT, JANK_HELD_LOCKS);
  int holder = record != NULL ? jank_held_find_holder (record, lock, 0, false) : 0;
  g_autofree char *task = g_strdup_printf ("/proc/self/task/%d", holder);

  /* As every reader does: after fork() the record still names threads of the parent. */
  return access (task, F_OK) == 0 ? holder : 0;
}

/* Whether the library is there. */
static gboolean is_recorded (void) { return dlsym (RTLD_DEFAULT, JANK_HELD_LOCKS) != NULL; }

static void
count_cb (int number)
{
}

static void
set_handler (int number, void (*handler) (int))
{
  struct sigaction action = { .sa_handler = handler };

  g_assert_cmpint (sigaction (number, &action, NULL), ==, 0);
}

static void
set_timer (int us, int interval_us)
{
  const struct itimerval timer = { { 0, interval_us }, { 0, us } };

  g_assert_cmpint (setitimer (ITIMER_REAL, &timer, NULL), ==, 0);
}

TEST (errno)
{
  const struct timespec past = { 0 };
  sem_t sem;

  g_assert_cmpint (sem_init (&sem, 0, SEM_VALUE_MAX), ==, 0);
  g_assert_cmpint (sem_post (&sem), ==, -1);
  g_assert_cmpint (errno, ==, EOVERFLOW);
  g_assert_cmpint (sem_init (&sem, 0, (guint) SEM_VALUE_MAX + 1), ==, -1);
  g_assert_cmpint (errno, ==, EINVAL);
  g_assert_cmpint (sem_init (&sem, 0, 0), ==, 0);
  g_assert_cmpint (sem_trywait (&sem), ==, -1);
  g_assert_cmpint (errno, ==, EAGAIN);
  g_assert_cmpint (sem_timedwait (&sem, &past), ==, -1);
  g_assert_cmpint (errno, ==, ETIMEDOUT);
  g_assert_cmpint (sem_clockwait (&sem, CLOCK_MONOTONIC, &past), ==, -1);
  g_assert_cmpint (errno, ==, ETIMEDOUT);
  set_handler (SIGALRM, count_cb);
  set_timer (10000, 0);
  g_assert_cmpint (sem_wait (&sem), ==, -1);
  g_assert_cmpint (errno, ==, EINTR);

  errno = ENOTTY;
  g_mutex_lock (&mutex);
  g_mutex_unlock (&mutex);
  g_assert_cmpint (sem_post (&sem), ==, 0);
  g_assert_cmpint (sem_wait (&sem), ==, 0);
  g_assert_cmpint (sem_destroy (&sem), ==, 0);
  g_assert_cmpint (pthread_rwlock_wrlock (&rwlock), ==, 0);
  g_assert_cmpint (pthread_rwlock_rdlock (&rwlock), ==, EDEADLK);
  g_assert_cmpint (pthread_rwlock_tryrdlock (&rwlock), ==, EBUSY);
  g_assert_cmpint (pthread_rwlock_unlock (&rwlock), ==, 0);
  g_assert_cmpint (errno, ==, ENOTTY);
}

typedef struct
{
  sem_t wanted, waiting;
  int   cleaned_up;
} Cancelled;

static void clean_up_cb (void *data) { ((Cancelled *) data)->cleaned_up++; }

static void *
cancelled_thread (void *data)
{
  Cancelled *self = data;

  pthread_cleanup_push (clean_up_cb, self);
  sem_post (&self->waiting);
  while (sem_wait (&self->wanted) != 0)
    continue;
  pthread_cleanup_pop (0);
  return NULL;
}

/* A wait for a semaphore ends by it, and leaves the semaphore as it was. */
TEST (cancel)
{
  Cancelled self = { .cleaned_up = 0 };
  pthread_t thread;
  void *result;
  int value;

  sem_init (&self.wanted, 0, 1);
  sem_init (&self.waiting, 0, 0);
  g_assert_cmpint (sem_wait (&self.wanted) + sem_post (&self.wanted) + sem_wait (&self.wanted), ==, 0);
  g_assert_cmpint (pthread_create (&thread, NULL, cancelled_thread, &self), ==, 0);
  while (sem_wait (&self.waiting) != 0)
    continue;
  g_usleep (20000);
  g_assert_cmpint (pthread_cancel (thread), ==, 0);
  g_assert_cmpint (pthread_join (thread, &result), ==, 0);
  g_assert_true (result == PTHREAD_CANCELED);
  g_assert_cmpint (self.cleaned_up, ==, 1);
  g_assert_cmpint (sem_getvalue (&self.wanted, &value), ==, 0);
  g_assert_cmpint (value, ==, 0);
  if (is_recorded ())
    g_assert_cmpint (find_holder (&self.wanted), ==, getpid ());
  g_assert_cmpint (sem_post (&self.wanted), ==, 0);
}

static sigjmp_buf out_of_wait;

static void leave_cb (int number) { siglongjmp (out_of_wait, 1); }

/* A handler that does not return. */
TEST (long_jump)
{
  sem_t sem;

  sem_init (&sem, 0, 1);
  g_assert_cmpint (sem_wait (&sem), ==, 0);
  set_handler (SIGALRM, leave_cb);
  if (sigsetjmp (out_of_wait, 1) == 0)
    {
      set_timer (10000, 0);
      sem_wait (&sem);
      g_assert_not_reached ();
    }
  set_handler (SIGALRM, SIG_DFL);
  g_assert_cmpint (sem_post (&sem), ==, 0);
  g_assert_cmpint (sem_trywait (&sem), ==, 0);
}

static sem_t posted_by_handler;

static void post_cb (int number) { sem_post (&posted_by_handler); }

/* Whatever the thread is in the middle of. */
TEST (handler)
{
  gint64 end_us = g_get_monotonic_time () + STRESS_US;
  sem_t sem;
  int n = 0, value;

  sem_init (&posted_by_handler, 0, 0);
  sem_init (&sem, 0, 1);
  set_handler (SIGALRM, post_cb);
  set_timer (200, 200);
  while (g_get_monotonic_time () < end_us)
    {
      g_mutex_lock (&mutex);
      n += sem_trywait (&posted_by_handler) == 0;
      while (sem_wait (&sem) != 0)
        continue;
      if (is_recorded ())
        g_assert_cmpint (find_holder (&mutex), ==, getpid ());
      sem_post (&sem);
      g_mutex_unlock (&mutex);
    }
  set_timer (0, 0);
  set_handler (SIGALRM, SIG_DFL);
  g_assert_cmpint (sem_getvalue (&posted_by_handler, &value), ==, 0);
  g_assert_cmpint (n + value, >, 0);
  g_assert_cmpint (find_holder (&mutex), ==, 0);
}

static gpointer
busy_thread (gpointer over)
{
  while (!g_atomic_int_get ((int *) over))
    {
      g_mutex_lock (&mutex);
      g_mutex_unlock (&mutex);
    }
  return NULL;
}

/* A child has locks of its own, and no holders. */
TEST (fork)
{
  int over = 0, status;
  GMutex own = { 0 };
  GThread *thread = g_thread_new ("busy", busy_thread, &over);

  g_mutex_lock (&own);
  for (guint i = 0; i < 50; i++)
    {
      pid_t child = fork ();

      if (child == 0)
        {
          gboolean is_known = find_holder (&own) != 0;

          g_mutex_unlock (&own);
          if (!g_mutex_trylock (&own) || is_known || find_holder (&own) != 0)
            _exit (1);
          _exit (pthread_rwlock_rdlock (&rwlock) + pthread_rwlock_unlock (&rwlock));
        }
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_cmpint (status, ==, 0);
      if (is_recorded ())
        g_assert_cmpint (find_holder (&own), ==, getpid ());
    }
  g_mutex_unlock (&own);
  g_atomic_int_set (&over, 1);
  g_thread_join (thread);
}

typedef struct
{
  sem_t            sem, done;
  pthread_rwlock_t rwlock;
} Shared;

/* Locks between processes. */
TEST (shared)
{
  Shared *shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_rwlockattr_t attributes;
  int status;
  pid_t child;

  g_assert_true (shared != MAP_FAILED);
  sem_init (&shared->sem, 1, 1);
  sem_init (&shared->done, 1, 0);
  pthread_rwlockattr_init (&attributes);
  pthread_rwlockattr_setpshared (&attributes, PTHREAD_PROCESS_SHARED);
  g_assert_cmpint (pthread_rwlock_init (&shared->rwlock, &attributes), ==, 0);
  g_assert_cmpint (sem_wait (&shared->sem), ==, 0);
  g_assert_cmpint (find_holder (&shared->sem), ==, 0);
  child = fork ();
  if (child == 0)
    {
      int error = sem_wait (&shared->sem) + pthread_rwlock_rdlock (&shared->rwlock);

      sem_post (&shared->done);
      error += sem_wait (&shared->sem) + pthread_rwlock_unlock (&shared->rwlock);
      _exit (error);
    }
  sem_post (&shared->sem);
  while (sem_wait (&shared->done) != 0)
    continue;
  g_assert_cmpint (pthread_rwlock_trywrlock (&shared->rwlock), ==, EBUSY);
  g_assert_cmpint (find_holder (&shared->rwlock), ==, 0);
  sem_post (&shared->sem);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (pthread_rwlock_trywrlock (&shared->rwlock), ==, 0);
  munmap (shared, sizeof *shared);
}

/* More than a thread's line has room for. */
TEST (many_held)
{
  GMutex mutexes[N_HELD] = { 0 };
  guint n_known = 0;

  for (guint i = 0; i < N_HELD; i++)
    g_mutex_lock (&mutexes[i]);
  for (guint i = 0; i < N_HELD; i++)
    {
      n_known += find_holder (&mutexes[i]) == getpid ();
      g_mutex_unlock (&mutexes[i]);
    }
  g_assert_cmpint (n_known > 0, ==, is_recorded ());
  for (guint i = 0; i < N_HELD; i++)
    {
      g_assert_true (g_mutex_trylock (&mutexes[i]));
      g_mutex_unlock (&mutexes[i]);
      g_assert_cmpint (find_holder (&mutexes[i]), ==, 0);
    }
}

typedef struct
{
  GMutex        mutex;
  atomic_ullong holding; /* the holder's ID below the number of times that it took the lock; 0: nobody, or not for
                            sure */
} Truth;

static Truth truths[N_MUTEXES];

static gpointer
truth_thread (gpointer over)
{
  GRand *rand = g_rand_new_with_seed ((guint32) gettid ());
  guint64 n = 0;

  while (!g_atomic_int_get ((int *) over))
    {
      Truth *truth = &truths[g_rand_int_range (rand, 0, N_MUTEXES)];

      g_mutex_lock (&truth->mutex);
      atomic_store (&truth->holding, ++n << 32 | (guint64) gettid ());
      for (gint i = g_rand_int_range (rand, 0, 2000); i > 0; i--)
        __asm__ volatile ("");
      atomic_store (&truth->holding, 0);
      g_mutex_unlock (&truth->mutex);
    }
  g_rand_free (rand);
  return NULL;
}

/* A holder that is named while one thread holds the lock all the time is that thread. */
TEST (truth)
{
  gint64 end_us = g_get_monotonic_time () + STRESS_US;
  GThread *threads[4];
  guint n_right = 0;
  int over = 0;

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("truth", truth_thread, &over);
  for (guint i = 0; g_get_monotonic_time () < end_us; i = (i + 1) % N_MUTEXES)
    {
      guint64 before = atomic_load (&truths[i].holding);
      int found = find_holder (&truths[i].mutex);

      if (before == 0 || atomic_load (&truths[i].holding) != before || found == 0)
        continue;
      g_assert_cmpint (found, ==, (int) before);
      n_right++;
    }
  g_atomic_int_set (&over, 1);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (n_right > 0, ==, is_recorded ());
}

static gpointer
brief_thread (gpointer data)
{
  GMutex own = { 0 };

  g_mutex_lock (&own);
  if (is_recorded () && find_holder (&own) != gettid ())
    g_atomic_int_inc ((int *) data);
  g_mutex_unlock (&own);
  return NULL;
}

/* More threads, one after the other, than there are lines. */
TEST (many_threads)
{
  int n_unknown = 0;

  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (g_thread_new ("brief", brief_thread, &n_unknown));
  g_assert_cmpint (n_unknown, ==, 0);
}

/* A program may ask for any version of a function. */
TEST (versions)
{
  static const char *const versions[] = { "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34" };
  guint n_found = 0;

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      int (*wait) (sem_t *), (*post) (sem_t *);
      sem_t sem;

      *(void **) &wait = dlvsym (RTLD_DEFAULT, "sem_wait", versions[i]);
      *(void **) &post = dlvsym (RTLD_NEXT, "sem_post", versions[i]);
      if (wait == NULL || post == NULL)
        continue;
      n_found++;
      sem_init (&sem, 0, 1);
      g_assert_cmpint (wait (&sem), ==, 0);
      g_assert_cmpint (post (&sem), ==, 0);
      g_assert_cmpint (sem_trywait (&sem), ==, 0);
    }
  g_assert_cmpint (n_found, >, 0);
}

static gpointer
unlock_thread (gpointer data)
{
  g_mutex_unlock (data);
  return NULL;
}

static gpointer
lock_thread (gpointer data)
{
  g_mutex_lock (data);
  return NULL;
}

/* GLib forbids it, and it works. Nobody wrong is named: at most nobody. The last test: what it leaves is never given
 * back. */
TEST (foreign_unlock)
{
  GMutex own = { 0 };

  for (guint i = 0; i < 40; i++)
    {
      g_mutex_lock (&own);
      g_thread_join (g_thread_new ("unlock", unlock_thread, &own));
    }
  g_thread_join (g_thread_new ("lock", lock_thread, &own));
  g_assert_false (g_mutex_trylock (&own));
  g_assert_cmpint (find_holder (&own), !=, getpid ());
}

TESTS ("/faults/recorded-locks")
