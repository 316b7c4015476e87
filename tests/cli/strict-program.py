# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Calls in its loop what may block, each nine times and by a function of its own: strict-program.py [NAME]"""

import fcntl
import os
import socket
import subprocess
import sys
import tempfile

from gi.repository import Gio, GLib

BUS = "org.freedesktop.DBus"
loop = GLib.MainLoop()
file = tempfile.TemporaryFile()
server = socket.create_server(("127.0.0.1", 0))


def sync_file():
    os.fsync(file.fileno())


def lock_file():
    fcntl.flock(file, fcntl.LOCK_SH)


def connect_here():
    socket.create_connection(server.getsockname()).close()
    server.accept()[0].close()


def look_up():
    socket.getaddrinfo("localhost", 80)


def run_command():
    subprocess.run(["true"])


def run_shell():
    os.system("true")


def call_proxy():
    proxy.call_sync("ListNames", None, Gio.DBusCallFlags.NONE, -1, None)


def call_bus():
    bus.call_sync(BUS, "/", BUS, "GetId", None, None, Gio.DBusCallFlags.NONE, -1, None)


calls = [sync_file, lock_file, connect_here, look_up, run_command, run_shell, call_proxy, call_bus]
if len(sys.argv) > 1:
    calls = [call for call in calls if call.__name__ == sys.argv[1]]
left = [call for call in calls for _ in range(9)]


def call_next():
    if not left:
        loop.quit()
        return GLib.SOURCE_REMOVE
    left.pop(0)()
    return GLib.SOURCE_CONTINUE


Gio.File.new_for_path("/")  # loads GIO's modules
bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
proxy = Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, None, BUS, "/", BUS, None)
GLib.timeout_add(20, call_next)
loop.run()
sys.exit(7)
