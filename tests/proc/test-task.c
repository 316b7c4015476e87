/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "proc/jank-proc-private.h"
#include "proc/jank-task-private.h"
#include "test.h"
#include "worker.h"

#define N_MANY 500

static guint
count_tasks (void)
{
  guint n_tasks = 0;

  g_array_unref (jank_task_list (WORKER_TASKS, 1000, 0, &n_tasks));
  return n_tasks;
}

/* The main thread, and those that a sanitizer has. */
static guint n_own_tasks;

static void
find_own_tasks (void)
{
  worker_free (worker_new (worker_sleep, NULL));
  g_usleep (100000);
  n_own_tasks = count_tasks ();
}

/* Until threads that have been joined are gone. */
static void
await_own_tasks (void)
{
  for (guint i = 0; i < 10000 && count_tasks () != n_own_tasks; i++)
    g_usleep (1000);
  g_assert_cmpuint (count_tasks (), ==, n_own_tasks);
}

/* Threads that do nothing until they are let go. */
typedef struct
{
  sem_t     ready, go;
  pid_t     tids[N_MANY];
  pthread_t threads[N_MANY];
  gint      n_started; /* (atomic) */
  guint     n;
} Crowd;

static void *
crowd_thread (void *data)
{
  Crowd *crowd = data;
  gint i = g_atomic_int_add (&crowd->n_started, 1);
  g_autofree char *name = g_strdup_printf ("crowd (%d) x", i);

  crowd->tids[i] = (pid_t) syscall (SYS_gettid);
  prctl (PR_SET_NAME, name);
  sem_post (&crowd->ready);
  while (sem_wait (&crowd->go) != 0)
    continue;
  return NULL;
}

static Crowd *
crowd_new (guint n)
{
  Crowd *crowd = g_new0 (Crowd, 1);
  pthread_attr_t attributes;

  pthread_attr_init (&attributes);
  pthread_attr_setstacksize (&attributes, 256 * 1024);
  sem_init (&crowd->ready, 0, 0);
  sem_init (&crowd->go, 0, 0);
  crowd->n = n;
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (pthread_create (&crowd->threads[i], &attributes, crowd_thread, crowd), ==, 0);
  for (guint i = 0; i < n; i++)
    while (sem_wait (&crowd->ready) != 0)
      continue;
  pthread_attr_destroy (&attributes);
  return crowd;
}

static void
crowd_free (Crowd *crowd)
{
  for (guint i = 0; i < crowd->n; i++)
    sem_post (&crowd->go);
  for (guint i = 0; i < crowd->n; i++)
    pthread_join (crowd->threads[i], NULL);
  g_free (crowd);
  await_own_tasks ();
}

static const JankTask *
find_task (GArray *tasks, pid_t tid)
{
  for (guint i = 0; i < tasks->len; i++)
    if (g_array_index (tasks, JankTask, i).tid == tid)
      return &g_array_index (tasks, JankTask, i);
  return NULL;
}

static void
test_crowd (gconstpointer data)
{
  guint n = GPOINTER_TO_UINT (data), n_tasks = 0;
  Crowd *crowd = crowd_new (n);
  g_autoptr (GArray) tasks = jank_task_list (WORKER_TASKS, 1000, 0, &n_tasks);
  gint64 cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID), began_ns = jank_clock_now_ns ();

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GArray) again = jank_task_list (WORKER_TASKS, 64, 0, NULL);

      g_assert_cmpuint (again->len, ==, MIN (64, n + n_own_tasks));
    }
  g_test_message ("%u threads, 64 read at most: %.3f ms of CPU, %.3f ms", n,
                  (jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - cpu_ns) / 20e6,
                  (jank_clock_now_ns () - began_ns) / 20e6);

  g_assert_cmpuint (n_tasks, ==, n + n_own_tasks);
  g_assert_cmpuint (tasks->len, ==, n + n_own_tasks);
  for (guint i = 1; i < tasks->len; i++)
    g_assert_cmpint (g_array_index (tasks, JankTask, i - 1).tid, <, g_array_index (tasks, JankTask, i).tid);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("crowd (%u) x", i);
      const JankTask *task = find_task (tasks, crowd->tids[i]);
      JankTask later;

      g_assert_nonnull (task);
      /* It was on its way to sleep. */
      for (guint k = 0; k < 5000 && task->state == 'R'; k++)
        {
          g_usleep (1000);
          g_assert_true (jank_task_read (WORKER_TASKS, crowd->tids[i], &later));
          task = &later;
        }
      g_assert_cmpstr (task->name, ==, name);
      g_assert_cmpint (task->state, ==, 'S');
      g_assert_cmpint (task->policy, ==, SCHED_OTHER);
      g_assert_cmpint (task->priority, ==, 0);
      g_assert_cmpint (task->cpu_ns, >, 0);
      g_assert_cmpint (task->cpu_ns, <, 10 * JANK_NS_PER_S);
      /* In ticks of 10 ms. */
      g_assert_cmpint (task->began_ns, <=, jank_clock_now_ns ());
      g_assert_cmpint (task->began_ns, >, jank_clock_now_ns () - 60 * JANK_NS_PER_S);
    }
  crowd_free (crowd);
}

