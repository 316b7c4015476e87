/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pipes, files, and waits for several descriptors. */

#include "config.h"

#include "wait-stage.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/jank-clock-private.h"
#include "processor.h"

/* Of the one that lets the waiting thread go. */
static char other_buffer[65536];

static void
make_fifo (Stage *stage)
{
  g_assert_cmpint (mkfifo (stage->path, 0600), ==, 0);
}

static void
set_up_fifo (Stage *stage)
{
  make_fifo (stage);
  stage->fds[0] = open (stage->path, O_RDWR | O_CLOEXEC);
  stage->target = g_strdup (stage->path);
  stage->detail = g_strdup_printf ("read of 100 bytes from %s (%s)", stage->path, stage->filesystem);
}
static void release_fifo (Stage *stage) { g_assert_cmpint (write (stage->fds[0], "x", 1), ==, 1); }

static void
set_up_open (Stage *stage)
{
  make_fifo (stage);
  stage->target = g_strdup (stage->path);
  stage->detail = g_strdup_printf ("openat of %s", stage->path);
}
static void block_open (Stage *stage) { stage->fds[0] = open (stage->path, O_RDONLY | O_CLOEXEC); }
static void release_open (Stage *stage) { stage->fds[1] = open (stage->path, O_WRONLY | O_CLOEXEC); }

static void
set_up_pipe (Stage *stage)
{
  g_assert_cmpint (pipe2 (stage->fds, O_CLOEXEC), ==, 0);
  stage->detail = g_strdup ("read of 100 bytes from pipe");
}

static void
set_up_full_pipe (Stage *stage)
{
  g_assert_cmpint (pipe2 (stage->fds, O_CLOEXEC), ==, 0);
  g_assert_cmpint (write (stage->fds[1], wait_buffer, 65536), ==, 65536);
  stage->detail = g_strdup ("write of 4096 bytes to pipe");
}
static void block_write (Stage *stage) { g_assert_cmpint (write (stage->fds[1], wait_buffer, 4096), ==, 4096); }
static void release_full_pipe (Stage *stage) { g_assert_cmpint (read (stage->fds[0], other_buffer, sizeof other_buffer), ==, sizeof other_buffer); }

static void
set_up_eventfd (Stage *stage)
{
  stage->fds[0] = eventfd (0, EFD_CLOEXEC);
  stage->target = g_strdup ("eventfd");
  stage->detail = g_strdup ("read of 8 bytes from eventfd");
}
static void block_eventfd (Stage *stage) { g_assert_cmpint (read (stage->fds[0], wait_buffer, 8), ==, 8); }
static void release_eventfd (Stage *stage) { g_assert_cmpint (eventfd_write (stage->fds[0], 1), ==, 0); }

