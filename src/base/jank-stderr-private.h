/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How jankwatch speaks inside a program: not by the program's log, which a program may set to end it at any message
 * (g_log_set_always_fatal(), g_test_expect_message()) and may send anywhere. Needs the C library alone. */

#pragma once

/* Reads which `jankwatch run` started this program, or the one that started it. Before anything is said, on the
 * thread that may read the environment. */
void jank_stderr_learn (void);

/* One line on standard error, "jankwatch: TEXT", in one write. Writes nothing where that might harm or wait: to a
 * descriptor 2 that the program may have opened itself, where another program reads its errors, or into a pipe or
 * terminal that takes nothing now. No signal comes of it. Any thread that shares the program's descriptors; keeps
 * errno. */
void jank_stderr_say (const char *text);
