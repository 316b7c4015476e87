/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller short-waits: computing for microseconds and blocking for microseconds in turns, within one handler. A watcher
 * that signals a thread which has just begun to block ends its call early: every such return is counted. */

#include "staller.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define SHORT_NS (50 * INT64_C (1000))

typedef struct
{
  const char *name;
  long (*call) (void);
  long result; /* what it must return */
  int error;   /* and errno, where the result is -1 */
  gint64 shortest_ns; /* that it must take; 0: the kernel counts in coarser ticks */

  guint64 n_calls, n_unexpected, n_interrupted, n_early;
  gint64 longest_ns;
} ShortWait;

typedef struct
{
  gint64 duration_ns;
  gint64 began_ns, ended_ns;
} ShortWaits;

static int epoll_fd;
static int socket_fds[2];
static sem_t sem;

static long
short_usleep (void)
{
  return usleep (SHORT_NS / 1000);
}

static long
short_nanosleep (void)
{
  struct timespec time = timespec_from_ns (SHORT_NS);

  return nanosleep (&time, NULL);
}

static long
short_clock_nanosleep (void)
{
  struct timespec time = timespec_from_ns (now_ns () + SHORT_NS);

  return clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static long
short_poll_0 (void)
{
  return poll (NULL, 0, 0);
}

static long
short_poll_1 (void)
{
  return poll (NULL, 0, 1);
}

static long
short_ppoll (void)
{
  struct timespec time = timespec_from_ns (SHORT_NS);

  return ppoll (NULL, 0, &time, NULL);
}

static long
short_select (void)
{
  struct timeval time = { 0, SHORT_NS / 1000 };

  return select (0, NULL, NULL, NULL, &time);
}

static long
short_epoll_wait (void)
{
  struct epoll_event event;

  return epoll_wait (epoll_fd, &event, 1, 1);
}

static long
short_sem_timedwait (void)
{
  struct timespec until = timespec_from_ns (read_clock_ns (CLOCK_REALTIME) + SHORT_NS);

  return sem_timedwait (&sem, &until);
}

static long
short_cond_timedwait (void)
{
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  struct timespec until = timespec_from_ns (read_clock_ns (CLOCK_REALTIME) + SHORT_NS);
  long result;

  pthread_mutex_lock (&mutex);
  result = pthread_cond_timedwait (&cond, &mutex, &until);
  pthread_mutex_unlock (&mutex);
  return result;
}

static long
short_sigtimedwait (void)
{
  struct timespec time = timespec_from_ns (SHORT_NS);
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGUSR2);
  return sigtimedwait (&set, NULL, &time);
}

static long
short_recv (void)
{
  char byte;

  return recv (socket_fds[0], &byte, 1, 0);
}

static ShortWait short_waits[] = {
  { "usleep", short_usleep, 0, 0, SHORT_NS },
  { "nanosleep", short_nanosleep, 0, 0, SHORT_NS },
  { "clock_nanosleep", short_clock_nanosleep, 0, 0, SHORT_NS },
  { "poll_0", short_poll_0, 0, 0, 0 },
  { "poll_1", short_poll_1, 0, 0, NS_PER_MS },
  { "ppoll", short_ppoll, 0, 0, SHORT_NS },
  { "select", short_select, 0, 0, SHORT_NS },
  { "epoll_wait", short_epoll_wait, 0, 0, NS_PER_MS },
  { "sem_timedwait", short_sem_timedwait, -1, ETIMEDOUT, SHORT_NS },
  { "pthread_cond_timedwait", short_cond_timedwait, ETIMEDOUT, 0, SHORT_NS },
  { "sigtimedwait", short_sigtimedwait, -1, EAGAIN, SHORT_NS },
  { "recv", short_recv, -1, EAGAIN, 0 },
};

static void
short_wait_once (ShortWait *wait)
{
  gint64 began_ns = now_ns ();
  gint64 elapsed_ns;
  long result;
  int error;

  errno = 0;
  result = wait->call ();
  error = result == -1 ? errno : 0;
  elapsed_ns = now_ns () - began_ns;

  wait->n_calls++;
  wait->n_unexpected += result != wait->result || error != wait->error;
  wait->n_interrupted += error == EINTR || result == EINTR;
  wait->n_early += elapsed_ns < wait->shortest_ns;
  wait->longest_ns = MAX (wait->longest_ns, elapsed_ns);
}

static void
short_waits_cb (gpointer data)
{
  ShortWaits *waits = data;
  guint turn = 0;

  waits->began_ns = now_ns ();
  while (now_ns () - waits->began_ns < waits->duration_ns)
    {
      short_wait_once (&short_waits[turn % G_N_ELEMENTS (short_waits)]);
      stall_compute (1000 * (1 + turn % 17));
      turn++;
    }
  waits->ended_ns = now_ns ();
}

static void
append_short_wait (GString *line, const ShortWait *wait)
{
  g_string_append_printf (line, "%s{\"name\": \"%s\", \"calls\": %" G_GUINT64_FORMAT
                          ", \"unexpected\": %" G_GUINT64_FORMAT ", \"interrupted\": %" G_GUINT64_FORMAT
                          ", \"early\": %" G_GUINT64_FORMAT ", \"longest_ns\": %" G_GINT64_FORMAT "}",
                          wait == short_waits ? "" : ", ", wait->name, wait->n_calls, wait->n_unexpected,
                          wait->n_interrupted, wait->n_early, wait->longest_ns);
}

int
command_short_waits (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new (NULL);
  ShortWaits waits = { .duration_ns = staller_arg (args, 0, 5) * NS_PER_S };
  struct timeval timeout = { 0, 1000 };
  sigset_t usr2;
  guint64 n_unexpected = 0;

  epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  sem_init (&sem, 0, 0);
  socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket_fds);
  setsockopt (socket_fds[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  sigemptyset (&usr2);
  sigaddset (&usr2, SIGUSR2);
  pthread_sigmask (SIG_BLOCK, &usr2, NULL);

  staller_run (short_waits_cb, &waits);

  for (guint i = 0; i < G_N_ELEMENTS (short_waits); i++)
    {
      append_short_wait (line, &short_waits[i]);
      n_unexpected += short_waits[i].n_unexpected + short_waits[i].n_early;
    }
  staller_print ("{\"command\": \"short-waits\", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT ", \"unexpected\": %" G_GUINT64_FORMAT
                 ", \"calls\": [%s]}",
                 waits.began_ns, waits.ended_ns, n_unexpected, line->str);
  return 0;
}