static void
set_up_lock_file (Stage *stage)
{
  stage->fds[0] = open (stage->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  stage->fds[1] = open (stage->path, O_RDWR | O_CLOEXEC);
  stage->target = g_strdup (stage->path);
}
static void
set_up_flock (Stage *stage)
{
  set_up_lock_file (stage);
  g_assert_cmpint (flock (stage->fds[1], LOCK_EX), ==, 0);
  stage->detail = g_strdup_printf ("flock on %s (%s)", stage->path, stage->filesystem);
}
static void block_flock (Stage *stage) { g_assert_cmpint (flock (stage->fds[0], LOCK_EX), ==, 0); }
static void release_flock (Stage *stage) { g_assert_cmpint (flock (stage->fds[1], LOCK_UN), ==, 0); }

static void
lock_record (int fd, int type)
{
  struct flock lock = { .l_type = (short) type, .l_whence = SEEK_SET, .l_len = 10 };

  g_assert_cmpint (fcntl (fd, F_OFD_SETLKW, &lock), ==, 0);
}
static void
set_up_fcntl (Stage *stage)
{
  set_up_lock_file (stage);
  lock_record (stage->fds[1], F_WRLCK);
  stage->detail = g_strdup_printf ("fcntl F_OFD_SETLKW on %s (%s)", stage->path, stage->filesystem);
}
static void block_fcntl (Stage *stage) { lock_record (stage->fds[0], F_WRLCK); }
static void release_fcntl (Stage *stage) { lock_record (stage->fds[1], F_UNLCK); }

static void
set_up_poll (Stage *stage, const char *call)
{
  set_up_pipe (stage);
  stage->fds[2] = eventfd (0, EFD_CLOEXEC);
  g_free (stage->detail);
  stage->detail = g_strdup_printf ("%s of 2: pipe, eventfd; time-out 60000 ms", call);
}
static void set_up_poll_call (Stage *stage) { set_up_poll (stage, "poll"); }
static void set_up_ppoll_call (Stage *stage) { set_up_poll (stage, "ppoll"); }
static void set_up_select_call (Stage *stage) { set_up_poll (stage, "select"); }
static void set_up_pselect_call (Stage *stage) { set_up_poll (stage, "pselect6"); }
static void
fill_poll (Stage *stage, struct pollfd *polled)
{
  polled[0] = (struct pollfd) { stage->fds[0], POLLIN, 0 };
  polled[1] = (struct pollfd) { stage->fds[2], POLLIN, 0 };
}
static void
block_poll (Stage *stage)
{
  struct pollfd polled[2];

  fill_poll (stage, polled);
  g_assert_cmpint (poll (polled, 2, 60000), ==, 1);
}
static void
block_ppoll (Stage *stage)
{
  struct timespec timeout = { 60, 0 };
  struct pollfd polled[2];

  fill_poll (stage, polled);
  g_assert_cmpint (ppoll (polled, 2, &timeout, NULL), ==, 1);
}
/* The C library calls pselect6() also for select(). */
static void
block_select (Stage *stage)
{
  struct timeval timeout = { 60, 0 };
  fd_set readable;

  FD_ZERO (&readable);
  FD_SET (stage->fds[0], &readable);
  FD_SET (stage->fds[2], &readable);
  g_assert_cmpint (syscall (SYS_select, stage->fds[2] + 1, &readable, NULL, NULL, &timeout), ==, 1);
}
static void
block_pselect (Stage *stage)
{
  struct timespec timeout = { 60, 0 };
  fd_set readable, except;

  FD_ZERO (&readable);
  FD_ZERO (&except);
  FD_SET (stage->fds[0], &readable);
  FD_SET (stage->fds[2], &except);
  FD_SET (stage->fds[2], &readable);
  g_assert_cmpint (pselect (stage->fds[2] + 1, &readable, NULL, &except, &timeout, NULL), ==, 1);
}

static void
set_up_epoll (Stage *stage)
{
  struct epoll_event event = { .events = EPOLLIN };

  set_up_pipe (stage);
  stage->fds[2] = epoll_create1 (EPOLL_CLOEXEC);
  g_assert_cmpint (epoll_ctl (stage->fds[2], EPOLL_CTL_ADD, stage->fds[0], &event), ==, 0);
  g_free (stage->detail);
  stage->detail = g_strdup ("epoll_wait of 1: pipe; time-out 60000 ms");
}
static void
block_epoll (Stage *stage)
{
  struct epoll_event event;

  g_assert_cmpint (epoll_wait (stage->fds[2], &event, 1, 60000), ==, 1);
}

static const Scene scenes[] = {
  { "fifo", SYS_read, JANK_WAIT_PIPE, 100, -1, set_up_fifo, wait_block_read_100, release_fifo },
  { "open", SYS_openat, JANK_WAIT_FILE, -1, -1, set_up_open, block_open, release_open },
  { "pipe", SYS_read, JANK_WAIT_PIPE, 100, -1, set_up_pipe, wait_block_read_100, wait_release_pipe },
  { "full-pipe", SYS_write, JANK_WAIT_PIPE, 4096, -1, set_up_full_pipe, block_write, release_full_pipe },
  { "eventfd", SYS_read, JANK_WAIT_CALL, 8, -1, set_up_eventfd, block_eventfd, release_eventfd },
  { "flock", SYS_flock, JANK_WAIT_FILE, -1, -1, set_up_flock, block_flock, release_flock },
  { "fcntl", SYS_fcntl, JANK_WAIT_FILE, -1, -1, set_up_fcntl, block_fcntl, release_fcntl },
  { "poll", SYS_poll, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_poll_call, block_poll, wait_release_pipe },
  { "ppoll", SYS_ppoll, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_ppoll_call, block_ppoll, wait_release_pipe },
  { "select", SYS_select, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_select_call, block_select, wait_release_pipe },
  { "pselect", SYS_pselect6, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_pselect_call, block_pselect,
    wait_release_pipe },
  { "epoll", SYS_epoll_wait, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_epoll, block_epoll, wait_release_pipe },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  wait_add_scenes (scenes, G_N_ELEMENTS (scenes));
  return g_test_run ();
}
