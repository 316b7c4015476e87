# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A D-Bus service that waits for a lock before it answers: stuck-service.py NAME PATH INTERFACE FILE."""

import fcntl
import sys

from gi.repository import Gio, GLib

NAME, PATH, INTERFACE, FILE = sys.argv[1:]
XML = f"<node><interface name='{INTERFACE}'><method name='ListAll'/><property name='Level' type='i' access='read'/>" \
      "</interface></node>"


def wait_for_lock(*question):
    fcntl.flock(open(FILE, "w", encoding="ascii"), fcntl.LOCK_EX)
    if isinstance(question[-1], Gio.DBusMethodInvocation):
        question[-1].return_value(None)
    return GLib.Variant("i", 1)


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], wait_for_lock, wait_for_lock, None)
bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
              GLib.Variant("(su)", (NAME, 0)), None, Gio.DBusCallFlags.NONE, -1)
print("ready", flush=True)
GLib.MainLoop().run()
