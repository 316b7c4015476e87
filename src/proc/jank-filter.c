/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proc/jank-filter-private.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <glib.h>

#include "proc/jank-proc-private.h"

#define CALL(name)     { #name, SYS_##name }
#define TIMER_SLEEP_NS 1000000
#define BAD_ARGUMENT   (-1L) /* as each of a call's arguments makes it fail, whatever the call */

typedef struct
{
  const char *name;
  long        number;
} Call;

/* What jank_stderr_say() calls, and before that the call that reaps the child. */
static const Call to_speak[] = {
  { "clone, wait4",
   SYS_wait4 }, CALL (rt_sigprocmask), CALL (fcntl), CALL (newfstatat), CALL (ioctl), CALL (ppoll), CALL (write),
#ifdef SYS_poll
  CALL (fstat), CALL (poll),
#endif
};

/* All else that our start, our threads and our handler call, but for what no program starts without. */
static const Call to_watch[] = {
  CALL (prctl),
  CALL (clock_gettime), CALL (clock_nanosleep), CALL (clone3), CALL (close_range), CALL (eventfd2), CALL (faccessat),
  CALL (futex), CALL (getdents64), CALL (getpeername), CALL (getpid), CALL (getppid), CALL (getrusage),
  CALL (getsockname),
  CALL (getsockopt), CALL (gettid), CALL (lseek), CALL (madvise), CALL (mincore), CALL (mkdirat), CALL (mremap),
  CALL (pidfd_getfd), CALL (pidfd_open), CALL (pipe2), CALL (pread64), CALL (prlimit64),
  CALL (process_vm_readv), CALL (readlinkat), CALL (renameat), CALL (rseq), CALL (rt_sigaction), CALL (rt_sigpending),
  CALL (rt_sigtimedwait), CALL (sched_getaffinity), CALL (sched_yield), CALL (set_robust_list), CALL (statx),
  CALL (sysinfo),
  CALL (timer_create), CALL (timer_delete), CALL (timer_settime), CALL (uname), CALL (unlinkat),
#ifdef SYS_futex_waitv
  CALL (futex_waitv),
#endif
#ifdef SYS_mkdir
  CALL (access), CALL (mkdir), CALL (readlink), CALL (rename), CALL (unlink),
#endif
  { "rt_sigreturn", -1 }, { "exit", -1 }, /* these two not by their numbers */
};

#define N_TO_SPEAK G_N_ELEMENTS (to_speak)
#define N_CALLS    (N_TO_SPEAK + G_N_ELEMENTS (to_watch))

static const Call *
jank_filter_get_call (guint i)
{
  return i < N_TO_SPEAK ? &to_speak[i] : &to_watch[i - N_TO_SPEAK];
}

static void
jank_filter_return_cb (int signal)
{
}

/* A signal comes as our timer's does, and its handler returns. */
static void
jank_filter_try_timer (void)
{
  const struct sigaction action = { .sa_handler = jank_filter_return_cb };
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG };
  const struct itimerspec at_once = { .it_value.tv_nsec = 1 };
  const struct timespec while_ns = { .tv_nsec = TIMER_SLEEP_NS };
  sigset_t set;
  timer_t timer;

  sigemptyset (&set);
  sigaddset (&set, SIGURG);
  sigaction (SIGURG, &action, NULL);
  sigprocmask (SIG_UNBLOCK, &set, NULL);
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime (timer, 0, &at_once, NULL) == 0)
    clock_nanosleep (CLOCK_MONOTONIC, 0, &while_ns, NULL);
}

/* FALSE: we cannot do with the answer. */
static bool
jank_filter_try_call (const Call *call)
{
  atomic_uint word = 0;
  sigset_t all;

  sigfillset (&all);
  if (call->number == SYS_rt_sigprocmask)
    sigprocmask (SIG_SETMASK, &all, NULL); /* then SIGSYS ends the child, too, whatever handler the program has */
  else if (call->number == SYS_prctl)
    prctl (PR_SET_DUMPABLE, 0, 0, 0, 0); /* no core file, and nothing for those who collect crashes */
  else if (call->number == SYS_futex)
    return syscall (SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0; /* the C library aborts without it */
  else if (call->number >= 0)
    syscall (call->number, BAD_ARGUMENT, BAD_ARGUMENT, BAD_ARGUMENT, BAD_ARGUMENT, BAD_ARGUMENT, BAD_ARGUMENT);
  else
    jank_filter_try_timer ();
  return true;
}

/* The child: system calls alone, since another thread may have held any lock. */
static G_GNUC_NORETURN void
jank_filter_try_all (atomic_uint *n_survived)
{
  guint i = 0;

  for (; i + 1 < N_CALLS && jank_filter_try_call (jank_filter_get_call (i)); i++)
    atomic_store_explicit (n_survived, i + 1, memory_order_relaxed);
  if (i + 1 == N_CALLS)
    syscall (SYS_exit, 0);
  for (;;)
    syscall (SYS_exit_group, 1);
}

/* With memory of its own: before Linux 5.16 a child that shares ours and dumps core takes us along. No signal at its
 * end: the program gets no SIGCHLD, and only __WALL finds it. Returns: how many calls it survived */
static guint
jank_filter_try_in_child (void)
{
  atomic_uint *n_survived = mmap (NULL, sizeof *n_survived, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status = -1;
  guint n;
  long pid;

  if (n_survived == MAP_FAILED)
    return 0;
  pid = syscall (SYS_clone, CLONE_VFORK, NULL, NULL, NULL, NULL);
  if (pid == 0)
    jank_filter_try_all (n_survived);
  n = atomic_load_explicit (n_survived, memory_order_relaxed);
  if (pid > 0 && n > 0 && waitpid ((pid_t) pid, &status, __WALL) == pid && status == 0)
    n = N_CALLS;
  munmap (n_survived, sizeof *n_survived);
  return n;
}

const char *
jank_filter_find_deadly (bool *ret_may_speak)
{
  static gsize n_survived_plus_1;
  char status[4096];
  gboolean is_known;

  if (g_once_init_enter (&n_survived_plus_1))
    {
      is_known = jank_proc_read ("/proc/thread-self/status", status, sizeof status);
      g_once_init_leave (&n_survived_plus_1,
                         1 + (is_known &&
                              strstr (status, "\nSeccomp:\t2") == NULL ? N_CALLS : jank_filter_try_in_child ()));
    }
  *ret_may_speak = n_survived_plus_1 > N_TO_SPEAK;
  return n_survived_plus_1 > N_CALLS ? NULL : jank_filter_get_call ((guint) n_survived_plus_1 - 1)->name;
}
