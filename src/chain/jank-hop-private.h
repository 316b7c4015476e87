/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What one thread waits for, and who could end that wait. One row a kind of call, and one a kind of descriptor; what
 * the kernel does not tell is unknown. The reader's thread. */

#pragma once

#include "chain/jank-holders-private.h"
#include "chain/jank-look-private.h"
#include "chain/jank-sockets-private.h"
#include "report/jank-report-chain-private.h"

#define JANK_HOP_MAX_PEERS 16

typedef struct
{
  pid_t pid, tid; /* tid 0: which thread is not known */
} JankPeer;

typedef struct
{
  JankHopKind kind;
  gboolean    is_poll;        /* waits for it by poll() or the like: it may be idle */
  char        target[256];    /* a path, an address; as a program may have chosen it, so not clean; empty: unknown */
  char        filesystem[16]; /* of JANK_HOP_MOUNT and JANK_HOP_DISK */
  char        mount[256];
  gint64      timeout_ns;     /* of a sleep, -1: unknown */
  gboolean    is_rest;        /* that is what is left of it */
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
