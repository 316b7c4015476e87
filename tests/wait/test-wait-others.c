/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time, children, memory and signals. */

#include "config.h"

#include "wait-stage.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
set_up_sleep (Stage *stage)
{
  stage->detail = g_strdup ("clock_nanosleep of 60.5 ms");
}
static void
block_sleep (Stage *stage)
{
  struct timespec time = { 0, 60500000 };

  while (!g_atomic_int_get (&stage->is_released))
    clock_nanosleep (CLOCK_MONOTONIC, 0, &time, NULL);
}
static void
set_up_nanosleep (Stage *stage)
{
  stage->detail = g_strdup ("nanosleep of 50 ms");
}
static void
block_nanosleep (Stage *stage)
{
  struct timespec time = { 0, 50000000 };

  while (!g_atomic_int_get (&stage->is_released))
    syscall (SYS_nanosleep, &time, NULL);
}
/* A machine may miss one of them. */
static void
release_sleeper (Stage *stage)
{
  g_atomic_int_set (&stage->is_released, 1);
}

static void
start_child (Stage *stage)
{
  stage->child = fork ();
  if (stage->child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      prctl (PR_SET_NAME, "slow child");
      for (;;)
        pause ();
    }
  stage->target = g_strdup ("slow child");
  stage->peer_pid = stage->child;
  /* The name is there once the child has run. */
  for (;;)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%d/comm", stage->child);
      g_autofree char *name = NULL;

      if (g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "slow child"))
        break;
      g_usleep (100);
    }
}
static void
set_up_wait4 (Stage *stage)
{
  start_child (stage);
  stage->detail = g_strdup_printf ("wait4 for slow child[%d]", stage->child);
}
static void
block_wait4 (Stage *stage)
{
  g_assert_cmpint (waitpid (stage->child, NULL, 0), ==, stage->child);
}
static void release_child (Stage *stage) { kill (stage->peer_pid, SIGKILL); }
static void
set_up_any_child (Stage *stage)
{
  start_child (stage);
  g_clear_pointer (&stage->target, g_free);
  stage->peer_pid = 0;
  stage->detail = g_strdup ("wait4");
}
static void
block_any_child (Stage *stage)
{
  g_assert_cmpint (waitpid (-1, NULL, 0), ==, stage->child);
}
static void release_any_child (Stage *stage) { kill (stage->child, SIGKILL); }
static void
set_up_waitid (Stage *stage)
{
  start_child (stage);
  stage->detail = g_strdup_printf ("waitid for slow child[%d]", stage->child);
}
static void
block_waitid (Stage *stage)
{
  siginfo_t info;

  g_assert_cmpint (waitid (P_PID, (id_t) stage->child, &info, WEXITED), ==, 0);
}
static void
set_up_pidfd (Stage *stage)
{
  set_up_waitid (stage);
  stage->fds[0] = (int) syscall (SYS_pidfd_open, stage->child, 0);
}
static void
block_pidfd (Stage *stage)
{
  siginfo_t info;

  g_assert_cmpint (waitid (P_PIDFD, (id_t) stage->fds[0], &info, WEXITED), ==, 0);
}

/* A page that nobody brings: for the thread it is as if the disk were slow. */
static void
set_up_page (Stage *stage)
{
  struct uffdio_api api = { .api = UFFD_API };
  struct uffdio_register registration = { .mode = UFFDIO_REGISTER_MODE_MISSING };

  stage->page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stage->fds[0] = (int) syscall (SYS_userfaultfd, O_CLOEXEC);
  g_assert_cmpint (stage->fds[0], >=, 0);
  g_assert_cmpint (ioctl (stage->fds[0], UFFDIO_API, &api), ==, 0);
  registration.range.start = (guintptr) stage->page;
  registration.range.len = 4096;
  g_assert_cmpint (ioctl (stage->fds[0], UFFDIO_REGISTER, &registration), ==, 0);
  stage->detail = g_strdup ("page fault");
}
static void block_page (Stage *stage) { *(volatile char *) stage->page = 1; }
static void
release_page (Stage *stage)
{
  struct uffdio_zeropage zero = { .range = { (guintptr) stage->page, 4096 } };

  g_assert_cmpint (ioctl (stage->fds[0], UFFDIO_ZEROPAGE, &zero), ==, 0);
}

static void
set_up_sigwait (Stage *stage)
{
  stage->detail = g_strdup ("rt_sigtimedwait");
}
static void
block_sigwait (Stage *stage)
{
  struct timespec time = { 0, 60000000 };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  while (!g_atomic_int_get (&stage->is_released))
    sigtimedwait (&set, NULL, &time);
}

static const Scene scenes[] = {
  { "sleep", SYS_clock_nanosleep, JANK_WAIT_SLEEP, -1, 60500000, set_up_sleep, block_sleep, release_sleeper },
  { "nanosleep", SYS_nanosleep, JANK_WAIT_SLEEP, -1, 50000000, set_up_nanosleep, block_nanosleep, release_sleeper },
  { "wait4", SYS_wait4, JANK_WAIT_CHILD, -1, -1, set_up_wait4, block_wait4, release_child },
  { "wait4-any", SYS_wait4, JANK_WAIT_CHILD, -1, -1, set_up_any_child, block_any_child, release_any_child },
  { "waitid", SYS_waitid, JANK_WAIT_CHILD, -1, -1, set_up_waitid, block_waitid, release_child },
  { "waitid-pidfd", SYS_waitid, JANK_WAIT_CHILD, -1, -1, set_up_pidfd, block_pidfd, release_child },
  { "page", -1, JANK_WAIT_PAGE, -1, -1, set_up_page, block_page, release_page },
  { "other-call", SYS_rt_sigtimedwait, JANK_WAIT_CALL, -1, -1, set_up_sigwait, block_sigwait, release_sleeper },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  wait_add_scenes (scenes, G_N_ELEMENTS (scenes));
  return g_test_run ();
}
