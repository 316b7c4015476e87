# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A window that freezes in one way, once, half a second after it is there: freezes.py KIND SECONDS [NAME]"""

import fcntl
import os
import subprocess
import sys
import time

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402

KIND, SECONDS = sys.argv[1], float(sys.argv[2])


def freeze_in_sleep():
    time.sleep(SECONDS)


def freeze_computing():
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        sum(range(1000))


def freeze_on_bus():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    try:
        bus.call_sync("org.example.Slow", "/", "org.example.Slow", "Wait", None, None, Gio.DBusCallFlags.NONE,
                      int(SECONDS * 1000), None)
    except GLib.Error:
        # It answers nothing.
        pass


def freeze_on_lock():
    path = os.environ["HOME"] + "/held"
    holder = subprocess.Popen(["flock", "--no-fork", path, "sleep", f"{SECONDS}"])
    time.sleep(0.3)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    holder.wait()


def freeze_on_child():
    subprocess.run(["sleep", f"{SECONDS}"], check=True)


def freeze():
    globals()[KIND]()
    loop.quit()


for name in sys.argv[3:]:
    with open("/proc/self/comm", "w") as file:
        file.write(name)
loop = GLib.MainLoop()
Gtk.init()
window = Gtk.Window(title="A <b>window</b>", default_width=400, default_height=300)
window.present()
GLib.timeout_add(500, freeze)
loop.run()
