# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""How long a stall was, against what the program saw inside its handler."""

import datetime
import time

import tap
import watched
from watched import NS_PER_MS, STALLER


def check_no_other(program):
    """Beside the stall that the program tells of there may be such as a machine made that kept it from its CPU."""
    others = [report["stall"] for report in watched.own(program.reports) if not watched.covers(report, program.truth)]
    invented = [stall for stall in others if stall["duration_ns"] - stall["preempted_ns"] >= stall["threshold_ns"]]
    tap.check_equal(invented, [], "the other stalls")


def test_length(command, length_ms):
    """It is never short; how exact it is the bench tells."""
    stolen_ns = -watched.get_stolen_ns()
    program = watched.run(STALLER, command, length_ms)
    stolen_ns += watched.get_stolen_ns()
    report = watched.find_stall(program)
    check_no_other(program)
    excluded = report["stall"].get("excluded_ns", {})
    tap.check(sum(excluded.values()) <= stolen_ns * 1.1, "the excluded time:", excluded, stolen_ns)


def test_startup():
    """From the loading of the module to the first turn of the loop."""
    program = watched.run(STALLER, "startup", 500)
    report = watched.find_stall(program)
    truth = program.truth

    check_no_other(program)
    tap.check_equal(report["kind"], "startup", "the kind of the report")
    tap.check_equal(report["culprit"]["function"], "stall_compute", "the culprit")
    tap.check("source" not in report, "a start-up has no source:", report.get("source"))
    tap.check_between(report["stall"]["began_monotonic_ns"], program.began_ns, truth["began_monotonic_ns"],
                      "the beginning")
    tap.check_between(watched.ended_ns(report), truth["ended_monotonic_ns"], truth["first_prepare_monotonic_ns"],
                      "the end")


def test_below_threshold():
    program = watched.run(STALLER, "compute", 60)
    stall_ns = program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"]

    check_no_other(program)
    found = [report for report in watched.own(program.reports) if watched.covers(report, program.truth)]
    tap.check(not found or stall_ns > 90 * NS_PER_MS, "a report of", stall_ns, "ns:", found)


def test_no_loop():
    """A program without a toolkit that never runs the loop ends as it would, and had no start-up."""
    program = watched.run(STALLER, "no-loop", 400)

    tap.check_equal((program.status, program.reports), (0, []), "exit status and reports")


def test_began_as_a_date():
    """The two clocks of a report tell of the same moment."""
    program = watched.run(STALLER, "compute", 200)
    stall = watched.find_stall(program)["stall"]
    began = datetime.datetime.fromisoformat(stall["began"]).timestamp()
    earliest = time.time()
    ago = (time.monotonic_ns() - stall["began_monotonic_ns"]) / watched.NS_PER_S

    tap.check_between(began, earliest - ago - 1, time.time() - ago + 1, "the date of the stall")


for command in ("compute", "sleep"):
    # Above the threshold by more than a short stop of this machine, which is excluded.
    for length_ms in (300, 1000):
        tap.add(f"{command}/{length_ms}-ms", test_length, command, length_ms)
tap.add_all(globals())
tap.main("/module/timing", n_at_once=3)
