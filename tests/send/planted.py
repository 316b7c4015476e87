#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""As planted.c, 6 times a round, of which one is another way to one function."""

import gc
import json  # for ACTS
import sys

from gi.repository import Gio, GLib


class Planted:
    def __init__(self):
        self.loop = GLib.MainLoop()
        self.turns = iter([getattr(self, f"handle_{i:02}") for i in range(28, 34)] * int(sys.argv[1]))
        GLib.timeout_add(50, self.turn)

    def turn(self):
        handle = next(self.turns, None)
        if handle is None:
            self.loop.quit()
            return
        GLib.timeout_add(5, self.turn)
        GLib.idle_add(handle)


MAKE = """
def work_{n}():
    for _ in range(15):
        {act}

def handle_{n}(self):
    work_{to}()

Planted.handle_{n} = handle_{n}
"""
# Each 3 ms and more.
ACTS = ["sum(map(abs, range(200000)))", "json.dumps(list(range(40000)))", "sorted(range(60000), key=str)"]
for number in range(28, 34):
    exec(compile(MAKE.format(n=number, act=ACTS[number % 3], to=31 if number == 33 else number), __file__, "exec"))

# A collection is a problem of its own.
gc.disable()
Gio.File.new_for_path("/")
Planted().loop.run()
