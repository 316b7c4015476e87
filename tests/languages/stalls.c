/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* stalls SECONDS: four functions stall a main loop, each in its own way, one after the other. Those that compute use
 * the CPU for so long, however busy the machine is; clock() counts microseconds (POSIX). */

#include <gio/gio.h>
#include <stdlib.h>
#include <time.h>

void stall_compute (gint64 length_us);
void stall_sleep   (gint64 length_us);
void stall_library (gint64 length_us);
void stall_loop    (gint64 length_us);

static gint64 length_us;
static volatile double sink = 1.0;

__attribute__ ((noinline)) void
stall_compute (gint64 us)
{
  for (clock_t until_us = clock () + us; clock () < until_us;)
    for (guint i = 0; i < 10000; i++)
      sink = sink * 1.0000001 + 0.5;
}

__attribute__ ((noinline)) void
stall_sleep (gint64 us)
{
  g_usleep ((gulong) us);
  sink += 1.0;
}

static int
compare (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

__attribute__ ((noinline)) void
stall_library (gint64 us)
{
  static int numbers[20000];

  for (clock_t until_us = clock () + us; clock () < until_us;)
    {
      for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
        numbers[i] = rand ();
      qsort (numbers, G_N_ELEMENTS (numbers), sizeof *numbers, compare);
    }
}

static gboolean
quit_cb (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

/* A loop of its own, in which the watched one stands still: what most functions that end in _sync do. */
__attribute__ ((noinline)) void
stall_loop (gint64 us)
{
  GMainContext *context = g_main_context_new ();
  GMainLoop *own = g_main_loop_new (context, FALSE);
  GSource *source = g_timeout_source_new ((guint) (us / 1000));

  g_source_set_callback (source, quit_cb, own, NULL);
  g_source_attach (source, context);
  g_main_loop_run (own);
  g_source_unref (source);
  g_main_loop_unref (own);
  g_main_context_unref (context);
}

static gboolean
turn_cb (gpointer loop)
{
  static guint n;

  if (n == 0)
    stall_compute (length_us);
  else if (n == 1)
    stall_sleep (length_us);
  else if (n == 2)
    stall_library (length_us);
  else if (n == 3)
    stall_loop (length_us);
  else
    g_main_loop_quit (loop);
  n++;
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);

  length_us = (gint64) (g_ascii_strtod (argv[1], NULL) * G_USEC_PER_SEC);
  /* Loads GIO's modules. */
  g_vfs_get_default ();
  g_timeout_add (100, turn_cb, loop);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
