/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Locks of every kind, each held by one thread and waited for by another: the kind, the address and the owner
 * have to be right every time. */

#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "look.h"
#include "test.h"

#define N_ROUNDS 8

/* Everything that is waited for here, made anew for each round. */
typedef struct
{
  pthread_mutex_t   mutex, outer;
  pthread_rwlock_t  rwlock;
  pthread_cond_t    cond;
  pthread_barrier_t barrier;
  pthread_once_t    once;
  sem_t             sem, sem_lock;
  pthread_t         joined, conditioned;
  GMutex            gmutex, gouter;
  GRecMutex         grec;
  GRWLock           grw;
  GCond             gcond;
  gsize             ginit;

  sem_t             held;    /* the owner has what is waited for */
  sem_t             release; /* the owner is to give it back */
  gint              over;    /* (atomic) conditions that are waited for are true */
  pid_t             owner;
} Locks;

static Locks *locks;
static gboolean is_preloaded;

typedef struct
{
  const char  *name;
  JankLockKind kind;
  gboolean     owned;      /* whose owner can be known */
  gssize       address;    /* offset in Locks, -1: elsewhere */
  void       (*hold) (void);
  void       (*give) (void);
  void       (*wait) (void);
  int          type, protocol, robust, shared;
  int          prefers_writers;
  gboolean     recorded;   /* its owner is known with the preloaded library */
} Case;

static const struct timespec far_future = { 4000000000, 0 };

static void hold_mutex (void) { pthread_mutex_lock (&locks->mutex); }
static void give_mutex (void) { pthread_mutex_unlock (&locks->mutex); }
static void wait_mutex (void) { pthread_mutex_lock (&locks->mutex); pthread_mutex_unlock (&locks->mutex); }
static void
wait_mutex_timed (void)
{
  pthread_mutex_timedlock (&locks->mutex, &far_future);
  pthread_mutex_unlock (&locks->mutex);
}
static void
wait_mutex_clock (void)
{
  pthread_mutex_clocklock (&locks->mutex, CLOCK_MONOTONIC, &far_future);
  pthread_mutex_unlock (&locks->mutex);
}

static void hold_write (void) { pthread_rwlock_wrlock (&locks->rwlock); }
static void hold_read (void) { pthread_rwlock_rdlock (&locks->rwlock); }
static void give_rwlock (void) { pthread_rwlock_unlock (&locks->rwlock); }
static void wait_read (void) { pthread_rwlock_rdlock (&locks->rwlock); give_rwlock (); }
static void wait_read_timed (void) { pthread_rwlock_timedrdlock (&locks->rwlock, &far_future); give_rwlock (); }
static void wait_write (void) { pthread_rwlock_wrlock (&locks->rwlock); give_rwlock (); }

static void hold_nothing (void) { }

/* Until it is over. */
#define WAITS(name, begin, wait, end) \
  static void name (void) { begin; while (!g_atomic_int_get (&locks->over)) wait; end; }

WAITS (wait_cond, pthread_mutex_lock (&locks->outer), pthread_cond_wait (&locks->cond, &locks->outer),
       pthread_mutex_unlock (&locks->outer))
WAITS (wait_cond_timed, pthread_mutex_lock (&locks->outer),
       pthread_cond_timedwait (&locks->cond, &locks->outer, &far_future), pthread_mutex_unlock (&locks->outer))
static void
give_cond (void)
{
  pthread_mutex_lock (&locks->outer);
  g_atomic_int_set (&locks->over, 1);
  pthread_cond_broadcast (&locks->cond);
  pthread_mutex_unlock (&locks->outer);
}

/* The condition is signalled while the mutex is held: the waiter comes back to a mutex. */
WAITS (wait_cond_again, pthread_mutex_lock (&locks->mutex); sem_post (&locks->held),
       pthread_cond_wait (&locks->cond, &locks->mutex), pthread_mutex_unlock (&locks->mutex))

