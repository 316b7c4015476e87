/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a hop is filled with, kind by kind: the rows of jank-hop.c choose from these. The reader's thread. */

#pragma once

#include "chain/jank-hop-private.h"
#include "descriptors/jank-mounts-private.h"

typedef struct
{
  JankKernel     *kernel;
  const JankLook *look;
  JankHop        *hop;
} JankHopDraft;

JankSockets *jank_kernel_get_sockets (JankKernel *self);
JankHolders *jank_kernel_get_holders (JankKernel *self);

void jank_hop_add_peer           (JankHop *hop, pid_t pid, pid_t tid);
/* Others before itself: a process may have kept an end that it does not use. holders: (nullable) (element-type
 * JankHolder); but_mode: O_RDONLY or O_WRONLY: those who can do only that are no peers, -1: all are */
void jank_hop_add_holders        (JankHopDraft *draft, const GArray *holders, int but_mode);
/* Makes it a wait for that file system, if it may have to ask somebody, else for the disk. mount: (nullable) */
void jank_hop_set_mount          (JankHopDraft *draft, const JankMount *mount);

void jank_hop_look_at_descriptor (JankHopDraft *draft, int fd);
/* name: of a UNIX socket that listens */
void jank_hop_look_at_name       (JankHopDraft *draft, const char *name);
void jank_hop_look_at_poll       (JankHopDraft *draft);
void jank_hop_look_at_file_lock  (JankHopDraft *draft, int fd);
void jank_hop_look_at_lease      (JankHopDraft *draft);
/* The lock on a file or the lease that the kernel lists the process as waiting for, if there is one. */
void jank_hop_look_at_listed (JankHopDraft *draft);
void jank_hop_look_at_futex      (JankHopDraft *draft);
