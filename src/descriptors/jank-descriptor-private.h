/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an open descriptor of this process leads to. The file itself is never asked: its path is that of the link
 * in /proc, its file system that of its mount. Any thread. */

#pragma once

#include <glib.h>
#include <sys/types.h>

#include "descriptors/jank-mounts-private.h"

typedef enum
{
  JANK_DESCRIPTOR_UNKNOWN, /* not open (any more), or it cannot be what the thread waits on */
  JANK_DESCRIPTOR_FILE,
  JANK_DESCRIPTOR_DEVICE,
  JANK_DESCRIPTOR_PIPE,    /* FIFOs have a name; others that of the child at the other end */
  JANK_DESCRIPTOR_SOCKET,
  JANK_DESCRIPTOR_OTHER,   /* "eventfd", "inotify" … by name */
} JankDescriptorKind;

typedef struct
{
  JankDescriptorKind kind;
  char  name[256];      /* path, peer, "eventfd" …; empty: it has none */
  char  address[128];   /* of a socket */
  char  filesystem[16]; /* of a file, or a socket's family */
  char  mount[256];     /* of a file: the folder that its file system is mounted on */
  pid_t peer_pid;
} JankDescriptor;

void jank_descriptor_look    (int fd, JankDescriptor *ret_descriptor);

/* Of a file that process pid (0: this one) has open. FALSE: unknown, as in another mount namespace */
gboolean jank_descriptor_find_mount (pid_t pid, int fd, JankMount *ret_mount);

/* link: as in /proc/PID/fd */
gboolean jank_descriptor_is_device (const char *link);

/* The same for a descriptor that thread tid waits on in a call of its own, for one of events (POLLIN, POLLOUT; 0: not
 * told). Another thread may have reused the number meanwhile: the descriptor is unknown where the kernel function in
 * which the thread sleeps, or an event that is already there, shows that. It cannot show two sockets, or two files,
 * exchanged under a sleeping thread. */
void jank_descriptor_look_in_wait (int fd, pid_t tid, short events, JankDescriptor *ret_descriptor);

/* "/a/b (nfs4)", "dbus-daemon[812] (unix)", "pipe", "descriptor 7" when unknown. */
void jank_descriptor_append  (const JankDescriptor *self, int fd, GString *text);
