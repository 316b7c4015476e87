# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Each monitor that the presets are after, at both sides of the numbers its document gives: how long a stall
really was the program tells, as a busy machine makes a short one long."""

import time

import tap
import watched
from watched import COMMAND, GTK_WINDOW, NS_PER_MS, NS_PER_S, STALLER


def seen(program):
    """The planted stall's length, and the reports of it."""
    began_ns, ended_ns = program.truth["began_monotonic_ns"], program.truth["ended_monotonic_ns"]
    return ended_ns - began_ns, [report for report in program.stalls
                                 if report["stall"]["began_monotonic_ns"] < ended_ns
                                 and watched.ended_ns(report) > began_ns]


def test_loop(preset, never_ms, always_ms, *stalls):
    """A turn of the loop shorter than the number is no stall, a longer one is one."""
    for command, length_ms in stalls:
        length_ns, live = seen(watched.run(STALLER, command, length_ms, config=f"preset={preset},spin-turns=0"))
        told_ns = sum(watched.ended_ns(report) - report["stall"]["began_monotonic_ns"] for report in live)
        tap.check(length_ns >= length_ms * NS_PER_MS, "the stall is too short:", length_ns)
        # A busy machine makes a short turn a long one, which the monitor then may report.
        tap.check(not live or told_ns >= never_ms * NS_PER_MS, "a report of less:", live)
        if length_ms >= always_ms:
            tap.check(told_ns >= length_ns, f"of {length_ns} ns the reports have {told_ns}")


def test_ping(preset, never_ms, always_ms, below_ms, above_ms):
    """A ping falls into every stall from the second number on, and is answered in time in every one below the first."""
    for length_ms in (below_ms, above_ms):
        length_ns, live = seen(watched.run(STALLER, "sleep", length_ms, config=f"preset={preset}"))
        for report in live:
            # A late answer is the machine's doing where the stall alone is too short for it.
            tap.check(report["stall"]["duration_ns"] >= never_ms * NS_PER_MS, "a report of less:", report["stall"])
        if length_ns >= always_ms * NS_PER_MS:
            planted = [report for report in live if report.get("culprit", {}).get("function") == "stall_sleep"]
            tap.check(planted and planted[0]["threads"], "not blamed, or no thread is told of:", live)


def frame_reports(preset, gap_ms):
    program = watched.run(GTK_WINDOW, "gap", gap_ms, display=True, config=f"preset={preset},spin-turns=0")
    return [report for report in program.reports if report["kind"] == "frame"]


def test_rabbit():
    """Ten refresh intervals of 16.7 ms, and what is longer, are reported, and nothing shorter."""
    for gap_ms in (120, 700):
        live = frame_reports("rabbit", gap_ms)
        tap.check(all(report["stall"]["duration_ns"] > 10 * NS_PER_S / 60.1 for report in live), "a shorter gap:", live)
        planted = [report for report in live if "sleep_between_frames" in watched.names(report)]
        if gap_ms > 170:
            tap.check_equal([report["culprit"]["function"] for report in planted], ["sleep_between_frames"],
                            "the culprit")


def test_displaylink():
    """Frames divided by the time, once that is a second."""
    for gap_ms in (0, 415):
        live = frame_reports("displaylink", gap_ms)
        for report in live:
            tap.check(report["stall"]["duration_ns"] >= NS_PER_S, "a figure before its second was over:",
                      report["stall"])
        tap.check(gap_ms == 0 or live, "a gap of 415 ms was not seen")


def test_matrix_change():
    """When a hang goes on with other work there is a second report, and the first stays."""
    program = watched.run(STALLER, "change", 4800, config="preset=matrix,spin-turns=0")
    reports = sorted(program.stalls, key=lambda report: report["stall"]["began_monotonic_ns"])
    tap.check_equal([report["culprit"]["function"] for report in reports], ["split_heavy", "split_light"],
                    "the culprits")
    first, second = reports
    tap.check_equal(first["stall"]["threshold_ns"], 2 * NS_PER_S, "the threshold")
    tap.check(first["heaviest"]["share"] > 0.5, "the first report knows of what came later:", first["heaviest"])
    tap.check_equal(watched.ended_ns(first), second["stall"]["began_monotonic_ns"], "the first one's end")
    tap.check(watched.ended_ns(second) >= program.truth["ended_monotonic_ns"], "the second one's end:", second["stall"])
    for report in reports:
        tap.check_equal(report["heaviest"]["rule"], "last20", "the rule")
        tap.check_between(len(report["samples"]), 1, 20, "the number of stacks")


