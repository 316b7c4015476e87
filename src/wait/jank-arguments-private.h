/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the arguments of a blocked thread's system call say, as far as they stand in the memory of its process. pid: 0:
 * of this process; another's must be one that may be traced. Any thread. */

#pragma once

#include <sys/types.h>

#include "proc/jank-thread-private.h"
#include "wait/jank-syscall-shape-private.h"

#define JANK_MAX_POLLED 64

/* Descriptors that a thread waits for any of. */
typedef struct
{
  guint n;                    /* may be more than stand in fds */
  int   fds[JANK_MAX_POLLED];
} JankPolled;

/* Of a call whose shape is one of those that wait for descriptors; empty where it cannot be told. */
void     jank_arguments_read_polled  (pid_t pid, pid_t tid, const JankSyscall *call, const JankSyscallShape *shape,
                                      JankPolled *ret_polled);

/* Of a sleep that is not absolute, or a time-out. Returns: ns, -1: for ever, or unknown */
gint64   jank_arguments_read_timeout (pid_t pid, const JankSyscall *call, const JankSyscallShape *shape);

/* Whether a sleep ends at a time of a clock; then its time-out is what is left. */
gboolean jank_arguments_is_absolute  (const JankSyscall *call, const JankSyscallShape *shape);

/* Whom a call waits for to end. Returns: as its process numbers it; 0: any child, or unknown */
pid_t    jank_arguments_read_child   (pid_t pid, const JankSyscall *call, const JankSyscallShape *shape);

/* The absolute path, as far as the call gives it: symbolic links and ".." stay in it. FALSE: unknown */
gboolean jank_arguments_read_path    (pid_t pid, const JankSyscall *call, const JankSyscallShape *shape,
                                      char *ret_path, gsize n_bytes);
