/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The processes that this one has started, by /proc. Other processes are asked nothing: the kernel knows. Any thread
 * but the observed one: with many children it takes milliseconds. */

#pragma once

#include <glib.h>
#include <sys/types.h>

#define JANK_MAX_CHILDREN 64

typedef struct
{
  guint n;
  pid_t pids[JANK_MAX_CHILDREN];
} JankChildren;

/* Of process pid, 0: of this one; at most so many. */
void  jank_children_list      (pid_t pid, JankChildren *ret_children);

/* The child that is at the other end of the pipe of an open descriptor, or whose own child is; also one whose parent
 * was a child that has ended. Returns: 0: none, or several may be */
pid_t jank_children_find_pipe (int fd);

/* Returns: 0: there is none, or there are several */
pid_t jank_children_get_only  (void);