def check_short(config, threshold_ms, length_ms):
    """Thresholds of a frame and below find what is as short, and nothing shorter."""
    program = watched.run(STALLER, "compute", length_ms, config=f"{config},spin-turns=0")
    length_ns = program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"]
    lengths_ns = [watched.ended_ns(report) - report["stall"]["began_monotonic_ns"] for report in program.stalls]
    tap.check(min(lengths_ns, default=0) >= threshold_ms * NS_PER_MS, "a shorter stall:", lengths_ns)
    least_ns = threshold_ms * NS_PER_MS if "ping" in config else length_ns
    tap.check(any(found_ns >= least_ns for found_ns in lengths_ns),
              f"a stall of {length_ns} ns was not seen:", lengths_ns)


def check_idle(preset, pings_per_s):
    """An idle program is woken by pings and by nothing else. Awake, it may have to wait for the lock of its context,
    which the sender has just let go of: it sleeps twice for a ping, at most."""
    with watched.Program(STALLER, "idle", 300, config=f"preset={preset}") as program:
        program.wait_for("the watcher", lambda: "jankwatch " in f"{watched.switches(program.popen.pid)}")
        time.sleep(2)
        before, began = watched.switches(program.popen.pid), time.monotonic()
        time.sleep(4)
        after, ended = watched.switches(program.popen.pid), time.monotonic()
        program.popen.terminate()
        program.wait()

    # Whatever was late, the program was not: it computed next to nothing. A start-up is another matter: until the loop
    # turns nobody knows its thread, and its CPU time.
    for report in program.reports:
        if report["stall"]["began_monotonic_ns"] > began * NS_PER_S:
            tap.check(report["stall"].get("cpu_ns", 0) < report["stall"]["duration_ns"] / 2,
                      "a stall of an idle program:", report["stall"])
    n_pings = pings_per_s * (ended - began)
    main = f"staller {program.popen.pid}"
    tap.check_between(after[main] - before[main], 1 if pings_per_s > 0 else 0, 2 * n_pings + 2 * (pings_per_s > 0),
                      "how often the program slept")


def test_displaylink_words():
    """Of one gap in a second the figure tells: in the report, in the line while it runs, in the summary and its
    file."""
    program = watched.run(COMMAND, "run", "--", GTK_WINDOW, "gap", 415, display=True, config="preset=displaylink")
    figures = program.sessions[0]["figures"]
    reports = [report for report in program.reports if report["kind"] == "frame"]
    least = min(report["stall"]["fps"] for report in reports)
    tap.check(figures["count"] >= 2 and figures["least_fps"] <= least, "the figures are", figures)
    for report in reports:
        tap.check(f"{report['stall']['fps']:.1f} frames per second in" in program.errors, program.errors)
    tap.check(f"Only {least:.1f} frames per second in" in program.errors, program.errors)
    tap.check("missing" not in program.errors and "No frame" not in program.errors, program.errors)


for name, preset, *numbers in (
        ("QiLagMonitor", "qilag", 88, 88, ("sleep", 79), ("sleep", 95), ("change", 400)),
        ("BGPerformanceMonitor", "semaphore", 250, 250, ("sleep", 200), ("sleep", 260), ("change", 900)),
        ("KartunMonitor", "kartun", 2000, 2000, ("sleep", 1900), ("sleep", 2100), ("change", 4600)),
        # Checks of 1 s decide between 2 and 3 s.
        ("WeChat-Matrix", "matrix", 2000, 3010, ("sleep", 1900), ("sleep", 3200))):
    tap.add(name, test_loop, preset, *numbers)
# A ping is sent every 400 ms, and every second.
tap.add("ANREye", test_ping, "anreye", 400, 810, 380, 900)
tap.add("PMainThreadWatcher", test_ping, "mainwatch", 16, 1030, 12, 1200)
tap.add("Rabbit", test_rabbit)
tap.add("CADisplayLink", test_displaylink)
tap.add("matrix/change", test_matrix_change)
tap.add("short/4ms", check_short, "threshold=4ms,first-sample=2ms,interval=2ms", 4, 40)
tap.add("short/pings", check_short, "observer=ping,ping-interval=16ms,ping-timeout=16ms", 16, 100)
tap.add("idle/mainwatch", check_idle, "mainwatch", 1)
tap.add("idle/qilag", check_idle, "qilag", 0)
tap.add("frames/displaylink-words", test_displaylink_words)
tap.main("/module/seeds", n_at_once=4)
