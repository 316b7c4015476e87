/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* faults CASE [N]: a program that does something to itself, N times, while its main loop stalls all the time. What
 * it prints is what it has seen, and the same with and without a watcher. */

#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <gio/gio.h>

#define STALL_US  (30 * 1000)
#define HUNG_US   (10 * G_USEC_PER_SEC)
#define N_FILES   100
#define N_STALLS  20

extern char **environ;

static char **arguments;
guint faults_n_rounds;
static guint n_stalls; /* (atomic) */

void
faults_compute (gint64 us)
{
  gint64 until_us = g_get_monotonic_time () + us;

  while (g_get_monotonic_time () < until_us)
    ;
}

/* The loop turns between two stalls, so each is told, sampled and written. */
static gboolean
stall_cb (gpointer data)
{
  faults_compute (GPOINTER_TO_INT (data));
  g_atomic_int_inc ((gint *) &n_stalls);
  return G_SOURCE_CONTINUE;
}

void
faults_await_stalls (guint n)
{
  guint until = (guint) g_atomic_int_get ((gint *) &n_stalls) + n;

  while ((guint) g_atomic_int_get ((gint *) &n_stalls) < until)
    g_usleep (1000);
}

typedef struct
{
  void (*func) (void);
  gint   is_done; /* (atomic) */
} Order;

static gboolean
do_cb (gpointer data)
{
  Order *order = data;

  faults_compute (STALL_US);
  order->func ();
  faults_compute (STALL_US);
  g_atomic_int_set (&order->is_done, TRUE);
  return G_SOURCE_REMOVE;
}

void
faults_do_on_loop (void (*func) (void))
{
  Order order = { .func = func };

  g_idle_add_full (G_PRIORITY_HIGH, do_cb, &order, NULL);
  while (!g_atomic_int_get (&order.is_done))
    g_usleep (1000);
  faults_await_stalls (N_STALLS);
}

/* The lowest number is free, as nobody else of this program opens anything. */
static void
reopen (void)
{
  guint n_wrong = 0, n_failed = 0;

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      n_failed += close (0) != 0;
      n_wrong += open ("/dev/null", O_RDONLY) != 0;
    }
  printf ("%u wrong numbers, %u failures\n", n_wrong, n_failed);
}

/* What is written to standard error while 0 to 2 are closed goes nowhere. */
static void
write_closed (void)
{
  guint n_written = 0;

  for (int fd = 0; fd < 3; fd++)
    close (fd);
  for (guint i = 0; i < faults_n_rounds; i++)
    n_written += write (2, "text of the program", 19) >= 0;
  dup2 (open ("/dev/null", O_RDWR), 2);
  dup2 (STDERR_FILENO + 1, 1);
  exit (n_written == 0 ? 0 : 1);
}

static void
list_descriptors (void)
{
  gboolean seen[4096] = { FALSE };

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      DIR *folder = opendir ("/proc/self/fd");
      struct dirent *entry;

      while ((entry = readdir (folder)) != NULL)
        if (entry->d_name[0] != '.')
          seen[MIN (atoi (entry->d_name), 4095)] = TRUE;
      closedir (folder);
      g_usleep (1000);
    }
  for (guint i = 0; i < G_N_ELEMENTS (seen); i++)
    if (seen[i])
      printf ("%u ", i);
  printf ("\n");
}

/* None of the program's files is closed by anybody else. The loop goes on: its own descriptor keeps its number. */
static void
close_all (void)
{
  struct stat status;
  guint n_lost = 0;
  int first;

  first = open ("/dev/null", O_RDONLY);
  syscall (SYS_close_range, (unsigned) first, ~0U, 0);
  for (guint i = 0; i < N_FILES; i++)
    n_lost += open ("/dev/null", O_RDONLY) != first + (int) i;
  faults_await_stalls (N_STALLS);
  for (guint i = 0; i < N_FILES; i++)
    n_lost += fstat (first + (int) i, &status) != 0 || !S_ISCHR (status.st_mode);
  printf ("%u lost\n", n_lost);
}

static gpointer
child_thread (gpointer data)
{
  return g_strdup ("thread");
}

