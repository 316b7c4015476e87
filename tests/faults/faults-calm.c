/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Beside a loop that works a little all the time, and never stalls. */

#include "faults.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PATIENCE_MS 300

/* All threads block it, from the start. */
static sigset_t
get_urgent (void)
{
  sigset_t urgent;

  sigemptyset (&urgent);
  sigaddset (&urgent, SIGURG);
  return urgent;
}

/* Sends it while somebody waits. */
static gpointer
send_thread (gpointer data)
{
  const int *one = data;

  g_usleep ((gulong) (3000 + 211 * (*one % 17)));
  if (*one % 2 == 0)
    kill (getpid (), SIGURG);
  else
    sigqueue (getpid (), SIGURG, (union sigval) { .sival_int = *one });
  return NULL;
}

static void
wait_for (void)
{
  const struct timespec patience = { 0, PATIENCE_MS * 1000000 };
  sigset_t urgent = get_urgent ();
  guint n_came = 0;

  for (int i = 0; i < (int) faults_n_rounds; i++)
    {
      GThread *sender = g_thread_new (NULL, send_thread, &i);

      n_came += sigtimedwait (&urgent, NULL, &patience) == SIGURG;
      g_thread_join (sender);
    }
  printf ("%u came\n", n_came);
}

static void
read_file (void)
{
  sigset_t urgent = get_urgent ();
  struct pollfd file = { signalfd (-1, &urgent, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0 };
  struct signalfd_siginfo info;
  guint n_came = 0, n_vain = 0;

  for (int i = 0; i < (int) faults_n_rounds; i++)
    {
      GThread *sender = g_thread_new (NULL, send_thread, &i);

      if (poll (&file, 1, PATIENCE_MS) == 1)
        {
          if (read (file.fd, &info, sizeof info) == sizeof info)
            n_came++;
          else
            n_vain++;
        }
      g_thread_join (sender);
    }
  printf ("%u came, %u in vain\n", n_came, n_vain);
}

/* It comes while nobody waits, and stays. */
static void
find_later (void)
{
  const struct timespec at_once = { 0, 0 };
  sigset_t urgent = get_urgent ();
  guint n_came = 0;

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      kill (getpid (), SIGURG);
      g_usleep (5000);
      n_came += sigtimedwait (&urgent, NULL, &at_once) == SIGURG;
    }
  printf ("%u came\n", n_came);
}

const FaultsCase faults_calm[] = {
  { "calm-waited", wait_for }, { "calm-file", read_file }, { "calm-later", find_later }, { NULL, NULL },
};
