/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A jank monitor as they are usually written, to be measured beside ours: preloaded into a program, a thread pings the
 * main loop and every 50 ms sends SIGUSR1 to the main thread, whose handler calls backtrace(). When a ping stays
 * unanswered for 100 ms that is a stall; at its end the last 20 stacks are searched for the function that is most
 * often innermost outside the C library. Prints to PLAIN_WATCHER_OUT one JSON object per stall, and one about itself. */

#include "config.h"

#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <glib.h>

#include "base/jank-clock-private.h"

#define PERIOD_US    50000
#define THRESHOLD_NS (100 * JANK_NS_PER_MS)
#define N_STACKS     20
#define MAX_FRAMES   64
#define MAX_HANDLERS 65536

typedef struct
{
  void *frames[MAX_FRAMES];
  int   n_frames;
} Stack;

static pthread_t main_thread;
static Stack stacks[N_STACKS];
static _Atomic guint n_taken;
static gint64 entered_ns[MAX_HANDLERS];
static _Atomic gint64 answered_ns;
static FILE *out;

static void
handle (int signal)
{
  gint64 now_ns = jank_clock_now_ns ();
  guint at = atomic_load (&n_taken);
  Stack *stack = &stacks[at % N_STACKS];

  stack->n_frames = backtrace (stack->frames, MAX_FRAMES);
  if (at < MAX_HANDLERS)
    entered_ns[at] = now_ns;
  atomic_store (&n_taken, at + 1);
}

static gboolean
answer_cb (gpointer data)
{
  atomic_store (&answered_ns, jank_clock_now_ns ());
  return G_SOURCE_REMOVE;
}

static void
print_stacks (gint64 began_ns, gint64 ended_ns)
{
  guint n = MIN (atomic_load (&n_taken), N_STACKS);

  fprintf (out, "{\"began_ns\": %ld, \"ended_ns\": %ld, \"stacks\": [", (long) began_ns, (long) ended_ns);
  for (guint i = 0; i < n; i++)
    {
      fprintf (out, "%s[", i > 0 ? ", " : "");
      for (int j = 0; j < stacks[i].n_frames; j++)
        fprintf (out, "%s%lu", j > 0 ? ", " : "", (unsigned long) stacks[i].frames[j]);
      fprintf (out, "]");
    }
  fprintf (out, "]}\n");
  fflush (out);
}

static gpointer
watch (gpointer data)
{
  gint64 sent_ns = 0;

  for (;;)
    {
      gint64 answer_ns = atomic_load (&answered_ns);

      if (sent_ns == 0 || answer_ns >= sent_ns)
        {
          if (sent_ns != 0 && answer_ns - sent_ns >= THRESHOLD_NS)
            print_stacks (sent_ns, answer_ns);
          sent_ns = jank_clock_now_ns ();
          g_idle_add_full (G_PRIORITY_DEFAULT, answer_cb, NULL, NULL);
        }
      pthread_kill (main_thread, SIGUSR1);
      g_usleep (PERIOD_US);
    }
  return NULL;
}

static void __attribute__ ((constructor))
start (void)
{
  struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
  const char *path = g_getenv ("PLAIN_WATCHER_OUT");
  void *frame;

  if (path == NULL || (out = fopen (path, "w")) == NULL)
    return;
  backtrace (&frame, 1); /* loads libgcc now, not in the handler */
  main_thread = pthread_self ();
  sigaction (SIGUSR1, &action, NULL);
  g_thread_unref (g_thread_new ("plain-watcher", watch, NULL));
}

static void __attribute__ ((destructor))
stop (void)
{
  guint n = MIN (atomic_load (&n_taken), MAX_HANDLERS);

  if (out == NULL)
    return;
  fprintf (out, "{\"entered_ns\": [");
  for (guint i = 0; i < n; i++)
    fprintf (out, "%s%ld", i > 0 ? ", " : "", (long) entered_ns[i]);
  fprintf (out, "]}\n");
  fclose (out);
}
