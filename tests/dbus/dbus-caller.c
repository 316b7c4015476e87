/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "dbus-caller.h"

#include <gio/gunixfdlist.h>

#define PASTE2(a, b) a##_##b
#define PASTE(a, b)  PASTE2 (a, b)
#define NAME(caller) PASTE (caller, DBUS_VARIANT)

void
NAME (call_connection) (const DBusTarget *target)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer =
    g_dbus_connection_call_sync (target->connection, target->destination, target->path, target->interface,
                                 target->method, g_variant_new ("()"), NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL,
                                 &error);

  g_assert_no_error (error);
  g_assert_nonnull (answer);
}

void
NAME (call_proxy) (const DBusTarget *target)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer =
    g_dbus_proxy_call_sync (target->proxy, target->method, NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (answer);
}

void
NAME (call_descriptors) (const DBusTarget *target)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer =
    g_dbus_connection_call_with_unix_fd_list_sync (target->connection, target->destination, target->path,
                                                   target->interface, target->method, NULL, NULL,
                                                   G_DBUS_CALL_FLAGS_NONE, 60000, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (answer);
}

void
NAME (call_message) (const DBusTarget *target)
{
  g_autoptr (GDBusMessage) message =
    g_dbus_message_new_method_call (target->destination, target->path, target->interface, target->method);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusMessage) answer =
    g_dbus_connection_send_message_with_reply_sync (target->connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE,
                                                    60000, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (answer);
}
