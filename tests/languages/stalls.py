#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""As stalls.c."""

import json
import sys
import time

from gi.repository import Gio, GLib

LENGTH = float(sys.argv[1])


class Window:
    def __init__(self):
        self.loop = GLib.MainLoop()
        self.turns = iter((self.stall_compute, self.stall_sleep, self.stall_library, self.stall_loop, self.loop.quit))

    def stall_compute(self):
        until = time.monotonic() + LENGTH
        while time.monotonic() < until:
            total = 0
            for i in range(10000):
                total += i % 7

    def stall_sleep(self):
        time.sleep(LENGTH)

    def stall_library(self):
        until = time.monotonic() + LENGTH
        while time.monotonic() < until:
            json.dumps({f"{i}": [i] for i in range(2000)}, indent=1)

    def stall_loop(self):
        context = GLib.MainContext()
        own = GLib.MainLoop.new(context, False)
        source = GLib.Timeout(int(1000 * LENGTH))
        source.set_callback(lambda *args: own.quit())
        source.attach(context)
        own.run()

    def turn(self):
        next(self.turns)()
        return GLib.SOURCE_CONTINUE


# Loads GIO's modules.
Gio.File.new_for_path("/")
window = Window()
GLib.timeout_add(100, window.turn)
window.loop.run()
