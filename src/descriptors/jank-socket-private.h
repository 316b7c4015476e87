/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who is at the other end of a socket. Only calls that answer at once from what the kernel holds. Any thread. */

#pragma once

#include <glib.h>
#include <sys/socket.h>
#include <sys/types.h>

typedef struct
{
  char  family[16]; /* "tcp", "udp", "unix" … */
  char  address[128]; /* "192.0.2.7:443", the path of a UNIX socket, "@" and its abstract name; empty: unknown */
  char  peer[128];  /* the same, or a process's name */
  pid_t pid;        /* of the process, 0 unknown */
} JankSocket;

/* FALSE: no socket. */
gboolean jank_socket_look         (int fd, JankSocket *ret_socket);

/* An address as connect() takes it: n_bytes of it are there. FALSE when it is none that we know. */
gboolean jank_socket_address_text (const struct sockaddr_storage *address, socklen_t n_bytes, char *ret_text,
                                   gsize n_text_bytes);
