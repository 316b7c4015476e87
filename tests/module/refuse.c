/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* refuse ACTION NUMBER COMMAND…: runs a command with a filter that answers one system call with ACTION: process,
 * thread or trap (ends it), or an error's number. NUMBER −1: no call. */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static unsigned
get_action (const char *name)
{
  if (strcmp (name, "process") == 0)
    return SECCOMP_RET_KILL_PROCESS;
  if (strcmp (name, "thread") == 0)
    return SECCOMP_RET_KILL_THREAD;
  if (strcmp (name, "trap") == 0)
    return SECCOMP_RET_TRAP;
  return SECCOMP_RET_ERRNO | ((unsigned) atoi (name) & SECCOMP_RET_DATA);
}

int
main (int argc, char **argv)
{
  struct sock_filter steps[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, argc > 2 ? (unsigned) atoi (argv[2]) : 0, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, argc > 1 ? get_action (argv[1]) : 0),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = { sizeof steps / sizeof *steps, steps };

  if (argc < 4 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return 99;
  execvp (argv[3], argv + 3);
  return 98;
}
