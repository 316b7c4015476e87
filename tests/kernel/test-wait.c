/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads that really block, each in another way: kind, target and detail have to be right every time. */

#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "base/jank-clock-private.h"
#include "kernel/jank-mounts-private.h"
#include "look.h"

#define N_ROUNDS 20

/* What a scene needs, and what is to be said of it. */
typedef struct
{
  char  *folder, *path; /* (owned) */
  char   filesystem[16]; /* of the folder */
  int    fds[4];
  pid_t  child;
  char  *page;
  struct sockaddr_storage address;
  socklen_t n_address_bytes;

  char  *target, *detail; /* (owned) expected */
  pid_t  peer_pid;        /* expected */
} Stage;

typedef struct
{
  const char  *name;
  glong        number; /* -1: in no system call */
  JankWaitKind kind;
  gint64       n_bytes, timeout_ns; /* expected, -1 none */
  void       (*set_up) (Stage *stage);
  void       (*block) (Stage *stage);
  void       (*release) (Stage *stage);
} Scene;

/* Of the thread that waits, and of the one that lets it go. */
static char buffer[1 << 20], other_buffer[65536];

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
static void block_read_100 (Stage *stage) { g_assert_cmpint (read (stage->fds[0], buffer, 100), ==, 1); }
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
static void release_pipe (Stage *stage) { g_assert_cmpint (write (stage->fds[1], "x", 1), ==, 1); }

static void
set_up_full_pipe (Stage *stage)
{
  g_assert_cmpint (pipe2 (stage->fds, O_CLOEXEC), ==, 0);
  g_assert_cmpint (write (stage->fds[1], buffer, 65536), ==, 65536);
  stage->detail = g_strdup ("write of 4096 bytes to pipe");
}
static void block_write (Stage *stage) { g_assert_cmpint (write (stage->fds[1], buffer, 4096), ==, 4096); }
static void release_full_pipe (Stage *stage) { g_assert_cmpint (read (stage->fds[0], other_buffer, sizeof other_buffer), ==, sizeof other_buffer); }

static void
set_up_eventfd (Stage *stage)
{
  stage->fds[0] = eventfd (0, EFD_CLOEXEC);
  stage->target = g_strdup ("eventfd");
  stage->detail = g_strdup ("read of 8 bytes from eventfd");
}
static void block_eventfd (Stage *stage) { g_assert_cmpint (read (stage->fds[0], buffer, 8), ==, 8); }
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