/* What GLib, the C library and their locks are needed for. */
static void
use_glib (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *text = g_date_time_format (now, "%c");
  g_autofree char *name = g_strdup_printf ("quark-%d", getpid ());
  GMainContext *context = g_main_context_new ();
  GList *list = NULL;

  for (guint i = 0; i < 200; i++)
    list = g_list_prepend (list, g_slice_alloc (16 + 16 * (i % 20)));
  for (guint i = 200; i-- > 0;)
    {
      g_slice_free1 (16 + 16 * (i % 20), list->data);
      list = g_list_delete_link (list, list);
    }
  g_quark_from_string (name);
  g_object_unref (g_cancellable_new ());
  g_main_context_iteration (context, FALSE);
  g_main_context_unref (context);
  g_free (g_thread_join (g_thread_new ("child", child_thread, NULL)));
}

/* Returns: what waitpid() says, -1: it hung and was killed */
static int
await_child (pid_t pid)
{
  gint64 until_us = g_get_monotonic_time () + HUNG_US;
  int status = 0;

  while (waitpid (pid, &status, WNOHANG) == 0)
    {
      if (g_get_monotonic_time () > until_us)
        {
          kill (pid, SIGKILL);
          waitpid (pid, &status, 0);
          return -1;
        }
      g_usleep (200);
    }
  return status;
}

typedef struct
{
  guint  n_left, n_hung, n_failed;
  gint64 longest_us;
  gint   is_done; /* (atomic) */
} Storm;

/* On the loop's thread, while the other one sleeps: no thread of the program's holds a lock. At any time of a stall,
 * and just after one. */
static gboolean
fork_cb (gpointer data)
{
  Storm *storm = data;
  gint64 began_us;
  pid_t pid;
  int status;

  if (storm->n_left-- == 0)
    {
      g_atomic_int_set (&storm->is_done, TRUE);
      return G_SOURCE_REMOVE;
    }
  faults_compute (g_random_int_range (0, 25000));
  began_us = g_get_monotonic_time ();
  pid = fork ();
  if (pid == 0)
    {
      use_glib ();
      _exit (0);
    }
  storm->longest_us = MAX (storm->longest_us, g_get_monotonic_time () - began_us);
  status = await_child (pid);
  storm->n_hung += status == -1;
  storm->n_failed += status > 0;
  return G_SOURCE_CONTINUE;
}

static void
fork_storm (void)
{
  Storm storm = { .n_left = faults_n_rounds };

  g_idle_add_full (G_PRIORITY_HIGH, fork_cb, &storm, NULL);
  while (!g_atomic_int_get (&storm.is_done))
    usleep (1000);
  printf ("%u hung, %u failed\n", storm.n_hung, storm.n_failed);
  if (getenv ("FAULTS_TIMES") != NULL)
    fprintf (stderr, "fork() took %.1f ms at most\n", (double) storm.longest_us / 1000);
}

static void
other_children (void)
{
  char *words[] = { "true", NULL };
  pid_t pid;

  for (volatile guint i = 0; i < faults_n_rounds; i++)
    {
      int status = posix_spawn (&pid, "/bin/true", NULL, NULL, words, environ);

      printf ("spawn %d %d, ", status, await_child (pid));
      pid = vfork ();
      if (pid == 0)
        {
          execv ("/bin/true", words);
          _exit (127);
        }
      printf ("vfork %d, system %d\n", await_child (pid), system ("true"));
    }
}

/* Whoever inherits orphans sees all processes that anything below it starts. */
static void
subreaper (void)
{
  int status = 0;

  prctl (PR_SET_CHILD_SUBREAPER, 1);
  faults_await_stalls (faults_n_rounds);
  errno = 0;
  for (pid_t pid; (pid = waitpid (-1, &status, WNOHANG | __WALL)) >= 0;)
    printf ("a child: %d %d\n", pid > 0, status);
  printf ("errno %d\n", errno);
}

/* Becomes itself, N times. */
static void
exec_chain (void)
{
  g_autofree char *left = g_strdup_printf ("%u", faults_n_rounds - 1);

  if (faults_n_rounds == 1)
    {
      printf ("the last\n");
      return;
    }
  g_usleep (g_random_int_range (0, 30000));
  execl ("/proc/self/exe", arguments[0], arguments[1], left, NULL);
  printf ("exec: %d\n", errno);
}

