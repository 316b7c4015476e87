/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls once in a function whose name only debug information has, when it is stripped. */

#include <gio/gio.h>

static volatile guint sink;

static __attribute__ ((noinline, noclone)) void
hidden_work (gint64 until_us)
{
  while (g_get_monotonic_time () < until_us)
    for (guint i = 0; i < 1000; i++)
      sink = sink + i;
}

static gboolean
on_idle (gpointer loop)
{
  hidden_work (g_get_monotonic_time () + 600 * 1000);
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  GMainLoop *loop = g_main_loop_new (NULL, FALSE);

  g_object_unref (g_file_new_for_path ("/")); /* loads GIO's modules */
  g_timeout_add (200, on_idle, loop);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
