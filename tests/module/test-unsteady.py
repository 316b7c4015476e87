# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What does not hold still while it is looked at: threads that come and go, a mount that hangs. Nothing crashes,
nothing wrong is claimed, nobody's wait changes."""

import os
import signal

import kinds
import tap
import watched
from watched import STALLER

EVERY_MS = "interval=1ms,first-sample=1ms"
ROUNDS = tap.setting("rounds", 6)


def run_among_threads(kind, length_ms):
    with kinds.start(kind, length_ms) as program:
        kinds.finish(program)
        report = watched.find_stall(program)
        tap.check_equal(report["culprit"]["function"], program.truth["function"], "the culprit")
        return report, program.truth


def test_many_threads():
    """So many that not all can be read in the time there is."""
    report, truth = run_among_threads("many-threads", 400)
    threads = report["threads"]

    tap.check_between(report["process"]["n_threads"], 501, 520, "the number of threads")
    tap.check_between(len(threads), 1, 64, "the threads that were read")
    tap.check_equal((threads[0]["tid"], threads[0]["observed"]), (truth["tid"], True), "the first thread")
    tap.check_equal(len({thread["tid"] for thread in threads}), len(threads), "different threads")
    tap.check({thread["name"] for thread in threads[1:]} <= {"one of many", "gmain", "pool-spawner"}, "names:", threads)
    tap.check(report["self"]["snapshot_ns"] > 0, "what it cost:", report["self"])


def test_churn():
    """Threads that start, end and rename themselves while they are read."""
    for _ in range(3):
        report, truth = run_among_threads("churn", 700)
        by_tid = {thread["tid"]: thread for thread in report["threads"]}

        tap.check_equal(by_tid[truth["tid"]]["name"], "staller", "the main thread's name")
        if truth["holder"] in by_tid:
            tap.check_equal(by_tid[truth["holder"]]["name"], "holder", "the holder's name")
        for thread in report["threads"]:
            name = thread.get("name") or ""
            tap.check(name in ("", "staller", "holder", "short-lived", "gmain", "pool-spawner") or
                      name.startswith("churner"), "a thread that never was:", thread)


def test_main_thread():
    """Blocking calls inside a stall return what they would return, and no earlier."""
    program = watched.run(STALLER, "waits", config=EVERY_MS)
    calls = program.truth["calls"]
    tap.check(len(calls) >= 15, "too few calls:", len(calls))
    tap.check(all(call["right"] for call in calls), *(f"\n{call}" for call in calls if not call["right"]))
    for call in calls:
        report = watched.find_stall(program, call)
        tap.check(report["self"]["samples"] > 0 or watched.doubt(report) > 0.5, "no samples of", call)


def test_other_threads():
    """They keep their results and their time, whoever looks at them in the middle of their calls."""
    program = watched.run(STALLER, "other-waits", ROUNDS, timeout_s=60 + 2 * ROUNDS)
    calls, n_calls = program.truth["calls"], len(program.truth["calls"]) // ROUNDS
    wrong = [call for call in calls if not call["right"]]

    tap.check(n_calls >= 15, "too few calls:", n_calls)
    tap.check(not wrong, *(f"\n{call}" for call in wrong))
    tap.check_equal(program.truth["short_wrong"], 0, f"short sleeps of {program.truth['short_calls']} that went wrong")
    tap.check(program.truth["short_calls"] > 0, "no short sleeps")
    read = [report for report in program.stalls if len(report.get("threads", [])) > n_calls]
    tap.check(read, "no report read all threads:", [len(report.get("threads", [])) for report in program.stalls])


def test_hung(kind):
    """The watcher still tells of it while the mount stands still: it asks it nothing."""
    with kinds.start(kind, 300) as program:
        truth = kinds.early_truth(program)
        report = kinds.wait_ongoing(program, lambda r: len(r["samples"]) >= 3, "the report")
        line = program.headline(report)
        verdict = kinds.Verdict()
        kinds.examine_wait(verdict, report, truth)
        culprit = report["culprit"].get("function")
        # Code on the mount itself has no name: its file is not asked.
        verdict.expect("culprit", culprit == truth["function"] or
                       (kind == "hung-code" and culprit.startswith("plugin.so+0x")), "the culprit is", culprit)
        tap.check(not any(verdict.wrong.values()), line, verdict.wrong)
        # It goes on: the report is written again as the stall lasts.
        first_ns = report["stall"]["duration_ns"]
        kinds.wait_ongoing(program, lambda r: r["stall"]["duration_ns"] > first_ns, "a later report")
        # Ends the mount, and with it the wait: no process is left that cannot be killed.
        os.kill(truth["peer_pid"], signal.SIGKILL)
        program.wait_for("the end of the program", lambda: program.popen.poll() is not None)
    return line


tap.add_all(globals())
for name in [name for name in kinds.all_kinds() if name.startswith("hung")]:
    tap.add(f"{name}", test_hung, name)
tap.main("/module/unsteady", n_at_once=3)
