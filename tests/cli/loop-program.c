/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program with GLib's main loop and no GTK. It turns for a moment, then freezes in each way of its arguments:
 * "sleep" (600 ms), "compute" (300 ms of CPU time), "hang", "compute-on" (for a minute), "die" (SIGKILL while frozen);
 * or it turns without waiting, "spin" (1200 ms of CPU time). "start=MS" as the first one freezes it before its loop.
 * Its exit status is 7, or what "exit=STATUS" says. */

#include <gio/gio.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

/* Asleep, one is a stall also where the machine stops for half a second. */
#define SLEEP_US 600000
#define STALL_US 300000
#define SPIN_US  1200000

static int n_steps;
static char **steps;
static GMainLoop *loop;
static int status = 7;
static guint sum;

/* Not static: exported, so that their names are there in any build. */
void freeze_by_sleeping  (void);
void freeze_by_computing (void);
void freeze_at_start     (gulong ms);

__attribute__ ((noinline)) void
freeze_by_sleeping (void)
{
  /* Something to do afterwards: no tail call, which would leave this function off the stack. */
  usleep (SLEEP_US);
  sum++;
}

static gint64
read_cpu_us (void)
{
  return read_clock_ns (CLOCK_THREAD_CPUTIME_ID) / 1000;
}

__attribute__ ((noinline)) void
freeze_by_computing (void)
{
  gint64 end = read_cpu_us () + STALL_US;

  while (read_cpu_us () < end)
    for (guint i = 0; i < 1000000; i++)
      sum += i * sum;
}

__attribute__ ((noinline)) void
freeze_at_start (gulong ms)
{
  usleep ((useconds_t) ms * 1000);
  sum++;
}

static gboolean
spin_cb (gpointer data)
{
  return read_cpu_us () < *(gint64 *) data;
}

static gboolean
step_cb (gpointer data)
{
  if (n_steps == 0)
    {
      g_main_loop_quit (loop);
      return G_SOURCE_REMOVE;
    }
  if (strcmp (*steps, "spin") == 0)
    {
      gint64 *end = g_new (gint64, 1);

      *end = read_cpu_us () + SPIN_US;
      g_idle_add_full (G_PRIORITY_HIGH, spin_cb, end, g_free);
    }
  else if (g_str_has_prefix (*steps, "exit="))
    status = (int) strtol (*steps + strlen ("exit="), NULL, 10);
  else if (strcmp (*steps, "compute") == 0)
    freeze_by_computing ();
  else if (strcmp (*steps, "compute-on") == 0)
    for (guint i = 0; i < 200; i++)
      freeze_by_computing ();
  else if (strcmp (*steps, "hang") == 0)
    for (guint i = 0; i < 200; i++)
      freeze_by_sleeping ();
  else
    for (guint i = 0; i < (strcmp (*steps, "die") == 0 ? 5 : 1); i++)
      freeze_by_sleeping ();
  if (strcmp (*steps, "die") == 0)
    kill (getpid (), SIGKILL);
  steps++;
  n_steps--;
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GFile) file = g_file_new_for_path ("/");

  n_steps = argc - 1;
  steps = argv + 1;
  if (n_steps > 0 && g_str_has_prefix (steps[0], "start="))
    {
      freeze_at_start (strtoul (steps[0] + strlen ("start="), NULL, 10));
      steps++;
      n_steps--;
    }
  loop = g_main_loop_new (NULL, FALSE);
  g_timeout_add (150, step_cb, NULL);
  g_main_loop_run (loop);
  return status;
}
