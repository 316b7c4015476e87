/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Blocking calls that a handler or another thread may make, and whether each gave what it gives unwatched.
 *
 * staller waits: each inside a stall of its own. staller other-waits: all at once, each on a thread of its own while
 * the main thread stalls, beside threads that enter and leave short ones all the time. */

#include "staller.h"

#include <errno.h>

#include "calls.h"

/* Computing before each call, so that the stall is already being looked at when the thread blocks. */
#define LEAD_NS (100 * NS_PER_MS)
#define WAIT_NS (200 * NS_PER_MS)
#define STALL_NS (350 * NS_PER_MS)
#define REST_MS 100
#define N_SHORT 3
#define SHORT_NS (50 * 1000)

typedef struct
{
  const Call *call;
  gboolean right;
  CallResult result;
  gint64 began_ns, ended_ns; /* of the stall */
} Wait;

typedef struct
{
  guint n_calls, n_wrong;
  gboolean over; /* (atomic) */
} ShortWaits;

/* Those that last: a call that gives something at once is in no stall. */
static GArray *
list_waits (void)
{
  GArray *waits = g_array_new (FALSE, TRUE, sizeof (Wait));

  for (guint i = 0; i < n_calls; i++)
    if (calls[i].waits)
      g_array_append_vals (waits, &(Wait) { .call = &calls[i] }, 1);
  return waits;
}

static void
wait_cb (gpointer data)
{
  Wait *wait = (*(Wait **) data)++;

  wait->began_ns = now_ns ();
  stall_compute (LEAD_NS);
  wait->right = call_make (wait->call, &wait->result);
  stall_compute (wait->began_ns + STALL_NS - now_ns ());
  wait->ended_ns = now_ns ();
}

static void
append_results (GString *line, const GArray *waits)
{
  for (guint i = 0; i < waits->len; i++)
    {
      const Wait *wait = &g_array_index (waits, Wait, i);

      g_string_append_printf (line, "%s{\"name\": \"%s\", \"right\": %s, \"result\": %ld, \"errno\": %d",
                              line->str[line->len - 1] == '[' ? "" : ", ", wait->call->name, wait->right ? "true"
                              : "false",
                              wait->result.value, wait->result.error);
      g_string_append_printf (line, ", \"began_monotonic_ns\": %" G_GINT64_FORMAT
                              ", \"ended_monotonic_ns\": %" G_GINT64_FORMAT "}", wait->began_ns, wait->ended_ns);
    }
}

int
command_waits (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new ("{\"command\": \"waits\", \"calls\": [");
  g_autoptr (GArray) waits = list_waits ();
  Wait *next = &g_array_index (waits, Wait, 0);

  calls_open (WAIT_NS);
  staller_run_times (wait_cb, &next, waits->len, REST_MS);
  calls_close ();
  append_results (line, waits);
  staller_print ("%s]}", line->str);
  return 0;
}

/* Thread of one call. */
static gpointer
other_thread (gpointer data)
{
  Wait *wait = data;

  wait->right = call_make (wait->call, &wait->result);
  return NULL;
}

/* Each sleep has to return 0, and not before its time. */
static gpointer
short_thread (gpointer data)
{
  ShortWaits *waits = data;
  struct timespec time = timespec_from_ns (SHORT_NS);

  while (!g_atomic_int_get (&waits->over))
    {
      gint64 began_ns = now_ns ();
      gboolean right = nanosleep (&time, NULL) == 0 && now_ns () - began_ns >= SHORT_NS;

      waits->n_calls++;
      waits->n_wrong += !right;
    }
  return NULL;
}

static void
round_cb (gpointer data)
{
  GArray *waits = data;
  g_autofree GThread **threads = g_new (GThread *, waits->len);
  struct timespec until = timespec_from_ns (now_ns () + STALL_NS);

  for (guint i = 0; i < waits->len; i++)
    threads[i] = g_thread_new ("other", other_thread, &g_array_index (waits, Wait, i));
  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
    continue;
  for (guint i = 0; i < waits->len; i++)
    g_thread_join (threads[i]);
}

int
command_other_waits (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new ("{\"command\": \"other-waits\", \"calls\": [");
  g_autoptr (GArray) waits = list_waits ();
  ShortWaits shorts[N_SHORT] = { 0 };
  GThread *threads[N_SHORT];
  guint n_short = 0, n_wrong = 0;

  calls_open (WAIT_NS);
  for (int i = 0; i < N_SHORT; i++)
    threads[i] = g_thread_new ("short", short_thread, &shorts[i]);
  for (gint64 left = staller_arg (args, 0, 20); left > 0; left--)
    {
      staller_run_times (round_cb, waits, 1, REST_MS);
      append_results (line, waits);
    }
  for (int i = 0; i < N_SHORT; i++)
    {
      g_atomic_int_set (&shorts[i].over, TRUE);
      g_thread_join (threads[i]);
      n_short += shorts[i].n_calls;
      n_wrong += shorts[i].n_wrong;
    }
  calls_close ();
  staller_print ("%s], \"short_calls\": %u, \"short_wrong\": %u}", line->str, n_short, n_wrong);
  return 0;
}
