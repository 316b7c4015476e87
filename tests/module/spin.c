/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* As spin.py. */

#include <gio/gio.h>
#include <string.h>

static GMainLoop *loop;
static gint64 end_us;

static gboolean
poll_queue (gpointer data)
{
  if (g_get_monotonic_time () < end_us)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static gboolean
wait_for_download (gpointer data)
{
  while (g_get_monotonic_time () < end_us)
    while (g_main_context_pending (NULL))
      g_main_context_iteration (NULL, FALSE);
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

/* Most of the time, in the loop that another callback turns. */
static gboolean
fill_list (gpointer data)
{
  gint64 until_us = g_get_monotonic_time () + 4000;

  while (g_get_monotonic_time () < until_us)
    continue;
  return G_SOURCE_CONTINUE;
}

static gboolean
tick (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GFile) root = g_file_new_for_path ("/"); /* loads GIO's modules */

  loop = g_main_loop_new (NULL, FALSE);
  end_us = g_get_monotonic_time () + 2300000;
  g_timeout_add (100, tick, NULL);
  if (strcmp (argv[1], "kept") == 0)
    g_idle_add (poll_queue, NULL);
  else
    g_timeout_add (100, wait_for_download, NULL);
  if (strcmp (argv[1], "turned-busy") == 0)
    g_timeout_add (5, fill_list, NULL);
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
