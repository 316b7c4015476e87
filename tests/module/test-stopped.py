# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""SIGSTOP: time in which nobody ran is no stall."""

import signal
import time

import tap
import watched
from watched import NS_PER_MS, NS_PER_S, STALLER

MARGIN_NS = 60 * NS_PER_MS


def stop_for(program, seconds):
    """Returns the most nanoseconds that it was."""
    began_ns = time.monotonic_ns()
    program.popen.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    program.popen.send_signal(signal.SIGCONT)
    return time.monotonic_ns() - began_ns


def test_stopped_in_stall(command):
    """3 s in the middle of 4 s, by the clock, of computing or sleeping."""
    with watched.Program(STALLER, command, 4000) as program:
        program.wait_for_stall()
        time.sleep(0.3)
        most_ns = stop_for(program, 3)
        program.wait()
    report = watched.find_stall(program)
    excluded, stall = report["stall"]["excluded_ns"], report["stall"]
    # A thread that has just been let go may wait for a CPU, and so may the watcher: the report says for how long.
    margin_ns = MARGIN_NS + stall.get("preempted_ns", 0) + stall.get("watcher_late_ns", 0)
    length_ns = program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"]

    tap.check_between(excluded["stopped"], 3 * NS_PER_S - margin_ns, most_ns + margin_ns, "the time stopped")
    tap.check_equal((excluded["traced"], excluded["suspend"]), (0, 0), "time excluded for other reasons")
    tap.check_between(stall["duration_ns"], length_ns - most_ns - margin_ns, length_ns - 3 * NS_PER_S + margin_ns,
                      "the length of the stall")
    tap.check_equal(stall["outcome"], "recovered", "the outcome")
    tap.check_equal([other for other in watched.own(program.reports) if other != report], [], "other reports")
    tap.check_equal(report["culprit"]["function"], f"stall_{command}", "the culprit")
    weight_ns = sum(sample["weight_ns"] for sample in report["samples"])
    tap.check_between(weight_ns, stall["duration_ns"] - MARGIN_NS, stall["duration_ns"] + MARGIN_NS,
                      "the samples' weight")


def test_stopped_idle(after_s):
    """With the watcher parked, or about to."""
    with watched.Program(STALLER, "idle", 2) as program:
        time.sleep(after_s)
        stop_for(program, 1.5)
        program.wait()

    tap.check_equal(watched.own(program.reports), [], "the reports")
    tap.check_equal(program.status, 0, "the exit status")


def test_stopped_short_busy():
    """Short busy periods, one of which the stop falls into more often than not."""
    with watched.Program(STALLER, "busy-short", 4, config="threshold=250ms") as program:
        for _ in range(5):
            time.sleep(0.35)
            stop_for(program, 0.3)
        program.wait()

    tap.check_equal(watched.own(program.reports), [], "the reports")


for command in ("compute", "sleep"):
    tap.add(f"{command}", test_stopped_in_stall, command)
tap.add("idle", test_stopped_idle, 1)
tap.add("start", test_stopped_idle, 0.3)
tap.add("short-busy", test_stopped_short_busy)
tap.main("/module/stopped", n_at_once=3)
