# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Waits for what another thread is to do. Argument: what is awaited."""

import asyncio
import concurrent.futures
import multiprocessing.pool
import os
import queue
import sys
import threading
import time

from gi.repository import Gio, GLib

SHORT_S, LONG_S = 0.1, 0.8
items, simple, full = queue.Queue(), queue.SimpleQueue(), queue.Queue(1)
lock, again, event, condition = threading.Lock(), threading.RLock(), threading.Event(), threading.Condition()
semaphore, barrier = threading.Semaphore(0), threading.Barrier(2)
executor, pool = concurrent.futures.ThreadPoolExecutor(1), multiprocessing.pool.ThreadPool(1)
result = executor.submit(time.sleep, 0)
turning = asyncio.new_event_loop()


def hold(held):
    with held:
        time.sleep(LONG_S)


def beside(act, *arguments):
    """Another thread does it while this one waits."""
    thread = threading.Thread(target=act, args=arguments, daemon=True)
    thread.start()
    time.sleep(SHORT_S)
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


ACTS = {
    "queue": lambda: (later(items.put, 1), items.get()),
    "simple-queue": lambda: (later(simple.put, 1), simple.get()),
    "full-queue": lambda: (full.put(1), later(full.get), full.put(2)),
    "queue-done": lambda: (items.put(1), later(items.task_done), items.join()),
    "queue-locked": lambda: (items.put(1), beside(hold, items.mutex), items.get()),
    "future": lambda: executor.submit(time.sleep, LONG_S).result(),
    "futures": lambda: concurrent.futures.wait([executor.submit(time.sleep, LONG_S)]),
    "pool": lambda: pool.apply(time.sleep, (LONG_S,)),
    "coroutine": lambda: (beside(turning.run_forever), fetch()),
    "event": lambda: (later(event.set), event.wait()),
    "condition": lambda: (later(tell_condition), wait_for_condition()),
    "semaphore": lambda: (later(semaphore.release), semaphore.acquire()),
    "barrier": lambda: (later(barrier.wait), barrier.wait()),
    "join": lambda: beside(time.sleep, LONG_S).join(),
    "lock": lambda: (beside(hold, lock), take(lock)),
    "rlock": lambda: (beside(hold, again), take(again)),
}


def main():
    loop = GLib.MainLoop()

    def on_load():
        ACTS[sys.argv[1]]()
        GLib.timeout_add(300, loop.quit)
        return GLib.SOURCE_REMOVE

    Gio.File.new_for_path("/")  # loads GIO's modules
    GLib.timeout_add(300, on_load)
    loop.run()
    os._exit(0)


main()