static void
fill_inet (Stage *stage)
{
  struct sockaddr_in *address = (struct sockaddr_in *) &stage->address;

  *address = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  stage->n_address_bytes = sizeof *address;
}
static void
listen_inet (Stage *stage, int backlog)
{
  fill_inet (stage);
  stage->fds[0] = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (bind (stage->fds[0], (struct sockaddr *) &stage->address, stage->n_address_bytes), ==, 0);
  g_assert_cmpint (listen (stage->fds[0], backlog), ==, 0);
  g_assert_cmpint (getsockname (stage->fds[0], (struct sockaddr *) &stage->address, &stage->n_address_bytes), ==, 0);
  stage->target = g_strdup_printf ("127.0.0.1:%d", ntohs (((struct sockaddr_in *) &stage->address)->sin_port));
}
static int
start_connection (Stage *stage, int flags)
{
  int fd = socket (stage->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

  if (connect (fd, (struct sockaddr *) &stage->address, stage->n_address_bytes) != 0)
    g_assert_true (errno == EINPROGRESS || errno == EAGAIN);
  return fd;
}
static void
set_up_tcp_connect (Stage *stage)
{
  listen_inet (stage, 0);
  stage->fds[1] = start_connection (stage, SOCK_NONBLOCK);
  stage->fds[2] = start_connection (stage, SOCK_NONBLOCK);
  g_usleep (2000);
  stage->fds[3] = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stage->detail = g_strdup_printf ("connect to %s (tcp)", stage->target);
}
static void
block_connect (Stage *stage)
{
  connect (stage->fds[3], (struct sockaddr *) &stage->address, stage->n_address_bytes);
}
static void release_tcp_connect (Stage *stage) { shutdown (stage->fds[3], SHUT_RDWR); }

static void
set_up_unix_connect (Stage *stage)
{
  struct sockaddr_un *address = (struct sockaddr_un *) &stage->address;

  address->sun_family = AF_UNIX;
  g_strlcpy (address->sun_path, stage->path, sizeof address->sun_path);
  stage->n_address_bytes = sizeof *address;
  stage->fds[0] = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (bind (stage->fds[0], (struct sockaddr *) address, sizeof *address), ==, 0);
  g_assert_cmpint (listen (stage->fds[0], 0), ==, 0);
  stage->fds[1] = start_connection (stage, SOCK_NONBLOCK);
  stage->fds[3] = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  stage->target = g_strdup (stage->path);
  stage->detail = g_strdup_printf ("connect to %s (unix)", stage->path);
}
static void release_unix_connect (Stage *stage) { close (stage->fds[0]); stage->fds[0] = -1; }

static void
set_up_accept (Stage *stage)
{
  listen_inet (stage, 1);
  stage->detail = g_strdup_printf ("accept from %s (tcp)", stage->target);
}
static void block_accept (Stage *stage) { stage->fds[1] = accept (stage->fds[0], NULL, NULL); }
static void release_accept (Stage *stage) { stage->fds[2] = start_connection (stage, 0); }

static void
set_up_recv (Stage *stage)
{
  listen_inet (stage, 1);
  stage->fds[1] = start_connection (stage, 0);
  stage->fds[2] = accept (stage->fds[0], NULL, NULL);
  stage->detail = g_strdup_printf ("recvfrom of 10 bytes from %s (tcp)", stage->target);
}
static void block_recv (Stage *stage) { g_assert_cmpint (recv (stage->fds[1], buffer, 10, 0), ==, 1); }
static void release_recv (Stage *stage) { g_assert_cmpint (send (stage->fds[2], "x", 1, 0), ==, 1); }

static void
set_up_send (Stage *stage)
{
  set_up_recv (stage);
  g_free (stage->detail);
  stage->detail = g_strdup_printf ("sendto of %zu bytes to %s (tcp)", sizeof buffer, stage->target);
  while (send (stage->fds[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0)
    continue;
}
static void block_send (Stage *stage) { send (stage->fds[1], buffer, sizeof buffer, MSG_NOSIGNAL); }
static void release_send (Stage *stage) { shutdown (stage->fds[1], SHUT_RDWR); }

/* Another process that listens, answers and lives until it is told to. */
static void
child_serve (Stage *stage)
{
  int listening = socket (AF_UNIX, SOCK_STREAM, 0);
  char byte = 'x';
  int connection;

  prctl (PR_SET_NAME, "slow peer");
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (bind (listening, (struct sockaddr *) &stage->address, stage->n_address_bytes) != 0 || listen (listening, 1) != 0)
    _exit (1);
  if (write (stage->fds[1], &byte, 1) != 1)
    _exit (2);
  connection = accept (listening, NULL, NULL);
  while (read (stage->fds[2], &byte, 1) == 1)
    if (write (connection, &byte, 1) != 1)
      _exit (3);
  _exit (0);
}
static void
set_up_unix_peer (Stage *stage)
{
  struct sockaddr_un *address = (struct sockaddr_un *) &stage->address;
  int ready[2], order[2];
  char byte;

  address->sun_family = AF_UNIX;
  g_strlcpy (address->sun_path, stage->path, sizeof address->sun_path);
  stage->n_address_bytes = sizeof *address;
  g_assert_cmpint (pipe2 (ready, O_CLOEXEC), ==, 0);
  g_assert_cmpint (pipe2 (order, O_CLOEXEC), ==, 0);
  stage->fds[1] = ready[1];
  stage->fds[2] = order[0];
  stage->child = fork ();
  if (stage->child == 0)
    {
      close (order[1]);
      child_serve (stage);
    }
  g_assert_cmpint (read (ready[0], &byte, 1), ==, 1);
  close (ready[0]);
  stage->fds[3] = order[1];
  stage->fds[0] = start_connection (stage, 0);
  stage->target = g_strdup ("slow peer");
  stage->peer_pid = stage->child;
  stage->detail = g_strdup_printf ("recvmsg from slow peer[%d] (unix)", stage->child);
}
static void
block_recvmsg (Stage *stage)
{
  struct iovec part = { buffer, 100 };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

  g_assert_cmpint (recvmsg (stage->fds[0], &message, 0), ==, 1);
}
static void release_unix_peer (Stage *stage) { g_assert_cmpint (write (stage->fds[3], "x", 1), ==, 1); }

/* Who has the other end cannot be known. */
static void
set_up_socket_pair (Stage *stage)
{
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stage->fds), ==, 0);
  stage->detail = g_strdup ("read of 100 bytes from socket (unix)");
}

static void
set_up_sleep (Stage *stage)
{
  stage->detail = g_strdup ("clock_nanosleep of 60.5 ms");
}
static void
block_sleep (Stage *stage)
{
  struct timespec time = { 0, 60500000 };

  clock_nanosleep (CLOCK_MONOTONIC, 0, &time, NULL);
}
static void
set_up_nanosleep (Stage *stage)
{
  stage->detail = g_strdup ("nanosleep of 50 ms");
}
static void
block_nanosleep (Stage *stage)
{
  struct timespec time = { 0, 50000000 };

  syscall (SYS_nanosleep, &time, NULL);
}
static void release_nothing (Stage *stage) { }

static void
start_child (Stage *stage)
{
  stage->child = fork ();
  if (stage->child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      prctl (PR_SET_NAME, "slow child");
      for (;;)
        pause ();
    }
  stage->target = g_strdup ("slow child");
  stage->peer_pid = stage->child;
  /* The name is there once the child has run. */
  for (;;)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%d/comm", stage->child);
      g_autofree char *name = NULL;

      if (g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "slow child"))
        break;
      g_usleep (100);
    }
}
static void
set_up_wait4 (Stage *stage)
{
  start_child (stage);
  stage->detail = g_strdup_printf ("wait4 for slow child[%d]", stage->child);
}
static void
block_wait4 (Stage *stage)
{
  g_assert_cmpint (waitpid (stage->child, NULL, 0), ==, stage->child);
}
static void release_child (Stage *stage) { kill (stage->peer_pid, SIGKILL); }
static void
set_up_any_child (Stage *stage)
{
  start_child (stage);
  g_clear_pointer (&stage->target, g_free);
  stage->peer_pid = 0;
  stage->detail = g_strdup ("wait4");
}
static void
block_any_child (Stage *stage)
{
  g_assert_cmpint (waitpid (-1, NULL, 0), ==, stage->child);
}
static void release_any_child (Stage *stage) { kill (stage->child, SIGKILL); }
static void
set_up_waitid (Stage *stage)
{
  start_child (stage);
  stage->detail = g_strdup_printf ("waitid for slow child[%d]", stage->child);
}
static void
block_waitid (Stage *stage)
{
  siginfo_t info;

  g_assert_cmpint (waitid (P_PID, (id_t) stage->child, &info, WEXITED), ==, 0);
}
static void
set_up_pidfd (Stage *stage)
{
  set_up_waitid (stage);
  stage->fds[0] = (int) syscall (SYS_pidfd_open, stage->child, 0);
}
static void
block_pidfd (Stage *stage)
{
  siginfo_t info;

  g_assert_cmpint (waitid (P_PIDFD, (id_t) stage->fds[0], &info, WEXITED), ==, 0);
}

