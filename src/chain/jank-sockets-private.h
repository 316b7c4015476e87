/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which socket is at the other end of a socket, by the kernel's list (sock_diag): UNIX sockets, and TCP and UDP
 * within this machine. Sees the reader's own network namespace; needs no right. The list is of the moment it was
 * made. The reader's thread. */

#pragma once

#include <glib.h>

typedef struct
{
  const char *family;        /* "unix", "tcp", "udp" */
  guint64     peer;          /* inode of the other end, or of the socket that has yet to accept it; 0: none here */
  gboolean    is_accepted;   /* FALSE: peer listens, and has not taken the connection yet */
  gboolean    listens;
  gboolean    is_remote;     /* TCP, UDP: the other end is not on this machine */
  gboolean    is_display;    /* of X11 or Wayland */
  char        name[128];     /* of the server's end: a path, "@abstract", "192.0.2.7:443"; empty: it has none */
} JankSocketEnd;

typedef struct _JankSockets JankSockets;

JankSockets *jank_sockets_new       (void);
void         jank_sockets_free      (JankSockets *self);

/* FALSE: no such socket is known here. */
gboolean     jank_sockets_find      (JankSockets *self, guint64 inode, JankSocketEnd *ret_end);

/* name: as in JankSocketEnd. Returns: inode of the UNIX socket that listens there, 0: none */
guint64      jank_sockets_find_name (JankSockets *self, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankSockets, jank_sockets_free)
