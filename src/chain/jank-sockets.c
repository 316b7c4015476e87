/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SO_PEERCRED would name whoever called listen(): with an activated service that is the service manager. The inode of
 * the peer is exact. */

#include "chain/jank-hop-private.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/jank-each-private.h"
#include "descriptors/jank-socket-private.h"

#define ALL_STATES 0xffffffffu
#define ANSWER_BYTES (64 << 10)

typedef struct
{
  guint64  inode, peer; /* peer 0: none, or not accepted yet */
  gboolean listens;
  char     name[128];
} Unix;

/* Addresses as IPv6 has them. */
typedef struct
{
  struct in6_addr address;
  guint16         port;
} Place;

/* Of TCP or UDP. listens: also a UDP socket that takes what anybody sends. */
typedef struct
{
  Place       local, remote;
  const char *family;
  guint64     inode;
  gboolean    listens;
} Inet;

struct _JankSockets
{
  GHashTable *unixes;  /* (owned) inode → (owned) Unix */
  GHashTable *pending; /* (owned) inode → inode of the socket that listens: connections that nobody has accepted */
  GArray     *inets;   /* (owned) (element-type Inet) */
};

/* A UNIX socket's address is its path alone, without the family. */
static void
jank_sockets_read_name (const struct nlattr *attribute, Unix *socket)
{
  struct sockaddr_storage address = { .ss_family = AF_UNIX };
  gsize n_bytes = attribute->nla_len - NLA_HDRLEN;
  char *path = (char *) &address + offsetof (struct sockaddr_un, sun_path);

  if (n_bytes > sizeof (struct sockaddr_un) - offsetof (struct sockaddr_un, sun_path))
    return;
  memcpy (path, (const char *) attribute + NLA_HDRLEN, n_bytes);
  jank_socket_address_text (&address, (socklen_t) (offsetof (struct sockaddr_un, sun_path) + n_bytes), socket->name,
                            sizeof socket->name);
}

static void
jank_sockets_read_pending (JankSockets *self, const struct nlattr *attribute, guint64 listener)
{
  const guint32 *inodes = (const guint32 *) ((const char *) attribute + NLA_HDRLEN);
  guint n = (attribute->nla_len - NLA_HDRLEN) / sizeof *inodes;

  for (guint i = 0; i < n; i++)
    g_hash_table_insert (self->pending, g_memdup2 (&(guint64) { inodes[i] }, sizeof (guint64)),
                         g_memdup2 (&listener, sizeof listener));
}

static void
jank_sockets_add_unix (JankSockets *self, const struct nlmsghdr *header)
{
  const struct unix_diag_msg *message = NLMSG_DATA (header);
  const char *at = (const char *) message + NLMSG_ALIGN (sizeof *message);
  const char *end = (const char *) header + header->nlmsg_len;
  Unix *socket = g_new0 (Unix, 1);
  const struct nlattr *attribute;

  socket->inode = message->udiag_ino;
  socket->listens = message->udiag_state == TCP_LISTEN;
  for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN (attribute->nla_len))
    {
      attribute = (const struct nlattr *) at;
      if (attribute->nla_len < NLA_HDRLEN || at + attribute->nla_len > end)
        break;
      if (attribute->nla_type == UNIX_DIAG_NAME)
        jank_sockets_read_name (attribute, socket);
      else if (attribute->nla_type == UNIX_DIAG_PEER && attribute->nla_len >= NLA_HDRLEN + sizeof (guint32))
        socket->peer = *(const guint32 *) (at + NLA_HDRLEN);
      else if (attribute->nla_type == UNIX_DIAG_ICONS)
        jank_sockets_read_pending (self, attribute, socket->inode);
    }
  g_hash_table_replace (self->unixes, &socket->inode, socket);
}

static void
jank_sockets_set_place (Place *place, guint8 family, const __be32 *address, __be16 port)
{
  place->port = ntohs (port);
  memset (&place->address, 0, sizeof place->address);
  if (family == AF_INET6)
    memcpy (&place->address, address, sizeof place->address);
  else
    {
      place->address.s6_addr[10] = place->address.s6_addr[11] = 0xff;
      memcpy (place->address.s6_addr + 12, address, sizeof *address);
    }
}

