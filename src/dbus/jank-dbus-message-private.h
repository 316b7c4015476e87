/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GIO's message of a D-Bus call, read by bounds-checked copies, in a layout learned from a message of our own. Watcher
 * thread only. */

#pragma once

#include <gio/gio.h>

#include "dbus/jank-dbus-instance-private.h"

/* Empty: not there. */
typedef struct
{
  char fields[G_DBUS_MESSAGE_HEADER_FIELD_SIGNATURE + 1][JANK_DBUS_MAX_NAME]; /* of the header, by number */
  /* What the arguments begin with, if it has the form of such a name. */
  char body_interface[JANK_DBUS_MAX_NAME], body_member[JANK_DBUS_MAX_NAME];
} JankDBusMessage;

/* Learns the layout, before the thread reads another process than its own. */
void     jank_dbus_message_prepare (void);

/* address: not yet checked. Call it only while a thread waits for the answer to a message: its type exists then. FALSE:
 * no message that calls a method stands there. */
gboolean jank_dbus_message_read (guint64 address, JankDBusMessage *ret_message);
