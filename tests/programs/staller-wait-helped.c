/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Calls that end because another thread writes or lets go, or because a child ends. */

#include "staller-wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_STATUS 7

/* Goes on after a signal: the waiting thread is what is measured, not this one. */
static void
sleep_until (gint64 until_ns)
{
  struct timespec until = timespec_from_ns (until_ns);

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
    continue;
}

static void
close_helped (Wait *wait)
{
  if (wait->helper != NULL)
    g_thread_join (wait->helper);
  close (wait->fds[0]);
  close (wait->fds[1]);
}

static gpointer
pipe_writer_thread (gpointer data)
{
  Wait *wait = data;

  sleep_until (wait_over_ns (wait));
  if (write (wait->fds[1], "j", 1) != 1)
    abort ();
  return NULL;
}

static void
open_pipe (Wait *wait)
{
  if (pipe2 (wait->fds, O_CLOEXEC) != 0)
    abort ();
  wait->helper = g_thread_new ("pipe-writer", pipe_writer_thread, wait);
}

static long
call_read (Wait *wait)
{
  char byte;

  return read (wait->fds[0], &byte, 1);
}

static void
open_child (Wait *wait)
{
  wait->child = fork ();
  if (wait->child == 0)
    {
      sleep_until (wait_over_ns (wait));
      _exit (CHILD_STATUS);
    }
}

/* The child's exit status, 7. */
static long
call_wait4 (Wait *wait)
{
  int status;

  return wait4 (wait->child, &status, 0, NULL) == wait->child ? WEXITSTATUS (status) : -1;
}

/* Two open files of one file: fds[0] is the caller's, fds[1] the helper's. */
static void
open_two_files (Wait *wait)
{
  g_autofree char *path = g_strdup_printf ("%s/staller-XXXXXX", g_get_tmp_dir ());

  wait->fds[0] = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  wait->fds[1] = open (path, O_RDWR | O_CLOEXEC);
  unlink (path);
}

static gpointer
flock_holder_thread (gpointer data)
{
  Wait *wait = data;

  sleep_until (wait_over_ns (wait));
  flock (wait->fds[1], LOCK_UN);
  return NULL;
}

static void
open_flock (Wait *wait)
{
  open_two_files (wait);
  flock (wait->fds[1], LOCK_EX);
  wait->helper = g_thread_new ("flock-holder", flock_holder_thread, wait);
}

static long
call_flock (Wait *wait)
{
  return flock (wait->fds[0], LOCK_EX);
}

static gpointer
ofd_holder_thread (gpointer data)
{
  Wait *wait = data;
  struct flock unlock = { .l_type = F_UNLCK };

  sleep_until (wait_over_ns (wait));
  fcntl (wait->fds[1], F_OFD_SETLK, &unlock);
  return NULL;
}

static void
open_ofd_lock (Wait *wait)
{
  struct flock lock = { .l_type = F_WRLCK };

  open_two_files (wait);
  fcntl (wait->fds[1], F_OFD_SETLK, &lock);
  wait->helper = g_thread_new ("ofd-holder", ofd_holder_thread, wait);
}

static long
call_ofd_lock (Wait *wait)
{
  struct flock lock = { .l_type = F_WRLCK };

  return fcntl (wait->fds[0], F_OFD_SETLKW, &lock);
}

static gpointer
mutex_holder_thread (gpointer data)
{
  Wait *wait = data;

  pthread_mutex_lock (&wait->mutex);
  sem_post (&wait->sem);
  sleep_until (wait_over_ns (wait));
  pthread_mutex_unlock (&wait->mutex);
  return NULL;
}

static void
open_mutex (Wait *wait)
{
  pthread_mutex_init (&wait->mutex, NULL);
  sem_init (&wait->sem, 0, 0);
  wait->helper = g_thread_new ("mutex-holder", mutex_holder_thread, wait);
  while (sem_wait (&wait->sem) != 0)
    continue;
}

static long
call_mutex_lock (Wait *wait)
{
  long result = pthread_mutex_lock (&wait->mutex);

  pthread_mutex_unlock (&wait->mutex);
  return result;
}

static void
close_mutex (Wait *wait)
{
  g_thread_join (wait->helper);
  sem_destroy (&wait->sem);
  pthread_mutex_destroy (&wait->mutex);
}

const WaitCall wait_calls_helped[] = {
  { "read", open_pipe, call_read, close_helped },
  { "wait4", open_child, call_wait4, NULL },
  { "flock", open_flock, call_flock, close_helped },
  { "fcntl", open_ofd_lock, call_ofd_lock, close_helped },
  { "pthread_mutex_lock", open_mutex, call_mutex_lock, close_mutex },
};
const guint n_wait_calls_helped = G_N_ELEMENTS (wait_calls_helped);
