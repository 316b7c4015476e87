/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A seccomp filter that came with exec() may end a process for a system call that the program never makes, and we do.
 * Nothing tells what a filter does but a try, so a child of our own tries first: one that sends no SIGCHLD and that no
 * wait() of the program's finds. Without a filter there is no child. */

#pragma once

#include <stdbool.h>

/* Costs one read of /proc, and with a filter one fork, at the first call; the calls after it repeat the answer. Any
 * thread, before anything else of ours. ret_may_speak: whether jank_stderr_say() is safe.
 * Returns: (nullable): the first system call that would end the process */
const char *jank_filter_find_deadly (bool *ret_may_speak);
