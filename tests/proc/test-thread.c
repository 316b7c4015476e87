/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "processor.h"
#include "test.h"
#include "worker.h"

#define FAULT_BYTES (8 << 20)

static gconstpointer main_frame;
static char **arguments; /* right above what the kernel entered the program with */

TEST (parse)
{
  JankSyscall call = { .kind = JANK_SYSCALL_UNKNOWN };

  g_assert_true (jank_syscall_parse ("7 0x7ffe1 0x2 0xffffffff 0x0 0x8 0xabc 0x7ffc00112233 0x7f00deadbeef\n", &call));
  g_assert_cmpint (call.kind, ==, JANK_SYSCALL_BLOCKED);
  g_assert_cmpint (call.number, ==, 7);
  g_assert_cmpuint (call.args[0], ==, 0x7ffe1);
  g_assert_cmpuint (call.args[2], ==, 0xffffffff);
  g_assert_cmpuint (call.args[5], ==, 0xabc);
  g_assert_cmpuint (call.sp, ==, 0x7ffc00112233);
  g_assert_cmpuint (call.pc, ==, 0x7f00deadbeef);

  g_assert_true (jank_syscall_parse ("-1 0x7ffc0 0x55555\n", &call));
  g_assert_cmpint (call.kind, ==, JANK_SYSCALL_BLOCKED);
  g_assert_cmpint (call.number, ==, -1);
  g_assert_cmpuint (call.args[0], ==, 0);
  g_assert_cmpuint (call.sp, ==, 0x7ffc0);
  g_assert_cmpuint (call.pc, ==, 0x55555);

  g_assert_true (jank_syscall_parse ("running\n", &call));
  g_assert_cmpint (call.kind, ==, JANK_SYSCALL_RUNNING);
  g_assert_cmpuint (call.sp, ==, 0);
}

TEST (parse_bad)
{
  static const char *const bad[] = {
    "", "\n", "walking\n", "-\n", "-2 0x1 0x2\n", "7\n", "7 0x1 0x2\n", "-1 0x1\n", "-1\n", "0x7 0x1\n",
    "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7\n", "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9\n", "-1 0x1 0x2 0x3\n",
    "7 1 2 3 4 5 6 7 8\n", "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8", "7  0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n",
    "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0xg\n", "7 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x\n",
  };
  JankSyscall call = { .kind = JANK_SYSCALL_UNKNOWN, .sp = 42 };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      if (jank_syscall_parse (bad[i], &call))
        g_error ("“%s” was taken for a line", bad[i]);
      g_assert_cmpint (call.kind, ==, JANK_SYSCALL_UNKNOWN);
      g_assert_cmpuint (call.sp, ==, 42);
    }
}

static JankThread *
new_thread (Worker *worker)
{
  JankThread *thread = jank_thread_new (worker_get_info (worker), WORKER_TASKS);
  int saved_errno = -1;

  g_assert_true (jank_thread_can_read_syscall (thread, &saved_errno));
  g_assert_cmpint (saved_errno, ==, 0);
  g_assert_true (jank_thread_get_info (thread)->tid == worker_get_info (worker)->tid);
  return thread;
}