/* A page that nobody brings: for the thread it is as if the disk were slow. */
static void
set_up_page (Stage *stage)
{
  struct uffdio_api api = { .api = UFFD_API };
  struct uffdio_register registration = { .mode = UFFDIO_REGISTER_MODE_MISSING };

  stage->page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stage->fds[0] = (int) syscall (SYS_userfaultfd, O_CLOEXEC);
  g_assert_cmpint (stage->fds[0], >=, 0);
  g_assert_cmpint (ioctl (stage->fds[0], UFFDIO_API, &api), ==, 0);
  registration.range.start = (guintptr) stage->page;
  registration.range.len = 4096;
  g_assert_cmpint (ioctl (stage->fds[0], UFFDIO_REGISTER, &registration), ==, 0);
  stage->detail = g_strdup ("page fault");
}
static void block_page (Stage *stage) { *(volatile char *) stage->page = 1; }
static void
release_page (Stage *stage)
{
  struct uffdio_zeropage zero = { .range = { (guintptr) stage->page, 4096 } };

  g_assert_cmpint (ioctl (stage->fds[0], UFFDIO_ZEROPAGE, &zero), ==, 0);
}

static void
set_up_sigwait (Stage *stage)
{
  stage->detail = g_strdup ("rt_sigtimedwait");
}
static void
block_sigwait (Stage *stage)
{
  struct timespec time = { 0, 60000000 };
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGUSR1);
  sigtimedwait (&set, NULL, &time);
}

