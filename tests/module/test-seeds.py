# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Each monitor that the presets are after, at both sides of the numbers its document gives: live, and in replay on the
record of the same run, where the truth is known. How long a stall really was the program and the record tell: a busy
machine makes a short one long."""

import contextlib
import json
import pathlib
import subprocess
import tempfile
import time

import desktop
import tap
import watched
from watched import COMMAND, GTK_WINDOW, NS_PER_MS, NS_PER_S, STALLER


def replay(preset, path):
    """What the preset would have reported on a record."""
    output = subprocess.run([COMMAND, "presets", "--json", "--replay", path], check=True, capture_output=True).stdout
    return next(entry for entry in json.loads(output)["presets"] if entry["preset"] == preset)["reports"]


@contextlib.contextmanager
def recorded(preset, *command, display=None):
    """Runs a program. Gives it, the lines of the record in words, and the record's path."""
    with tempfile.TemporaryDirectory() as folder:
        program = watched.run(*command, display=display, config=f"preset={preset},spin-turns=0,events={folder}/events")
        tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
        path = next(pathlib.Path(folder).iterdir())
        yield program, [line.split() for line in path.read_text().splitlines()], path


def began_ns(lines):
    """What the times of a replay count from: the program may have been busy when watching began."""
    return min(int(words[1]) for words in lines if words[0] in ("from", "busy", "sample", "frame"))


# By how much a machine may make a stall longer before it is no longer known what a monitor must say of it: what it
# stood still for is no part of a stall, but is in the record.
STRETCHED_NS = 60 * NS_PER_MS


def test_loop(preset, never_ms, always_ms, *stalls):
    """A turn of the loop shorter than the number is no stall, a longer one is one, and who is to blame in the end is
    the same live and in replay."""
    for command, length_ms in stalls:
        with recorded(preset, STALLER, command, length_ms) as (program, lines, path):
            truth, first_ns = program.truth, began_ns(lines)
            [(busy_ns, ended_ns)] = [(int(words[1]), int(words[2])) for words in lines if words[0] == "busy"
                                     and int(words[1]) <= truth["began_monotonic_ns"]
                                     and int(words[2]) >= truth["ended_monotonic_ns"]]
            replayed = [report for report in replay(preset, path)
                        if busy_ns <= first_ns + report["began_ns"] < ended_ns]
        length_ns = ended_ns - busy_ns
        live = [report for report in program.stalls if busy_ns <= report["stall"]["began_monotonic_ns"] < ended_ns]
        tap.check(length_ns >= length_ms * NS_PER_MS, "the record is too short:", length_ns)
        if length_ns < never_ms * NS_PER_MS:
            tap.check_equal((live, replayed), ([], []), f"the reports of {length_ns} ns, live and replayed")
        if always_ms * NS_PER_MS <= length_ns < length_ms * NS_PER_MS + STRETCHED_NS:
            tap.check(live and replayed, f"{length_ns} ns: {len(live)} reports live, {len(replayed)} in replay")
            tap.check_equal(sum(watched.ended_ns(report) - report["stall"]["began_monotonic_ns"] for report in live),
                            length_ns,
                            "the length")
            if all("culprit" in report and watched.starved(report) < 0.2 for report in live):
                tap.check_equal([report.get("culprit_at_end", report.get("culprit")) for report in replayed],
                                [report["culprit"]["function"] for report in live], "the culprits of the replay")


