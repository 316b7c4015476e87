#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A PyGObject program that does something to itself while its loop stalls, and prints what came of it: faults.py
CASE"""

import json
import os
import signal
import sys
import threading
import time

from gi.repository import Gio, GLib

seen = {}


def compute(seconds):
    until = time.monotonic() + seconds
    total = 0
    while time.monotonic() < until:
        for i in range(1000):
            total += i % 7
    return total > 0


def traced():
    """Every line is traced, and a new thread's, too."""
    lines = set()

    def trace(frame, event, argument):
        if frame.f_code.co_name == "compute":
            lines.add(event)
        return trace

    sys.settrace(trace)
    threading.settrace(trace)
    thread = threading.Thread(target=compute, args=(0.1,))
    thread.start()
    compute(0.3)
    thread.join()
    sys.settrace(None)
    seen["events"] = sorted(lines)


def timed():
    """Python's own timers come, all of them."""
    ticks = []
    signal.signal(signal.SIGPROF, lambda number, frame: ticks.append(number))
    signal.signal(signal.SIGALRM, lambda number, frame: ticks.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
    until = time.monotonic() + 60
    while min(ticks.count(signal.SIGALRM), ticks.count(signal.SIGPROF)) < 5 and time.monotonic() < until:
        compute(0.01)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    seen["signals"] = sorted(set(ticks))


def forked():
    """Children compute, in Python, and end by themselves."""
    statuses = []
    for number in range(20):
        compute(0.01)
        child = os.fork()
        if child == 0:
            compute(0.01)
            os._exit(number)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    seen["statuses"] = statuses


def ended():
    """The interpreter is taken down while another thread computes."""
    threading.Thread(target=compute, args=(10,), daemon=True).start()
    compute(0.3)
    print(json.dumps({"ends": True}), flush=True)
    sys.exit(3)


def run():
    globals()[sys.argv[1]]()
    loop.quit()
    return GLib.SOURCE_REMOVE


# Loads GIO's modules.
Gio.File.new_for_path("/")
loop = GLib.MainLoop()
GLib.timeout_add(50, run)
loop.run()
print(json.dumps(seen))
