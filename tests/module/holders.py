# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The main thread waits for a lock of Python's. Argument: how another thread holds it. Writes which one: the thread's
ID, 0 where that is not to be known."""

import json
import os
import sys
import threading
import time

HOLD_S = 0.8
lock, again, ready, wanted = threading.Lock(), threading.RLock(), threading.Event(), threading.Event()
shared, condition = threading.Condition(lock), threading.Condition()


def save_database(depth=0):
    """The lock's holder is at it, until the main thread has wanted the lock for so long."""
    if depth > 0:
        return save_database(depth - 1)
    ready.set()
    wanted.wait()
    return time.sleep(HOLD_S)


def hold_with():
    with lock:
        save_database()


def hold_deep():
    a, b, c = 1, 2, 3
    with open(os.devnull) as file:
        with lock:
            for _ in range(1):
                try:
                    save_database(5)
                finally:
                    a = b, c, file
    return a


class Store:
    lock = lock

    def save(self):
        with self.lock:
            save_database()


def hold_busily():
    with lock:
        ready.set()
        wanted.wait()
        end, n = time.monotonic() + HOLD_S, 0
        while time.monotonic() < end:
            n += 1
            time.sleep(0)


def hold_acquired():
    """Nothing shows that it does."""
    lock.acquire()
    try:
        save_database()
    finally:
        lock.release()


def had():
    with lock:
        pass
    had_it.set()
    time.sleep(9 * HOLD_S)


def lent():
    with lock:
        lock.release()
        had_it.set()
        time.sleep(9 * HOLD_S)
        lock.acquire()


def unlock():
    lock.release()
    had_it.set()
    time.sleep(9 * HOLD_S)
    lock.acquire()


def lent_inside():
    with lock:
        unlock()


def waits_for_condition():
    with lock:
        threading.Timer(HOLD_S / 4, had_it.set).start()
        shared.wait(9 * HOLD_S)


def wants():
    with lock:
        pass


def generate():
    with lock:
        yield
        save_database()


def hold_in_generator():
    for _ in generate():
        pass


def hold_again():
    with again, again:
        save_database()


def hold_again_acquired():
    again.acquire()
    save_database()
    again.release()


def hold_condition():
    with condition:
        save_database()


had_it = threading.Event()
# How it is held, and before that, which thread seems to.
HOLDS = {
    "with": (hold_with, None), "deep": (hold_deep, None), "method": (Store().save, None),
    "busily": (hold_busily, None), "with-had": (hold_with, had),
}
TRAPS = {
    "acquired": (hold_acquired, None), "had": (hold_acquired, had),
    "lent": (hold_acquired, lent),
    "lent-inside": (hold_acquired, lent_inside), "condition": (hold_acquired, waits_for_condition),
    "generator": (hold_in_generator, None),
}
# An RLock has its owner in itself.
AGAIN = {
    "rlock": (hold_again, None), "rlock-acquired": (hold_again_acquired, had),
    "rlock-condition": (hold_condition, None),
}
HOLDS |= AGAIN


def want(name):
    """What the main thread does."""
    if name == "rlock-acquired":
        again.acquire()
        again.release()
    else:
        with condition if name == "rlock-condition" else again if name in AGAIN else lock:
            pass


def run(name):
    from gi.repository import Gio, GLib

    hold, before = (HOLDS | TRAPS)[name]
    loop = GLib.MainLoop()
    holder = threading.Thread(target=hold, daemon=True)

    def on_refresh():
        for _ in range(3 if name in HOLDS else 0):
            threading.Thread(target=wants, daemon=True).start()
        wanted.set()
        want(name)
        GLib.timeout_add(300, loop.quit)
        return GLib.SOURCE_REMOVE

    Gio.File.new_for_path("/")  # loads GIO's modules
    if before is not None:
        threading.Thread(target=before, daemon=True).start()
        had_it.wait()
    holder.start()
    ready.wait()
    GLib.timeout_add(200, on_refresh)
    loop.run()
    print(json.dumps({"holder": holder.native_id if name in HOLDS else 0}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    run(sys.argv[1])
