/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a JankWait is filled with, call by call: helpers that jank-wait.c chooses from. Watcher thread only. */

#pragma once

#include "wait/jank-syscall-shape-private.h"
#include "descriptors/jank-descriptor-private.h"
#include "wait/jank-wait-private.h"

/* A wait that is being described. */
typedef struct
{
  JankWait            *wait;
  const JankSyscall      *call;
  const JankSyscallShape *shape;
  pid_t                tid;
  const JankCall         *calls; /* on its stack */
  guint                n_calls;
  GString             *detail; /* begins with the call's name */
  gboolean             polls;  /* for any of some descriptors, of which the wait may have one */
  char                 address[128]; /* of the socket that it polls; empty: unknown, or several */
} JankWaitDraft;

/* "300 ms", "0.5 ms" */
void     jank_wait_append_time    (GString *text, gint64 duration_ns);

/* Takes kind, target, filesystem and peer from a descriptor. */
void     jank_wait_set_descriptor (JankWait *wait, const JankDescriptor *descriptor);

/* Makes it a wait for the end of a child, 0: of an unknown one. */
void     jank_wait_set_child      (JankWaitDraft *draft, pid_t child);

void     jank_wait_describe_poll  (JankWaitDraft *draft);
void     jank_wait_describe_lock  (JankWaitDraft *draft);
void     jank_wait_describe_page  (JankWaitDraft *draft);
/* Of the file that draft is for already, in flock() or fcntl(). */
void     jank_wait_describe_file_lock (JankWaitDraft *draft);
/* If a sleep is SQLite's, makes it a wait for the database. */
void     jank_wait_describe_database  (JankWaitDraft *draft);
