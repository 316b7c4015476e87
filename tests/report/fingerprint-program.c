/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls twice, in two functions. Built with MOVED, all that follows is at other places in the file. */

#include <time.h>
#include <gio/gio.h>

#define EXPORTED __attribute__ ((visibility ("default"), noinline))

EXPORTED double first_culprit  (gint64 length_ms);
EXPORTED double second_culprit (gint64 length_ms);

static volatile double sink = 1.0;

/* Of CPU time: on a busy machine a thread may have none for seconds, and show no stack. */
static inline gint64
read_cpu_us (void)
{
  struct timespec cpu;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &cpu);
  return cpu.tv_sec * G_USEC_PER_SEC + cpu.tv_nsec / 1000;
}

#ifdef MOVED
EXPORTED double added_function (double x);

EXPORTED double
added_function (double x)
{
  for (int i = 0; i < 100; i++)
    x = x * 1.000001 + sink;
  return x;
}
#endif

EXPORTED double
first_culprit (gint64 length_ms)
{
  gint64 end_us = read_cpu_us () + length_ms * 1000;
  double x = sink;

#ifdef MOVED
  x = added_function (x);
#endif
  while (read_cpu_us () < end_us)
    for (int i = 0; i < 100000; i++)
      x = x * 1.0000001 + 0.5;
  return sink = x;
}

EXPORTED double
second_culprit (gint64 length_ms)
{
  gint64 end_us = read_cpu_us () + length_ms * 1000;
  double x = sink;

  while (read_cpu_us () < end_us)
    for (int i = 0; i < 100000; i++)
      x = x * 0.9999999 + 0.25;
  return sink = x;
}

static gboolean
stall_cb (gpointer data)
{
  static guint n;

  if (n == 0)
    first_culprit (300);
  else if (n == 1)
    second_culprit (300);
  else
    g_main_loop_quit (data);
  n++;
  return G_SOURCE_CONTINUE;
}

int
main (void)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);

  /* Loads GIO's modules, and jankwatch with them. */
  g_vfs_get_default ();
  g_timeout_add (150, stall_cb, loop);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
