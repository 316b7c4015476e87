/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program does now that nobody watches, read from outside: all its threads, as far as the reader may trace
 * it. */

#pragma once

#include "report/jank-report-private.h"
#include "sample/jank-sampler-private.h"

/* id: of the report. ret_lack: (transfer full) (nullable): why it has no stacks
 * Returns: (transfer full) (nullable): there is no such process */
JankReport *jank_outside_dump (pid_t pid, const char *id, char **ret_lack);

/* The same of one thread alone, which is not stopped: one that runs has no stack. Returns: (transfer full) (nullable):
 * it may not be read, or is gone */
JankReport *jank_outside_dump_thread (pid_t pid, pid_t tid);

/* Reads a thread of another process that runs, while it is stopped: for some 100 µs. As JankSamplerCopyFunc. A thread
 * that does not stop at once, since it is long inside the kernel or has no CPU, is let go. */
gboolean jank_stopped_thread_copy (pid_t tid, const JankStackRanges *ranges, const JankPythonRequest *python,
                                   JankStackCopy *copy, JankPythonCalls *calls, gint64 *ret_stopped_ns);