static const Scene scenes[] = {
  { "fifo", SYS_read, JANK_WAIT_PIPE, 100, -1, set_up_fifo, block_read_100, release_fifo },
  { "open", SYS_openat, JANK_WAIT_FILE, -1, -1, set_up_open, block_open, release_open },
  { "pipe", SYS_read, JANK_WAIT_PIPE, 100, -1, set_up_pipe, block_read_100, release_pipe },
  { "full-pipe", SYS_write, JANK_WAIT_PIPE, 4096, -1, set_up_full_pipe, block_write, release_full_pipe },
  { "eventfd", SYS_read, JANK_WAIT_CALL, 8, -1, set_up_eventfd, block_eventfd, release_eventfd },
  { "flock", SYS_flock, JANK_WAIT_FILE, -1, -1, set_up_flock, block_flock, release_flock },
  { "fcntl", SYS_fcntl, JANK_WAIT_FILE, -1, -1, set_up_fcntl, block_fcntl, release_fcntl },
  { "poll", SYS_poll, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_poll_call, block_poll, release_pipe },
  { "ppoll", SYS_ppoll, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_ppoll_call, block_ppoll, release_pipe },
  { "select", SYS_select, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_select_call, block_select, release_pipe },
  { "pselect", SYS_pselect6, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_pselect_call, block_pselect,
    release_pipe },
  { "epoll", SYS_epoll_wait, JANK_WAIT_POLL, -1, 60 * JANK_NS_PER_S, set_up_epoll, block_epoll, release_pipe },
  { "tcp-connect", SYS_connect, JANK_WAIT_SOCKET, -1, -1, set_up_tcp_connect, block_connect, release_tcp_connect },
  { "unix-connect", SYS_connect, JANK_WAIT_SOCKET, -1, -1, set_up_unix_connect, block_connect, release_unix_connect },
  { "accept", SYS_accept, JANK_WAIT_SOCKET, -1, -1, set_up_accept, block_accept, release_accept },
  { "recv", SYS_recvfrom, JANK_WAIT_SOCKET, 10, -1, set_up_recv, block_recv, release_recv },
  { "send", SYS_sendto, JANK_WAIT_SOCKET, sizeof buffer, -1, set_up_send, block_send, release_send },
  { "unix-peer", SYS_recvmsg, JANK_WAIT_SOCKET, -1, -1, set_up_unix_peer, block_recvmsg, release_unix_peer },
  { "socket-pair", SYS_read, JANK_WAIT_SOCKET, 100, -1, set_up_socket_pair, block_read_100, release_pipe },
  { "sleep", SYS_clock_nanosleep, JANK_WAIT_SLEEP, -1, 60500000, set_up_sleep, block_sleep, release_nothing },
  { "nanosleep", SYS_nanosleep, JANK_WAIT_SLEEP, -1, 50000000, set_up_nanosleep, block_nanosleep, release_nothing },
  { "wait4", SYS_wait4, JANK_WAIT_CHILD, -1, -1, set_up_wait4, block_wait4, release_child },
  { "wait4-any", SYS_wait4, JANK_WAIT_CHILD, -1, -1, set_up_any_child, block_any_child, release_any_child },
  { "waitid", SYS_waitid, JANK_WAIT_CHILD, -1, -1, set_up_waitid, block_waitid, release_child },
  { "waitid-pidfd", SYS_waitid, JANK_WAIT_CHILD, -1, -1, set_up_pidfd, block_pidfd, release_child },
  { "page", -1, JANK_WAIT_PAGE, -1, -1, set_up_page, block_page, release_page },
  { "other-call", SYS_rt_sigtimedwait, JANK_WAIT_CALL, -1, -1, set_up_sigwait, block_sigwait, release_nothing },
};