static void
jank_sockets_add_inet (JankSockets *self, const struct nlmsghdr *header, const char *family, gboolean listens)
{
  const struct inet_diag_msg *message = NLMSG_DATA (header);
  Inet inet = { .family = family, .inode = message->idiag_inode, .listens = listens };

  jank_sockets_set_place (&inet.local, message->idiag_family, message->id.idiag_src, message->id.idiag_sport);
  jank_sockets_set_place (&inet.remote, message->idiag_family, message->id.idiag_dst, message->id.idiag_dport);
  g_array_append_val (self->inets, inet);
}

static void
jank_sockets_add_tcp (JankSockets *self, const struct nlmsghdr *header)
{
  const struct inet_diag_msg *message = NLMSG_DATA (header);

  jank_sockets_add_inet (self, header, "tcp", message->idiag_state == TCP_LISTEN);
}

/* One that was connected has its peer's port. */
static void
jank_sockets_add_udp (JankSockets *self, const struct nlmsghdr *header)
{
  const struct inet_diag_msg *message = NLMSG_DATA (header);

  jank_sockets_add_inet (self, header, "udp", message->id.idiag_dport == 0);
}

typedef void (*AddFunc) (JankSockets *self, const struct nlmsghdr *header);

/* Returns: FALSE: there is more to come */
static gboolean
jank_sockets_add_answer (JankSockets *self, const char *buffer, gsize n_bytes, gsize least, AddFunc add)
{
  const struct nlmsghdr *header = (const struct nlmsghdr *) buffer;

  for (; NLMSG_OK (header, n_bytes); header = NLMSG_NEXT (header, n_bytes))
    {
      if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR)
        return TRUE;
      if (header->nlmsg_len >= NLMSG_LENGTH (least))
        add (self, header);
    }
  return FALSE;
}

/* least: bytes of an answer */
static void
jank_sockets_ask (JankSockets *self, const void *question, gsize n_bytes, gsize least, AddFunc add)
{
  int fd = socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  g_autofree char *buffer = g_malloc0 (ANSWER_BYTES);
  struct nlmsghdr *header = (struct nlmsghdr *) buffer;
  ssize_t n;

  *header = (struct nlmsghdr) { .nlmsg_len = NLMSG_LENGTH (n_bytes), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP };
  memcpy (NLMSG_DATA (header), question, n_bytes);
  if (fd >= 0 && send (fd, buffer, header->nlmsg_len, 0) > 0)
    while ((n = recv (fd, buffer, ANSWER_BYTES, 0)) > 0 &&
           !jank_sockets_add_answer (self, buffer, (gsize) n, least, add))
      ;
  if (fd >= 0)
    close (fd);
}

JankSockets *
jank_sockets_new (void)
{
  JankSockets *self = g_new0 (JankSockets, 1);
  const struct unix_diag_req unixes = {
    .sdiag_family = AF_UNIX, .udiag_states = ALL_STATES, .udiag_cookie = { ALL_STATES, ALL_STATES },
    .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS,
  };

  self->unixes = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  self->pending = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->inets = g_array_new (FALSE, FALSE, sizeof (Inet));
  jank_sockets_ask (self, &unixes, sizeof unixes, sizeof (struct unix_diag_msg), jank_sockets_add_unix);
  for (guint i = 0; i < 4; i++)
    {
      const struct inet_diag_req_v2 inets = { .sdiag_family = i % 2 == 0 ? AF_INET : AF_INET6,
                                              .sdiag_protocol = i < 2 ? IPPROTO_TCP : IPPROTO_UDP,
                                              .idiag_states = ALL_STATES };

      jank_sockets_ask (self, &inets, sizeof inets, sizeof (struct inet_diag_msg),
                        i < 2 ? jank_sockets_add_tcp : jank_sockets_add_udp);
    }
  return self;
}

void
jank_sockets_free (JankSockets *self)
{
  g_hash_table_unref (self->unixes);
  g_hash_table_unref (self->pending);
  g_array_unref (self->inets);
  g_free (self);
}

/* Only the server's end of a connection has its name. */
static void
jank_sockets_fill_unix (JankSockets *self, const Unix *socket, JankSocketEnd *end)
{
  const guint64 *listener = g_hash_table_lookup (self->pending, &socket->inode);
  const Unix *peer;

  end->family = "unix";
  end->listens = socket->listens;
  end->is_accepted = listener == NULL;
  end->peer = listener != NULL ? *listener : socket->peer;
  peer = g_hash_table_lookup (self->unixes, &end->peer);
  g_strlcpy (end->name, peer != NULL && peer->name[0] != '\0' ? peer->name : socket->name, sizeof end->name);
  end->is_display = strstr (end->name, "/.X11-unix/X") != NULL || strstr (end->name, "/wayland-") != NULL;
}

