# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Programs that do not stall: nothing is reported, and nothing done while there is nothing to do."""

import time

import tap
import watched
from watched import GTK_WINDOW, NS_PER_MS, NS_PER_S, STALLER


def test_no_wake_up():
    """The watcher does not wake once in ten seconds, and does not wake the program."""
    with watched.Program(STALLER, "idle", 300) as program:
        before = program.wait_for_rest(program.popen.pid)
        time.sleep(10)
        after = watched.switches(program.popen.pid)
        program.popen.terminate()
        program.wait()

    tap.check_equal(after, before, "the number of context switches after ten seconds")
    tap.check_equal(watched.own(program.reports), [], "the reports")
    tap.check_equal(program.errors, "", "what was said")


def test_calm(command, argument):
    program = watched.run(STALLER, command, argument)

    tap.check_equal(program.status, 0, "the exit status")
    # It says so itself where the machine made a stall of one of its busy periods.
    longest_ns = program.truth.get("longest_ns", 0)
    reports = watched.own(program.reports)
    tap.check(all(report["stall"]["duration_ns"] - report["stall"].get("preempted_ns", 0) <= longest_ns + NS_PER_MS
                  for report in reports) and
              (longest_ns >= 99 * NS_PER_MS or not reports), "the reports:", reports, program.truth)


def test_window(mode):
    """A window that draws nothing, or all the time. What its start and its end cost, outside of the loop, is another
    matter."""
    program = watched.run(GTK_WINDOW, mode, 3, display=True)

    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    n_frames = program.truth["frames"]
    tap.check(n_frames > 2 if mode == "animated" else n_frames <= 30, "frames:", program.truth)
    began_ns = program.ended_ns - program.truth["elapsed_ns"] - NS_PER_S
    late = [report for report in watched.own(program.reports)
            if report["stall"]["began_monotonic_ns"] > began_ns and report["stall"]["outcome"] != "exited"
            and "g_main_context_iteration" in watched.names(report)]
    tap.check_equal(late, [], "the reports")


tap.add("no-wake-up", test_no_wake_up)
for command, argument in (("busy-short", 4), ("threads", 3), ("nested", 1500)):
    tap.add(f"{command}", test_calm, command, argument)
for mode in ("idle", "hidden", "minimised", "animated"):
    tap.add(f"window/{mode}", test_window, mode)
tap.main("/module/idle", n_at_once=4)
