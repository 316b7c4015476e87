/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* DEEP_VARIANT is the name of what this compiles to. No function ends in a call, which a compiler could make
 * a jump. */

#include "deep.h"

#include <alloca.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "processor.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_ (a, b)
#define V(name)     JOIN (DEEP_VARIANT, name)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_ (a)

#define HIDDEN_NOINLINE __attribute__ ((noinline, noclone, visibility ("hidden")))
#define N_ROUNDS        2000

#if defined (__clang__)
#undef HIDDEN_NOINLINE
#define HIDDEN_NOINLINE __attribute__ ((noinline, visibility ("hidden")))
#endif

static _Atomic unsigned sink;

static const struct timespec wait_time = { 0, DEEP_WAIT_MS * 1000000 };

#define FUNCTION(name) \
  HIDDEN_NOINLINE void V (name) (DeepPlaces *places); \
  HIDDEN_NOINLINE void V (name) (DeepPlaces *places)

FUNCTION (wait_poll)
{
  struct pollfd fd = { places->pipe_fd, POLLIN, 0 };

  sink += (unsigned) poll (&fd, 1, DEEP_WAIT_MS);
}

FUNCTION (wait_usleep)
{
  sink += (unsigned) usleep (DEEP_WAIT_MS * 1000);
}

FUNCTION (wait_nanosleep)
{
  sink += (unsigned) nanosleep (&wait_time, NULL);
}

FUNCTION (wait_select)
{
  struct timeval timeout = { 0, DEEP_WAIT_MS * 1000 };
  fd_set set;

  FD_ZERO (&set);
  FD_SET (places->pipe_fd, &set);
  sink += (unsigned) select (places->pipe_fd + 1, &set, NULL, NULL, &timeout);
}

FUNCTION (wait_epoll)
{
  struct epoll_event event;

  sink += (unsigned) epoll_wait (places->epoll_fd, &event, 1, DEEP_WAIT_MS);
}

FUNCTION (wait_sem)
{
  struct timespec until;

  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += wait_time.tv_nsec;
  if (until.tv_nsec >= 1000000000)
    {
      until.tv_nsec -= 1000000000;
      until.tv_sec++;
    }
  sink += (unsigned) sem_timedwait (&places->sem, &until);
}

FUNCTION (wait_read)
{
  uint64_t n;

  sink += (unsigned) read (places->timer_fd, &n, sizeof n);
}

FUNCTION (wait_futex)
{
  sink += (unsigned) syscall (SYS_futex, &places->futex, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0);
}

FUNCTION (compute)
{
  unsigned x = sink;

  for (int i = 0; i < N_ROUNDS; i++)
    x = x * 1664525 + 1013904223;
  sink += x;
}

HIDDEN_NOINLINE void V (recurse_to) (DeepPlaces *places, int depth);

HIDDEN_NOINLINE void
V (recurse_to) (DeepPlaces *places, int depth)
{
  if (depth > 0)
    V (recurse_to) (places, depth - 1);
  else
    V (compute) (places);
  sink++;
}

FUNCTION (recurse)
{
  V (recurse_to) (places, 40);
  sink++;
}

FUNCTION (allocate)
{
  size_t n = 64 + sink % 4000;
  char *bytes = alloca (n);

  memset (bytes, (int) n, n);
  V (compute) (places);
  sink += (unsigned) bytes[n - 1];
}

static int
compare (const void *a, const void *b)
{
  V (compute) (NULL);
  return *(const int *) a - *(const int *) b;
}

FUNCTION (sort)
{
  int numbers[16];

  for (int i = 0; i < 16; i++)
    numbers[i] = i * 7 % 16;
  qsort (numbers, 16, sizeof numbers[0], compare);
  sink += (unsigned) numbers[3];
}

FUNCTION (clock)
{
  struct timespec now;

  for (int i = 0; i < 100; i++)
    {
      clock_gettime (CLOCK_MONOTONIC, &now);
      sink += (unsigned) now.tv_nsec;
    }
}

FUNCTION (handle)
{
  raise (SIGUSR1);
  sink++;
}

HIDDEN_NOINLINE void V (middle) (DeepPlaces *places, DeepWait what);
HIDDEN_NOINLINE void V (outer) (DeepPlaces *places, DeepWait what);
HIDDEN_NOINLINE void V (root) (DeepPlaces *places, DeepWait what);

HIDDEN_NOINLINE void
V (middle) (DeepPlaces *places, DeepWait what)
{
  char local[200];

  memset (local, (int) sink, sizeof local);
  what (places);
  sink += (unsigned) local[sink % sizeof local];
}

HIDDEN_NOINLINE void
V (outer) (DeepPlaces *places, DeepWait what)
{
  V (middle) (places, what);
  sink++;
}

HIDDEN_NOINLINE void
V (root) (DeepPlaces *places, DeepWait what)
{
  while (!atomic_load_explicit (&places->stop, memory_order_relaxed))
    V (outer) (places, what);
  sink++;
}

const DeepVariant DEEP_VARIANT = {
  .name = TEXT (DEEP_VARIANT),
  .root = V (root),
  .outer = V (outer),
  .middle = V (middle),
  .calls = {
    { "poll", SYS_poll, V (wait_poll) },
    { "usleep", SYS_clock_nanosleep, V (wait_usleep) },
    { "nanosleep", SYS_clock_nanosleep, V (wait_nanosleep) },
    { "select", SYS_pselect6, V (wait_select) },
    { "epoll_wait", SYS_epoll_wait, V (wait_epoll) },
    { "sem_timedwait", SYS_futex, V (wait_sem) },
    { "read", SYS_read, V (wait_read) },
    { "futex", SYS_futex, V (wait_futex) },
  },
  .compute = V (compute),
  .recurse = V (recurse),
  .allocate = V (allocate),
  .sort = V (sort),
  .clock = V (clock),
  .handle = V (handle),
};
