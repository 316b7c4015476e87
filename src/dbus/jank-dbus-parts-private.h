/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a call over D-Bus is read, from the objects of the library that makes it. */

#pragma once

#include <gio/gio.h>

/* An object of the program's that may be none, and its texts that may be anything: read by bounds-checked copies,
 * believed if their form is right. Public layout: GTypeInstance, GObject. Any thread. */

/* The longest name that D-Bus allows, and its end. */
#define JANK_DBUS_MAX_NAME 256

/* address: not yet checked. Returns: the class of the object in use that stands there, 0: none does */
guint64  jank_dbus_instance_read_class (guint64 address);

/* has_form: g_dbus_is_name() or the like. FALSE, and ret_text empty: there is no such text, or a longer one. */
gboolean jank_dbus_instance_read_text  (guint64 address, gboolean (*has_form) (const char *text),
                                        char ret_text[JANK_DBUS_MAX_NAME]);

/* GIO's message of a D-Bus call, read by bounds-checked copies, in a layout learned from a message of our own. Watcher
 * thread only. */

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

/* GIO's proxy of a D-Bus object and its connection, read by bounds-checked copies, in layouts learned from such of our
 * own, which are never initialized and so send nothing. Watcher thread only. */

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

/* Messages of libdbus and sd-bus, which keep them as they are sent. Public format: that of the D-Bus Specification,
 * “Message Format”; in objects of unknown layout. Watcher thread only. */

/* address: not yet checked. is_libdbus: else of sd-bus. ret_header: where the message's bytes begin. FALSE: no message
 * that calls a method and waits for an answer is near. */
gboolean jank_dbus_wire_read (guint64 address, gboolean is_libdbus, guint64 *ret_header,
                              JankDBusMessage *ret_message);
