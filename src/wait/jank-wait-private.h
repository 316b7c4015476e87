/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a blocked thread waits for, from its system call, the arguments and our own memory. No call made here can
 * block on what blocks the thread: a descriptor's path is read from its link in /proc, never from the file. Foreign
 * memory is read by jank_memory_read(). Watcher thread only. */

#pragma once

#include "dbus/jank-dbus-call-private.h"
#include "wait/jank-lock-private.h"
#include "proc/jank-thread-private.h"

typedef enum
{
  JANK_WAIT_UNKNOWN, /* blocked, but nobody knows in what */
  JANK_WAIT_FILE,    /* reads, writes, opens, syncs or locks something that has a path */
  JANK_WAIT_PIPE,    /* a pipe or FIFO */
  JANK_WAIT_SOCKET,  /* one socket: connect, accept, send, receive */
  JANK_WAIT_POLL,    /* any of several descriptors of which none stands out: poll, select, epoll */
  JANK_WAIT_SLEEP,
  JANK_WAIT_LOCK,    /* a futex: mutex, rwlock, condition variable, semaphore … */
  JANK_WAIT_CHILD,   /* the end of a child process */
  JANK_WAIT_DEVICE,  /* ioctl and the like */
  JANK_WAIT_DBUS,    /* the reply to a synchronous D-Bus call */
  JANK_WAIT_PAGE,    /* memory that has to come from disk */
  JANK_WAIT_CALL,    /* another system call */
  JANK_WAIT_WAKE,    /* polls only what other threads of the program wake it by, until a time-out */
  JANK_N_WAITS
} JankWaitKind;

/* Text is UTF-8, in no language: names, paths and numbers; empty for unknown. Private data of the user. */
typedef struct
{
  gint         n_refs;
  JankWaitKind kind;
  gint         syscall;         /* number, -1: in none */
  char         target[256];     /* whom or what: a path, a peer, "org.example.Slow.Wait", a child's name … */
  char         filesystem[16];  /* type of that of the path: "ext4", "nfs4", "fuse.sshfs" */
  char         mount[256];      /* the folder that it is mounted on */
  char         detail[512];     /* all that is known, on one line, such as "read of 4096 bytes from /a/b (nfs4)" */
  gboolean     wakes_loops;     /* polls an eventfd, by which a GMainContext is woken, among others */
  gint64       n_bytes;         /* asked for, -1: none */
  gint64       timeout_ns;      /* of a sleep or a time-out, -1: for ever, or unknown */
  pid_t        peer_pid;        /* process at the other end, the child, or who holds a file's lock; 0 unknown */
  char         peer[32];        /* its name, where target says something else */
  JankLock     lock;            /* of JANK_WAIT_LOCK */
  JankDBusCall *dbus;           /* (owned) (nullable): of JANK_WAIT_DBUS */
} JankWait;

/* calls: on the thread's stack, innermost first. With them a lock's kind and a synchronous D-Bus call can be told.
 * tid: of the blocked thread. Returns: (transfer full): never NULL */
JankWait   *jank_wait_new     (const JankSyscall *call, pid_t tid, const JankCall *calls, guint n_calls);
/* Whoever waits for that futex waits for us, in the call that its stack tells. */
void        jank_wait_note_pause (guint64 futex);
JankWait   *jank_wait_ref     (JankWait *self);
void        jank_wait_unref   (JankWait *self);

/* "file", "lock" …: as in the report schema. */
const char *jank_wait_kind_to_nick (JankWaitKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (JankWait, jank_wait_unref)
