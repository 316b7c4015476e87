/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller own-signals: a program that itself lives on signals: handlers of real-time signals, a profiling timer, a
 * signalfd. It counts what was sent and what came, and what came although it was not sent. */

#include "staller.h"

#include <errno.h>
#include <glib-unix.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#define N_LOW 8  /* from SIGRTMIN upward, handled */
#define N_FD 4   /* after those, read from the signalfd */
#define N_HIGH 2 /* from SIGRTMAX downward, handled: the first that a watcher would try */
#define N_SIGNALS (N_LOW + N_HIGH + N_FD)
#define SEND_EVERY_US 2000
#define STALL_NS (200 * NS_PER_MS)

/* How many of each signal. The handlers may run on any thread. */
static atomic_uint n_sent[N_SIGNALS];
static atomic_uint n_received[N_SIGNALS];
static atomic_uint n_foreign;
static atomic_uint n_profile_ticks;

static atomic_bool sender_must_end;
static int fd_of_signals = -1;

static int
nth_signal (int index)
{
  return index < N_LOW + N_FD ? SIGRTMIN + index : SIGRTMAX - (index - N_LOW - N_FD);
}

static void
count_signal (int signal_number, int code)
{
  for (int i = 0; i < N_SIGNALS; i++)
    {
      if (nth_signal (i) == signal_number && code == SI_QUEUE)
        {
          atomic_fetch_add_explicit (&n_received[i], 1, memory_order_relaxed);
          return;
        }
    }
  atomic_fetch_add_explicit (&n_foreign, 1, memory_order_relaxed);
}

static void
handle_signal (int signal_number, siginfo_t *info, void *context)
{
  if (signal_number == SIGPROF)
    atomic_fetch_add_explicit (&n_profile_ticks, 1, memory_order_relaxed);
  else
    count_signal (signal_number, info->si_code);
}

static void
install_handlers (void)
{
  struct sigaction action = { .sa_sigaction = handle_signal, .sa_flags = SA_SIGINFO | SA_RESTART };

  for (int i = 0; i < N_SIGNALS; i++)
    {
      if (i < N_LOW || i >= N_LOW + N_FD)
        sigaction (nth_signal (i), &action, NULL);
    }
  sigaction (SIGPROF, &action, NULL);
}

static gboolean
is_late (const StallerArgs *args)
{
  return args->n_args > 0 && strcmp (args->args[0], "late") == 0;
}

/* Blocked before any other thread exists, or that thread would be killed by them. */
void
own_signals_prepare (const StallerArgs *args)
{
  sigset_t set;

  sigemptyset (&set);
  for (int i = N_LOW; i < N_LOW + N_FD; i++)
    sigaddset (&set, nth_signal (i));
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  fd_of_signals = signalfd (-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);

  if (!is_late (args))
    install_handlers ();
}

/* Sender thread; it takes none of the signals itself. */
static gpointer
sender_thread (gpointer data)
{
  sigset_t all;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, NULL);
  while (!atomic_load_explicit (&sender_must_end, memory_order_relaxed))
    {
      for (int i = 0; i < N_SIGNALS; i++)
        {
          if (sigqueue (getpid (), nth_signal (i), (union sigval) { .sival_int = i }) == 0)
            atomic_fetch_add_explicit (&n_sent[i], 1, memory_order_relaxed);
        }
      g_usleep (SEND_EVERY_US);
    }
  return NULL;
}

static gboolean
read_signals_cb (int fd, GIOCondition condition, gpointer data)
{
  struct signalfd_siginfo info;

  while (read (fd, &info, sizeof info) == sizeof info)
    count_signal ((int) info.ssi_signo, info.ssi_code);
  return G_SOURCE_CONTINUE;
}

static void
stall_cb (gpointer data)
{
  stall_compute (STALL_NS);
}

static void
append_counts (GString *line, const char *name, atomic_uint *counts)
{
  g_string_append_printf (line, ", \"%s\": [", name);
  for (int i = 0; i < N_SIGNALS; i++)
    g_string_append_printf (line, "%s%u", i == 0 ? "" : ", ", atomic_load (&counts[i]));
  g_string_append_c (line, ']');
}

int
command_own_signals (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new ("{\"command\": \"own-signals\"");
  struct itimerval timer = { { 0, 10000 }, { 0, 10000 } };
  struct itimerval off = { 0 };
  gint64 n_stalls = MAX (staller_arg (args, 1, 3) * 4, 1);
  GThread *sender;
  guint n_lost = 0;

  if (is_late (args))
    install_handlers ();
  g_unix_fd_add (fd_of_signals, G_IO_IN, read_signals_cb, NULL);
  setitimer (ITIMER_PROF, &timer, NULL);
  sender = g_thread_new ("sender", sender_thread, NULL);

  staller_run_times (stall_cb, NULL, (guint) n_stalls, 50);

  atomic_store_explicit (&sender_must_end, true, memory_order_relaxed);
  g_thread_join (sender);
  setitimer (ITIMER_PROF, &off, NULL);
  read_signals_cb (fd_of_signals, G_IO_IN, NULL);

  for (int i = 0; i < N_SIGNALS; i++)
    n_lost += atomic_load (&n_sent[i]) - atomic_load (&n_received[i]);
  append_counts (line, "sent", n_sent);
  append_counts (line, "received", n_received);
  staller_print ("%s, \"lost\": %u, \"foreign\": %u, \"profile_ticks\": %u, \"cpu_ns\": %" G_GINT64_FORMAT "}",
                 line->str, n_lost, atomic_load (&n_foreign), atomic_load (&n_profile_ticks),
                 read_clock_ns (CLOCK_PROCESS_CPUTIME_ID));
  return n_lost > 0 || atomic_load (&n_foreign) > 0 ? 1 : 0;
}
