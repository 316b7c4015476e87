/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of libdbus and sd-bus, which keep them as they are sent. Public format: that of the D-Bus Specification,
 * “Message Format”; in objects of unknown layout. Watcher thread only. */

#pragma once

#include "dbus/jank-dbus-message-private.h"

/* address: not yet checked. is_libdbus: else of sd-bus. ret_header: where the message's bytes begin. FALSE: no message
 * that calls a method and waits for an answer is near. */
gboolean jank_dbus_wire_read (guint64 address, gboolean is_libdbus, guint64 *ret_header,
                              JankDBusMessage *ret_message);
