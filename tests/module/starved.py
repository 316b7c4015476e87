#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""starved.py VERSION [KIND]: as starved.c with an idle source, or with rows, for PyGObject; with "lambda", "partial",
"method" or "source" for ten functions, of one line each, that are gone once they have been called"""

import functools
import sys
import time
import types

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


def attach(kind, function):
    if kind == "source":
        source = GLib.Idle(priority=GLib.PRIORITY_DEFAULT)
        source.set_callback(function)
        source.attach()
        return
    closures = {"lambda": function, "partial": functools.partial(function, 1), "method": types.MethodType(function, 1)}
    GLib.idle_add(closures[kind], priority=GLib.PRIORITY_DEFAULT)


def ten():
    for function in (
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False,
            lambda *words: work_here() and False):
        attach(sys.argv[2], function)
    return time.monotonic() < until


def begin():
    global until
    if len(sys.argv) > 2:
        until = time.monotonic() + 2
        GLib.timeout_add(200, burst if sys.argv[2] == "rows" else ten)
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
