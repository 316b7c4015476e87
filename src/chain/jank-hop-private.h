/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What one thread waits for, and who could end that wait. One row a kind of call, and one a kind of descriptor; what
 * the kernel does not tell is unknown. The reader's thread. */

#pragma once

#include "chain/jank-holders-private.h"
#include "chain/jank-look-private.h"
#include "chain/jank-sockets-private.h"

typedef enum
{
  /* Nobody is waited for. */
  JANK_HOP_UNKNOWN,   /* waits, for what cannot be known from outside */
  JANK_HOP_HIDDEN,    /* the reader may not look into it */
  JANK_HOP_ENDED,     /* is gone, or a zombie */
  JANK_HOP_COMPUTING,
  JANK_HOP_STOPPED,   /* SIGSTOP */
  JANK_HOP_TRACED,    /* its tracer keeps it */
  JANK_HOP_SLEEP,
  JANK_HOP_DISK,
  JANK_HOP_MOUNT,     /* for a file system that another machine or process serves */
  JANK_HOP_DEVICE,
  JANK_HOP_HOST,      /* another machine */
  JANK_HOP_PERSON,    /* reads the keyboard of a terminal */
  JANK_HOP_IDLE,      /* for events of any kind */
  JANK_HOP_THREADS,   /* several threads are at work, which for this wait cannot be known */
  JANK_HOP_SEVERAL,   /* any of several processes, whose causes differ */
  JANK_HOP_BUS,       /* a D-Bus answer; whose cannot be known from outside */
  /* Whoever has the other end is waited for. */
  JANK_HOP_SOCKET,
  JANK_HOP_DISPLAY,   /* the socket of a display server */
  JANK_HOP_PIPE,
  JANK_HOP_EVENT,     /* an eventfd */
  JANK_HOP_FILE_LOCK,
  JANK_HOP_LEASE,
  JANK_HOP_CHILD,
  JANK_HOP_LOCK,      /* a thread's */
  JANK_HOP_JOIN,      /* the end of a thread */
  JANK_HOP_FUSE,      /* the process that serves a file system */
  JANK_HOP_DBUS,      /* a D-Bus answer of a known process */
  JANK_N_HOPS
} JankHopKind;

#define JANK_HOP_MAX_PEERS 16

typedef struct
{
  pid_t pid, tid; /* tid 0: which thread is not known */
} JankPeer;

typedef struct
{
  JankHopKind kind;
  gboolean    is_poll;        /* waits for it by poll() or the like: it may be idle */
  gboolean    is_woken;       /* a loop that waits for nothing but to be woken, as GDBus's own does */
  char        target[256];    /* a path, an address; as a program may have chosen it, so not clean; empty: unknown */
  char        filesystem[16]; /* of JANK_HOP_MOUNT and JANK_HOP_DISK */
  char        mount[256];
  gint64      timeout_ns;     /* of a sleep, -1: unknown */
  guint64     peer_inode;     /* of a socket's other end */
  guint       n_peers;        /* 0: nobody, or hidden */
  JankPeer    peers[JANK_HOP_MAX_PEERS];
} JankHop;

/* What the kernel holds of all processes at one moment, read when it is first asked for. */
typedef struct
{
  JankSockets *sockets; /* (owned) (nullable) */
  JankHolders *holders; /* (owned) (nullable) */
  GArray      *locks;   /* (owned) (nullable) (element-type JankFileLock) */
} JankKernel;

void        jank_kernel_clear      (JankKernel *self);

void        jank_hop_find          (JankKernel *kernel, const JankLook *look, JankHop *ret_hop);

/* Whether it waits for whoever has the other end. */
gboolean    jank_hop_kind_has_peer (JankHopKind kind);
/* "socket", "sleep" …: as in the JSON of `jankwatch why` */
const char *jank_hop_kind_to_nick  (JankHopKind kind);
