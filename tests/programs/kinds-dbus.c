/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stalls in synchronous D-Bus calls of a slow service: a child process, reached peer to peer. */

#include "kinds.h"

#include <gio/gio.h>

#define SLOW_NAME "org.jankwatch.Slow"
#define SLOW_PATH "/org/jankwatch/Slow"
#define SLOW_INTERFACE "org.jankwatch.Slow.Printers"
#define CALL_TIMEOUT_MS 20000

static const char slow_xml[] =
  "<node><interface name='" SLOW_INTERFACE "'>"
  "<method name='ListAll'><arg name='nanoseconds' type='x' direction='in'/></method>"
  "</interface></node>";

static char *address;
static GDBusServer *server;
static GDBusConnection *connection;
static GDBusProxy *proxy;

/* In the child. */
static void
slow_method_call_cb (GDBusConnection *caller, const char *sender, const char *object_path, const char *interface_name,
                     const char *method_name, GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  gint64 length_ns;

  g_variant_get (parameters, "(x)", &length_ns);
  holder_sleeps (length_ns);
  g_dbus_method_invocation_return_value (invocation, NULL);
}

static gboolean
slow_new_connection_cb (GDBusServer *from, GDBusConnection *caller, gpointer data)
{
  static const GDBusInterfaceVTable vtable = { .method_call = slow_method_call_cb };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (slow_xml, NULL);

  g_dbus_connection_register_object (caller, SLOW_PATH, node->interfaces[0], &vtable, NULL, NULL, NULL);
  g_object_ref (caller);
  return TRUE;
}

static void
start_service (void)
{
  g_autofree char *guid = g_dbus_generate_guid ();

  server = g_dbus_server_new_sync (address, G_DBUS_SERVER_FLAGS_AUTHENTICATION_REQUIRE_SAME_USER, guid, NULL, NULL,
                                   NULL);
  kinds_check (server != NULL, address);
  g_signal_connect (server, "new-connection", G_CALLBACK (slow_new_connection_cb), NULL);
  g_dbus_server_start (server);
}

static void
run_service (gint64 length_ns)
{
  while (TRUE)
    g_main_context_iteration (NULL, TRUE);
}

static void
prepare_service (gint64 length_ns)
{
  const HolderJob job = { start_service, run_service, NULL };
  g_autofree char *path = kinds_path ("bus");

  address = g_strconcat ("unix:path=", path, NULL);
  truth.peer_name = "slow-service";
  truth.peer_pid = holder_start_child (truth.peer_name, &job, length_ns);
  g_strlcpy (truth.target, SLOW_INTERFACE ".ListAll", sizeof truth.target);
}

static void
connect_to_service (gint64 length_ns)
{
  g_autoptr (GError) error = NULL;

  /* The service has to answer before the stall. */
  holder_go ();
  connection = g_dbus_connection_new_for_address_sync (address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, NULL,
                                                       NULL, &error);
  kinds_check (connection != NULL, error != NULL ? error->message : address);
  proxy = g_dbus_proxy_new_sync (connection, G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES, NULL, NULL, SLOW_PATH,
                                 SLOW_INTERFACE, NULL, &error);
  kinds_check (proxy != NULL, "g_dbus_proxy_new_sync");
}

STALL (stall_in_dbus_call)
{
  g_autoptr (GVariant) answer = NULL;

  answer = g_dbus_connection_call_sync (connection, SLOW_NAME, SLOW_PATH, SLOW_INTERFACE, "ListAll",
                                        g_variant_new ("(x)", length_ns), NULL, G_DBUS_CALL_FLAGS_NONE,
                                        CALL_TIMEOUT_MS, NULL, NULL);
  kinds_check (answer != NULL, "ListAll");
}

STALL (stall_in_dbus_proxy)
{
  g_autoptr (GVariant) answer = NULL;

  answer = g_dbus_proxy_call_sync (proxy, "ListAll", g_variant_new ("(x)", length_ns), G_DBUS_CALL_FLAGS_NONE,
                                   CALL_TIMEOUT_MS, NULL, NULL);
  kinds_check (answer != NULL, "ListAll of the proxy");
}

const Kind kinds_dbus[] = {
  { "dbus-call", KIND (stall_in_dbus_call), "blocked", "dbus", NULL, prepare_service, connect_to_service },
  { "dbus-proxy", KIND (stall_in_dbus_proxy), "blocked", "dbus", NULL, prepare_service, connect_to_service },
};
const guint n_kinds_dbus = G_N_ELEMENTS (kinds_dbus);
