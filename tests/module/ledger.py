#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program of PyGObject's that stalls: ledger.py sleep|compute|lock, or in a C function: read|sort|match|query,
or beside others or inside another interpreter: beside|inside"""

import ctypes
import os
import re
import sqlite3
import sys
import threading
import time

from gi.repository import Gio, GLib


def load_settings_slowly():
    time.sleep(0.7)


def add_up(n):
    total = 0
    for i in range(n):
        total += i % 7
    return total


def compute_slowly():
    until = time.monotonic() + 0.7
    while time.monotonic() < until:
        add_up(20000)


def hold_the_lock():
    # Called with the interpreter's lock held.
    ctypes.PyDLL(None).usleep(700000)


def want_the_lock():
    thread = threading.Thread(target=hold_the_lock)
    thread.start()
    until = time.monotonic() + 0.7
    while time.monotonic() < until:
        time.sleep(0.001)
    thread.join()


def read_a_pipe():
    reader, writer = os.pipe()
    threading.Timer(0.7, os.write, (writer, b"x")).start()
    os.read(reader, 1)


def slow_key(value):
    time.sleep(0.2)
    return value


def sort_slowly():
    sorted([4, 3, 2, 1], key=slow_key)


def match_slowly():
    for length in range(18, 40):
        began = time.monotonic()
        re.match("(a+)+b", "a" * length)
        if time.monotonic() - began > 0.4:
            break


def query_slowly():
    database = sqlite3.connect(":memory:")
    until = time.monotonic() + 0.7
    database.create_function("is_over", 0, lambda: time.monotonic() > until)
    database.execute("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i % 1000 <> 0 OR NOT "
                     "is_over()) SELECT count (*) FROM n").fetchall()


INSIDE = """
import time
def compute_inside():
    until = time.monotonic() + 0.7
    while time.monotonic() < until:
        pass
compute_inside()
"""


def make_interpreter():
    try:
        import _interpreters as interpreters
    except ImportError:  # before 3.13
        import _xxsubinterpreters as interpreters
    return lambda made=interpreters.create(): interpreters.run_string(made, INSIDE)


def run_inside():
    make_interpreter()()


class Window:
    def __init__(self, loop, act):
        self.loop, self.act = loop, act

    def on_load(self):
        self.act()
        GLib.timeout_add(100, self.loop.quit)
        return GLib.SOURCE_REMOVE


# Loads GIO's modules.
Gio.File.new_for_path("/")
ACTS = {"sleep": load_settings_slowly, "compute": compute_slowly, "lock": want_the_lock, "read": read_a_pipe,
        "sort": sort_slowly, "match": match_slowly, "query": query_slowly,
        "beside": compute_slowly, "inside": run_inside}
# More than a sample has room for.
others = [make_interpreter() for _ in range(5 if sys.argv[1] == "beside" else 0)]
window = Window(GLib.MainLoop(), ACTS[sys.argv[1]])
GLib.timeout_add(200, window.on_load)
window.loop.run()
