/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* secure-stall: a GLib program that stalls once. GIO keeps its modules from the virtual file system of a setuid
 * program, but not from its proxy resolver, so it is that which makes them load. Not linked with jankwatch. */

#include <gio/gio.h>

#define STALL_US (700 * 1000)
#define REST_MS 250

static gboolean
stall_cb (gpointer data)
{
  g_usleep (STALL_US);
  g_timeout_add_once (REST_MS, (GSourceOnceFunc) g_main_loop_quit, data);
  return G_SOURCE_REMOVE;
}

int
main (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_proxy_resolver_get_default ();
  g_timeout_add (REST_MS, stall_cb, loop);
  g_main_loop_run (loop);
  return 0;
}
