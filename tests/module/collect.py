# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Stalls in Python's garbage collector, and beside it. Argument: the act."""

import gc
import os
import sys
import time

from gi.repository import Gio, GLib

cells, rows, slow = [], [], []


class Slow:
    """Garbage that only the collector finds."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        finish_slowly()


def finish_slowly():
    end = time.thread_time() + 0.1
    while time.thread_time() < end:
        pass


def fill(n):
    for i in range(n):
        cells.append([i, [i], [[i], [i]]])


def append_rows(n):
    for i in range(n):
        rows.append([i])


def sweep_up():
    return gc.collect()


def add_up():
    end = time.thread_time() + 0.7
    while time.thread_time() < end:
        rows.append([len(rows)])
        if len(rows) > 1000:
            rows.clear()


def prepare_oldest():
    """The next collection is of the oldest generation, which holds all."""
    fill(600_000)
    gc.collect(0)
    gc.collect(1)
    gc.set_threshold(700, 1000, 0)


def prepare_finalizer():
    slow.extend(Slow() for _ in range(7))
    slow.clear()


def collect_by_itself():
    gc.enable()
    append_rows(2000)


ACTS = {
    "begun": (prepare_oldest, collect_by_itself),
    "asked": (prepare_oldest, sweep_up),
    "finalizer": (prepare_finalizer, collect_by_itself),
    "none": (lambda: None, add_up),
}


def main():
    prepare, act = ACTS[sys.argv[1]]
    loop = GLib.MainLoop()

    def on_load():
        act()
        GLib.timeout_add(300, loop.quit)
        return GLib.SOURCE_REMOVE

    Gio.File.new_for_path("/")  # loads GIO's modules
    gc.collect()
    gc.disable()
    prepare()
    GLib.timeout_add(300, on_load)
    loop.run()
    # Not the interpreter's end, which collects all.
    os._exit(0)


main()
