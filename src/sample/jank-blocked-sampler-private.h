/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a thread that sleeps in the kernel, from outside: its stack and instruction pointers from /proc,
 * its stack by a safe copy. The thread is not touched: a signal would end its system call early.
 * Watcher thread only. */

#pragma once

#include "sample/jank-signal-sigsafe-private.h"
#include "proc/jank-thread-private.h"

/* Fills copy, but for its registers. ranges (nullable): of the moment, for a thread whose stack is not known. */
void jank_blocked_sampler_copy_stack (const JankThreadInfo *info, uint64_t sp, const JankStackRanges *ranges,
                                      JankStackCopy *copy);

/* call: as just read; ranges: as above. Fills copy and,
 * unless python is NULL, calls, and returns true, or returns false when the thread went on meanwhile, so that both
 * may be torn. */
bool jank_blocked_sampler_take (JankThread *thread, const JankSyscall *call, const JankStackRanges *ranges,
                                const JankPythonRequest *python, JankStackCopy *copy, JankPythonCalls *calls);
