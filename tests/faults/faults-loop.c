/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the observed thread itself may do in the middle of a stall. */

#include "faults.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

static sigjmp_buf back;
static guint n_overflows;
static volatile guint n_deepest = G_MAXUINT;

static void
throw (void)
{
  printf ("%u caught\n", faults_throw (faults_n_rounds, 30));
}

static void
overflow_cb (int number)
{
  n_overflows++;
  siglongjmp (back, 1);
}

static G_GNUC_NO_INLINE guint
go_down (guint depth)
{
  volatile guint8 bytes[4096];

  bytes[0] = (guint8) depth;
  return depth < n_deepest ? go_down (depth + 1) + bytes[0] : 0;
}

/* Eight megabytes deep, over and over; the handler has a stack of its own. */
static void
overflow (void)
{
  static char stack[64 * 1024];
  const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
  const struct sigaction action = { .sa_handler = overflow_cb, .sa_flags = SA_ONSTACK };

  sigaltstack (&alternate, NULL);
  sigaction (SIGSEGV, &action, NULL);
  sigsetjmp (back, 1);
  if (n_overflows < faults_n_rounds)
    printf ("%u\n", go_down (0));
  printf ("%u overflows\n", n_overflows);
}

/* All that the program could give up. */
static void
drop_privileges (void)
{
  int groups = setgroups (0, NULL), group = setresgid (NOBODY, NOBODY, NOBODY), user =
      setresuid (NOBODY, NOBODY, NOBODY);

  printf ("%d %d %d %d ", groups, group, user, prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  printf ("%d\n", prctl (PR_SET_DUMPABLE, 0, 0, 0, 0));
}

/* What only a watcher does: action instead. */
static int
refuse (guint32 action, guint flags)
{
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 3, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 2, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_settime, 1, 0),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT (BPF_RET | BPF_K, action),
  };
  const struct sock_fprog filter = { G_N_ELEMENTS (code), code };

  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return (int) syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

/* The observed thread may do none of it, and would be killed. */
static void
filter_thread (void)
{
  printf ("%d\n", refuse (SECCOMP_RET_KILL_PROCESS, 0));
}

/* No thread may: the calls fail. */
static void
filter_all (void)
{
  printf ("%d\n", refuse (SECCOMP_RET_ERRNO | EPERM, SECCOMP_FILTER_FLAG_TSYNC));
}

const FaultsCase faults_on_loop[] = {
  { "throw", throw }, { "overflow", overflow }, { "privileges", drop_privileges },
  { "filter-thread", filter_thread }, { "filter-all", filter_all }, { NULL, NULL },
};
