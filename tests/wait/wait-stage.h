/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads that really block, each in another way: kind, target and detail have to be right every time. */

#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include "wait/jank-wait-private.h"

/* What a scene needs, and what is to be said of it. */
typedef struct
{
  char  *folder, *path; /* (owned) */
  char   filesystem[16]; /* of the folder */
  int    fds[4];
  pid_t  child;
  char  *page;
  gint   is_released; /* atomic */
  struct sockaddr_storage address;
  socklen_t n_address_bytes;

  char  *target, *detail; /* (owned) expected */
  pid_t  peer_pid;        /* expected */
} Stage;

typedef struct
{
  const char  *name;
  glong        number; /* -1: in no system call */
  JankWaitKind kind;
  gint64       n_bytes, timeout_ns; /* expected, -1 none */
  void       (*set_up) (Stage *stage);
  void       (*block) (Stage *stage);
  void       (*release) (Stage *stage);
} Scene;

/* Of the thread that waits. */
extern char wait_buffer[1 << 20];

/* A folder, and in it the path of no file yet. */
Stage *stage_new             (void);
void   stage_free            (Stage *self);

/* What more than one scene does: reads from the first descriptor, writes one byte to the second. */
void   wait_block_read_100   (Stage *stage);
void   wait_release_pipe     (Stage *stage);

/* Plays each often. Once, after g_test_init(). */
void   wait_add_scenes       (const Scene *scenes, guint n_scenes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Stage, stage_free)
