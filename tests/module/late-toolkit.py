#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""late-toolkit.py VERSION: as late-toolkit.c, for PyGObject; GTK is imported after the first turns"""

import sys
import time

import gi
from gi.repository import Gio, GLib

loop = GLib.MainLoop()


def stall_here():
    time.sleep(0.3)


def draw(window):
    window.queue_draw()
    return GLib.SOURCE_CONTINUE


# Loads GIO's modules.
Gio.File.new_for_path("/")
GLib.timeout_add(700, loop.quit)
loop.run()
gi.require_version("Gtk", sys.argv[1])
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window()
window.show()
GLib.timeout_add(16, draw, window)
GLib.timeout_add(1000, stall_here)
GLib.timeout_add(2500, loop.quit)
loop.run()
