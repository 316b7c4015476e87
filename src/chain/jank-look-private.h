/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* One thread of any process, as the kernel has it at this moment. Nothing here touches it. The reader's thread. */

#pragma once

#include <glib.h>
#include <sys/types.h>

#include "proc/jank-task-private.h"
#include "proc/jank-thread-private.h"
#include "wait/jank-syscall-shape-private.h"

typedef struct
{
  pid_t       pid, tid;
  char        state;     /* as in /proc: R, S, D, T …; 0: it is gone */
  JankSyscall call;      /* unknown where the reader may not trace the process */
  const JankSyscallShape *shape; /* never NULL */
  char        wchan[64]; /* the kernel's function that it sleeps in; empty: unknown */
} JankLook;

void     jank_look_at           (pid_t pid, pid_t tid, JankLook *ret_look);

/* Whether the thread is still in that wait; one that is idle may have waited again, one that computes computes. */
gboolean jank_look_is_the_same  (const JankLook *look, gboolean is_idle);

/* A process in a namespace of its own numbers processes and threads otherwise than the reader. */

/* Whether number is that of process or thread other for process pid. */
gboolean jank_look_is_known_as  (pid_t pid, pid_t other, pid_t number);
