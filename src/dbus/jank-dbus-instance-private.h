/* SPDX-FileCopyrightText: the jankwatch authors
 * SPDX-License-Identifier: LGPL-2.1-or-later */

/* An object of the program's that may be none, and its texts that may be anything: read by bounds-checked copies,
 * believed if their form is right. Public layout: GTypeInstance, GObject. Any thread. */

#pragma once

#include <glib.h>

/* The longest name that D-Bus allows, and its end. */
#define JANK_DBUS_MAX_NAME 256

/* address: not yet checked. Returns: the class of the object in use that stands there, 0: none does */
guint64  jank_dbus_instance_read_class (guint64 address);

/* has_form: g_dbus_is_name() or the like. FALSE, and ret_text empty: there is no such text, or a longer one. */
gboolean jank_dbus_instance_read_text  (guint64 address, gboolean (*has_form) (const char *text),
                                        char ret_text[JANK_DBUS_MAX_NAME]);
