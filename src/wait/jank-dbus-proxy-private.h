/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GIO's proxy of a D-Bus object and its connection, read by bounds-checked copies; the proxy in a layout learned from one
 * of our own, which is never initialized and so sends nothing. Watcher thread only. */

#pragma once

#include "wait/jank-dbus-message-private.h"

/* Empty: not there. */
typedef struct
{
  guint64 connection;               /* address, 0: none yet */
  char    name[JANK_DBUS_MAX_NAME];
  char    owner[JANK_DBUS_MAX_NAME]; /* of that name; empty: the bus has not told yet */
  char    path[JANK_DBUS_MAX_NAME];
  char    interface[JANK_DBUS_MAX_NAME];
} JankDBusProxy;

/* Returns: the function that sets a new proxy up, and waits for the bus meanwhile; 0: there is no proxy yet, or its layout
 * is another */
guint64  jank_dbus_proxy_get_init (void);

/* Returns: (transfer full) (element-type GType): GDBusProxy and the types derived from it */
GArray  *jank_dbus_proxy_get_types (void);

/* address: not yet checked. types: as above. FALSE: no proxy stands there. */
gboolean jank_dbus_proxy_read     (guint64 address, const GArray *types, JankDBusProxy *ret_proxy);

/* The address of the bus, or peer, that a connection leads to. FALSE: no connection stands there. */
gboolean jank_dbus_connection_read (guint64 address, char ret_bus[JANK_DBUS_MAX_NAME]);
