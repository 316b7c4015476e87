/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls on sockets that end by SO_RCVTIMEO or SO_SNDTIMEO. */

#include "staller-wait.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define N_FILLERS 16

/* Connections that fill the listener's queue. */
static int fillers[N_FILLERS];

static void
set_timeout (int fd, int option, gint64 wait_ns)
{
  struct timeval time = { wait_ns / NS_PER_S, wait_ns % NS_PER_S / 1000 };

  setsockopt (fd, SOL_SOCKET, option, &time, sizeof time);
}

static void
open_pair (Wait *wait)
{
  socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wait->fds);
  set_timeout (wait->fds[0], SO_RCVTIMEO, wait->wait_ns);
}

static long
call_recv (Wait *wait)
{
  char byte;

  return recv (wait->fds[0], &byte, 1, 0);
}

static void
close_pair (Wait *wait)
{
  close (wait->fds[0]);
  close (wait->fds[1]);
}

static void
open_full_pair (Wait *wait)
{
  static const char block[4096];

  socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wait->fds);
  set_timeout (wait->fds[0], SO_SNDTIMEO, wait->wait_ns);
  while (send (wait->fds[0], block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
    continue;
}

static long
call_send (Wait *wait)
{
  return send (wait->fds[0], "j", 1, MSG_NOSIGNAL);
}

/* The kernel gives the name: an abstract one, or a loopback port. */
static socklen_t
listener_address (int fd, int family, struct sockaddr_storage *ret_address)
{
  socklen_t size = sizeof *ret_address;

  *ret_address = (struct sockaddr_storage) { .ss_family = (sa_family_t) family };
  if (family == AF_INET)
    ((struct sockaddr_in *) ret_address)->sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  bind (fd, (struct sockaddr *) ret_address,
        family == AF_INET ? sizeof (struct sockaddr_in) : sizeof (sa_family_t));
  getsockname (fd, (struct sockaddr *) ret_address, &size);
  return size;
}

static void
open_listener (Wait *wait, int family, int backlog)
{
  struct sockaddr_storage address;

  wait->fds[0] = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  listener_address (wait->fds[0], family, &address);
  listen (wait->fds[0], backlog);
}

static void
open_full_listener (Wait *wait, int family)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;

  open_listener (wait, family, 0);
  getsockname (wait->fds[0], (struct sockaddr *) &address, &size);
  for (int i = 0; i < N_FILLERS; i++)
    {
      fillers[i] = socket (family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      connect (fillers[i], (struct sockaddr *) &address, size);
    }
  wait->fds[1] = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_timeout (wait->fds[1], SO_SNDTIMEO, wait->wait_ns);
}

static void
open_full_unix (Wait *wait)
{
  open_full_listener (wait, AF_UNIX);
}

static void
open_full_loopback (Wait *wait)
{
  open_full_listener (wait, AF_INET);
}

static long
call_connect (Wait *wait)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;

  getsockname (wait->fds[0], (struct sockaddr *) &address, &size);
  return connect (wait->fds[1], (struct sockaddr *) &address, size);
}

static void
close_full_listener (Wait *wait)
{
  for (int i = 0; i < N_FILLERS; i++)
    close (fillers[i]);
  close_pair (wait);
}

static void
open_accept (Wait *wait)
{
  open_listener (wait, AF_UNIX, 1);
  set_timeout (wait->fds[0], SO_RCVTIMEO, wait->wait_ns);
  wait->fds[1] = dup (wait->fds[0]);
}

static long
call_accept (Wait *wait)
{
  return accept (wait->fds[0], NULL, NULL);
}

const WaitCall wait_calls_socket[] = {
  { "recv", open_pair, call_recv, close_pair },
  { "send", open_full_pair, call_send, close_pair },
  { "accept", open_accept, call_accept, close_pair },
  { "connect_unix", open_full_unix, call_connect, close_full_listener },
  { "connect_loopback", open_full_loopback, call_connect, close_full_listener },
};
const guint n_wait_calls_socket = G_N_ELEMENTS (wait_calls_socket);
