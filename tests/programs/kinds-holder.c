/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads and processes that hold what the main thread wants. */

#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_HOLDERS 16

typedef struct
{
  HolderJob job;
  gint64 length_ns;
  pthread_t pthread;
  int held[2], go[2]; /* pipes: it holds; the stall begins */
} Holder;

static Holder holders[MAX_HOLDERS];
static guint n_holders;

STALL (holder_sleeps)
{
  struct timespec until = timespec_from_ns (now_ns () + length_ns);

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
    continue;
  staller_sink++;
}

STALL (holder_computes)
{
  gint64 until_ns = now_ns () + length_ns;
  static guint64 sum;

  while (now_ns () < until_ns)
    {
      for (int i = 0; i < 2000; i++)
        sum = sum * 31 + (guint64) i;
    }
}

/* Holder's thread or process. */
static void
holder_run (Holder *holder)
{
  pid_t tid = gettid ();
  char byte;

  if (holder->job.take != NULL)
    holder->job.take ();
  if (write (holder->held[1], &tid, sizeof tid) != sizeof tid)
    _exit (3);
  while (read (holder->go[0], &byte, 1) < 0 && errno == EINTR)
    continue;
  if (holder->job.keep != NULL)
    holder->job.keep (holder->length_ns);
  if (holder->job.give != NULL)
    holder->job.give ();
}

static void *
holder_thread (void *data)
{
  holder_run (data);
  return NULL;
}

static Holder *
holder_new (const HolderJob *job, gint64 length_ns)
{
  Holder *holder = &holders[n_holders++];

  g_assert (n_holders <= MAX_HOLDERS);
  *holder = (Holder) { .job = *job, .length_ns = length_ns };
  kinds_check (pipe2 (holder->held, O_CLOEXEC) == 0 && pipe2 (holder->go, O_CLOEXEC) == 0, "pipe2");
  return holder;
}

static pid_t
holder_wait (Holder *holder)
{
  pid_t tid = 0;

  kinds_check (read (holder->held[0], &tid, sizeof tid) == sizeof tid, "starting a holder");
  return tid;
}

pid_t
holder_start_thread (const char *name, const HolderJob *job, gint64 length_ns)
{
  Holder *holder = holder_new (job, length_ns);

  kinds_check (pthread_create (&holder->pthread, NULL, holder_thread, holder) == 0, "pthread_create");
  pthread_setname_np (holder->pthread, name);
  return holder_wait (holder);
}

void
holder_start_with_lock (const HeldLock *held, gint64 length_ns)
{
  truth.lock = held->lock;
  if (held->address != NULL)
    truth.lock_address = held->address;
  truth.holder = holder_start_thread ("holder", &held->job, length_ns);
  truth.holder_function = held->job.keep == holder_computes ? "holder_computes" : "holder_sleeps";
  truth.lock_owner = held->names_owner ? truth.holder : 0;
}

pthread_t
holder_get_pthread (void)
{
  return holders[n_holders - 1].pthread;
}

/* Before the program has threads: the child may use all of GLib, and is not watched. */
pid_t
holder_start_child (const char *name, const HolderJob *job, gint64 length_ns)
{
  Holder *holder = holder_new (job, length_ns);
  pid_t child = fork ();

  kinds_check (child >= 0, "fork");
  if (child == 0)
    {
      prctl (PR_SET_NAME, name);
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      g_unsetenv ("GTK_MODULES");
      g_unsetenv ("JANKWATCH");
      holder_run (holder);
      _exit (0);
    }
  close (holder->held[1]);
  holder_wait (holder);
  return child;
}

void
holder_go (void)
{
  for (guint i = 0; i < n_holders; i++)
    kinds_check (write (holders[i].go[1], "g", 1) == 1, "write");
}
