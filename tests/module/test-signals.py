# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Programs that have plans of their own for their signals."""

import ctypes
import signal

import tap
import watched
from watched import NS_PER_MS, STALLER

UNAME26 = 0x20000  # personality(2): the kernel calls itself 2.6


def test_masked():
    """The thread blocks all signals: one cannot know what it does, but for how long."""
    program = watched.run(STALLER, "masked", 1000)
    report = watched.find_stall(program)
    length_ns = program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"]

    tap.check_equal(program.status, 0, "the exit status")
    tap.check_between(report["stall"]["duration_ns"], length_ns, length_ns + 20 * NS_PER_MS, "the length of the stall")
    tap.check(report["self"]["lost_samples"] >= 10, "lost samples are not counted:", report["self"])
    tap.check(report["self"]["signals_sent"] <= 1, "too many signals:", report["self"])


def test_own_signals(when):
    """Handlers that are there before the watcher starts, or come after it, or a descriptor that reads them."""
    program = watched.run(STALLER, "own-signals", when, 3)
    truth = program.truth

    tap.check_equal((truth["lost"], truth["foreign"]), (0, 0), f"signals lost and foreign ({truth})")
    tap.check(all(n > 100 for n in truth["sent"]), "too few signals:", truth)
    tap.check(truth["profile_ticks"] > 0, "no ticks of the profiling timer:", truth)
    tap.check_equal(program.status, 0, "the exit status")
    tap.check(len(program.stalls) >= 10, "too few stalls:", len(program.stalls))
    for report in [report for report in program.stalls if watched.starved(report) < 0.3] or program.stalls[:1]:
        watched.skip_if_starved(report)
        tap.check(report["self"]["samples"] > report["self"]["lost_samples"], "too few samples:", report["self"])


def test_chosen_signal():
    program = watched.run(STALLER, "compute", 400, config=f"signal={signal.SIGRTMIN + 3}")

    tap.check(watched.find_stall(program)["self"]["signals_sent"] > 0, "the signal does not work")
    tap.check_equal(program.messages, [], "what was said")


def test_chosen_signal_is_shared():
    """The program has a handler for it, which gets its own signals and none of ours."""
    program = watched.run(STALLER, "own-signals", "early", 1, config=f"signal={signal.SIGRTMIN}")

    tap.check_equal((program.truth["lost"], program.truth["foreign"]), (0, 0), "signals lost and foreign")
    tap.check_equal(program.messages, [], "what was said")
    tap.check(sum(report["self"]["signals_sent"] for report in program.stalls) > 0, "the signal does not work")


def test_old_kernel():
    """One that would interrupt system calls: nothing is asked, and threads that wait have their stacks."""
    libc = ctypes.CDLL(None)

    libc.personality(UNAME26)
    try:
        computing, waiting = watched.run(STALLER, "compute", 400), watched.run(STALLER, "sleep", 400)
    finally:
        libc.personality(0)
    tap.check_equal(len(computing.messages), 1, f"the number of messages ({computing.messages})")
    tap.check("5.10" in computing.messages[0], "the message does not say it:", computing.messages)
    report = watched.find_stall(computing)
    tap.check_equal((report["self"]["samples"], report["self"]["signals_sent"]), (0, 0), "samples and signals")
    tap.check(watched.find_stall(waiting)["self"]["samples"] > 0, "no stacks of a waiting thread")


tap.add("masked", test_masked)
tap.add("own/early", test_own_signals, "early")
tap.add("own/late", test_own_signals, "late")
tap.add("chosen", test_chosen_signal)
tap.add("chosen-is-shared", test_chosen_signal_is_shared)
tap.add("old-kernel", test_old_kernel)
tap.main("/module/signals")
