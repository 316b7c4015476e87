/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* SIGURG belongs to the program, too: from all senders, in all the ways in which it may be taken. */

#include "faults.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <netinet/in.h>

#define PATIENCE_US 200000

static _Atomic guint n_seen, n_foreign;
static pthread_t loop_thread;

static void
count_cb (int number)
{
  n_seen++;
}

/* Only what was sent here arrives here. */
static void
count_info_cb (int number, siginfo_t *info, void *context)
{
  n_seen++;
  n_foreign += info->si_code == SI_TIMER || (info->si_code == SI_QUEUE && info->si_value.sival_int != 4711);
}

static int
connect_self (int *ret_other)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int listener = socket (AF_INET, SOCK_STREAM, 0), one = socket (AF_INET, SOCK_STREAM, 0);

  bind (listener, (struct sockaddr *) &address, size);
  listen (listener, 1);
  getsockname (listener, (struct sockaddr *) &address, &size);
  connect (one, (struct sockaddr *) &address, size);
  *ret_other = accept (listener, NULL, NULL);
  fcntl (*ret_other, F_SETOWN, getpid ());
  close (listener);
  return one;
}

static void
send_one (guint kind, int sender)
{
  switch (kind)
    {
    case 0: kill (getpid (), SIGURG); break;
    case 1: pthread_kill (loop_thread, SIGURG); break;
    case 2: sigqueue (getpid (), SIGURG, (union sigval) { .sival_int = 4711 }); break;
    default: send (sender, "!", 1, MSG_OOB); break;
    }
}

static gboolean
await_one (guint before)
{
  for (guint waited_us = 0; n_seen == before && waited_us < PATIENCE_US; waited_us += 100)
    g_usleep (100);
  return n_seen != before;
}

/* One after the other, as signals that wait are merged. The kernel merges the one to the loop's thread with our
 * timer's, too, if that waits there: so it is sent again. */
static void
send_all (gboolean is_handled)
{
  int receiver, sender = connect_self (&receiver);

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      guint before = n_seen;
      char byte;

      send_one (i % 4, sender);
      if (is_handled && !await_one (before) && i % 4 == 1)
        {
          send_one (1, sender);
          await_one (before);
        }
      while (recv (receiver, &byte, 1, MSG_OOB | MSG_DONTWAIT) == 1)
        ;
      g_usleep (1000);
    }
  close (sender);
  close (receiver);
}

static void
set_handler (void (*handler) (int))
{
  const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

  sigaction (SIGURG, &action, NULL);
}

static void
set_info_handler (void)
{
  const struct sigaction action = { .sa_sigaction = count_info_cb, .sa_flags = SA_SIGINFO | SA_RESTART };

  sigaction (SIGURG, &action, NULL);
}

/* Of this thread, and all that it starts. */
static sigset_t
block (void)
{
  sigset_t urgent;

  sigemptyset (&urgent);
  sigaddset (&urgent, SIGURG);
  pthread_sigmask (SIG_BLOCK, &urgent, NULL);
  return urgent;
}

/* Before anybody watches: what the program has set up for SIGURG. */
void
faults_signal_before (const char *name)
{
  loop_thread = pthread_self ();
  if (strcmp (name, "urgent-own") == 0)
    set_handler (count_cb);
  else if (strcmp (name, "urgent-info") == 0)
    set_info_handler ();
  else if (strcmp (name, "urgent-ignored") == 0)
    set_handler (SIG_IGN);
  else if (strcmp (name, "urgent-blocked") == 0 ||
           strcmp (name, "urgent-waited") == 0 || strcmp (name, "urgent-file") == 0)
    block ();
}

static void
handled (void)
{
  send_all (TRUE);
  printf ("%u seen, %u foreign\n", n_seen, n_foreign);
}

static void
unhandled (void)
{
  send_all (FALSE);
  faults_await_stalls (2);
  printf ("%u seen\n", n_seen);
}

/* Set while samples are taken. */
static void
late (void)
{
  set_info_handler ();
  g_usleep (20000);
  n_seen = n_foreign = 0;
  handled ();
}

static void
stay_pending (void)
{
  sigset_t pending;

  send_all (FALSE);
  faults_await_stalls (2);
  sigpending (&pending);
  printf ("pending: %d, %u seen\n", sigismember (&pending, SIGURG), n_seen);
}

static void
wait_for (void)
{
  sigset_t urgent = block ();
  const struct timespec patience = { 1, 0 }, at_once = { 0 };
  guint n_came = 0, n_wrong = 0;
  siginfo_t info;

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      kill (getpid (), SIGURG);
      n_came += sigtimedwait (&urgent, &info, &patience) == SIGURG;
      n_wrong += info.si_code != SI_USER || info.si_pid != getpid ();
      g_usleep (1000);
    }
  printf ("%u came, %u wrong, then %d\n", n_came, n_wrong, sigtimedwait (&urgent, NULL, &at_once));
}

static void
read_file (void)
{
  sigset_t urgent = block ();
  int file = signalfd (-1, &urgent, SFD_CLOEXEC);
  guint n_came = 0, n_wrong = 0;
  struct signalfd_siginfo info;

  for (guint i = 0; i < faults_n_rounds; i++)
    {
      kill (getpid (), SIGURG);
      n_came += read (file, &info, sizeof info) == sizeof info;
      n_wrong += info.ssi_signo != SIGURG || info.ssi_code != SI_USER;
      g_usleep (1000);
    }
  close (file);
  printf ("%u came, %u wrong\n", n_came, n_wrong);
}

const FaultsCase faults_signals[] = {
  { "urgent-none", unhandled }, { "urgent-ignored", unhandled }, { "urgent-own", handled }, { "urgent-info", handled },
  { "urgent-late", late }, { "urgent-blocked", stay_pending }, { "urgent-waited", wait_for },
  { "urgent-file", read_file },
  { NULL, NULL },
};
