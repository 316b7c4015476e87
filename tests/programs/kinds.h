/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>
#include <pthread.h>
#include <sys/types.h>

#include "staller.h"

/* The kinds of stall: what they share. Everything runs on the main thread unless it says otherwise. */

/* A second thread or process which takes something, says so, waits for the stall to begin, keeps it for so long,
 * and gives it back. Each function runs there; each may be NULL. */
typedef struct
{
  void (*take) (void);
  void (*keep) (gint64 length_ns);
  void (*give) (void);
} HolderJob;

/* What a thread named "holder" has while the stall lasts. */
typedef struct
{
  const char *lock;     /* kind of lock */
  const void *address;  /* NULL: unknown, or prepare() knows */
  gboolean names_owner; /* the lock's memory does */
  HolderJob job;
} HeldLock;

/* Functions of one statement: of a holder or a start, and of a prepare(). */
#define DOES(name, statement) static void name (void) { statement; }
#define PREPARES(name, statement) static void name (gint64 length_ns) { statement; }

/* Begins a function that a report may name: exported, and never inlined. */
#define STALL(name) extern void name (gint64 length_ns); G_NO_INLINE void name (gint64 length_ns)

/* One way to stall. Its function is exported, never inlined and works in its own body, so that there is one right
 * answer. Texts are as in the report schema; NULL: a report has none. */
typedef struct
{
  const char *name;
  const char *function; /* the culprit */
  void (*stall) (gint64 length_ns);
  const char *state;    /* of most of the stall */
  const char *wait;     /* kind of wait */
  const char *syscall;
  void (*prepare) (gint64 length_ns); /* (nullable): before the loop runs and before GIO is used */
  void (*connect) (gint64 length_ns); /* (nullable): after that, in the loop, well before the stall */
  const HeldLock *held;               /* (nullable): from after prepare() on */
} Kind;

#define KIND(stall) #stall, stall
#define KIND_OF_LOCK(name, stall, prepare, held) { name, KIND (stall), "blocked", "lock", "futex", prepare, NULL, held }

/* What is no stall but goes on while the loop turns, until it is quit. */
typedef struct
{
  const char *name;
  const char *source;   /* name of the source to be named, NULL: nothing to report */
  const char *callback; /* its function */
  void (*start) (void);
} Spin;

extern const Kind kinds_work[], kinds_compute[], kinds_file[], kinds_slow_disk[], kinds_socket[], kinds_wait[],
    kinds_lock[], kinds_glib[], kinds_deadlock[], kinds_dbus[], kinds_fickle[];
extern const guint n_kinds_work, n_kinds_compute, n_kinds_file, n_kinds_slow_disk, n_kinds_socket, n_kinds_wait,
    n_kinds_lock, n_kinds_glib, n_kinds_deadlock, n_kinds_dbus, n_kinds_fickle;
extern const Spin kinds_spin[];
extern const guint n_kinds_spin;

/* What only the run itself knows of the right answer; "" and 0: none. Filled by prepare(), connect() and holders. */
typedef struct
{
  char target[512];
  const char *filesystem;
  gint64 n_bytes, timeout_ns;
  pid_t peer_pid;
  const char *peer_name;
  const char *lock;         /* kind of lock */
  const void *lock_address;
  pid_t lock_owner;         /* as far as the lock's memory tells it */
  pid_t holder;             /* thread that really holds it */
  const char *holder_function;
  guint n_chain;            /* threads that wait for one another in a ring */
  gint rest_ms;             /* after the stall, beside what is always */
  gint64 part_ns[3];        /* what the parts of it took */
} Truth;

extern Truth truth;

/* For main(). LENGTH: of the stall, or of a spin. */
gboolean kinds_find (const char *name);
int kinds_run (const char *name, gint64 length_ns, guint n_times);
int kinds_list (void);

/* In the folder for files: $KINDS_FOLDER, or one that goes with the program. Returns: (transfer full) */
char *kinds_path (const char *name);

/* Of the library beside the program. Returns: (transfer full) */
char *kinds_plugin_path (void);

/* Ends the program, saying what did not work; status 77: this machine does not allow it. */
void kinds_check (gboolean holds, const char *what);
void kinds_cannot (const char *what) G_GNUC_NORETURN;

/* Returns: its tid or pid, once it holds */
pid_t holder_start_thread (const char *name, const HolderJob *job, gint64 length_ns);
pid_t holder_start_child  (const char *name, const HolderJob *job, gint64 length_ns);

/* Its thread holds it, and the truth says so. */
void holder_start_with_lock (const HeldLock *held, gint64 length_ns);

/* Of the one started last. */
pthread_t holder_get_pthread (void);

/* The stall begins: all holders. */
void holder_go (void);

/* What a holder does meanwhile. */
extern void holder_sleeps   (gint64 length_ns);
extern void holder_computes (gint64 length_ns);

/* The slow disk: a file system whose answers take the time of the stall. Mounted by its start. Returns: (transfer
 * full): path of a file in it */
typedef enum
{
  SLOW_NONE,
  SLOW_LOOKUP,
  SLOW_READ,
  SLOW_FSYNC,
} SlowOperation;

/* content: (nullable): of a real file. delay_ns: of each such operation. */
char *slow_disk_start (const char *name, SlowOperation operation, gint64 delay_ns, const char *content);
void slow_disk_stop (void);
