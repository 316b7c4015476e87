# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Waits in its loop for a slow service, by another library than GIO: dbus-others.py libdbus|sd-bus session|system."""

import ctypes
import sys

from gi.repository import Gio, GLib

NAME, PATH, INTERFACE = (text.encode() for text in ("org.jankwatch.Slow", "/org/jankwatch/Slow",
                                                    "org.jankwatch.Slow.Printers"))
library, bus = sys.argv[1:]


def call_by_libdbus():
    libdbus = ctypes.CDLL("libdbus-1.so.3")
    for function in libdbus.dbus_bus_get, libdbus.dbus_message_new_method_call:
        function.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(libdbus.dbus_bus_get(["session", "system"].index(bus), None))
    message = ctypes.c_void_p(libdbus.dbus_message_new_method_call(NAME, PATH, INTERFACE, b"ListAll"))
    libdbus.dbus_connection_send_with_reply_and_block(connection, message, 60000, None)


def call_by_sd_bus():
    systemd, connection = ctypes.CDLL("libsystemd.so.0"), ctypes.c_void_p()
    {"session": systemd.sd_bus_open_user, "system": systemd.sd_bus_open_system}[bus](ctypes.byref(connection))
    systemd.sd_bus_call_method(connection, NAME, PATH, INTERFACE, b"ListAll", None, None, None)


def wait_for_bus():
    {"libdbus": call_by_libdbus, "sd-bus": call_by_sd_bus}[library]()
    GLib.timeout_add(50, loop.quit)


Gio.File.new_for_path("/")  # loads GIO's modules
loop = GLib.MainLoop()
GLib.timeout_add(50, wait_for_bus)
loop.run()