/* What /proc would say of a thread, in a folder of ours; NULL: nothing. */
static void
write_files (const char *folder, const char *schedstat, const char *stat)
{
  g_autofree char *turns = g_build_filename (folder, "schedstat", NULL), *faults =
      g_build_filename (folder, "stat", NULL);

  if (schedstat == NULL)
    {
      g_unlink (turns);
      g_unlink (faults);
      return;
    }
  /* The same files, which are open. */
  g_assert_true (g_file_set_contents_full (turns, schedstat, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  g_assert_true (g_file_set_contents_full (faults, stat, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* A thread that has had no turn since is in the same call, and has waited for no disk: faults are not read. */
TEST (turns)
{
  g_autofree char *tasks = g_dir_make_tmp ("jank-tasks-XXXXXX", NULL);
  g_autofree char *folder = NULL;
  JankThreadInfo info;
  JankThreadTimes before, same, later;
  JankThreadTurns turns;
  JankSyscall call = { .kind = JANK_SYSCALL_BLOCKED, .n_switches = 7 };
  JankThread *thread;

  jank_thread_describe_self (&info);
  folder = g_strdup_printf ("%s/%d", tasks, (int) info.tid);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  write_files (folder, "1000 50 7\n", "1 (x) S 1 1 1 0 -1 0 0 0 3 0 0\n");
  thread = jank_thread_new (&info, tasks);
  jank_thread_read_times (thread, &before);
  g_assert_cmpuint (before.n_turns, ==, 7);
  g_assert_cmpuint (before.n_major_faults, ==, 3);

  write_files (folder, "1000 50 7\n", "1 (x) S 1 1 1 0 -1 0 0 0 4 0 0\n");
  g_assert_true (jank_thread_read_turns (thread, &turns));
  jank_thread_read_times_since (thread, &before, &turns, &same);
  g_assert_cmpuint (same.n_major_faults, ==, 3);
  g_assert_true (jank_thread_is_still_in (thread, &call));

  write_files (folder, "1001 60 8\n", "1 (x) S 1 1 1 0 -1 0 0 0 5 0 0\n");
  g_assert_true (jank_thread_read_turns (thread, &turns));
  jank_thread_read_times_since (thread, &same, &turns, &later);
  g_assert_cmpint (later.cpu_ns, ==, 1001);
  g_assert_cmpint (later.run_delay_ns, ==, 60);
  g_assert_cmpuint (later.n_major_faults, ==, 5);
  g_assert_false (jank_thread_is_still_in (thread, &call));
  jank_thread_free (thread);
  write_files (folder, NULL, NULL);
  g_rmdir (folder);
  g_rmdir (tasks);
}

static void
worker_masked (Worker *self, gpointer data)
{
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGRTMIN + 3);
  sigaddset (&set, SIGUSR2);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  g_atomic_int_set ((gint *) data, 1);
  worker_sleep (self, NULL);
}

/* A signal that may be blocked is not to be sent. */
static bool
blocks_signal (JankThread *thread, int signal)
{
  JankThreadStatus status;

  return !jank_thread_read_status (thread, &status) || ((status.blocked_signals >> (signal - 1)) & 1) != 0;
}

TEST (blocks_signal)
{
  gint masked = 0;
  g_autoptr (Worker) worker = worker_new (worker_masked, &masked);
  g_autoptr (JankThread) thread = new_thread (worker);

  while (!g_atomic_int_get (&masked))
    g_usleep (500);
  for (int signal = 1; signal <= SIGRTMAX; signal++)
    if (signal < 32 || signal >= SIGRTMIN)
      g_assert_true (blocks_signal (thread, signal) == (signal == SIGRTMIN + 3 || signal == SIGUSR2));
}

TEST (describe_main)
{
  JankThreadInfo info;
  guint64 here = (guintptr) __builtin_frame_address (0);

  jank_thread_describe_self (&info);
  g_assert_cmpint (info.tid, ==, getpid ());
  g_assert_true (pthread_equal (info.pthread, pthread_self ()));
  g_assert_cmpuint (here, >, info.stack_low);
  g_assert_cmpuint (here, <, info.stack_base);
  g_assert_cmpuint ((guintptr) main_frame, <, info.stack_base);
  g_assert_cmpuint ((guintptr) arguments + 64, >=, info.stack_base);
  g_assert_cmpint (jank_clock_read_ns (info.cpu_clock), >, 0);
}

/* A kernel or sandbox without the file: the rest still works. */
TEST (no_syscall_file)
{
  g_autoptr (Worker) worker = worker_new (worker_compute, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *tasks = g_dir_make_tmp ("jank-tasks-XXXXXX", &error);
  g_autofree char *folder = g_strdup_printf ("%s/%d", tasks, (int) worker_get_info (worker)->tid);
  g_autofree char *status = g_build_filename (folder, "status", NULL);
  JankThread *thread;
  int saved_errno = 0;
  JankSyscall call;

  g_assert_no_error (error);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (status, "Name:\tx\nTracerPid:\t17\nSigPnd:\t0000000000000000\n"
                                            "SigBlk:\t0000000000000200\n"
                                            "voluntary_ctxt_switches:\t5\n", -1, NULL));

  thread = jank_thread_new (worker_get_info (worker), tasks);
  g_assert_false (jank_thread_can_read_syscall (thread, &saved_errno));
  g_assert_cmpint (saved_errno, ==, ENOENT);
  g_assert_false (jank_thread_can_read_syscall (thread, NULL));
  jank_thread_read_syscall (thread, &call);
  g_assert_cmpint (call.kind, ==, JANK_SYSCALL_UNKNOWN);
  g_assert_true (blocks_signal (thread, 10));
  g_assert_false (blocks_signal (thread, 9));
  g_assert_true (jank_thread_is_traced (thread));
  g_assert_cmpint (jank_thread_read_run_delay_ns (thread), ==, -1);
  g_assert_cmpint (jank_thread_read_cpu_ns (thread), >=, 0);
  jank_thread_free (thread);

  /* Nothing at all. */
  g_unlink (status);
  thread = jank_thread_new (worker_get_info (worker), tasks);
  g_assert_true (blocks_signal (thread, 9));
  g_assert_false (jank_thread_is_traced (thread));
  jank_thread_free (thread);
  g_rmdir (folder);
  g_rmdir (tasks);
}

static void
worker_contend (Worker *self, gpointer data)
{
  cpu_set_t one;

  CPU_ZERO (&one);
  CPU_SET (GPOINTER_TO_UINT (data), &one);
  g_assert_cmpint (sched_setaffinity (0, sizeof one, &one), ==, 0);
  worker_compute (self, NULL);
}

static guint
first_cpu (void)
{
  cpu_set_t all;
  guint cpu = 0;

  g_assert_cmpint (sched_getaffinity (0, sizeof all, &all), ==, 0);
  while (!CPU_ISSET (cpu, &all))
    cpu++;
  return cpu;
}

/* Two that compute share a CPU: while one has it, the other waits, whatever others and the host take. */
TEST (times_preempted)
{
  gpointer cpu = GUINT_TO_POINTER (first_cpu ());
  g_autoptr (Worker) worker = worker_new (worker_contend, cpu);
  Worker *other = worker_new (worker_contend, cpu);
  g_autoptr (JankThread) thread = new_thread (worker), second = new_thread (other);
  JankThreadTimes before, after, first, last;

  g_usleep (50000);
  jank_thread_read_times (thread, &before);
  jank_thread_read_times (second, &first);
  after = before;
  last = first;
  AWAIT (last.cpu_ns - first.cpu_ns > 200 * JANK_NS_PER_MS && after.cpu_ns > before.cpu_ns, g_usleep (50000),
         jank_thread_read_times (second, &last), jank_thread_read_times (thread, &after));
  g_assert_true (before.known && after.known);
  g_assert_cmpint (after.run_delay_ns - before.run_delay_ns, >=, (last.cpu_ns - first.cpu_ns) / 2);
  worker_free (other);
}

/* The file's pages are dropped from memory, so that each touch has to bring one from the disk. */
static void
worker_fault (Worker *self, gpointer data)
{
  const char *path = data;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  while (!worker_is_stopped (self))
    {
      volatile const char *map = mmap (NULL, FAULT_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);

      madvise ((void *) map, FAULT_BYTES, MADV_RANDOM);
      for (gsize at = 0; at < FAULT_BYTES && !worker_is_stopped (self); at += 4096)
        (void) map[at];
      munmap ((void *) map, FAULT_BYTES);
      posix_fadvise (fd, 0, FAULT_BYTES, POSIX_FADV_DONTNEED);
    }
  close (fd);
}

TEST (times_faults)
{
  /* On a disk, as the temporary folder may not be. */
  char path[] = "/var/tmp/jank-faults-XXXXXX";
  int fd = mkstemp (path);
  g_autofree char *block = g_malloc0 (FAULT_BYTES);
  JankThreadTimes before, after;
  JankThread *thread;
  Worker *worker;

  g_assert_cmpint (write (fd, block, FAULT_BYTES), ==, FAULT_BYTES);
  g_assert_cmpint (fsync (fd), ==, 0);
  posix_fadvise (fd, 0, FAULT_BYTES, POSIX_FADV_DONTNEED);
  worker = worker_new (worker_fault, path);
  thread = new_thread (worker);
  jank_thread_read_times (thread, &before);
  after = before;
  AWAIT (after.n_major_faults > before.n_major_faults + 10, jank_thread_read_times (thread, &after));
  jank_thread_free (thread);
  worker_free (worker);
  close (fd);
  g_unlink (path);
}

#define N_MAPPINGS  60000
#define N_DESCRIBED 200

/* A thread is described each time that it takes over a context. */
TEST (many_mappings)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE);
  guint8 *memory = mmap (NULL, N_MAPPINGS * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  JankThreadInfo first, info;
  gint64 cpu_ns;

  g_assert_true (memory != MAP_FAILED);
  jank_thread_describe_self (&first);
  for (guint i = 0; i < N_MAPPINGS; i += 2)
    if (mprotect (memory + i * page, page, PROT_NONE) != 0)
      break;
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID);
  for (guint i = 0; i < N_DESCRIBED; i++)
    jank_thread_describe_self (&info);
  cpu_ns = jank_clock_read_ns (CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
  munmap (memory, N_MAPPINGS * page);
  g_test_message ("%.1f µs each", cpu_ns / 1e3 / N_DESCRIBED);
  g_assert_cmpuint (info.stack_base, ==, first.stack_base);
  g_assert_cmpuint (info.stack_low, <=, (guintptr) &info);
  g_assert_cmpuint (info.stack_base, >, (guintptr) &info);
  g_assert_cmpint (cpu_ns / N_DESCRIBED, <, JANK_NS_PER_MS);
}

int
main (int argc, char **argv)
{
  main_frame = __builtin_frame_address (0);
  arguments = argv;
  g_test_init (&argc, &argv, NULL);
  tests_add_all ("/proc/thread");
  return g_test_run ();
}
