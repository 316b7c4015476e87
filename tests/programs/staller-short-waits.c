/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller short-waits: computing for microseconds and blocking for microseconds in turns, within one handler. A watcher
 * that signals a thread which has just begun to block ends its call early: every such return is counted. */

#include "staller-wait.h"

#include <errno.h>
#include <string.h>

#define SHORT_NS (50 * INT64_C (1000))

/* A call of staller-wait.h, again and again. */
typedef struct
{
  const char *name;
  gint64 wait_ns;
  long result; /* what it must return */
  int error;   /* and errno, where the result is -1 */
  gint64 shortest_ns; /* that it must take; 0: the kernel counts in coarser ticks */

  const WaitCall *call;
  Wait wait;
  guint64 n_calls, n_unexpected, n_interrupted, n_early;
  gint64 longest_ns;
} ShortWait;

typedef struct
{
  gint64 duration_ns;
  gint64 began_ns, ended_ns;
} ShortWaits;

static ShortWait short_waits[] = {
  { "usleep", SHORT_NS, 0, 0, SHORT_NS },
  { "nanosleep", SHORT_NS, 0, 0, SHORT_NS },
  { "clock_nanosleep", SHORT_NS, 0, 0, SHORT_NS },
  { "poll", 0, 0, 0, 0 },
  { "poll", NS_PER_MS, 0, 0, NS_PER_MS },
  { "ppoll", SHORT_NS, 0, 0, SHORT_NS },
  { "select", SHORT_NS, 0, 0, SHORT_NS },
  { "epoll_wait", NS_PER_MS, 0, 0, NS_PER_MS },
  { "sem_timedwait", SHORT_NS, -1, ETIMEDOUT, SHORT_NS },
  { "pthread_cond_timedwait", SHORT_NS, ETIMEDOUT, 0, SHORT_NS },
  { "sigtimedwait", SHORT_NS, -1, EAGAIN, SHORT_NS },
  { "recv", NS_PER_MS, -1, EAGAIN, 0 },
};

static const WaitCall *
find_call (const char *name)
{
  for (guint i = 0; i < n_wait_calls_timed; i++)
    if (strcmp (wait_calls_timed[i].name, name) == 0)
      return &wait_calls_timed[i];
  for (guint i = 0; i < n_wait_calls_socket; i++)
    if (strcmp (wait_calls_socket[i].name, name) == 0)
      return &wait_calls_socket[i];
  g_assert_not_reached ();
}

static void
short_wait_once (ShortWait *short_wait)
{
  gint64 began_ns = now_ns ();
  gint64 elapsed_ns;
  long result;
  int error;

  errno = 0;
  result = short_wait->call->call (&short_wait->wait);
  error = result == -1 ? errno : 0;
  elapsed_ns = now_ns () - began_ns;

  short_wait->n_calls++;
  short_wait->n_unexpected += result != short_wait->result || error != short_wait->error;
  short_wait->n_interrupted += error == EINTR || result == EINTR;
  short_wait->n_early += elapsed_ns < short_wait->shortest_ns;
  short_wait->longest_ns = MAX (short_wait->longest_ns, elapsed_ns);
}

static void
short_waits_cb (gpointer data)
{
  ShortWaits *waits = data;
  guint turn = 0;

  waits->began_ns = now_ns ();
  while (now_ns () - waits->began_ns < waits->duration_ns)
    {
      short_wait_once (&short_waits[turn % G_N_ELEMENTS (short_waits)]);
      stall_compute (1000 * (1 + turn % 17));
      turn++;
    }
  waits->ended_ns = now_ns ();
}

static void
append_short_wait (GString *line, const ShortWait *wait)
{
  g_string_append_printf (line, "%s{\"name\": \"%s\", \"calls\": %" G_GUINT64_FORMAT
                          ", \"unexpected\": %" G_GUINT64_FORMAT ", \"interrupted\": %" G_GUINT64_FORMAT
                          ", \"early\": %" G_GUINT64_FORMAT ", \"longest_ns\": %" G_GINT64_FORMAT "}",
                          wait == short_waits ? "" : ", ", wait->name, wait->n_calls, wait->n_unexpected,
                          wait->n_interrupted, wait->n_early, wait->longest_ns);
}

int
command_short_waits (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new (NULL);
  ShortWaits waits = { .duration_ns = staller_arg (args, 0, 5) * NS_PER_S };
  guint64 n_unexpected = 0;

  for (guint i = 0; i < G_N_ELEMENTS (short_waits); i++)
    {
      short_waits[i].call = find_call (short_waits[i].name);
      short_waits[i].wait.wait_ns = short_waits[i].wait_ns;
      if (short_waits[i].call->open != NULL)
        short_waits[i].call->open (&short_waits[i].wait);
    }

  staller_run (short_waits_cb, &waits);

  for (guint i = 0; i < G_N_ELEMENTS (short_waits); i++)
    {
      append_short_wait (line, &short_waits[i]);
      n_unexpected += short_waits[i].n_unexpected + short_waits[i].n_early;
    }
  staller_print ("{\"command\": \"short-waits\", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                 ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT ", \"unexpected\": %" G_GUINT64_FORMAT
                 ", \"calls\": [%s]}",
                 waits.began_ns, waits.ended_ns, n_unexpected, line->str);
  return 0;
}