def test_ping(preset, never_ms, always_ms, below_ms, above_ms):
    """A ping falls into every stall from the second number on, and is answered in time in every one below the first.
    The record is the program's own account: a monitor that pings knows nothing else of the loop."""
    for length_ms in (below_ms, above_ms):
        program = watched.run(STALLER, "sleep", length_ms, config=f"preset={preset}")
        truth = program.truth
        stall_ns = (truth["began_monotonic_ns"], truth["ended_monotonic_ns"])
        length_ns = stall_ns[1] - stall_ns[0]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "events"
            samples = [f"sample {at_ns} 1 1 1" for at_ns in range(*stall_ns, 5 * NS_PER_MS)]
            path.write_text("\n".join(["jankwatch-events-1", "name 1 stall_sleep", f"from {program.began_ns}", *samples,
                                       f"busy {stall_ns[0]} {stall_ns[1]} loop 1", f"to {program.ended_ns}", ""]))
            replayed = replay(preset, path)
        live = [report for report in program.stalls if report["stall"]["began_monotonic_ns"] < stall_ns[1]
                and watched.ended_ns(report) > stall_ns[0]]
        for report in live:
            # A late answer is the machine's doing where the stall alone is too short for it.
            tap.check(report["stall"]["duration_ns"] >= never_ms * NS_PER_MS, "a report of less:", report["stall"])
        if length_ns < never_ms * NS_PER_MS:
            tap.check_equal(replayed, [], f"the replayed reports of {length_ns} ns")
        if length_ns >= always_ms * NS_PER_MS:
            tap.check_equal((len(live) >= 1, len(replayed)), (True, 1), f"{length_ns} ns are seen")
            tap.check_equal({replayed[0]["culprit"], live[0]["culprit"]["function"]}, {"stall_sleep"}, "the culprits")
            tap.check(live[0]["threads"], "no thread is told of")


def frames_of(lines):
    """Beginnings of two successive frames of a running clock, and the refresh interval."""
    frames = [tuple(map(int, words[1:])) for words in lines if words[0] == "frame"]
    return [(before[0], frame[0], frame[1] or 16_666_667) for before, frame in zip(frames, frames[1:]) if frame[2] == 1]


def test_rabbit():
    """The reports are the gaps of more than ten refresh intervals in the record, no more and no fewer."""
    for gap_ms in (120, 220):
        with watched.display() as display, recorded("rabbit", GTK_WINDOW, "gap", gap_ms,
                                                            display=display) as (program, lines, path):
            gaps = {(began, ended - began) for began, ended, refresh in frames_of(lines)
                    if ended - began > 10 * refresh}
            live = {(report["stall"]["began_monotonic_ns"], report["stall"]["duration_ns"]): report
                    for report in program.reports if report["kind"] == "frame"}
            first_ns, replayed = began_ns(lines), replay("rabbit", path)
        tap.check_equal(set(live), gaps, "the live reports")
        tap.check_equal({(first_ns + report["began_ns"], report["at_ns"] - report["began_ns"]) for report in replayed},
                        gaps,
                        "the replayed reports")
        planted = [report for report in live.values() if "sleep_between_frames" in watched.names(report)]
        if gap_ms > 170:
            tap.check_equal([report["culprit"]["function"] for report in planted], ["sleep_between_frames"],
                            "the culprit")
            tap.check("sleep_between_frames" in [report.get("culprit") for report in replayed], "replayed:", replayed)


def test_displaylink():
    """Frames divided by the time, once that is a second: too few of them live are those in replay."""
    for gap_ms in (0, 415):
        with watched.display() as display, recorded("displaylink", GTK_WINDOW, "gap", gap_ms,
                                                            display=display) as (program, lines, path):
            live = {report["stall"]["began_monotonic_ns"]: report["stall"] for report in program.reports
                    if report["kind"] == "frame"}
            first_ns, replayed = began_ns(lines), replay("displaylink", path)
            starts = [began for began, _, _ in frames_of(lines)] + [frames_of(lines)[-1][1]]
        tap.check_equal({first_ns + report["began_ns"] for report in replayed}, set(live), "the replayed reports")
        for began, stall in live.items():
            n_frames = sum(began < at <= began + stall["duration_ns"] for at in starts)
            tap.check(stall["duration_ns"] >= NS_PER_S, "a figure before its second was over", stall)
            tap.check_between(stall["fps"] * stall["duration_ns"] / NS_PER_S, n_frames - 0.1, n_frames + 0.1,
                              "the figure")
        tap.check(gap_ms == 0 or live, "a gap of 415 ms was not seen")


