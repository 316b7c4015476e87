# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A D-Bus service that takes 800 ms for every question: slow-service.py NAME [system]."""

import sys
import time

from gi.repository import Gio, GLib


def answer_late(connection, message, incoming):
    if incoming and message.get_message_type() == Gio.DBusMessageType.METHOD_CALL:
        time.sleep(0.8)
    return message


bus = Gio.bus_get_sync(Gio.BusType.SYSTEM if sys.argv[2:] == ["system"] else Gio.BusType.SESSION)
bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
              GLib.Variant("(su)", (sys.argv[1], 0)), None, Gio.DBusCallFlags.NONE, -1)
bus.add_filter(answer_late)
print("ready", flush=True)
GLib.MainLoop().run()
