/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* What one thread waits for, and who could end that wait. One row a kind of call, and one a kind of descriptor; what
 * the kernel does not tell is unknown. The reader's thread. */

#pragma once

#include "proc/jank-task-private.h"
#include "proc/jank-thread-private.h"
#include "report/jank-report-chain-private.h"
#include "wait/jank-syscall-shape-private.h"

/* One thread of any process, as the kernel has it at this moment. Nothing here touches it. */

typedef struct
{
  pid_t       pid, tid;
  char        state;     /* as in /proc: R, S, D, T …; 0: it is gone */
  JankSyscall call;      /* unknown where the reader may not trace the process */
  const JankSyscallShape *shape; /* never NULL */
  char        wchan[64]; /* the kernel's function that it sleeps in; empty: unknown */
} JankLook;

void     jank_look_at           (pid_t pid, pid_t tid, JankLook *ret_look);

/* Whether the thread is still in that wait; one that is idle may have waited again, one that computes computes. */
gboolean jank_look_is_the_same  (const JankLook *look, gboolean is_idle);

/* A process in a namespace of its own numbers processes and threads otherwise than the reader. */

/* Whether number is that of process or thread other for process pid. */
gboolean jank_look_is_known_as  (pid_t pid, pid_t other, pid_t number);

/* Which processes have a socket, a pipe or a file open, by /proc of all processes that the reader may look into. Read
 * once, so it is of one moment. */

typedef struct
{
  pid_t pid;
  int   fd;
} JankHolder;

typedef struct _JankHolders JankHolders;

JankHolders  *jank_holders_new          (void);
void          jank_holders_free         (JankHolders *self);

/* link: as /proc/PID/fd has it: "pipe:[812]", a path. Returns: (nullable) (element-type JankHolder) */
const GArray *jank_holders_find         (JankHolders *self, const char *link);

const GArray *jank_holders_find_socket  (JankHolders *self, guint64 inode);

/* A line of /proc/PID/fdinfo/FD. field: with its colon. Returns: (transfer full) (nullable): what follows it */
char         *jank_holder_read_info     (const JankHolder *holder, const char *field);

/* O_RDONLY, O_WRONLY or O_RDWR; -1 unknown */
int           jank_holder_read_mode     (const JankHolder *holder);

/* Which socket is at the other end of a socket, by the kernel's list (sock_diag): UNIX sockets, and TCP and UDP
 * within this machine. Sees the reader's own network namespace; needs no right. The list is of the moment it was
 * made. */

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