static void give_sem_lock (void) { sem_post (&locks->sem_lock); }
static void wait_sem_lock (void) { sem_wait (&locks->sem_lock); give_sem_lock (); }
/* A semaphore is known as a lock once its holder has posted. */
static void hold_sem_lock (void) { wait_sem_lock (); sem_wait (&locks->sem_lock); }
/* Whoever had a unit of a semaphore that began as 0 is not the one to give the next. */
static void hold_sem_unit (void) { sem_post (&locks->sem); sem_wait (&locks->sem); }
static void give_sem (void) { sem_post (&locks->sem); }
static void wait_sem (void) { while (sem_wait (&locks->sem) != 0) continue; }
static void wait_sem_timed (void) { while (sem_timedwait (&locks->sem, &far_future) != 0) continue; }

static void give_barrier (void) { pthread_barrier_wait (&locks->barrier); }
static void wait_barrier (void) { pthread_barrier_wait (&locks->barrier); }
static void wait_join (void) { pthread_join (locks->joined, NULL); }

static void
once_cb (void)
{
  sem_post (&locks->held);
  while (sem_wait (&locks->release) != 0)
    continue;
}
static void hold_once (void) { pthread_once (&locks->once, once_cb); }
G_GNUC_UNUSED static void wait_once (void) { pthread_once (&locks->once, once_cb); }

static void hold_gmutex (void) { g_mutex_lock (&locks->gmutex); }
static void give_gmutex (void) { g_mutex_unlock (&locks->gmutex); }
static void wait_gmutex (void) { g_mutex_lock (&locks->gmutex); g_mutex_unlock (&locks->gmutex); }
/* Another thread had it, and waits for a condition. */
static void *
condition_thread (void *data)
{
  g_mutex_lock (&locks->gmutex);
  sem_post (&locks->sem);
  while (!g_atomic_int_get (&locks->over))
    g_cond_wait_until (&locks->gcond, &locks->gmutex, g_get_monotonic_time () + G_TIME_SPAN_HOUR);
  g_mutex_unlock (&locks->gmutex);
  return NULL;
}
static void
hold_gmutex_after_condition (void)
{
  g_assert_cmpint (pthread_create (&locks->conditioned, NULL, condition_thread, NULL), ==, 0);
  while (sem_wait (&locks->sem) != 0)
    continue;
  g_mutex_lock (&locks->gmutex);
}
static void hold_grec (void) { g_rec_mutex_lock (&locks->grec); }
static void give_grec (void) { g_rec_mutex_unlock (&locks->grec); }
static void wait_grec (void) { g_rec_mutex_lock (&locks->grec); g_rec_mutex_unlock (&locks->grec); }
static void hold_grw (void) { g_rw_lock_writer_lock (&locks->grw); }
static void give_grw (void) { g_rw_lock_writer_unlock (&locks->grw); }
static void hold_grw_read (void) { g_rw_lock_reader_lock (&locks->grw); }
static void give_grw_read (void) { g_rw_lock_reader_unlock (&locks->grw); }
static void wait_grw_read (void) { g_rw_lock_reader_lock (&locks->grw); g_rw_lock_reader_unlock (&locks->grw); }
static void wait_grw_write (void) { g_rw_lock_writer_lock (&locks->grw); g_rw_lock_writer_unlock (&locks->grw); }

WAITS (wait_gcond, g_mutex_lock (&locks->gouter), g_cond_wait (&locks->gcond, &locks->gouter),
       g_mutex_unlock (&locks->gouter))
WAITS (wait_gcond_until, g_mutex_lock (&locks->gouter),
       g_cond_wait_until (&locks->gcond, &locks->gouter, g_get_monotonic_time () + G_TIME_SPAN_HOUR),
       g_mutex_unlock (&locks->gouter))
static void
give_gcond (void)
{
  g_mutex_lock (&locks->gouter);
  g_atomic_int_set (&locks->over, 1);
  g_cond_broadcast (&locks->gcond);
  g_mutex_unlock (&locks->gouter);
}

static void hold_ginit (void) { g_assert_true (g_once_init_enter (&locks->ginit)); }
static void give_ginit (void) { g_once_init_leave (&locks->ginit, 1); }
static void wait_ginit (void) { g_assert_false (g_once_init_enter (&locks->ginit)); }

