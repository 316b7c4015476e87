/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls in files and pipes of which a child process has the other end, or the lock. */

#include "kinds.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *path;
static int fd = -1;
static int ends[2];

static void
choose_path (const char *name)
{
  path = kinds_path (name);
  g_strlcpy (truth.target, path, sizeof truth.target);
}

static void
start_child (const HolderJob *job, gint64 length_ns)
{
  truth.peer_name = "slow-child";
  truth.peer_pid = holder_start_child (truth.peer_name, job, length_ns);
}

/* In the child. */
DOES (child_opens_fifo, fd = open (path, O_WRONLY | O_CLOEXEC))

static void
child_writes (void)
{
  kinds_check (write (fd, "j", 1) == 1, "write");
  holder_sleeps (NS_PER_S);
}

static void
prepare_fifo_read (gint64 length_ns)
{
  const HolderJob job = { child_opens_fifo, holder_sleeps, child_writes };

  choose_path ("orders.fifo");
  kinds_check (mkfifo (path, 0600) == 0, path);
  fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  start_child (&job, length_ns);
  kinds_check (fcntl (fd, F_SETFL, 0) == 0, "fcntl");
}

STALL (stall_in_fifo_read)
{
  char byte;

  staller_sink += (guint64) read (fd, &byte, 1);
}

/* In the child. */
DOES (child_keeps_write_end, fd = ends[1])

static void
prepare_pipe_read (gint64 length_ns)
{
  const HolderJob job = { child_keeps_write_end, holder_sleeps, child_writes };

  kinds_check (pipe2 (ends, O_CLOEXEC) == 0, "pipe2");
  start_child (&job, length_ns);
  close (ends[1]);
}

STALL (stall_in_pipe_read)
{
  char byte;

  staller_sink += (guint64) read (ends[0], &byte, 1);
}

/* The child opens the file itself: the lock is on the open file. */
static void
child_locks_file (void)
{
  fd = open (path, O_RDWR | O_CLOEXEC);
  kinds_check (flock (fd, LOCK_EX) == 0, "flock");
}

DOES (child_unlocks_file, flock (fd, LOCK_UN))

static void
open_lock_file (const char *name)
{
  choose_path (name);
  fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  kinds_check (fd >= 0, path);
}

static void
prepare_flock (gint64 length_ns)
{
  const HolderJob job = { child_locks_file, holder_sleeps, child_unlocks_file };

  open_lock_file ("index.lock");
  start_child (&job, length_ns);
}

STALL (stall_in_flock)
{
  staller_sink += (guint64) flock (fd, LOCK_EX);
}

static void
child_locks_range (void)
{
  struct flock lock = { .l_type = F_WRLCK };

  kinds_check (fcntl (fd, F_SETLK, &lock) == 0, "fcntl");
}

static void
child_unlocks_range (void)
{
  struct flock unlock = { .l_type = F_UNLCK };

  fcntl (fd, F_SETLK, &unlock);
}

static void
prepare_fcntl_lock (gint64 length_ns)
{
  const HolderJob job = { child_locks_range, holder_sleeps, child_unlocks_range };

  open_lock_file ("places.sqlite");
  start_child (&job, length_ns);
}

STALL (stall_in_fcntl_lock)
{
  struct flock lock = { .l_type = F_WRLCK };

  staller_sink += (guint64) fcntl (fd, F_SETLKW, &lock);
}

const Kind kinds_file[] = {
  { "fifo-read", KIND (stall_in_fifo_read), "blocked", "pipe", "read", prepare_fifo_read },
  { "pipe-read", KIND (stall_in_pipe_read), "blocked", "pipe", "read", prepare_pipe_read },
  { "flock", KIND (stall_in_flock), "blocked", "file", "flock", prepare_flock },
  { "fcntl-lock", KIND (stall_in_fcntl_lock), "blocked", "file", "fcntl", prepare_fcntl_lock },
};
const guint n_kinds_file = G_N_ELEMENTS (kinds_file);
