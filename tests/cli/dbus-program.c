/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waits in its loop for a slow service: dbus-program call|property|proxy */

#include <gio/gio.h>
#include <string.h>

#define NAME "org.jankwatch.Slow"
#define PATH "/org/jankwatch/Slow"
#define INTERFACE "org.jankwatch.Slow.Printers"

static GDBusConnection *bus;
static const char *kind;

static void
call (const char *interface, const char *method, GVariant *arguments)
{
  g_autoptr (GVariant) answer =
    g_dbus_connection_call_sync (bus, NAME, PATH, interface, method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                                 NULL);
}

static gboolean
quit_cb (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

static gboolean
wait_for_bus_cb (gpointer loop)
{
  g_autoptr (GDBusProxy) proxy = NULL;

  if (strcmp (kind, "call") == 0)
    call (INTERFACE, "ListAll", NULL);
  else if (strcmp (kind, "property") == 0)
    call ("org.freedesktop.DBus.Properties", "Get", g_variant_new ("(ss)", INTERFACE, "Level"));
  else
    proxy = g_dbus_proxy_new_sync (bus, G_DBUS_PROXY_FLAGS_NONE, NULL, NAME, PATH, INTERFACE, NULL, NULL);
  g_timeout_add (50, quit_cb, loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  g_assert (argc == 2);
  kind = argv[1];
  bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_assert (bus != NULL);
  g_timeout_add (50, wait_for_bus_cb, loop);
  g_main_loop_run (loop);
  g_object_unref (bus);
  return 0;
}
