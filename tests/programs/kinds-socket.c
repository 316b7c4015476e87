/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls in sockets of which a child process, "slow-child", is the server. */

#include "kinds.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address = { .sun_family = AF_UNIX };
static int server = -1;
static int client = -1;

/* The child makes it listen: the kernel names the process that did. */
static void
make_server (void)
{
  g_autofree char *path = kinds_path ("server.socket");

  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  g_strlcpy (truth.target, path, sizeof truth.target);
  server = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  kinds_check (bind (server, (struct sockaddr *) &address, sizeof address) == 0, "bind");
}

/* In the child. */
DOES (listen_to_none, kinds_check (listen (server, 0) == 0, "listen"))
DOES (listen_to_many, kinds_check (listen (server, 16) == 0, "listen"))

static void
accept_all (void)
{
  for (int i = 0; i < 8; i++)
    kinds_check (accept (server, NULL, NULL) >= 0, "accept");
}

static void
send_answer (void)
{
  int fd = accept (server, NULL, NULL);

  kinds_check (send (fd, "j", 1, 0) == 1, "send");
  holder_sleeps (NS_PER_S);
}

static void
read_everything (void)
{
  int fd = accept (server, NULL, NULL);
  static char buffer[65536];

  while (recv (fd, buffer, sizeof buffer, 0) > 0)
    continue;
}

static void
start_server (void (*take) (void), void (*give) (void), gint64 length_ns)
{
  const HolderJob job = { take, holder_sleeps, give };

  make_server ();
  truth.peer_name = "slow-child";
  truth.peer_pid = holder_start_child (truth.peer_name, &job, length_ns);
}

static int
make_socket (int flags)
{
  return socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}

static int
connect_to_server (int flags)
{
  int fd = make_socket (flags);

  if (connect (fd, (struct sockaddr *) &address, sizeof address) == 0 ||
      (flags == SOCK_NONBLOCK && errno == EINPROGRESS))
    return fd;
  close (fd);
  return -1;
}

/* Until no more fit into the backlog. The listener itself is unknown to who is not connected. */
static void
prepare_connect_unix (gint64 length_ns)
{
  start_server (listen_to_none, accept_all, length_ns);
  while (connect_to_server (SOCK_NONBLOCK) >= 0)
    continue;
  truth.peer_pid = 0;
  truth.peer_name = NULL;
}

STALL (stall_in_connect)
{
  /* Here, and not in a function that is inlined, which would be to blame. */
  staller_sink += (guint64) connect (make_socket (0), (struct sockaddr *) &address, sizeof address);
}

/* Who is at the other end says more than the path. */
static void
connect_to_peer (void)
{
  client = connect_to_server (0);
  g_strlcpy (truth.target, truth.peer_name, sizeof truth.target);
}

static void
prepare_recv_unix (gint64 length_ns)
{
  start_server (listen_to_many, send_answer, length_ns);
  connect_to_peer ();
}

STALL (stall_in_recv)
{
  char byte;

  staller_sink += (guint64) recv (client, &byte, 1, 0);
}

static void
prepare_send (gint64 length_ns)
{
  start_server (listen_to_many, read_everything, length_ns);
  connect_to_peer ();
}

/* More than the socket's buffer takes. */
STALL (stall_in_send)
{
  static char data[4 << 20];

  staller_sink += (guint64) send (client, data, sizeof data, MSG_NOSIGNAL);
}

const Kind kinds_socket[] = {
  { "connect-unix", KIND (stall_in_connect), "blocked", "socket", "connect", prepare_connect_unix },
  { "recv-unix", KIND (stall_in_recv), "blocked", "socket", "recvfrom", prepare_recv_unix },
  { "send", KIND (stall_in_send), "blocked", "socket", "sendto", prepare_send },
};
const guint n_kinds_socket = G_N_ELEMENTS (kinds_socket);
