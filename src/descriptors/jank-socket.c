/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "descriptors/jank-socket-private.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "base/jank-memory-private.h"
#include "proc/jank-proc-private.h"

/* The leading NUL of an abstract name is written as @. */
static gboolean
jank_socket_unix_text (const struct sockaddr_un *address, socklen_t n_bytes, char *ret_text, gsize n_text_bytes)
{
  char path[sizeof address->sun_path + 1] = "";
  gsize n = n_bytes - offsetof (struct sockaddr_un, sun_path);

  if (n_bytes <= offsetof (struct sockaddr_un, sun_path) || n > sizeof address->sun_path)
    return FALSE;
  memcpy (path, address->sun_path, n);
  if (path[0] == '\0')
    for (gsize i = 0; i < n; i++)
      if (path[i] == '\0')
        path[i] = '@';
  jank_proc_text (ret_text, n_text_bytes, path);
  return ret_text[0] != '\0';
}

gboolean
jank_socket_address_text (const struct sockaddr_storage *address, socklen_t n_bytes, char *ret_text, gsize n_text_bytes)
{
  const struct sockaddr_in *in = (const struct sockaddr_in *) address;
  const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *) address;
  char host[INET6_ADDRSTRLEN];

  if (n_bytes < sizeof address->ss_family)
    return FALSE;
  if (address->ss_family == AF_UNIX)
    return jank_socket_unix_text ((const struct sockaddr_un *) address, n_bytes, ret_text, n_text_bytes);
  if (address->ss_family == AF_INET && n_bytes >= sizeof *in &&
      inet_ntop (AF_INET, &in->sin_addr, host, sizeof host) != NULL)
    g_snprintf (ret_text, n_text_bytes, "%s:%d", host, ntohs (in->sin_port));
  else if (address->ss_family == AF_INET6 && n_bytes >= sizeof *in6 &&
           inet_ntop (AF_INET6, &in6->sin6_addr, host, sizeof host) != NULL)
    g_snprintf (ret_text, n_text_bytes, "[%s]:%d", host, ntohs (in6->sin6_port));
  else
    return FALSE;
  return TRUE;
}

static int
jank_socket_get_option (int fd, int option)
{
  int value = -1;
  socklen_t n_bytes = sizeof value;

  return getsockopt (fd, SOL_SOCKET, option, &value, &n_bytes) == 0 ? value : -1;
}

static const char *
jank_socket_get_family (int domain, int protocol)
{
  if (domain == AF_UNIX)
    return "unix";
  if (domain == AF_NETLINK)
    return "netlink";
  if (domain != AF_INET && domain != AF_INET6)
    return "socket";
  return protocol == IPPROTO_TCP ? "tcp" : protocol == IPPROTO_UDP ? "udp" : "ip";
}

/* A socketpair names the process that made it, which may not be the one at the other end. */
static void
jank_socket_look_at_process (int fd, JankSocket *self)
{
  struct ucred credentials = { 0 };
  socklen_t n_bytes = sizeof credentials;
  char name[32];

  if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &credentials, &n_bytes) != 0 || credentials.pid <= 0 ||
      credentials.pid == jank_memory_get_pid ())
    return;
  jank_proc_get_name (credentials.pid, name, sizeof name);
  if (name[0] == '\0')
    return;
  self->pid = credentials.pid;
  g_strlcpy (self->peer, name, sizeof self->peer);
}

gboolean
jank_socket_look (int fd, JankSocket *ret_socket)
{
  JankSocket self = { .pid = 0 };
  struct sockaddr_storage address;
  socklen_t n_bytes = sizeof address;
  int domain = jank_socket_get_option (fd, SO_DOMAIN);

  if (domain < 0)
    return FALSE;
  g_strlcpy (self.family, jank_socket_get_family (domain, jank_socket_get_option (fd, SO_PROTOCOL)),
             sizeof self.family);
  memset (&address, 0, sizeof address);
  /* A listening socket has no peer, but a name of its own. */
  if (getpeername (fd, (struct sockaddr *) &address, &n_bytes) == 0 ||
      (jank_socket_get_option (fd, SO_ACCEPTCONN) == 1 && (n_bytes = sizeof address) != 0 &&
       getsockname (fd, (struct sockaddr *) &address, &n_bytes) == 0))
    jank_socket_address_text (&address, n_bytes, self.address, sizeof self.address);
  g_strlcpy (self.peer, self.address, sizeof self.peer);
  if (domain == AF_UNIX)
    jank_socket_look_at_process (fd, &self);
  *ret_socket = self;
  return TRUE;
}
