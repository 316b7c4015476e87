/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Looks at a blocked worker as the watcher does: its call, its stack, what it waits for. */

#pragma once

#include "wait/jank-wait-private.h"
#include "unwind/jank-stack-private.h"
#include "worker.h"

typedef struct
{
  JankSyscall  call;
  guint     n_calls;
  JankCall  calls[JANK_STACK_MAX_CALLS];
  gint64    wait_ns; /* what jank_wait_new() cost */
} Look;

/* Until the worker is blocked in that system call and stays in it while it is read; -1: outside any, -2: in any,
 * SYS_poll: in poll() or ppoll(). NULL when it is not within seconds. ret_look: nullable. */
JankWait *look_at   (Worker *worker, glong syscall_number, Look *ret_look);

/* Again, in the call that look was taken in; NULL when that is over. */
JankWait *look_again (Worker *worker, const Look *look);
