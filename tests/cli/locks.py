# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A main loop that waits for a lock that a thread holds in save_database()."""

import threading
import time

from gi.repository import GLib

lock = threading.Lock()
is_held = threading.Event()


def save_database():
    with lock:
        is_held.set()
        time.sleep(0.7)


def refresh_list():
    is_held.wait()
    with lock:
        pass
    GLib.timeout_add(50, loop.quit)
    return False


def start():
    threading.Thread(target=save_database).start()
    GLib.timeout_add(50, refresh_list)
    return False


loop = GLib.MainLoop()
GLib.timeout_add(300, start)
loop.run()
