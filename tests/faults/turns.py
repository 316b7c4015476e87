#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""turns.py N: iterates the default context by itself, N times on each of two threads by turns, and prints what was
dispatched."""

import json
import sys
import threading
import time

from gi.repository import Gio, GLib

N = int(sys.argv[1])
context = GLib.MainContext.default()
turns = [threading.Semaphore(1), threading.Semaphore(0)]
seen = []


def iterate(i):
    called = []
    for kind in range(i % 4):
        GLib.idle_add(called.append, kind, priority=GLib.PRIORITY_HIGH + kind % 2)
    if i % 499 == 0:
        time.sleep(0.03)
    seen.append((context.iteration(False), tuple(called)))


def work(own):
    for i in range(N):
        turns[own].acquire()
        iterate(2 * i + own)
        turns[1 - own].release()


Gio.Vfs.get_default()
other = threading.Thread(target=work, args=(1,))
other.start()
work(0)
other.join()
while context.iteration(False):
    seen.append("left")
print(json.dumps({"n": len(seen), "seen": {f"{what}": seen.count(what) for what in set(seen)}}, sort_keys=True))
