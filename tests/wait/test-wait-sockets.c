/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sockets, whose other end may be of another process. */

#include "config.h"

#include "wait-stage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

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
static void block_recv (Stage *stage) { g_assert_cmpint (recv (stage->fds[1], wait_buffer, 10, 0), ==, 1); }
static void release_recv (Stage *stage) { g_assert_cmpint (send (stage->fds[2], "x", 1, 0), ==, 1); }

static void
set_up_send (Stage *stage)
{
  set_up_recv (stage);
  g_free (stage->detail);
  stage->detail = g_strdup_printf ("sendto of %zu bytes to %s (tcp)", sizeof wait_buffer, stage->target);
  while (send (stage->fds[1], wait_buffer, sizeof wait_buffer, MSG_DONTWAIT) > 0)
    continue;
}
static void block_send (Stage *stage) { send (stage->fds[1], wait_buffer, sizeof wait_buffer, MSG_NOSIGNAL); }
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
  struct iovec part = { wait_buffer, 100 };
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

static const Scene scenes[] = {
  { "tcp-connect", SYS_connect, JANK_WAIT_SOCKET, -1, -1, set_up_tcp_connect, block_connect, release_tcp_connect },
  { "unix-connect", SYS_connect, JANK_WAIT_SOCKET, -1, -1, set_up_unix_connect, block_connect, release_unix_connect },
  { "accept", SYS_accept, JANK_WAIT_SOCKET, -1, -1, set_up_accept, block_accept, release_accept },
  { "recv", SYS_recvfrom, JANK_WAIT_SOCKET, 10, -1, set_up_recv, block_recv, release_recv },
  { "send", SYS_sendto, JANK_WAIT_SOCKET, sizeof wait_buffer, -1, set_up_send, block_send, release_send },
  { "unix-peer", SYS_recvmsg, JANK_WAIT_SOCKET, -1, -1, set_up_unix_peer, block_recvmsg, release_unix_peer },
  { "socket-pair", SYS_read, JANK_WAIT_SOCKET, 100, -1, set_up_socket_pair, wait_block_read_100, wait_release_pipe },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  wait_add_scenes (scenes, G_N_ELEMENTS (scenes));
  return g_test_run ();
}
