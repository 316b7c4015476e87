# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Waits in its loop for a slow service: dbus-program.py call|property|proxy."""

import sys

from gi.repository import Gio, GLib

NAME, PATH, INTERFACE = "org.jankwatch.Slow", "/org/jankwatch/Slow", "org.jankwatch.Slow.Printers"
loop = GLib.MainLoop()
bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def wait_for_bus():
    try:
        if sys.argv[1] == "call":
            bus.call_sync(NAME, PATH, INTERFACE, "ListAll", None, None, Gio.DBusCallFlags.NONE, -1)
        elif sys.argv[1] == "property":
            bus.call_sync(NAME, PATH, "org.freedesktop.DBus.Properties", "Get",
                          GLib.Variant("(ss)", (INTERFACE, "Level")), None, Gio.DBusCallFlags.NONE, -1)
        else:
            Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, None, NAME, PATH, INTERFACE)
    except GLib.Error:
        pass
    GLib.timeout_add(50, loop.quit)


GLib.timeout_add(50, wait_for_bus)
loop.run()
