/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which of a system call's arguments say what it waits for. By name, since the numbers differ from machine
 * to machine and the names do not. Any thread; constant data. */

#pragma once

#include <glib.h>

typedef enum
{
  JANK_SHAPE_READ,        /* from a descriptor: where it leads decides what it is */
  JANK_SHAPE_WRITE,
  JANK_SHAPE_COPY,        /* from one descriptor to another */
  JANK_SHAPE_FD,          /* something else with a descriptor: sync, lock … */
  JANK_SHAPE_OPEN,        /* a path in memory, after a folder's descriptor where fd is not -1 */
  JANK_SHAPE_CONNECT,     /* a socket and an address in memory */
  JANK_SHAPE_POLL,        /* pollfd array, number, time-out in ms */
  JANK_SHAPE_PPOLL,       /* pollfd array, number, timespec */
  JANK_SHAPE_SELECT,      /* number, three fd_sets, timeval */
  JANK_SHAPE_PSELECT,     /* number, three fd_sets, timespec */
  JANK_SHAPE_EPOLL,       /* epoll descriptor, events, number, time-out in ms */
  JANK_SHAPE_EPOLL2,      /* the same with a timespec */
  JANK_SHAPE_FUTEX,
  JANK_SHAPE_FUTEX_WAITV,
  JANK_SHAPE_SLEEP,       /* timespec */
  JANK_SHAPE_CLOCK_SLEEP, /* clock, flags, timespec */
  JANK_SHAPE_WAIT4,       /* pid or group */
  JANK_SHAPE_WAITID,      /* type and id */
  JANK_SHAPE_IOCTL,       /* descriptor, request */
  JANK_SHAPE_FCNTL,       /* descriptor, command, struct flock */
  JANK_SHAPE_MEMORY,      /* waits for memory to come from or go to disk */
  JANK_SHAPE_OTHER,
} JankShape;

typedef struct
{
  JankShape   shape;
  gint8       fd;    /* index of the argument with the descriptor, -1 none */
  gint8       other; /* of one with a second descriptor, or with the path of JANK_SHAPE_OPEN, -1 none */
  gint8       bytes; /* of the one with the number of bytes, -1 none */
  const char *calls; /* names, with a blank between two */
} JankSyscallShape;

/* Never NULL: what is not known is JANK_SHAPE_OTHER. */
const JankSyscallShape *jank_syscall_shape_find (const char *name);