static volatile sig_atomic_t n_seen[NSIG];

static void
count_cb (int number)
{
  n_seen[number]++;
}

/* Waited for, handled and ignored. */
static void
own_signals (void)
{
  const struct timespec at_once = { 0 };
  sigset_t urgent;
  int number;

  faults_await_stalls (N_STALLS);
  for (guint i = 0; i < faults_n_rounds; i++)
    {
      raise (SIGURG);
      raise (SIGPROF);
    }
  printf ("SIGURG %d, SIGPROF %d\n", n_seen[SIGURG], n_seen[SIGPROF]);
  sigemptyset (&urgent);
  sigaddset (&urgent, SIGURG);
  pthread_sigmask (SIG_BLOCK, &urgent, NULL);
  pthread_kill (pthread_self (), SIGURG);
  number = sigtimedwait (&urgent, NULL, &at_once);
  printf ("waited for %d, then %d\n", number, sigtimedwait (&urgent, NULL, &at_once));
  printf ("errno %d, SIGURG %d\n", errno, n_seen[SIGURG]);
}

static jmp_buf back;
static ucontext_t caller, callee;

static void
coroutine (void)
{
  for (;;)
    {
      faults_compute (100);
      swapcontext (&callee, &caller);
    }
}

/* On stacks that are not the thread's. */
static void
stacks (void)
{
  g_autofree char *stack = g_malloc (256 * 1024);
  volatile guint n = 0;

  if (setjmp (back) < (int) faults_n_rounds)
    {
      n++;
      faults_compute (100);
      longjmp (back, (int) n);
    }
  getcontext (&callee);
  callee.uc_stack.ss_sp = stack;
  callee.uc_stack.ss_size = 256 * 1024;
  makecontext (&callee, coroutine, 0);
  for (guint i = 0; i < faults_n_rounds; i++)
    swapcontext (&caller, &callee);
  printf ("%u jumps\n", n);
}

/* Nothing can be opened, written or started; the program itself needs nothing more. */
static void
limits (void)
{
  const struct rlimit none = { 0, 0 };

  printf ("%d ", setrlimit (RLIMIT_NOFILE, &none));
  printf ("%d ", setrlimit (RLIMIT_FSIZE, &none));
  printf ("%d ", setrlimit (RLIMIT_NPROC, &none));
  printf ("%d\n", setrlimit (RLIMIT_SIGPENDING, &none));
  faults_await_stalls (faults_n_rounds);
}

static void
change_root (void)
{
  int status = chroot ("/proc/self/fdinfo");

  status = chdir ("/") != 0 || status != 0;
  printf ("%d\n", status);
  faults_await_stalls (faults_n_rounds);
}

/* The child has no loop that turns: only this thread goes on. */
static void
become_daemon (void)
{
  printf ("%d\n", daemon (1, 1));
  use_glib ();
  fflush (stdout);
  _exit (3);
}

static pthread_t main_thread;

/* The process goes on without its first thread, and its loop. */
static gboolean
end_main_cb (gpointer data)
{
  pthread_exit (NULL);
}

static void
outlive_main (void)
{
  g_idle_add_full (G_PRIORITY_HIGH, end_main_cb, NULL, NULL);
  pthread_join (main_thread, NULL);
  use_glib ();
  g_usleep (100000);
  exit (7);
}

/* The loader is busy all the time. */
static void
load_storm (void)
{
  guint n_loaded = 0;

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      void *library = dlopen ("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);

      n_loaded += library != NULL && dlsym (library, "__dn_expand") != NULL;
      if (library != NULL)
        dlclose (library);
    }
  printf ("%u loaded\n", n_loaded);
}

static gpointer
brief_thread (gpointer data)
{
  faults_compute (200);
  return data;
}

static void
thread_storm (void)
{
  guint n_joined = 0;

  for (guint i = 0; i < faults_n_rounds; i++)
    n_joined += g_thread_join (g_thread_new (NULL, brief_thread, GUINT_TO_POINTER (1))) != NULL;
  printf ("%u joined\n", n_joined);
}