static gboolean
jank_sockets_is_same_place (const Place *a, const Place *b)
{
  return a->port == b->port && memcmp (&a->address, &b->address, sizeof a->address) == 0;
}

/* Bound to all of the machine's addresses, of IPv6 or IPv4. */
static gboolean
jank_sockets_is_any (const Place *place)
{
  struct in6_addr four = IN6ADDR_ANY_INIT;

  four.s6_addr[10] = four.s6_addr[11] = 0xff;
  return memcmp (&place->address, &in6addr_any, sizeof four) == 0 || memcmp (&place->address, &four, sizeof four) == 0;
}

/* Whether an address is certainly of this machine: of a loopback device. */
static gboolean
jank_sockets_is_loopback (const Place *place)
{
  return IN6_IS_ADDR_LOOPBACK (&place->address) ||
         (IN6_IS_ADDR_V4MAPPED (&place->address) && place->address.s6_addr[12] == IN_LOOPBACKNET);
}

/* Who takes what comes to a place. */
static const Inet *
jank_sockets_find_listener (JankSockets *self, const char *family, const Place *place)
{
  JANK_EACH_IN (const Inet, inet, self->inets)
    if (inet->listens && inet->local.port == place->port && strcmp (inet->family, family) == 0 &&
        (jank_sockets_is_same_place (&inet->local, place) ||
         (jank_sockets_is_any (&inet->local) && jank_sockets_is_loopback (place))))
      return inet;
  return NULL;
}

/* Another end of the connection: one within this machine is in the list twice. */
static const Inet *
jank_sockets_find_other (JankSockets *self, const Inet *inet)
{
  JANK_EACH_IN (const Inet, other, self->inets)
    if (!other->listens && strcmp (other->family, inet->family) == 0 &&
        jank_sockets_is_same_place (&other->local, &inet->remote) &&
        jank_sockets_is_same_place (&other->remote, &inet->local))
      return other;
  return NULL;
}

static void
jank_sockets_set_inet_name (JankSocketEnd *end, const Place *place)
{
  char host[INET6_ADDRSTRLEN] = "";
  gboolean is_four = IN6_IS_ADDR_V4MAPPED (&place->address);

  inet_ntop (is_four ? AF_INET : AF_INET6, place->address.s6_addr + (is_four ? 12 : 0), host, sizeof host);
  g_snprintf (end->name, sizeof end->name, is_four ? "%s:%u" : "[%s]:%u", host, place->port);
}

static void
jank_sockets_fill_inet (JankSockets *self, const Inet *inet, JankSocketEnd *end)
{
  const Inet *other, *listener;

  end->family = inet->family;
  end->listens = inet->listens;
  jank_sockets_set_inet_name (end, inet->listens ? &inet->local : &inet->remote);
  if (inet->listens)
    return;
  other = jank_sockets_find_other (self, inet);
  listener = jank_sockets_find_listener (self, inet->family, &inet->remote);
  end->is_accepted = other != NULL && other->inode != 0;
  if (end->is_accepted)
    end->peer = other->inode;
  else if (listener != NULL)
    end->peer = listener->inode;
  end->is_remote = other == NULL && listener == NULL && !jank_sockets_is_loopback (&inet->remote);
}

gboolean
jank_sockets_find (JankSockets *self, guint64 inode, JankSocketEnd *ret_end)
{
  const Unix *socket = g_hash_table_lookup (self->unixes, &inode);

  *ret_end = (JankSocketEnd) { .family = "" };
  if (socket != NULL)
    {
      jank_sockets_fill_unix (self, socket, ret_end);
      return TRUE;
    }
  for (guint i = 0; inode != 0 && i < self->inets->len; i++)
    if (g_array_index (self->inets, Inet, i).inode == inode)
      {
        jank_sockets_fill_inet (self, &g_array_index (self->inets, Inet, i), ret_end);
        return TRUE;
      }
  return FALSE;
}

guint64
jank_sockets_find_name (JankSockets *self, const char *name)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->unixes);
  while (name[0] != '\0' && g_hash_table_iter_next (&iter, NULL, &value))
    if (((Unix *) value)->listens && strcmp (((Unix *) value)->name, name) == 0)
      return ((Unix *) value)->inode;
  return 0;
}
