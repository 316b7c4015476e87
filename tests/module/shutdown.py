# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Python's end takes long. Argument: why."""

import atexit
import sys
import threading
import time

from gi.repository import Gio, GLib

kept = []


def close_database():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        pass


def upload():
    time.sleep(1.2)


class Store:
    def __del__(self):
        close_database()


ACTS = {
    "objects": lambda: kept.extend({"n": i, "l": [i]} for i in range(1_000_000)),
    "destructor": lambda: kept.append(Store()),
    "handler": lambda: atexit.register(close_database),
    "thread": lambda: threading.Thread(target=upload).start(),
}

ACTS[sys.argv[1]]()
loop = GLib.MainLoop()
Gio.File.new_for_path("/")  # loads GIO's modules
GLib.timeout_add(300, loop.quit)
loop.run()
