# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A window that freezes in one way, once, half a second after it is there: freezes.py KIND SECONDS [NAME]"""

import subprocess
import sys
import time

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

KIND, SECONDS = sys.argv[1], float(sys.argv[2])


def freeze_in_sleep():
    time.sleep(SECONDS)


def freeze_computing():
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        sum(range(1000))


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