/* No function on the stack is known for it. */
static void
wait_raw (void)
{
  while (!g_atomic_int_get (&locks->over))
    syscall (SYS_futex, &locks->over, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
static void
give_raw (void)
{
  g_atomic_int_set (&locks->over, 1);
  syscall (SYS_futex, &locks->over, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#define AT(member) G_STRUCT_OFFSET (Locks, member)

#define MUTEX(wait) JANK_LOCK_MUTEX, TRUE, AT (mutex), hold_mutex, give_mutex, wait

static const Case cases[] = {
  { "mutex/normal", MUTEX (wait_mutex) },
  { "mutex/recursive", MUTEX (wait_mutex), .type = PTHREAD_MUTEX_RECURSIVE },
  { "mutex/errorcheck", MUTEX (wait_mutex), .type = PTHREAD_MUTEX_ERRORCHECK },
  { "mutex/adaptive", MUTEX (wait_mutex), .type = PTHREAD_MUTEX_ADAPTIVE_NP },
  { "mutex/pi", MUTEX (wait_mutex), .protocol = PTHREAD_PRIO_INHERIT },
  { "mutex/pi-recursive", MUTEX (wait_mutex), .protocol = PTHREAD_PRIO_INHERIT, .type = PTHREAD_MUTEX_RECURSIVE },
  { "mutex/robust", MUTEX (wait_mutex), .robust = PTHREAD_MUTEX_ROBUST },
  { "mutex/shared", MUTEX (wait_mutex), .shared = PTHREAD_PROCESS_SHARED },
  { "mutex/timed", MUTEX (wait_mutex_timed) },
  { "mutex/clock", MUTEX (wait_mutex_clock) },
  { "rwlock/read", JANK_LOCK_RWLOCK, TRUE, AT (rwlock), hold_write, give_rwlock, wait_read },
  { "rwlock/read-timed", JANK_LOCK_RWLOCK, TRUE, AT (rwlock), hold_write, give_rwlock, wait_read_timed },
  { "rwlock/write", JANK_LOCK_RWLOCK, TRUE, AT (rwlock), hold_write, give_rwlock, wait_write },
  { "rwlock/write-behind-reader", JANK_LOCK_RWLOCK, FALSE, AT (rwlock), hold_read, give_rwlock, wait_write,
    .recorded = TRUE },
  { "rwlock/prefers-writers", JANK_LOCK_RWLOCK, TRUE, AT (rwlock), hold_write, give_rwlock, wait_read,
    .prefers_writers = TRUE },
  { "cond/wait", JANK_LOCK_COND, FALSE, AT (cond), hold_nothing, give_cond, wait_cond },
  { "cond/timed", JANK_LOCK_COND, FALSE, AT (cond), hold_nothing, give_cond, wait_cond_timed },
  { "sem/wait", JANK_LOCK_SEM, FALSE, AT (sem), hold_nothing, give_sem, wait_sem },
  { "sem/timed", JANK_LOCK_SEM, FALSE, AT (sem), hold_nothing, give_sem, wait_sem_timed },
  { "sem/lock", JANK_LOCK_SEM, FALSE, AT (sem_lock), hold_sem_lock, give_sem_lock, wait_sem_lock, .recorded = TRUE },
  { "sem/consumed", JANK_LOCK_SEM, FALSE, AT (sem), hold_sem_unit, give_sem, wait_sem },
  { "gmutex/given-by-condition", JANK_LOCK_GMUTEX, FALSE, AT (gmutex), hold_gmutex_after_condition, give_gmutex,
    wait_gmutex, .recorded = TRUE },
  { "barrier", JANK_LOCK_BARRIER, FALSE, AT (barrier), hold_nothing, give_barrier, wait_barrier },
  { "join", JANK_LOCK_JOIN, TRUE, -1, hold_nothing, hold_nothing, wait_join },
#if !HAS_TSAN
  /* That sanitizer has one of its own, which waits otherwise. */
  { "once", JANK_LOCK_ONCE, FALSE, AT (once), hold_once, hold_nothing, wait_once },
#endif
  { "gmutex", JANK_LOCK_GMUTEX, FALSE, AT (gmutex), hold_gmutex, give_gmutex, wait_gmutex,
    .recorded = TRUE },
  { "grecmutex", JANK_LOCK_MUTEX, TRUE, -1, hold_grec, give_grec, wait_grec },
  { "grwlock/read", JANK_LOCK_GRWLOCK, TRUE, -1, hold_grw, give_grw, wait_grw_read },
  { "grwlock/write-behind-reader", JANK_LOCK_GRWLOCK, FALSE, -1, hold_grw_read, give_grw_read, wait_grw_write,
    .recorded = TRUE },
  { "grwlock/write", JANK_LOCK_GRWLOCK, TRUE, -1, hold_grw, give_grw, wait_grw_write },
  { "gcond/wait", JANK_LOCK_GCOND, FALSE, AT (gcond), hold_nothing, give_gcond, wait_gcond },
  { "gcond/until", JANK_LOCK_GCOND, FALSE, AT (gcond), hold_nothing, give_gcond, wait_gcond_until },
  { "g-once-init", JANK_LOCK_ONCE, FALSE, -1, hold_ginit, give_ginit, wait_ginit },
  { "raw-futex", JANK_LOCK_UNKNOWN, FALSE, AT (over), hold_nothing, give_raw, wait_raw },
};

static Locks *
locks_new (const Case *scene)
{
  Locks *self = g_new0 (Locks, 1);
  pthread_mutexattr_t attributes;
  pthread_rwlockattr_t rwlock_attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, scene->type);
  pthread_mutexattr_setprotocol (&attributes, scene->protocol);
  pthread_mutexattr_setrobust (&attributes, scene->robust);
  pthread_mutexattr_setpshared (&attributes, scene->shared);
  g_assert_cmpint (pthread_mutex_init (&self->mutex, &attributes), ==, 0);
  pthread_mutex_init (&self->outer, NULL);
  pthread_rwlockattr_init (&rwlock_attributes);
  if (scene->prefers_writers)
    pthread_rwlockattr_setkind_np (&rwlock_attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init (&self->rwlock, &rwlock_attributes);
  pthread_cond_init (&self->cond, NULL);
  pthread_barrier_init (&self->barrier, NULL, 2);
  self->once = PTHREAD_ONCE_INIT;
  sem_init (&self->sem, 0, 0);
  sem_init (&self->sem_lock, 0, 1);
  sem_init (&self->held, 0, 0);
  sem_init (&self->release, 0, 0);
  g_mutex_init (&self->gmutex);
  g_mutex_init (&self->gouter);
  g_rec_mutex_init (&self->grec);
  g_rw_lock_init (&self->grw);
  g_cond_init (&self->gcond);
  return self;
}

static void
locks_free (Locks *self)
{
  pthread_mutex_destroy (&self->mutex);
  pthread_rwlock_destroy (&self->rwlock);
  pthread_barrier_destroy (&self->barrier);
  g_rec_mutex_clear (&self->grec);
  g_rw_lock_clear (&self->grw);
  g_free (self);
}

static void
await (sem_t *sem)
{
  while (sem_wait (sem) != 0)
    continue;
}

static void *
owner_thread (void *data)
{
  const Case *scene = data;

  locks->owner = (pid_t) syscall (SYS_gettid);
  scene->hold ();
  if (scene->hold == hold_once)
    return NULL;
  sem_post (&locks->held);
  await (&locks->release);
  scene->give ();
  return NULL;
}

static void
waiter_func (Worker *worker, gpointer data)
{
  ((const Case *) data)->wait ();
}

/* Returns: what it cost, in ns */
static gint64
check_lock (const Case *scene, Worker *worker)
{
  Look look;
  g_autoptr (JankWait) wait = look_at (worker, SYS_futex, &look);
  g_autofree char *expected = NULL;
  gboolean is_owned = scene->owned || (scene->recorded && is_preloaded);

  g_assert_nonnull (wait);
  if (wait->lock.kind != scene->kind)
    for (guint i = 0; i < look.n_calls; i++)
      g_test_message ("frame %u: %" G_GINT64_MODIFIER "x", i, look.calls[i].function);
  g_assert_cmpint (wait->kind, ==, JANK_WAIT_LOCK);
  g_assert_cmpstr (jank_lock_kind_to_nick (wait->lock.kind), ==, jank_lock_kind_to_nick (scene->kind));
  g_assert_cmpint (wait->lock.owner, ==, is_owned ? locks->owner : 0);
  if (scene->address >= 0)
    g_assert_cmpuint (wait->lock.address, ==, (guintptr) locks + scene->address);

  if (scene->kind == JANK_LOCK_UNKNOWN)
    expected = g_strdup_printf ("futex 0x%" G_GINT64_MODIFIER "x", wait->lock.address);
  else if (!is_owned)
    expected = g_strdup_printf ("%s 0x%" G_GINT64_MODIFIER "x", jank_lock_kind_to_nick (scene->kind),
                                wait->lock.address);
  else
    expected = g_strdup_printf ("%s 0x%" G_GINT64_MODIFIER "x %s thread %d owner", jank_lock_kind_to_nick (scene->kind),
                                wait->lock.address, scene->kind == JANK_LOCK_JOIN ? "of" : "held by", locks->owner);
  g_assert_cmpstr (wait->detail, ==, expected);
  return look.wait_ns;
}

static void
test_case (gconstpointer data)
{
  const Case *scene = data;
  gint64 least_ns = G_MAXINT64;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      pthread_t owner;
      Worker *worker;

      locks = locks_new (scene);
      g_assert_cmpint (pthread_create (&owner, NULL, owner_thread, (gpointer) scene), ==, 0);
      pthread_setname_np (owner, "owner");
      locks->joined = owner;
      await (&locks->held);
      worker = worker_new (waiter_func, (gpointer) scene);
      least_ns = MIN (least_ns, check_lock (scene, worker));
      sem_post (&locks->release);
      worker_free (worker);
      if (scene->kind != JANK_LOCK_JOIN)
        pthread_join (owner, NULL);
      if (locks->conditioned != 0)
        {
          g_mutex_lock (&locks->gmutex);
          g_atomic_int_set (&locks->over, 1);
          g_cond_broadcast (&locks->gcond);
          g_mutex_unlock (&locks->gmutex);
          pthread_join (locks->conditioned, NULL);
        }
      locks_free (locks);
    }
  g_test_message ("jank_wait_new(): %" G_GINT64_FORMAT " us", least_ns / 1000);
}

static void
waiter_cond_again_func (Worker *worker, gpointer data)
{
  wait_cond_again ();
}

/* A wait for a condition ends in a wait for its mutex. */
TEST (cond_mutex)
{
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (JankWait) before = NULL, after = NULL;
      Worker *worker;

      locks = locks_new (&cases[0]);
      worker = worker_new (waiter_cond_again_func, NULL);
      await (&locks->held);
      before = look_at (worker, SYS_futex, NULL);
      g_assert_nonnull (before);
      g_assert_cmpint (before->lock.kind, ==, JANK_LOCK_COND);

      pthread_mutex_lock (&locks->mutex);
      g_atomic_int_set (&locks->over, 1);
      pthread_cond_broadcast (&locks->cond);
      AWAIT ((after = look_at (worker, SYS_futex, NULL))->lock.kind == JANK_LOCK_MUTEX,
             jank_wait_unref (g_steal_pointer (&after)));
      g_assert_cmpuint (after->lock.address, ==, (guintptr) &locks->mutex);
      g_assert_cmpint (after->lock.owner, ==, (pid_t) syscall (SYS_gettid));
      pthread_mutex_unlock (&locks->mutex);
      worker_free (worker);
      locks_free (locks);
    }
}

/* A lock function's frame, and memory that is no mutex: unmapped, of other content, freed while it is read. What may
 * be taken for an owner is a thread of ours, which a sanitizer has more of than we started. */
TEST (no_mutex)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  g_autofree guint32 *words = g_new0 (guint32, 64);
  Look look;
  Worker *worker;
  gpointer page = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  JankLock lock;

  locks = locks_new (&cases[0]);
  pthread_mutex_lock (&locks->mutex);
  worker = worker_new (waiter_func, (gpointer) &cases[0]);
  jank_wait_unref (look_at (worker, SYS_futex, &look));
  munmap (page, 8192);

  jank_lock_look ((guintptr) page, FUTEX_WAIT, 1, look.calls, look.n_calls, &lock);
  g_assert_cmpint (lock.kind, ==, JANK_LOCK_UNKNOWN);
  g_assert_cmpint (lock.owner, ==, 0);
  jank_lock_look (0, FUTEX_LOCK_PI, 1, look.calls, look.n_calls, &lock);
  g_assert_cmpint (lock.kind, ==, JANK_LOCK_UNKNOWN);
  jank_lock_look (G_MAXUINT64 - 3, FUTEX_WAIT, 1, look.calls, look.n_calls, &lock);
  g_assert_cmpint (lock.owner, ==, 0);
  jank_lock_look ((guintptr) words, FUTEX_WAIT, 1, NULL, 0, &lock);
  g_assert_cmpint (lock.kind, ==, JANK_LOCK_UNKNOWN);

  for (guint i = 0; i < 20000; i++)
    {
      for (guint k = 0; k < 64; k++)
        words[k] = g_rand_int (random) >> g_rand_int_range (random, 0, 32);
      jank_lock_look ((guintptr) words + (i % 32) * 4, i % 3 == 0 ? FUTEX_LOCK_PI : FUTEX_WAIT, 1, look.calls,
                      look.n_calls, &lock);
      if (lock.owner != 0)
        g_assert_cmpint (syscall (SYS_tgkill, getpid (), lock.owner, 0), ==, 0);
    }

  pthread_mutex_unlock (&locks->mutex);
  worker_free (worker);
  locks_free (locks);
}

static gpointer
churn_thread (gpointer data)
{
  gint *stopped = data;

  while (!g_atomic_int_get (stopped))
    {
      pthread_mutex_t *mutex = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

      g_atomic_pointer_set ((gpointer *) (stopped + 2), mutex);
      pthread_mutex_init (mutex, NULL);
      pthread_mutex_lock (mutex);
      pthread_mutex_unlock (mutex);
      memset (mutex, 0xa5, sizeof *mutex);
      munmap (mutex, 4096);
    }
  return NULL;
}

/* A mutex that is made, locked, overwritten and unmapped all the time. */
TEST (freed)
{
  struct { gint stopped, unused; gpointer mutex; } shared = { 0 };
  GThread *churn;
  Worker *worker;
  Look look;
  gint64 until_ns = jank_clock_now_ns () + JANK_NS_PER_S / 2;

  locks = locks_new (&cases[0]);
  pthread_mutex_lock (&locks->mutex);
  worker = worker_new (waiter_func, (gpointer) &cases[0]);
  jank_wait_unref (look_at (worker, SYS_futex, &look));
  churn = g_thread_new ("churn", churn_thread, &shared);
  while (jank_clock_now_ns () < until_ns)
    {
      JankLock lock;
      guint64 address = (guintptr) g_atomic_pointer_get (&shared.mutex);

      jank_lock_look (address, FUTEX_WAIT, 1, look.calls, look.n_calls, &lock);
      g_assert_true (lock.kind == JANK_LOCK_MUTEX || lock.kind == JANK_LOCK_UNKNOWN);
      g_assert_true (lock.owner == 0 || lock.owner != worker_get_info (worker)->tid);
    }
  g_atomic_int_set (&shared.stopped, 1);
  g_thread_join (churn);
  pthread_mutex_unlock (&locks->mutex);
  worker_free (worker);
  locks_free (locks);
}

static void
add (void)
{
  jank_lock_prepare (TRUE);
  is_preloaded = g_strcmp0 (g_getenv ("JANKWATCH"), "1") == 0;
  tests_add_each ("/wait/lock", cases, G_N_ELEMENTS (cases), sizeof *cases, test_case);
}

TESTS_AND ("/wait/lock", add, FALSE)
