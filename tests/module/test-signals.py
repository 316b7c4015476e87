# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Programs that have plans of their own for their signals."""

import ctypes
import signal

import tap
import watched
from watched import STALLER

UNAME26 = 0x20000  # personality(2): the kernel calls itself 2.6


def test_masked():
    """The thread blocks all signals: one cannot know what it does, but for how long."""
    program = watched.run(STALLER, "masked", 1000)
    report = watched.find_stall(program)

    tap.check_equal(program.status, 0, "the exit status")
    tap.check(report["self"]["lost_samples"] > 0, "lost samples are not counted:", report["self"])
    tap.check(report["self"]["signals_sent"] <= 1, "too many signals:", report["self"])


def test_chosen():
    program = watched.run(STALLER, "compute", 1000, config=f"signal={signal.SIGRTMIN + 3}")

    tap.check(watched.find_stall(program)["self"]["signals_sent"] > 0, "the signal does not work")
    tap.check_equal(program.messages, [], "what was said")


def test_old_kernel():
    """One that would interrupt system calls: nothing is asked, and threads that wait have their stacks."""
    libc = ctypes.CDLL(None)

    libc.personality(UNAME26)
    try:
        computing, waiting = watched.run(STALLER, "compute", 1000), watched.run(STALLER, "sleep", 1000)
    finally:
        libc.personality(0)
    tap.check_equal(len(computing.messages), 1, f"the number of messages ({computing.messages})")
    tap.check("5.10" in computing.messages[0], "the message does not say it:", computing.messages)
    report = watched.find_stall(computing)
    tap.check_equal((report["self"]["samples"], report["self"]["signals_sent"]), (0, 0), "samples and signals")
    tap.check(watched.find_stall(waiting)["self"]["samples"] > 0, "no stacks of a waiting thread")


tap.add_all(globals())
tap.main("/module/signals")
