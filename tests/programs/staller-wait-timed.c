/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that end by a time-out of their own. */

#include "staller-wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <unistd.h>

static long
call_usleep (Wait *wait)
{
  return usleep ((useconds_t) (wait->wait_ns / 1000));
}

static long
call_nanosleep (Wait *wait)
{
  struct timespec time = timespec_from_ns (wait->wait_ns);
  struct timespec rem = { 0 };
  long result = nanosleep (&time, &rem);

  wait->remaining_ns = rem.tv_sec * NS_PER_S + rem.tv_nsec;
  return result;
}

static long
call_clock_nanosleep (Wait *wait)
{
  struct timespec time = timespec_from_ns (now_ns () + wait->wait_ns);

  return clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static long
call_poll (Wait *wait)
{
  return poll (NULL, 0, (int) (wait->wait_ns / NS_PER_MS));
}

static long
call_ppoll (Wait *wait)
{
  struct timespec time = timespec_from_ns (wait->wait_ns);

  return ppoll (NULL, 0, &time, NULL);
}

static long
call_select (Wait *wait)
{
  struct timeval time = { wait->wait_ns / NS_PER_S, wait->wait_ns % NS_PER_S / 1000 };
  long result = select (0, NULL, NULL, NULL, &time);

  wait->remaining_ns = time.tv_sec * NS_PER_S + time.tv_usec * 1000;
  return result;
}

static long
call_pselect (Wait *wait)
{
  struct timespec time = timespec_from_ns (wait->wait_ns);

  return pselect (0, NULL, NULL, NULL, &time, NULL);
}

static void
open_epoll (Wait *wait)
{
  wait->fds[0] = epoll_create1 (EPOLL_CLOEXEC);
}

static long
call_epoll_wait (Wait *wait)
{
  struct epoll_event event;

  return epoll_wait (wait->fds[0], &event, 1, (int) (wait->wait_ns / NS_PER_MS));
}

static void
close_epoll (Wait *wait)
{
  close (wait->fds[0]);
}

static void
open_sem (Wait *wait)
{
  sem_init (&wait->sem, 0, 0);
}

static long
call_sem_timedwait (Wait *wait)
{
  struct timespec until = timespec_from_ns (read_clock_ns (CLOCK_REALTIME) + wait->wait_ns);

  return sem_timedwait (&wait->sem, &until);
}

static void
close_sem (Wait *wait)
{
  sem_destroy (&wait->sem);
}

static long
call_cond_timedwait (Wait *wait)
{
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  struct timespec until = timespec_from_ns (read_clock_ns (CLOCK_REALTIME) + wait->wait_ns);
  long result;

  pthread_mutex_lock (&mutex);
  result = pthread_cond_timedwait (&cond, &mutex, &until);
  pthread_mutex_unlock (&mutex);
  return result;
}

static long
call_sigtimedwait (Wait *wait)
{
  struct timespec time = timespec_from_ns (wait->wait_ns);
  sigset_t set, old;
  long result;
  int error;

  sigemptyset (&set);
  sigaddset (&set, SIGUSR2);
  pthread_sigmask (SIG_BLOCK, &set, &old);
  result = sigtimedwait (&set, NULL, &time);
  error = errno;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = error;
  return result;
}

static void
open_semtimedop (Wait *wait)
{
  wait->fds[0] = semget (IPC_PRIVATE, 1, 0600);
}

static long
call_semtimedop (Wait *wait)
{
  struct timespec time = timespec_from_ns (wait->wait_ns);
  struct sembuf take = { .sem_num = 0, .sem_op = -1 };

  return semtimedop (wait->fds[0], &take, 1, &time);
}

static void
close_semtimedop (Wait *wait)
{
  semctl (wait->fds[0], 0, IPC_RMID);
}

const WaitCall wait_calls_timed[] = {
  { "usleep", NULL, call_usleep, NULL },
  { "nanosleep", NULL, call_nanosleep, NULL },
  { "clock_nanosleep", NULL, call_clock_nanosleep, NULL },
  { "poll", NULL, call_poll, NULL },
  { "ppoll", NULL, call_ppoll, NULL },
  { "select", NULL, call_select, NULL },
  { "pselect", NULL, call_pselect, NULL },
  { "epoll_wait", open_epoll, call_epoll_wait, close_epoll },
  { "sem_timedwait", open_sem, call_sem_timedwait, close_sem },
  { "pthread_cond_timedwait", NULL, call_cond_timedwait, NULL },
  { "sigtimedwait", NULL, call_sigtimedwait, NULL },
  { "semtimedop", open_semtimedop, call_semtimedop, close_semtimedop },
};
const guint n_wait_calls_timed = G_N_ELEMENTS (wait_calls_timed);