static void
worker_sleep_named (Worker *worker, gpointer data)
{
  prctl (PR_SET_NAME, "a) R (");
  g_atomic_int_set ((gint *) data, 1);
  worker_sleep (worker, NULL);
}

/* Waits for the state: a thread may be about to sleep, or to be woken. */
TEST (state)
{
  gint ready = 0;
  g_autoptr (Worker) sleeps = worker_new (worker_sleep_named, &ready), computes = worker_new (worker_compute, NULL);

  while (!g_atomic_int_get (&ready) || jank_proc_read_state (0, worker_get_info (sleeps)->tid) != 'S' ||
         jank_proc_read_state (getpid (), worker_get_info (computes)->tid) != 'R')
    g_usleep (1000);
  g_assert_cmpint (jank_proc_read_state (0, G_MAXINT), ==, '\0');
  g_assert_cmpint (jank_proc_read_state (G_MAXINT, G_MAXINT), ==, '\0');
}

/* A folder that is not the kernel's. */
TEST (bad)
{
  static const char *const bad[] = {
    "", "\n", "5", "5 (x", "5 x) S", "5 )x( S 1", "5 (x)", "5 (x) ", "5 (x) S", "5 (x) S 1 2 3", "5 (x)S 1",
    "5 (x) S a b c", "5 (\xff\xff) R 99999999999999999999999 -99999999999999999999999",
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *tasks_folder = g_dir_make_tmp ("jank-tasks-XXXXXX", &error);
  g_autofree char *folder = g_build_filename (tasks_folder, "5", NULL);
  g_autofree char *stat = g_build_filename (folder, "stat", NULL);
  g_autoptr (GArray) none = jank_task_list ("/nowhere", 10, 0, NULL);

  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GArray) tasks = NULL;

      g_assert_true (g_file_set_contents (stat, bad[i], -1, NULL));
      tasks = jank_task_list (tasks_folder, 10, 0, NULL);
      g_assert_cmpuint (tasks->len, <=, 1);
      if (tasks->len == 1)
        {
          g_assert_cmpint (g_array_index (tasks, JankTask, 0).state, !=, '\0');
          g_assert_cmpint (g_array_index (tasks, JankTask, 0).cpu_ns, ==, -1);
        }
    }
  g_unlink (stat);
  g_rmdir (folder);
  g_rmdir (tasks_folder);
}

static gint64
count_open (void)
{
  DIR *folder = opendir ("/proc/self/fd");
  gint64 n = 0;

  while (readdir (folder) != NULL)
    n++;
  closedir (folder);
  return n - 3;
}

TEST (facts)
{
  Crowd *crowd = crowd_new (9);
  char *block = mmap (NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  JankProcessFacts before, after;
  gint64 cpu_ns = jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID), began_ns, n_open = count_open ();
  int fds[7];

  jank_process_facts_read (&before);
  g_assert_cmpint (before.n_threads, ==, n_own_tasks + 9);
  g_assert_cmpint (before.n_descriptors, ==, n_open);
  g_assert_cmpint (before.cpu_ns, >=, cpu_ns);
  g_assert_cmpint (before.cpu_ns, <=, jank_clock_read_ns (CLOCK_PROCESS_CPUTIME_ID));
  g_assert_cmpint (before.rss_bytes, >, 1 << 20);
  g_assert_cmpint (before.read_bytes, >=, 0);
  g_assert_cmpint (before.written_bytes, >=, 0);

  memset (block, 1, 64 << 20);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    fds[i] = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  jank_process_facts_read (&after);
  g_assert_cmpint (after.rss_bytes, >=, before.rss_bytes + (60 << 20));
  g_assert_cmpint (after.n_descriptors, ==, n_open + (gint64) G_N_ELEMENTS (fds));

  began_ns = jank_clock_now_ns ();
  for (guint i = 0; i < 20; i++)
    jank_process_facts_read (&after);
  g_test_message ("facts of the process: %.3f ms", (jank_clock_now_ns () - began_ns) / 20e6);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    close (fds[i]);
  munmap (block, 64 << 20);
  crowd_free (crowd);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  find_own_tasks ();
  g_test_add_data_func ("/proc/task/crowd/32", GUINT_TO_POINTER (32), test_crowd);
  g_test_add_data_func ("/proc/task/crowd/500", GUINT_TO_POINTER (N_MANY), test_crowd);
  tests_add_all ("/proc/task");
  return g_test_run ();
}
