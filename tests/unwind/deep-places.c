/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "deep.h"

#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <glib.h>

static int pipe_write_fd = -1;
static const DeepVariant *handling;
static DeepPlaces *handling_places;

void
deep_places_init (DeepPlaces *places)
{
  struct itimerspec every = { { 0, DEEP_WAIT_MS * 1000000 }, { 0, DEEP_WAIT_MS * 1000000 } };
  struct epoll_event event = { .events = EPOLLIN };
  int fds[2];

  memset (places, 0, sizeof *places);
  g_assert_cmpint (pipe (fds), ==, 0);
  places->pipe_fd = fds[0];
  pipe_write_fd = fds[1];
  places->timer_fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC);
  g_assert_cmpint (timerfd_settime (places->timer_fd, 0, &every, NULL), ==, 0);
  places->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  g_assert_cmpint (epoll_ctl (places->epoll_fd, EPOLL_CTL_ADD, places->pipe_fd, &event), ==, 0);
  g_assert_cmpint (sem_init (&places->sem, 0, 0), ==, 0);
}

void
deep_places_clear (DeepPlaces *places)
{
  close (places->pipe_fd);
  close (pipe_write_fd);
  close (places->timer_fd);
  close (places->epoll_fd);
  sem_destroy (&places->sem);
}

static void
handler (int signal)
{
  /* Long enough: a signal finds a thread wherever it next enters or leaves the kernel, often in raise(). */
  for (guint i = 0; i < 200; i++)
    handling->compute (handling_places);
}

void
deep_catch (const DeepVariant *variant, DeepPlaces *places)
{
  struct sigaction action = { .sa_handler = handler };

  handling = variant;
  handling_places = places;
  g_assert_cmpint (sigaction (SIGUSR1, &action, NULL), ==, 0);
}
