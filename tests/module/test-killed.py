# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Programs that do not survive their stall: the report does."""

import json
import signal
import time

import tap
import watched
from watched import COMMAND, NS_PER_MS, STALLER


def list_outcomes(program):
    """What `jankwatch list` calls the stalls of a program, by the reports' IDs."""
    command = watched.run(COMMAND, "list", "--json", watched=False, extra={"XDG_STATE_HOME": program.home / "state"})

    tap.check_equal(command.status, 0, f"the exit status of the command ({command.errors})")
    return {entry["id"]: entry["outcome"] for entry in json.loads(command.output)}


def check_left_behind(program, culprit):
    """One report on disk is of a stall that never ended."""
    [report] = list_ongoing(program, culprit)
    tap.check_equal(report["culprit"]["function"], culprit, "the culprit")
    tap.check_equal(list_outcomes(program)[report["id"]], "killed", "the outcome in the list")
    return report


def list_ongoing(program, function):
    return [report for report in watched.read_reports(program.store)
            if report["stall"]["outcome"] == "ongoing" and function in watched.names(report)]


def test_killed(after_s):
    """So long after the report was first seen on disk."""
    with watched.Program(STALLER, "hang") as program:
        [report] = program.wait_for("a report with samples", lambda: list_ongoing(program, "stall_forever"))
        time.sleep(after_s)
        if after_s > 0.5:
            tap.check_equal(list_outcomes(program)[report["id"]], "ongoing", "the outcome while it lasts")
        program.popen.send_signal(signal.SIGKILL)
        program.wait()
        tap.check_equal(program.status, -signal.SIGKILL, "the exit status")

        report = check_left_behind(program, "stall_forever")
        lasted_ns = program.ended_ns - report["stall"]["began_monotonic_ns"]
        tap.check_between(report["stall"]["duration_ns"], report["stall"]["threshold_ns"], lasted_ns,
                          "the length in the report")


def test_aborted():
    with watched.Program(STALLER, "abort-in-stall", 1500) as program:
        program.wait()
        tap.check_equal(program.status, -signal.SIGABRT, "the exit status")
        check_left_behind(program, "stall_compute")


def test_terminated():
    """SIGTERM, which staller leaves to the kernel."""
    with watched.Program(STALLER, "hang") as program:
        program.wait_for("a report with samples", lambda: list_ongoing(program, "stall_forever"))
        program.popen.terminate()
        program.wait()
        tap.check_equal(program.status, -signal.SIGTERM, "the exit status")
        check_left_behind(program, "stall_forever")


def test_exited():
    """exit() in the handler: the report is complete."""
    with watched.Program(STALLER, "exit-in-stall", 1000) as program:
        program.wait()
        tap.check_equal(program.status, 0, "the exit status")
        report = next(report for report in program.stalls if "stall_compute" in watched.names(report))
        tap.check_equal(report["culprit"]["function"], "stall_compute", "the culprit")
        # The end waits for the watcher for 300 ms and no longer.
        if program.ended_ns - program.truth["ended_monotonic_ns"] < 300 * NS_PER_MS:
            tap.check(watched.covers(report, program.truth), "the length:", report["stall"], program.truth)
            tap.check_equal(list_outcomes(program)[report["id"]], "exited", "the outcome in the list")


def test_exited_early():
    """Before the handler was late."""
    program = watched.run(STALLER, "exit-in-stall", 30)

    tap.check_equal((program.status, watched.own(program.reports)), (0, []), "exit status and reports")


tap.add("after-50-ms", test_killed, 0.05)
tap.add("after-1-s", test_killed, 1)
tap.add_all(globals())
tap.main("/module/killed", n_at_once=2)
