#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""starved.py VERSION [KIND]: as starved.c with an idle source, or with rows, for PyGObject"""

import sys
import time

import gi
gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk  # noqa: E402

loop = GLib.MainLoop()


def work_here():
    end = time.monotonic() + 0.004
    while time.monotonic() < end:
        pass
    return time.monotonic() < until


def burst(rows=10):
    def on_row():
        nonlocal rows
        work_here()
        rows -= 1
        return rows > 0
    GLib.idle_add(on_row, priority=GLib.PRIORITY_DEFAULT)
    return time.monotonic() < until


def begin():
    global until
    if len(sys.argv) > 2:
        until = time.monotonic() + 2
        GLib.timeout_add(200, burst)
        return
    until = time.monotonic() + 1.5
    GLib.idle_add(work_here, priority=GLib.PRIORITY_DEFAULT)


def tick(widget, clock):
    widget.queue_draw()
    return GLib.SOURCE_CONTINUE


window = Gtk.Window()
window.add_tick_callback(tick)
window.show()
GLib.timeout_add(1500, begin)
GLib.timeout_add(4000, loop.quit)
loop.run()
