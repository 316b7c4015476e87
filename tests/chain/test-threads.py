# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Chains that lead through threads, and processes of which any of several threads could be meant."""

import os
import select
import threading
import time

import planted
import tap
from tap import equal
from why import why


class Process:
    """A process of Python's: run (in it) sets up what it likes, tells its end of a pipe, and waits."""

    def __init__(self, run):
        self.read, self.write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                run(lambda: os.write(self.write, b"r"))
            finally:
                os._exit(1)
        os.read(self.read, 1)
        planted.settle([self.pid])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.read)
        os.close(self.write)

    def tids(self):
        return sorted(int(tid) for tid in os.listdir(f"/proc/{self.pid}/task"))


def begin(*functions):
    """Starts threads, and returns when each has called what it is given."""
    begun = []
    for function in functions:
        event = threading.Event()
        threading.Thread(target=function, args=[event.set], daemon=True).start()
        event.wait()
        begun.append(function)


def polls_for_ever(tell=lambda: None):
    fds, poll = os.pipe() + os.pipe(), select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    tell()
    poll.poll()


def sleeps_for_ever(tell=lambda: None):
    tell()
    time.sleep(planted.FOR_EVER_S)


def check_holder(expected, runs):
    """What is said of a process that is waited for."""
    read, write = os.pipe()
    with Process(runs) as holder:
        os.close(write)
        waiter = os.fork()
        if waiter == 0:
            os.read(read, 1)
            os._exit(1)
        os.close(read)
        planted.settle([waiter])
        try:
            found = why(waiter)
            equal([link["pid"] for link in found["links"]][:2], [waiter, holder.pid])
            equal(found["cause"], expected)
        finally:
            os.kill(waiter, 9)
            os.waitpid(waiter, 0)


def test_idle_threads_beside_a_busy_one():
    def run(tell):
        begin(polls_for_ever, polls_for_ever)
        tell()
        sleeps_for_ever()

    check_holder("sleep", run)


def test_a_busy_thread_beside_an_idle_loop():
    def run(tell):
        begin(sleeps_for_ever)
        polls_for_ever(tell)

    check_holder("threads", run)


def test_an_idle_program_with_a_busy_thread():
    """The main thread is what a person asks for."""

    def run(tell):
        begin(sleeps_for_ever)
        polls_for_ever(tell)

    with Process(run) as process:
        equal(why(process.pid)["cause"], "idle")
        equal(why(process.tids()[1])["cause"], "sleep")


tap.add_all(globals())
tap.main("/chain/threads")
