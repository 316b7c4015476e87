/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A main loop whose callback waits for ever: waits VERB. Who else takes part is a thread called "helper", or a
 * child that sleeps. It prints "ready" when all are where they shall be but the callback, which follows at once. */

#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <gio/gio.h>

#define FOR_EVER_S 600

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore, is_ready, may_go;
static GMutex g_mutex, g_other;
static GCond g_condition;
static gsize once;
static GThread *thread;
static pid_t child;
static int ends[2], event;
static char path[64];

static void sleep_long (void) { for (;;) sleep (FOR_EVER_S); }
static void ready (void) { sem_post (&is_ready); }
static void go (void) { sem_post (&may_go); }
static void await_go (void) { sem_wait (&may_go); }
static void lock (void) { pthread_mutex_lock (&mutex); }
static void lock_other (void) { pthread_mutex_lock (&other); }
static void g_lock (void) { g_mutex_lock (&g_mutex); }
static void g_lock_other (void) { g_mutex_lock (&g_other); }
static void write_lock (void) { pthread_rwlock_wrlock (&rw_lock); }
static void read_lock (void) { pthread_rwlock_rdlock (&rw_lock); }
static void wait_condition (void) { lock (); for (;;) pthread_cond_wait (&condition, &mutex); }
static void g_wait_condition (void) { g_lock (); for (;;) g_cond_wait (&g_condition, &g_mutex); }
static void wait_semaphore (void) { sem_wait (&semaphore); }
static void wait_barrier (void) { pthread_barrier_init (&barrier, NULL, 2); pthread_barrier_wait (&barrier); }
static void init_once (void) { (void) g_once_init_enter (&once); }
static void g_join (void) { g_thread_join (thread); }
static void poll_nothing (void) { poll (NULL, 0, FOR_EVER_S * 1000); }
static void poll_end (void) { struct pollfd fd = { ends[0], POLLIN, 0 }; poll (&fd, 1, -1); }
static void read_end (void) { char byte; while (read (ends[0], &byte, 1) < 0); }
static void read_event (void) { eventfd_t value; eventfd_read (event, &value); }
static void lock_file (void) { flock (open (path, O_RDWR | O_CREAT, 0600), LOCK_EX); }
static void wait_child (void) { waitpid (child, NULL, 0); }
static void run_shell (void) { (void) !system ("exec sleep 600"); }
static void compute (void) { for (;;) g_random_int (); }
static void run_private (void) { g_main_loop_run (g_main_loop_new (g_main_context_new (), FALSE)); }

static void
lock_range (void)
{
  struct flock range = { .l_type = F_WRLCK };

  fcntl (open (path, O_RDWR | O_CREAT, 0600), F_SETLKW, &range);
}

static void
wait_subprocess (void)
{
  g_subprocess_wait (g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, "sleep", "600", NULL), NULL, NULL);
}

static void
call_service (void)
{
  GDBusConnection *bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);

  g_dbus_connection_call_sync (bus, "org.jankwatch.Slow", "/org/jankwatch/Slow", "org.jankwatch.Slow.Printers",
                               "ListAll", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL, NULL);
}

static gpointer
run_thread (gpointer functions)
{
  for (void (**function) (void) = functions; *function != NULL; function++)
    (*function) ();
  sleep_long ();
  return NULL;
}

/* helper, child: what they do before they sleep; waits: what the callback does. NULL ends each. */
static const struct
{
  const char *name;
  void      (*waits[4]) (void), (*helper[5]) (void), (*child[4]) (void);
} verbs[] = {
  { "idle", { NULL } },
  { "mutex", { lock }, { lock, ready } },
  { "abba", { lock, go, lock_other }, { lock_other, ready, await_go, lock } },
  { "self", { lock, lock } },
  { "gmutex", { g_lock }, { g_lock, ready } },
  { "gmutexabba", { g_lock, go, g_lock_other }, { g_lock_other, ready, await_go, g_lock } },
  { "gmutexself", { g_lock, g_lock } },
  { "rwlock", { read_lock }, { write_lock, ready } },
  { "readers", { write_lock }, { read_lock, ready } },
  { "cond", { wait_condition } },
  { "gcond", { g_wait_condition } },
  { "sem", { wait_semaphore } },
  { "barrier", { wait_barrier } },
  { "once", { init_once }, { init_once, ready } },
  { "gjoin", { g_join }, { ready } },
  { "joinabba", { lock, go, g_join }, { ready, await_go, lock } },
  { "sleep", { sleep_long } },
  { "timeout", { poll_nothing } },
  { "pipe", { read_end }, { NULL }, { ready } },
  { "poll", { poll_end }, { NULL }, { ready } },
  { "socket", { read_end }, { NULL }, { ready } },
  { "tty", { read_end } },
  { "event", { read_event }, { NULL }, { ready } },
  { "flock", { lock_file }, { NULL }, { lock_file, ready } },
  { "range", { lock_range }, { NULL }, { lock_range, ready } },
  { "child", { wait_child }, { NULL }, { ready } },
  { "shell", { run_shell } },
  { "subprocess", { wait_subprocess } },
  { "dbus", { call_service } },
  { "compute", { compute } },
  { "private", { run_private } },
};

static void
open_ends (const char *name)
{
  event = eventfd (0, 0);
  g_snprintf (path, sizeof path, "%s/waits-%d", g_get_tmp_dir (), (int) getpid ());
  if (strcmp (name, "socket") == 0)
    socketpair (AF_UNIX, SOCK_STREAM, 0, ends);
  else if (strcmp (name, "tty") == 0)
    openpty (&ends[1], &ends[0], NULL, NULL, NULL);
  else
    (void) !pipe (ends);
}

static void
start_child (void (*const *functions) (void))
{
  int told[2];
  char byte;

  (void) !pipe (told);
  child = fork ();
  if (child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      close (ends[0]);
      for (; *functions != NULL; functions++)
        if (*functions == ready)
          (void) !write (told[1], "r", 1);
        else
          (*functions) ();
      sleep_long ();
    }
  (void) !read (told[0], &byte, 1);
  close (ends[1]);
}

int
main (int argc, char **argv)
{
  guint i = 0;

  while (strcmp (verbs[i].name, argv[1]) != 0)
    i++;
  sem_init (&is_ready, 0, 0);
  sem_init (&may_go, 0, 0);
  sem_init (&semaphore, 0, 0);
  open_ends (argv[1]);
  if (verbs[i].child[0] != NULL)
    start_child (verbs[i].child);
  unlink (verbs[i].child[0] == NULL ? path : "");
  if (verbs[i].helper[0] != NULL)
    thread = g_thread_new ("helper", run_thread, (gpointer) verbs[i].helper);
  if (verbs[i].helper[0] != NULL)
    sem_wait (&is_ready);
  if (verbs[i].waits[0] != NULL)
    g_timeout_add (50, G_SOURCE_FUNC (run_thread), (gpointer) verbs[i].waits);
  puts ("ready");
  fflush (stdout);
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}
