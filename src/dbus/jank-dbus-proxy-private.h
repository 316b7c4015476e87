/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* GIO's proxy of a D-Bus object and its connection, read by bounds-checked copies, in layouts learned from such of our
 * own, which are never initialized and so send nothing. Watcher thread only. */

#pragma once

#include "dbus/jank-dbus-message-private.h"

/* Empty: not there. */
typedef struct
{
  guint64 connection;               /* address, 0: none yet */
  char    name[JANK_DBUS_MAX_NAME];
  char    owner[JANK_DBUS_MAX_NAME]; /* of that name; empty: the bus has not told yet */
  char    path[JANK_DBUS_MAX_NAME];
  char    interface[JANK_DBUS_MAX_NAME];
} JankDBusProxy;

/* Returns: the function that sets a new proxy up, and waits for the bus meanwhile; 0: there is no proxy yet, or its
 * layout is another */
guint64  jank_dbus_proxy_get_init (void);

/* Returns: (transfer full) (element-type guint64): GDBusProxy's class and those derived from it, if they are used */
GArray  *jank_dbus_proxy_get_classes (void);

/* address: not yet checked. classes: as above. FALSE: no proxy stands there. */
gboolean jank_dbus_proxy_read     (guint64 address, const GArray *classes, JankDBusProxy *ret_proxy);

/* To which process a GApplication sends its command line if another instance runs. address: not yet checked, of GIO's
 * record of an application on a bus. FALSE: none stands there. */
gboolean jank_dbus_application_read (guint64 address, JankDBusProxy *ret_application);

/* Before another process's connections are read: learns where they have their address, from one of this process. */
void     jank_dbus_connection_prepare (void);
/* The address of the bus, or peer, that a connection leads to. FALSE: no connection stands there. */
gboolean jank_dbus_connection_read (guint64 address, char ret_bus[JANK_DBUS_MAX_NAME]);