static Stage *
stage_new (void)
{
  Stage *self = g_new0 (Stage, 1);
  g_autoptr (GError) error = NULL;

  memset (self->fds, 0xff, sizeof self->fds);
  self->folder = g_dir_make_tmp ("jank-wait-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "the file", NULL);
  g_assert_true (jank_mounts_find_path (self->folder, self->filesystem, sizeof self->filesystem));
  return self;
}

static void
stage_free (Stage *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->fds); i++)
    if (self->fds[i] >= 0)
      close (self->fds[i]);
  if (self->child > 0)
    {
      kill (self->child, SIGKILL);
      waitpid (self->child, NULL, 0);
    }
  if (self->page != NULL)
    munmap (self->page, 4096);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
  g_free (self->target);
  g_free (self->detail);
  g_free (self);
}

typedef struct
{
  const Scene *scene;
  Stage       *stage;
} Play;

static void
play_func (Worker *worker, gpointer data)
{
  Play *play = data;

  play->scene->block (play->stage);
}

static int
compare_costs (const void *a, const void *b)
{
  const gint64 *one = a, *other = b;

  return (*one > *other) - (*one < *other);
}

static void
test_scene (gconstpointer data)
{
  const Scene *scene = data;
  gint64 costs_ns[N_ROUNDS];

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      Play play = { scene, stage_new () };
      g_autoptr (JankWait) wait = NULL;
      Worker *worker;
      Look look;

      scene->set_up (play.stage);
      worker = worker_new (play_func, &play);
      wait = look_at (worker, scene->number, &look);
      g_assert_nonnull (wait);
      g_assert_cmpstr (wait->detail, ==, play.stage->detail);
      g_assert_cmpstr (jank_wait_kind_to_nick (wait->kind), ==, jank_wait_kind_to_nick (scene->kind));
      g_assert_cmpstr (wait->target, ==, play.stage->target != NULL ? play.stage->target : "");
      g_assert_cmpint (wait->syscall, ==, scene->number);
      g_assert_cmpint (wait->n_bytes, ==, scene->n_bytes);
      g_assert_cmpint (wait->timeout_ns, ==, scene->timeout_ns);
      g_assert_cmpint (wait->peer_pid, ==, play.stage->peer_pid);
      costs_ns[round] = look.wait_ns;
      scene->release (play.stage);
      worker_free (worker);
      /* The worker has waited for it. */
      if (scene->kind == JANK_WAIT_CHILD)
        play.stage->child = 0;
      stage_free (play.stage);
    }
  qsort (costs_ns, N_ROUNDS, sizeof costs_ns[0], compare_costs);
  g_test_message ("jank_wait_new(): %" G_GINT64_FORMAT " us", costs_ns[N_ROUNDS / 2] / 1000);
}

#define BLOCKED(number, ...) { .kind = JANK_CALL_BLOCKED, number, { __VA_ARGS__ } }

static void
check_detail (const JankCall *call, JankWaitKind kind, const char *detail)
{
  g_autoptr (JankWait) wait = jank_wait_new (call, 0, NULL, NULL, 0);

  g_assert_cmpstr (wait->detail, ==, detail);
  g_assert_cmpint (wait->kind, ==, kind);
}

