#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

# See ../test-signals.py.

import sys
import time

import gi

try:
    gi.require_version("Gtk", "4.0")
except ValueError:
    sys.exit(77)
gi.require_version("Jankwatch", "1")
from gi.repository import GLib, GObject, Gtk, Jankwatch

file = open(sys.argv[1], "w")
loop = GLib.MainLoop()
monitor = Jankwatch.Monitor.new()


def note(name):
    print(name, flush=True)
    print(name, file=sys.stderr, flush=True)
    file.write(name + "\n")
    file.flush()


def compute(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def agrees(report):
    facts = report.to_variant().unpack()
    culprit = facts["culprit"]
    return ({"name": "program", "value": "signals"} in facts["tags"] and
            culprit["function"] == report.get_culprit() and culprit.get("module") == report.get_culprit_module() and
            culprit.get("file") == report.get_culprit_file() and culprit.get("line", 0) == report.get_culprit_line() and
            culprit["reason"] == report.get_culprit_reason())


def stall(_monitor, report):
    if not agrees(report):
        note("a variant that differs")
    note("own stall" if "jankwatch: " in report.to_json() else "stall")
    compute(0.15)


def stop():
    monitor.props.threshold_ms = 90
    monitor.set_paused(True)
    monitor.set_paused(False)
    monitor.stop()
    loop.quit()


def animate(widget, _clock):
    widget.queue_draw()
    return GLib.SOURCE_CONTINUE


Gtk.init()
monitor.set_threshold_ms(100)
monitor.connect("stall", stall)
monitor.connect("report", lambda _monitor, report: note("report"))
monitor.connect("report::stall", lambda _monitor, report: note("report::stall"))
monitor.connect("notify::running", lambda _monitor, _property: note("notify::running"))
monitor.connect("notify::threshold-ms", lambda _monitor, _property: note("notify::threshold-ms"))
monitor.connect("notify::paused", lambda _monitor, _property: note("notify::paused"))
if GObject.signal_lookup("stall-ongoing", Jankwatch.Monitor) or hasattr(monitor, "set_ongoing_func"):
    note("something that is for C only")
monitor.start()
tag = monitor.push_tag("program", "signals")
window = Gtk.Window()
window.add_tick_callback(animate)
window.present()
for i in range(3):
    GLib.timeout_add(300 + 600 * i, compute, 0.25)
GLib.timeout_add(3500, stop)
loop.run()
note("end")