/* Handlers on a stack of their own, at the kernel's leisure. */
static void
handle_on_own_stack (void)
{
  static char stack[64 * 1024];
  const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = count_cb, .sa_flags = SA_ONSTACK };
  const struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };

  sigaltstack (&alternate, NULL);
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &every, NULL);
  faults_compute (200000);
  setitimer (ITIMER_REAL, &never, NULL);
}

static void
own_stack (void)
{
  faults_do_on_loop (handle_on_own_stack);
  printf ("handled: %d\n", n_seen[SIGALRM] > 10);
}

/* A stop of the whole process by itself: its parent continues it. */
static void
stop_itself (void)
{
  pid_t self = getpid (), pid = fork ();

  if (pid == 0)
    {
      for (guint i = 0; i < faults_n_rounds; i++)
        {
          usleep (5000);
          kill (self, i % 2 == 0 ? SIGSTOP : SIGCONT);
        }
      kill (self, SIGCONT);
      _exit (0);
    }
  faults_await_stalls (5);
  printf ("%d\n", await_child (pid));
}

static void exit_now       (void) { exit (4); }
static void exit_at_once   (void) { _exit (5); }
static void exit_quickly   (void) { quick_exit (6); }
static void exit_by_abort  (void) { abort (); }
static void exit_by_kill   (void) { kill (getpid (), SIGKILL); }
static void exit_by_fault  (void) { raise (SIGSEGV); }
static void exit_by_signal (void) { kill (getpid (), SIGTERM); pause (); }
static void wait_only      (void) { faults_await_stalls (faults_n_rounds); }

static const FaultsCase cases[] = {
  { "abort", exit_by_abort }, { "chroot", change_root }, { "close-all", close_all }, { "coroutines", stacks },
  { "daemon", become_daemon }, { "descriptors", list_descriptors }, { "_exit", exit_at_once }, { "exec", exec_chain },
  { "exit", exit_now }, { "fault", exit_by_fault }, { "fork", fork_storm }, { "kill", exit_by_kill },
  { "load", load_storm }, { "outlive", outlive_main }, { "own-stack", own_stack }, { "stop", stop_itself },
  { "threads", thread_storm },
  { "limits", limits }, { "quick-exit", exit_quickly }, { "reopen", reopen }, { "signals", own_signals },
  { "spawn", other_children }, { "subreaper", subreaper }, { "term", exit_by_signal }, { "wait", wait_only },
  { "write-closed", write_closed }, { NULL, NULL },
};

static const FaultsCase *
find (const FaultsCase *list, const char *name)
{
  while (list->name != NULL && strcmp (list->name, name) != 0)
    list++;
  return list->name != NULL ? list : NULL;
}

static gpointer
case_thread (gpointer data)
{
  const FaultsCase *one = find (faults_on_loop, arguments[1]), *own = find (cases, arguments[1]);

  if (one == NULL)
    one = find (faults_stacks, arguments[1]);
  if (own == NULL)
    own = find (faults_signals, arguments[1]);
  if (own == NULL)
    own = find (faults_limits, arguments[1]);
  if (one == NULL && own == NULL)
    _exit (2);
  if (one != NULL)
    faults_do_on_loop (one->func);
  else
    {
      if (own->func != exec_chain)
        faults_await_stalls (2);
      own->func ();
    }
  fflush (stdout);
  _exit (0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  const struct rlimit no_core = { 0, 0 };
  const struct sigaction count = { .sa_handler = count_cb };

  arguments = argv;
  main_thread = pthread_self ();
  if (!g_str_has_prefix (argv[1], "urgent-"))
    sigaction (SIGURG, &count, NULL);
  sigaction (SIGPROF, &count, NULL);
  faults_signal_before (argv[1]);
  faults_n_rounds = argc > 2 ? (guint) atoi (argv[2]) : 1;
  setrlimit (RLIMIT_CORE, &no_core);
  /* Now GIO loads its modules. */
  g_vfs_get_default ();
  g_timeout_add (5, stall_cb, GINT_TO_POINTER (STALL_US));
  g_thread_unref (g_thread_new ("case", case_thread, NULL));
  g_main_loop_run (loop);
  return 0;
}
