/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* guesses WAIT WAKER BESIDE WHEN MS: the loop waits for a waker, and something that has nothing to do with it is busy,
 * from before or since the wait began. guesses.py looks for the names of the functions. */

#include <dlfcn.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOES(name, ...) extern void name (void); void name (void) { __VA_ARGS__; }
#define FIND(kind, name) ((Verb) dlsym (NULL, g_strconcat (kind, name, NULL)))
#define TIME(us) { (us) / G_USEC_PER_SEC, (us) % G_USEC_PER_SEC * 1000 }
#define RECEIVE(end) g_assert (recv (end, &(char) { 0 }, 1, 0) == 1)

typedef void (*Verb) (void);
static GMutex lock;
static GCond cond;
static GAsyncQueue *items, *orders;
static GThreadPool *pool;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { sem_t sem; int word; } *shared; /* with children */
static int ends[2];
static gint64 length_us;
static Verb waits;

static void start (const char *name, Verb verb) { g_thread_unref (g_thread_new (name, (GThreadFunc) verb, NULL)); }
static void compute (gint64 us) { for (us += g_get_monotonic_time (); g_get_monotonic_time () < us;) continue; }

/* A process that posts and writes after so long. */
static pid_t
ask (gint64 us)
{
  pid_t child = fork ();

  if (child > 0)
    return child;
  usleep ((useconds_t) us);
  sem_post (&shared->sem);
  _exit (write (ends[1], "x", 1) != 1);
}

/* Those with a t have a limit, which is the length. */
DOES (wait_cond, g_mutex_lock (&lock); while (!shared->word) g_cond_wait (&cond, &lock); g_mutex_unlock (&lock))
DOES (wait_condt, gint64 end = g_get_monotonic_time () + length_us; g_mutex_lock (&lock);
      while (!shared->word && g_cond_wait_until (&cond, &lock, end)); g_mutex_unlock (&lock))
DOES (wait_queue, g_async_queue_pop (items))
DOES (wait_sem, sem_wait (&shared->sem))
DOES (wait_park, while (!shared->word) syscall (SYS_futex, &shared->word, FUTEX_WAIT, 0, NULL, NULL, 0))
DOES (wait_pool, g_thread_pool_free (pool, FALSE, TRUE))
DOES (wait_mutext, struct timespec end = TIME (g_get_real_time () + length_us); pthread_mutex_timedlock (&mutex, &end))

DOES (wake, g_mutex_lock (&lock); shared->word = 1; g_cond_broadcast (&cond); g_mutex_unlock (&lock);
      g_async_queue_push (items, shared); sem_post (&shared->sem);
      syscall (SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0))

/* Who wakes it: on a thread, asked when the wait begins. */
DOES (make_sleeping, g_usleep ((gulong) length_us); wake ())
DOES (make_computing, compute (length_us); wake ())
DOES (make_reading, ask (length_us); RECEIVE (ends[0]); wake ())
DOES (make_handed, compute (length_us / 3); g_async_queue_push (orders, make_sleeping); g_usleep (G_MAXINT))
DOES (make_late, g_usleep ((gulong) length_us / 2); start ("waker", make_computing))
/* On the loop's thread: a process, which posts or writes to a library's loop; a thread that a timer makes; nobody. */
DOES (ask_process, ask (length_us))
static void timer_cb (union sigval value) { wake (); }
DOES (ask_timer, struct itimerspec at = { .it_value = TIME (length_us) }; timer_t timer;
      struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = timer_cb };
      timer_create (CLOCK_MONOTONIC, &event, &timer); timer_settime (timer, 0, &at, NULL))
DOES (ask_idle, g_idle_add_once ((GSourceOnceFunc) wake, NULL))
DOES (ask_nobody, )

/* What has nothing to do with it. */
DOES (beside_none, )
DOES (beside_log, compute (G_MAXINT64 / 2))
DOES (beside_ends, compute (length_us / 2))
DOES (beside_burst, for (;;) { compute (60000); g_usleep (40000); })
DOES (beside_render, for (;;) { compute (6000); g_usleep (10000); })
DOES (beside_timer, for (;;) g_usleep (40000))
DOES (beside_net, int own[2]; g_assert (socketpair (AF_UNIX, SOCK_STREAM, 0, own) == 0); RECEIVE (own[0]))
DOES (beside_disk, FILE *file = tmpfile (); while (fputc ('x', file) > 0 && fflush (file) == 0) fsync (fileno (file)))
DOES (beside_child, waitpid (ask (5 * G_USEC_PER_SEC), NULL, 0))

DOES (serve, for (;;) ((Verb) g_async_queue_pop (orders)) ())
DOES (serve_process, GMainContext *own = g_main_context_new (); GSource *source = g_unix_fd_source_new (*ends, G_IO_IN);
      g_source_set_callback (source, (GSourceFunc) wake, NULL, NULL); g_source_attach (source, own);
      for (;;) g_main_context_iteration (own, TRUE))
DOES (take_mutex, pthread_mutex_lock (&mutex))
static void work_cb (gpointer verb, gpointer data) { ((Verb) verb) (); }

static gboolean
stall_cb (gpointer data)
{
  char **words = data;
  Verb made = FIND ("make_", words[2]);

  if (g_str_equal (words[4], "since"))
    start ("beside", FIND ("beside_", words[3]));
  if (made == NULL)
    FIND ("ask_", words[2]) ();
  else if (waits == wait_pool)
    g_thread_pool_push (pool, made, NULL);
  else
    g_async_queue_push (orders, made);
  waits ();
  g_timeout_add (200, (GSourceFunc) (Verb) exit, NULL);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  Verb serves = FIND ("serve_", argv[2]);

  waits = FIND ("wait_", argv[1]);
  length_us = atoi (argv[5]) * 1000;
  shared = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert (sem_init (&shared->sem, 1, 0) == 0 && socketpair (AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  items = g_async_queue_new ();
  orders = g_async_queue_new ();
  pool = g_thread_pool_new (work_cb, NULL, 1, FALSE, NULL);
  start ("waker", serves != NULL ? serves : serve);
  start ("waker", serve);
  g_thread_join (g_thread_new ("gone", (GThreadFunc) take_mutex, NULL));
  if (g_str_equal (argv[4], "before"))
    start ("beside", FIND ("beside_", argv[3]));
  g_timeout_add (2000, stall_cb, argv);
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}
