# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""SIGSTOP: time in which nobody ran is no stall."""

import signal
import time

import tap
import watched
from watched import NS_PER_MS, NS_PER_S, STALLER

MARGIN_NS = 60 * NS_PER_MS


def get_margin_ns(stall):
    """A thread that has just been let go may wait for a CPU, and so may the watcher: the report says for how long."""
    return MARGIN_NS + stall.get("preempted_ns", 0) + stall.get("watcher_late_ns", 0)


def stop_for(program, seconds):
    """Returns the nanoseconds it really was."""
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
        stopped_ns = stop_for(program, 3)
        program.wait()
    report = watched.find_stall(program)
    excluded, stall = report["stall"]["excluded_ns"], report["stall"]
    margin_ns = get_margin_ns(stall)
    rest_ns = program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"] - stopped_ns

    tap.check_between(excluded["stopped"], stopped_ns - margin_ns, stopped_ns + margin_ns, "the time stopped")
    tap.check_equal((excluded["traced"], excluded["suspend"]), (0, 0), "time excluded for other reasons")
    tap.check_between(stall["duration_ns"], rest_ns - margin_ns, rest_ns + margin_ns, "the length of the stall")
    tap.check_equal(stall["outcome"], "recovered", "the outcome")
    tap.check_equal(len(program.reports), 1, "the number of reports")
    tap.check_equal(report["culprit"]["function"], f"stall_{command}", "the culprit")
    weight_ns = sum(sample["weight_ns"] for sample in report["samples"])
    tap.check_between(weight_ns, stall["duration_ns"] - MARGIN_NS, stall["duration_ns"] + MARGIN_NS,
                      "the samples' weight")


def test_stopped_writing(command):
    """While the watcher writes, too: then it does not sleep for anything that it could be late for."""
    with watched.Program(STALLER, command, 6000) as program:
        program.wait_for_stall()
        stopped_ns = 0
        for _ in range(3):
            stopped_ns += stop_for(program, 1.5)
            # Several stops within one report's writing look like a slow disk.
            time.sleep(0.05)
        program.wait()
    stall = watched.find_stall(program)["stall"]
    excluded_ns = stall["excluded_ns"]["stopped"]
    # One that meets the watcher awake, and not at that work, is not seen: 1 of 100.
    tap.check_between(excluded_ns, stopped_ns - 2 * NS_PER_S, stopped_ns + get_margin_ns(stall), "the time stopped")


def test_stopped_often():
    """A sleep is no longer for what a machine takes from the watcher, a little at a time."""
    with watched.Program(STALLER, "sleep", 1000) as program:
        program.wait_for_stall()
        stops_ns = []
        for _ in range(6):
            stops_ns.append(stop_for(program, 0.06))
            time.sleep(0.06)
        program.wait()
    truth, stall = program.truth, watched.find_stall(program)["stall"]
    length_ns = truth["ended_monotonic_ns"] - truth["began_monotonic_ns"]
    # On a busy machine a stop may last 100 ms, which is believed.
    long_ns = sum(stop_ns for stop_ns in stops_ns if stop_ns > 80 * NS_PER_MS)

    # A watcher without a CPU in between takes two of them for one of 180 ms.
    least_ns = length_ns - long_ns - 180 * NS_PER_MS - get_margin_ns(stall)
    tap.check(stall["duration_ns"] >= least_ns, "the length of the stall:", stall, "of at least", least_ns)


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
    tap.add(f"writing-{command}", test_stopped_writing, command)
tap.add("often", test_stopped_often)
tap.add("idle", test_stopped_idle, 1)
tap.add("start", test_stopped_idle, 0.3)
tap.add("short-busy", test_stopped_short_busy)
tap.main("/module/stopped", n_at_once=3)
