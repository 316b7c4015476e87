# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program of PyGObject's that stalls once: in a wait for what another thread is to do, in the garbage collector or
beside it, or in the interpreter's end. Argument: in which."""

import asyncio
import atexit
import concurrent.futures
import gc
import multiprocessing.pool
import os
import queue
import sys
import threading
import time

from gi.repository import Gio, GLib

LONG_S = 0.8
items, simple, full = queue.Queue(), queue.SimpleQueue(), queue.Queue(1)
lock, again, condition = threading.Lock(), threading.RLock(), threading.Condition()
event, holds = threading.Event(), threading.Event()
semaphore, barrier = threading.Semaphore(0), threading.Barrier(2)
executor = concurrent.futures.ThreadPoolExecutor(1)
turning = asyncio.new_event_loop()


def hold(held):
    with held:
        holds.set()
        time.sleep(LONG_S)


def beside(act, *arguments):
    """Another thread does it while this one waits."""
    thread = threading.Thread(target=act, args=arguments, daemon=True)
    thread.start()
    if act == hold:
        holds.wait()
    return thread


def later(act, *arguments):
    return beside(lambda: (time.sleep(LONG_S), act(*arguments)))


def take(held):
    with held:
        pass


def wait_for_condition():
    with condition:
        condition.wait()


def tell_condition():
    with condition:
        condition.notify()


def fetch():
    turning.call_soon_threadsafe(turning.call_later, LONG_S, turning.stop)
    return asyncio.run_coroutine_threadsafe(asyncio.sleep(LONG_S / 2), turning).result()


cells, rows, slow, kept = [], [], [], []


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


def close_database():
    end = time.thread_time() + 0.4
    while time.thread_time() < end:
        pass


class Store:
    def __del__(self):
        close_database()


ACTS = {
    "queue": lambda: (later(items.put, 1), items.get()),
    "simple-queue": lambda: (later(simple.put, 1), simple.get()),
    "full-queue": lambda: (full.put(1), later(full.get), full.put(2)),
    "queue-done": lambda: (items.put(1), later(items.task_done), items.join()),
    "queue-locked": lambda: (items.put(1), beside(hold, items.mutex), items.get()),
    "future": lambda: executor.submit(time.sleep, LONG_S).result(),
    "futures": lambda: concurrent.futures.wait([executor.submit(time.sleep, LONG_S)]),
    "pool": lambda: multiprocessing.pool.ThreadPool(1).apply(time.sleep, (LONG_S,)),
    "coroutine": lambda: (beside(turning.run_forever), fetch()),
    "event": lambda: (later(event.set), event.wait()),
    "condition": lambda: (later(tell_condition), wait_for_condition()),
    "semaphore": lambda: (later(semaphore.release), semaphore.acquire()),
    "barrier": lambda: (later(barrier.wait), barrier.wait()),
    "join": lambda: beside(time.sleep, LONG_S).join(),
    "lock": lambda: (beside(hold, lock), take(lock)),
    "rlock": lambda: (beside(hold, again), take(again)),
    "begun": collect_by_itself, "asked": sweep_up, "finalizer": collect_by_itself, "none": add_up,
}
# Before the loop runs.
PREPARES = {"begun": prepare_oldest, "asked": prepare_oldest, "finalizer": prepare_finalizer}
# At the interpreter's end.
ENDS = {
    "objects": lambda: kept.extend({"n": i, "l": [i]} for i in range(1_000_000)),
    "destructor": lambda: kept.append(Store()),
    "handler": lambda: atexit.register(close_database),
    "thread": lambda: threading.Thread(target=time.sleep, args=[1.2]).start(),
}


def main(act):
    loop = GLib.MainLoop()

    def on_load():
        ACTS[act]()
        GLib.timeout_add(300, loop.quit)
        return GLib.SOURCE_REMOVE

    Gio.File.new_for_path("/")  # loads GIO's modules
    if act in ENDS:
        ENDS[act]()
        GLib.timeout_add(300, loop.quit)
        loop.run()
        return
    gc.collect()
    gc.disable()
    PREPARES.get(act, gc.disable)()
    GLib.timeout_add(300, on_load)
    loop.run()
    # Not the interpreter's end, which collects all.
    os._exit(0)


main(sys.argv[1])
