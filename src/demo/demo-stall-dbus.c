/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stall of a synchronous D-Bus call. The slow service is ours: it runs on a thread of this process and is
 * reached peer to peer, so the demo needs no message bus. */

#include "demo.h"

#include <gio/gio.h>
#include <glib/gi18n.h>

#define SLOW_PATH "/org/jankwatch/Demo/Slow"
#define SLOW_INTERFACE "org.jankwatch.Demo.Slow"

static const char slow_xml[] =
  "<node><interface name='" SLOW_INTERFACE "'>"
  "<method name='Wait'><arg name='milliseconds' type='u' direction='in'/></method>"
  "</interface></node>";

/* Main thread only. NULL when the service could not be started. */
static GDBusConnection *client;

/* Service thread. */
static void
slow_method_call_cb (GDBusConnection *connection, const char *sender, const char *object_path,
                     const char *interface_name, const char *method_name, GVariant *parameters,
                     GDBusMethodInvocation *invocation, gpointer data)
{
  guint wait_ms;

  g_variant_get (parameters, "(u)", &wait_ms);
  g_usleep ((gulong) wait_ms * 1000);
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static gboolean
slow_new_connection_cb (GDBusServer *server, GDBusConnection *connection, gpointer data)
{
  static const GDBusInterfaceVTable vtable = { .method_call = slow_method_call_cb };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (slow_xml, NULL);

  g_dbus_connection_register_object (connection, SLOW_PATH, node->interfaces[0], &vtable, NULL, NULL, NULL);
  /* Lives as long as the program. */
  g_object_ref (connection);
  return TRUE;
}

static GDBusServer *
slow_server_new (GError **error)
{
  g_autofree char *folder = g_dbus_address_escape_value (g_get_tmp_dir ());
  g_autofree char *address = g_strconcat ("unix:tmpdir=", folder, NULL);
  g_autofree char *guid = g_dbus_generate_guid ();

  return g_dbus_server_new_sync (address, G_DBUS_SERVER_FLAGS_AUTHENTICATION_REQUIRE_SAME_USER, guid,
                                 NULL, NULL, error);
}

/* Sends back the server's address, or an empty one when there is none. */
static gpointer
slow_service_thread (gpointer data)
{
  GAsyncQueue *answer = data;
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (context, FALSE);
  g_autoptr (GDBusServer) server = NULL;
  g_autoptr (GError) error = NULL;

  g_main_context_push_thread_default (context);
  server = slow_server_new (&error);
  if (server == NULL)
    {
      g_printerr (_("Cannot start the slow D-Bus service: %s\n"), error->message);
      g_async_queue_push (answer, g_strdup (""));
      return NULL;
    }
  g_signal_connect (server, "new-connection", G_CALLBACK (slow_new_connection_cb), NULL);
  g_dbus_server_start (server);
  g_async_queue_push (answer, g_strdup (g_dbus_server_get_client_address (server)));
  g_main_loop_run (loop);
  return NULL;
}

void
demo_dbus_start (void)
{
  g_autoptr (GAsyncQueue) answer = g_async_queue_new ();
  g_autoptr (GThread) service = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *address = NULL;

  service = g_thread_new ("slow-service", slow_service_thread, g_async_queue_ref (answer));
  address = g_async_queue_pop (answer);
  if (*address == '\0')
    return;
  client = g_dbus_connection_new_for_address_sync (address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT,
                                                   NULL, NULL, &error);
  if (client == NULL)
    g_printerr (_("Cannot connect to the slow D-Bus service at ‘%s’: %s\n"), address, error->message);
}

G_NO_INLINE void
stall_dbus (int64_t duration_ns)
{
  guint wait_ms = (guint) (duration_ns / 1000000);
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;

  if (client == NULL)
    return;
  answer = g_dbus_connection_call_sync (client, NULL, SLOW_PATH, SLOW_INTERFACE, "Wait",
                                        g_variant_new ("(u)", wait_ms), NULL, G_DBUS_CALL_FLAGS_NONE,
                                        (gint) wait_ms + 10000, NULL, &error);
  if (answer == NULL)
    g_printerr (_("Cannot call %s.Wait: %s\n"), SLOW_INTERFACE, error->message);
}
