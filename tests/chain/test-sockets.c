/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "chain/jank-sockets-private.h"
#include "test.h"

static guint64
inode_of (int fd)
{
  struct stat status;

  g_assert_cmpint (fstat (fd, &status), ==, 0);
  return status.st_ino;
}

static JankSocketEnd
look (int fd)
{
  g_autoptr (JankSockets) sockets = jank_sockets_new ();
  JankSocketEnd end;

  g_assert_true (jank_sockets_find (sockets, inode_of (fd), &end));
  return end;
}

/* Returns: a listening socket; ret_name: where, as sockets have it */
static int
listen_at_name (struct sockaddr_un *address, socklen_t *n_bytes, char **ret_name)
{
  static int n;
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  *address = (struct sockaddr_un) { .sun_family = AF_UNIX };
  g_snprintf (address->sun_path + 1, sizeof address->sun_path - 1, "jank-test-%d-%d", (int) getpid (), n++);
  *ret_name = g_strconcat ("@", address->sun_path + 1, NULL);
  *n_bytes = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + strlen (*ret_name));
  g_assert_cmpint (bind (fd, (struct sockaddr *) address, *n_bytes), ==, 0);
  g_assert_cmpint (listen (fd, 4), ==, 0);
  return fd;
}

static int
connect_to (const void *address, socklen_t n_bytes)
{
  int fd = socket (((const struct sockaddr *) address)->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_assert_cmpint (connect (fd, address, n_bytes), ==, 0);
  return fd;
}

TEST (a_pair_has_each_other)
{
  int fds[2];
  JankSocketEnd end;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), ==, 0);
  end = look (fds[0]);
  g_assert_cmpuint (end.peer, ==, inode_of (fds[1]));
  g_assert_cmpstr (end.family, ==, "unix");
  g_assert_cmpstr (end.name, ==, "");
  g_assert_true (end.is_accepted);
  g_assert_false (end.is_remote);
  close (fds[0]);
  close (fds[1]);
}

TEST (a_connection_has_the_accepted_socket)
{
  struct sockaddr_un address;
  socklen_t n_bytes;
  g_autofree char *name = NULL;
  int listener = listen_at_name (&address, &n_bytes, &name), client = connect_to (&address, n_bytes), server;
  JankSocketEnd end = look (client);

  g_assert_cmpuint (end.peer, ==, inode_of (listener));
  g_assert_false (end.is_accepted);
  server = accept (listener, NULL, NULL);
  end = look (client);
  g_assert_cmpuint (end.peer, ==, inode_of (server));
  g_assert_true (end.is_accepted);
  g_assert_cmpstr (end.name, ==, name);
  end = look (server);
  g_assert_cmpuint (end.peer, ==, inode_of (client));
  close (client);
  close (server);
  close (listener);
}

TEST (a_listening_socket_is_found_by_name)
{
  struct sockaddr_un address;
  socklen_t n_bytes;
  g_autofree char *name = NULL;
  int listener = listen_at_name (&address, &n_bytes, &name);
  g_autoptr (JankSockets) sockets = jank_sockets_new ();

  g_assert_true (look (listener).listens);
  g_assert_cmpuint (jank_sockets_find_name (sockets, name), ==, inode_of (listener));
  g_assert_cmpuint (jank_sockets_find_name (sockets, "@nobody"), ==, 0);
  g_assert_cmpuint (jank_sockets_find_name (sockets, ""), ==, 0);
  close (listener);
}

/* family: of the listener. The client is IPv4, so that IPv6 sees a mapped address. */
static void
check_tcp (int family)
{
  struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int listener = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0), client, server;
  struct sockaddr_storage bound;
  socklen_t n_bytes = sizeof bound;
  g_autofree char *name = NULL;
  JankSocketEnd end;

  g_assert_cmpint (bind (listener, family == AF_INET ? (struct sockaddr *) &address : (struct sockaddr *) &any,
                         family == AF_INET ? sizeof address : sizeof any), ==, 0);
  g_assert_cmpint (listen (listener, 4), ==, 0);
  g_assert_cmpint (getsockname (listener, (struct sockaddr *) &bound, &n_bytes), ==, 0);
  address.sin_port = ((struct sockaddr_in *) &bound)->sin_port;
  name = g_strdup_printf ("127.0.0.1:%d", ntohs (address.sin_port));
  client = connect_to (&address, sizeof address);
  end = look (client);
  g_assert_cmpuint (end.peer, ==, inode_of (listener));
  g_assert_false (end.is_accepted);
  g_assert_false (end.is_remote);
  server = accept (listener, NULL, NULL);
  end = look (client);
  g_assert_cmpuint (end.peer, ==, inode_of (server));
  g_assert_cmpstr (end.name, ==, name);
  g_assert_cmpstr (end.family, ==, "tcp");
  g_assert_cmpuint (look (server).peer, ==, inode_of (client));
  close (client);
  close (server);
  close (listener);
}

TEST (tcp_within_the_machine)
{
  check_tcp (AF_INET);
}

TEST (tcp_within_the_machine_between_families)
{
  check_tcp (AF_INET6);
}

static JankSocketEnd
look_at_udp (const char *host, guint16 port)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons (port) };
  int fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  JankSocketEnd end;

  g_assert_cmpint (inet_pton (AF_INET, host, &address.sin_addr), ==, 1);
  if (connect (fd, (struct sockaddr *) &address, sizeof address) != 0)
    {
      g_assert_cmpint (errno, ==, ENETUNREACH);
      g_test_skip ("this machine has no network");
    }
  end = look (fd);
  close (fd);
  return end;
}

TEST (a_question_to_another_host)
{
  JankSocketEnd end = look_at_udp ("192.0.2.1", 53);

  if (end.listens)
    return;
  g_assert_true (end.is_remote);
  g_assert_cmpstr (end.name, ==, "192.0.2.1:53");
}

TEST (a_question_to_a_server_of_this_machine)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t n_bytes = sizeof address;
  int server = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  JankSocketEnd end;

  g_assert_cmpint (bind (server, (struct sockaddr *) &address, sizeof address), ==, 0);
  g_assert_cmpint (getsockname (server, (struct sockaddr *) &address, &n_bytes), ==, 0);
  end = look_at_udp ("127.0.0.1", ntohs (address.sin_port));
  g_assert_cmpuint (end.peer, ==, inode_of (server));
  g_assert_false (end.is_remote);
  g_assert_true (look (server).listens);
  close (server);
}

TEST (what_is_no_socket_is_unknown)
{
  g_autoptr (JankSockets) sockets = jank_sockets_new ();
  JankSocketEnd end;

  g_assert_false (jank_sockets_find (sockets, 0, &end));
  g_assert_false (jank_sockets_find (sockets, G_MAXUINT32, &end));
}

TESTS ("/chain/sockets")
