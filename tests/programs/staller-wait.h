/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "staller.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>

/* One blocking call of `staller waits`: what it needs, and what came of it. */
typedef struct
{
  gint64 call_at_ns; /* when the call will be made, roughly: helpers start to wait for their turn before */
  gint64 wait_ns;    /* how long it shall block */

  int fds[2];
  GThread *helper;
  pid_t child;
  sem_t sem;
  pthread_mutex_t mutex;

  long result;
  int error;           /* errno where the result is -1, else 0 */
  gint64 elapsed_ns;
  gint64 remaining_ns; /* nanosleep()'s second argument, else 0 */
  gint64 began_ns, call_began_ns, ended_ns;
} Wait;

typedef struct
{
  const char *name;
  void (*open) (Wait *wait); /* (nullable) */
  long (*call) (Wait *wait);
  void (*close) (Wait *wait); /* (nullable) */
} WaitCall;

/* Calls that end by a time-out of their own. */
extern const WaitCall wait_calls_timed[];
extern const guint n_wait_calls_timed;

/* Calls on sockets, which end by a time-out of the socket. */
extern const WaitCall wait_calls_socket[];
extern const guint n_wait_calls_socket;

/* Calls that end because a thread or a child does something. */
extern const WaitCall wait_calls_helped[];
extern const guint n_wait_calls_helped;

/* As an element of a JSON array that line ends in. */
void wait_append_result (GString *line, const WaitCall *call, const Wait *wait);

static inline gint64
wait_over_ns (const Wait *wait)
{
  return wait->call_at_ns + wait->wait_ns;
}