def test_matrix_change():
    """When a hang goes on with other work there is a second report, and the first stays. The record of the run says the
    same."""
    with recorded("matrix", STALLER, "change", 4800) as (program, _, path):
        replayed = replay("matrix", path)
    reports = sorted(program.stalls, key=lambda report: report["stall"]["began_monotonic_ns"])
    tap.check_equal([report["culprit"]["function"] for report in reports], ["split_heavy", "split_light"],
                    "the culprits")
    first, second = reports
    tap.check_equal(first["stall"]["threshold_ns"], 2 * NS_PER_S, "the threshold")
    tap.check(first["heaviest"]["share"] > 0.9, "the first report knows of what came later:", first["heaviest"])
    tap.check_equal(watched.ended_ns(first), second["stall"]["began_monotonic_ns"], "the first one's end")
    tap.check(watched.ended_ns(second) >= program.truth["ended_monotonic_ns"], "the second one's end:", second["stall"])
    for report in reports:
        tap.check_equal(report["heaviest"]["rule"], "last20", "the rule")
        tap.check_between(len(report["samples"]), 1, 20, "the number of stacks")
    tap.check_equal([report["culprit"] for report in replayed], ["split_heavy", "split_light"],
                    "the culprits of the replay")


def check_short(config, threshold_ms, length_ms):
    """Thresholds of a frame and below find what is as short, and nothing shorter."""
    program = watched.run(STALLER, "compute", length_ms, config=f"{config},spin-turns=0")
    length_ns = program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"]
    lengths_ns = [report["stall"]["duration_ns"] for report in program.stalls]
    tap.check(min(lengths_ns, default=0) >= threshold_ms * NS_PER_MS, "a shorter stall:", lengths_ns)
    least_ns = threshold_ms * NS_PER_MS if "ping" in config else length_ns
    tap.check(any(found_ns >= least_ns for found_ns in lengths_ns),
              f"a stall of {length_ns} ns was not seen:", lengths_ns)


def switches(program):
    """How often the main thread has slept so far."""
    text = pathlib.Path(f"/proc/{program.popen.pid}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("voluntary_ctxt_switches"))


def check_idle(preset, pings_per_s):
    """An idle program is woken by pings and by nothing else. Awake, it may have to wait for the lock of its context,
    which the sender has just let go of: it sleeps twice for a ping, at most."""
    with watched.Program(STALLER, "idle", 7, config=f"preset={preset}") as program:
        time.sleep(2)
        before, began = switches(program), time.monotonic()
        time.sleep(4)
        after, ended = switches(program), time.monotonic()
        program.wait()

    # Whatever was late, the program was not: it computed next to nothing. A start-up is another matter: until the loop
    # turns nobody knows its thread, and its CPU time.
    for report in program.reports:
        if report["stall"]["began_monotonic_ns"] > began * NS_PER_S:
            tap.check(report["stall"]["cpu_ns"] < report["stall"]["duration_ns"] / 2, "a stall of an idle program:",
                      report["stall"])
    n_pings = pings_per_s * (ended - began)
    tap.check_between(after - before, 1 if pings_per_s > 0 else 0, 2 * n_pings + 2 * (pings_per_s > 0),
                      "how often the program slept")


def test_displaylink_words():
    """Of one gap in a second the figure tells: in the report, in the line while it runs, in the summary and its
    file."""
    with desktop.session() as display:
        program = watched.run(COMMAND, "run", "--", GTK_WINDOW, "gap", 415, display=display,
                              config="preset=displaylink")
    figures = program.sessions[0]["figures"]
    reports = [report for report in program.reports if report["kind"] == "frame"]
    least = min(report["stall"]["fps"] for report in reports)
    tap.check(figures["count"] >= 2 and figures["least_fps"] <= least, "the figures are", figures)
    for report in reports:
        tap.check(f"{report['stall']['fps']:.1f} frames a second in" in program.errors, program.errors)
    tap.check(f"Only {least:.1f} frames a second in" in program.errors, program.errors)
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
tap.main("/module/seeds", n_at_once=2)
