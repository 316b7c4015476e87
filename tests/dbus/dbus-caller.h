/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Synchronous D-Bus calls as programs make them, compiled with and without optimisation. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  GDBusConnection *connection;
  GDBusProxy      *proxy; /* of the object and interface */
  const char      *destination, *path, *interface, *method;
} DBusTarget;

typedef void (*DBusCaller) (const DBusTarget *target);

#define DBUS_CALLERS(suffix)                                   \
  void call_connection_##suffix (const DBusTarget *target);    \
  void call_proxy_##suffix (const DBusTarget *target);         \
  void call_descriptors_##suffix (const DBusTarget *target);   \
  void call_message_##suffix (const DBusTarget *target);

DBUS_CALLERS (o0)
DBUS_CALLERS (o2)
