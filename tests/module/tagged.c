/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program that links the library and is watched from outside: it tells what it is doing to the monitor that its
 * user has asked for, if any. Prints whether there was one. */

#include <gio/gio.h>
#include <jankwatch.h>

#define STALL_US 700000

static gboolean
work_cb (gpointer data)
{
  JankMonitor *monitor = jank_monitor_get_default ();
  JankTag *tag = monitor != NULL ? jank_monitor_push_tag (monitor, "task", "exporting") : NULL;

  g_usleep (STALL_US);
  g_clear_pointer (&tag, jank_tag_unref);
  g_timeout_add_once (300, (GSourceOnceFunc) g_main_loop_quit, data);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_vfs_get_default (); /* opens GIO's modules, as a GtkApplication does */
  g_print ("{\"monitor\": %s, \"running\": %s}\n", jank_monitor_get_default () != NULL ? "true" : "false",
           jank_monitor_get_default () != NULL && jank_monitor_is_running (jank_monitor_get_default ()) ? "true"
                                                                                                       : "false");
  g_timeout_add (100, work_cb, loop);
  g_main_loop_run (loop);
  return 0;
}
