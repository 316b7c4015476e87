/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* staller other-waits: every blocking call on a thread of its own while the main thread stalls, beside threads that
 * enter and leave short ones all the time. Whoever looks at all threads meets each of them in its call. */

#include "staller-wait.h"

#include <errno.h>
#include <time.h>

#define LEAD_NS (30 * NS_PER_MS)
#define WAIT_NS (300 * NS_PER_MS)
#define STALL_NS (380 * NS_PER_MS)
#define REST_MS 150
#define N_SHORT 3
#define SHORT_NS (50 * 1000)

typedef struct
{
  const WaitCall *call;
  Wait wait;
} OtherWait;

typedef struct
{
  guint n_calls, n_wrong;
  gboolean over; /* (atomic) */
} ShortWaits;

static void
add_calls (GArray *others, const WaitCall *calls, guint n_calls)
{
  for (guint i = 0; i < n_calls; i++)
    {
      OtherWait other = { .call = &calls[i] };

      g_array_append_val (others, other);
    }
}

/* Thread of one call. */
static gpointer
other_thread (gpointer data)
{
  OtherWait *other = data;
  Wait *wait = &other->wait;
  struct timespec call_at;

  wait->began_ns = now_ns ();
  wait->call_at_ns = wait->began_ns + LEAD_NS;
  wait->wait_ns = WAIT_NS;
  if (other->call->open != NULL)
    other->call->open (wait);
  call_at = timespec_from_ns (wait->call_at_ns);
  clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &call_at, NULL);

  wait->call_began_ns = now_ns ();
  errno = 0;
  wait->result = other->call->call (wait);
  wait->error = wait->result == -1 ? errno : 0;
  wait->ended_ns = now_ns ();
  wait->elapsed_ns = wait->ended_ns - wait->call_began_ns;
  if (other->call->close != NULL)
    other->call->close (wait);
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
sleep_cb (gpointer data)
{
  gint64 until_ns = now_ns () + STALL_NS;

  while (now_ns () < until_ns)
    {
      struct timespec time = timespec_from_ns (until_ns - now_ns ());

      nanosleep (&time, NULL);
    }
}

static void
round_cb (gpointer data)
{
  GArray *others = data;
  g_autofree GThread **threads = g_new (GThread *, others->len);

  for (guint i = 0; i < others->len; i++)
    threads[i] = g_thread_new ("other", other_thread, &g_array_index (others, OtherWait, i));
  sleep_cb (NULL);
  for (guint i = 0; i < others->len; i++)
    g_thread_join (threads[i]);
}

static void
run_round (GString *line)
{
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (OtherWait));

  add_calls (others, wait_calls_timed, n_wait_calls_timed);
  add_calls (others, wait_calls_socket, n_wait_calls_socket);
  add_calls (others, wait_calls_helped, n_wait_calls_helped);
  staller_run_times (round_cb, others, 1, REST_MS);
  for (guint i = 0; i < others->len; i++)
    wait_append_result (line, g_array_index (others, OtherWait, i).call, &g_array_index (others, OtherWait, i).wait);
}

int
command_other_waits (const StallerArgs *args)
{
  g_autoptr (GString) line = g_string_new ("{\"command\": \"other-waits\", \"calls\": [");
  ShortWaits shorts[N_SHORT] = { 0 };
  GThread *threads[N_SHORT];
  guint n_calls = 0, n_wrong = 0;

  for (int i = 0; i < N_SHORT; i++)
    threads[i] = g_thread_new ("short", short_thread, &shorts[i]);
  for (gint64 left = staller_arg (args, 0, 20); left > 0; left--)
    run_round (line);
  for (int i = 0; i < N_SHORT; i++)
    {
      g_atomic_int_set (&shorts[i].over, TRUE);
      g_thread_join (threads[i]);
      n_calls += shorts[i].n_calls;
      n_wrong += shorts[i].n_wrong;
    }
  staller_print ("%s], \"short_calls\": %u, \"short_wrong\": %u}", line->str, n_calls, n_wrong);
  return 0;
}
