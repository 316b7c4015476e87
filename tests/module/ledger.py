#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program of PyGObject's that stalls: ledger.py sleep|compute|lock"""

import ctypes
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


class Window:
    def __init__(self, loop, act):
        self.loop, self.act = loop, act

    def on_load(self):
        self.act()
        GLib.timeout_add(100, self.loop.quit)
        return GLib.SOURCE_REMOVE


# Loads GIO's modules.
Gio.File.new_for_path("/")
window = Window(GLib.MainLoop(), {"sleep": load_settings_slowly, "compute": compute_slowly, "lock": want_the_lock}[sys.argv[1]])
GLib.timeout_add(200, window.on_load)
window.loop.run()