/* Calls that no test can hold up for as long as it likes. */
static void
test_calls (void)
{
  Stage *stage = stage_new ();
  guint64 fd = (guint64) open (stage->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  guint64 null_fd = (guint64) open ("/dev/null", O_RDWR | O_CLOEXEC);
  guint64 notify_fd = (guint64) inotify_init1 (IN_CLOEXEC);
  guint64 text = (guintptr) stage->path;
  g_autofree char *file = g_strdup_printf ("%s (%s)", stage->path, stage->filesystem);
  g_autofree char *here = g_get_current_dir ();
  const struct { JankCall call; JankWaitKind kind; char *detail; } all[] = {
    { BLOCKED (SYS_fsync, fd), JANK_WAIT_FILE, g_strdup_printf ("fsync on %s", file) },
    { BLOCKED (SYS_fdatasync, fd), JANK_WAIT_FILE, g_strdup_printf ("fdatasync on %s", file) },
    { BLOCKED (SYS_pread64, fd, 0, 4096, 7), JANK_WAIT_FILE, g_strdup_printf ("pread64 of 4096 bytes from %s", file) },
    { BLOCKED (SYS_writev, fd, 0, 3), JANK_WAIT_FILE, g_strdup_printf ("writev to %s", file) },
    { BLOCKED (SYS_getdents64, fd, 0, 32768), JANK_WAIT_FILE,
      g_strdup_printf ("getdents64 of 32768 bytes from %s", file) },
    { BLOCKED (SYS_sendfile, null_fd, fd, 0, 99), JANK_WAIT_DEVICE,
      g_strdup_printf ("sendfile of 99 bytes from %s to /dev/null", file) },
    { BLOCKED (SYS_copy_file_range, fd, 0, fd, 0, 9), JANK_WAIT_FILE,
      g_strdup_printf ("copy_file_range of 9 bytes from %s to %s", file, file) },
    { BLOCKED (SYS_ioctl, null_fd, 0x5413), JANK_WAIT_DEVICE, g_strdup ("ioctl on /dev/null, request 0x5413") },
    { BLOCKED (SYS_read, notify_fd, 0, 512), JANK_WAIT_CALL, g_strdup ("read of 512 bytes from inotify") },
    { BLOCKED (SYS_read, 999999, 0, 512), JANK_WAIT_CALL, g_strdup ("read of 512 bytes from descriptor 999999") },
    { BLOCKED (SYS_stat, text), JANK_WAIT_FILE, g_strdup_printf ("stat of %s", stage->path) },
    { BLOCKED (SYS_newfstatat, (guint64) AT_FDCWD, text), JANK_WAIT_FILE,
      g_strdup_printf ("newfstatat of %s", stage->path) },
    { BLOCKED (SYS_openat, fd, text), JANK_WAIT_FILE, g_strdup_printf ("openat of %s", stage->path) },
    { BLOCKED (SYS_openat, 0xffffff9c, (guintptr) "x/y"), JANK_WAIT_FILE,
      g_strdup_printf ("openat of %s/x/y", here) },
    { BLOCKED (SYS_openat, fd, 8), JANK_WAIT_FILE, g_strdup ("openat") },
    { BLOCKED (SYS_connect, fd, 8, 16), JANK_WAIT_SOCKET, g_strdup_printf ("connect to %s", file) },
    { BLOCKED (SYS_poll, 8, 3, 0xffffffff), JANK_WAIT_POLL, g_strdup ("poll") },
    { BLOCKED (SYS_poll, 0, 0, 300), JANK_WAIT_POLL, g_strdup ("poll of 300 ms") },
    { BLOCKED (SYS_clock_nanosleep, 0, 0, 8), JANK_WAIT_SLEEP, g_strdup ("clock_nanosleep") },
    { BLOCKED (SYS_futex_waitv, 8, 5), JANK_WAIT_LOCK, g_strdup ("futex_waitv of 5") },
    { BLOCKED (SYS_msync, 0, 8192), JANK_WAIT_CALL, g_strdup ("msync of 8192 bytes") },
    { BLOCKED (9876), JANK_WAIT_CALL, g_strdup ("9876") },
    { { .kind = JANK_CALL_RUNNING }, JANK_WAIT_UNKNOWN, g_strdup ("") },
    { { .kind = JANK_CALL_BLOCKED, .number = -1 }, JANK_WAIT_UNKNOWN, g_strdup ("") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      check_detail (&all[i].call, all[i].kind, all[i].detail);
      g_free (all[i].detail);
    }
  close ((int) fd);
  close ((int) null_fd);
  close ((int) notify_fd);
  stage_free (stage);
}

/* Every call there is, and more, with arguments that point anywhere. */
static void
test_garbage (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  for (guint i = 0; i < 20000; i++)
    {
      JankCall call = { .kind = JANK_CALL_BLOCKED, .number = g_rand_int_range (random, -1, 470) };
      g_autoptr (JankWait) wait = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (call.args); k++)
        switch (g_rand_int_range (random, 0, 4))
          {
          case 0: call.args[k] = (guint64) g_rand_int_range (random, -3, 20); break;
          case 1: call.args[k] = (guint64) g_rand_int (random) << 32 | g_rand_int (random); break;
          case 2: call.args[k] = (guintptr) buffer + (guint64) g_rand_int_range (random, 0, 4096); break;
          default: call.args[k] = (guintptr) &call - (guint64) g_rand_int_range (random, 0, 4096); break;
          }
      for (guint k = 0; k < 4096; k++)
        buffer[k] = (char) g_rand_int (random);
      wait = jank_wait_new (&call, getpid (), NULL, NULL, 0);
      g_assert_true (g_utf8_validate (wait->detail, -1, NULL));
      g_assert_true (g_utf8_validate (wait->target, -1, NULL));
      g_assert_null (strchr (wait->detail, '\n'));
    }
}

static void
test_long_path (void)
{
  Stage *stage = stage_new ();
  g_autoptr (GString) path = g_string_new (stage->folder);
  g_autoptr (JankWait) wait = NULL;
  JankCall call;

  for (guint i = 0; i < 60; i++)
    g_string_append (path, "/größer\n");
  g_string_append (path, "/the file");
  call = (JankCall) BLOCKED (SYS_open, (guintptr) path->str);
  wait = jank_wait_new (&call, 0, NULL, NULL, 0);
  g_assert_true (g_str_has_prefix (wait->target, "…"));
  g_assert_true (g_str_has_suffix (wait->target, "/größer?/the file"));
  g_assert_true (g_utf8_validate (wait->target, -1, NULL));
  g_assert_cmpuint (strlen (wait->target), >, sizeof wait->target - 4);
  stage_free (stage);
}

static void
test_nicks (void)
{
  JankWaitKind kind;

  for (guint i = 0; i < JANK_N_WAITS; i++)
    {
      g_assert_true (jank_wait_kind_from_nick (jank_wait_kind_to_nick ((JankWaitKind) i), &kind));
      g_assert_cmpuint (kind, ==, i);
    }
  g_assert_false (jank_wait_kind_from_nick ("patience", &kind));
  g_assert_cmpstr (jank_wait_kind_to_nick ((JankWaitKind) 999), ==, "unknown");
}

int
main (int argc, char **argv)
{
  signal (SIGPIPE, SIG_IGN);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (scenes); i++)
    {
      g_autofree char *path = g_strconcat ("/kernel/wait/scene/", scenes[i].name, NULL);

      g_test_add_data_func (path, &scenes[i], test_scene);
    }
  g_test_add_func ("/kernel/wait/calls", test_calls);
  g_test_add_func ("/kernel/wait/garbage", test_garbage);
  g_test_add_func ("/kernel/wait/long-path", test_long_path);
  g_test_add_func ("/kernel/wait/nicks", test_nicks);
  return g_test_run ();
}
