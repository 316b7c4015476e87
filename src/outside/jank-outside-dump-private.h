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
