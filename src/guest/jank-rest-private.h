/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A child that fork() makes has only the thread that called it: a lock that another thread holds at that moment is
 * held for ever there. So fork() waits until our threads are at rest, where they hold no lock of GLib or the C
 * library, and they do not leave it before fork() is over.
 *
 *   one of our threads                     the program's thread that forks
 *   end: gate + 1, unless it is closed     gate := closed
 *   … works, yields now and then …         waits until nobody is at work, BOUND_NS at most
 *   begin: gate - 1, wakes who forks       fork()
 *                                          gate := open, wakes ours */

#pragma once

#include <stdbool.h>

/* One of our threads, at work from now on; at rest for good. */
void jank_rest_join        (void);
void jank_rest_leave       (void);
/* Whether the calling thread is one of ours. */
bool jank_rest_is_ours     (void);

/* The same thread, around a sleep or a system call that may take long. Elsewhere they do nothing. errno
 * stays as it is. */
void jank_rest_begin       (void);
void jank_rest_end         (void);
/* The same thread, where it holds no lock: lets a fork() pass. */
void jank_rest_yield       (void);

/* Around fork(), one at a time. */
void jank_rest_before_fork (void);
void jank_rest_in_parent   (void);
void jank_rest_in_child    (void);
