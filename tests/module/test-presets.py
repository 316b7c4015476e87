# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The rules of other monitors, in a program that really stalls. Each at both sides of its numbers: test-seeds.py."""

import json
import pathlib
import subprocess
import tempfile
import time

import desktop
import tap
import watched
from watched import COMMAND, GTK_WINDOW, NS_PER_MS, NS_PER_S, STALLER


def stall(preset, command, length_ms, config=None):
    """Runs a program with one stall. Returns its length by its own account, and the reports of it."""
    program = watched.run(STALLER, command, length_ms, config=f"preset={preset},{config or 'spin-turns=0'}")
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    return program.truth["ended_monotonic_ns"] - program.truth["began_monotonic_ns"], program.stalls


def test_matrix_change():
    """When a hang goes on with other work there is a second report, and the first stays. The record of the run says the
    same."""
    with tempfile.TemporaryDirectory() as folder:
        program = watched.run(STALLER, "change", 4800, config=f"preset=matrix,spin-turns=0,events={folder}/events")
        events = next(pathlib.Path(folder).iterdir())
        replayed = subprocess.run([COMMAND, "presets", "--json", "--replay", events], check=True,
                                  capture_output=True).stdout
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
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

    matrix = next(preset for preset in json.loads(replayed)["presets"] if preset["preset"] == "matrix")
    tap.check_equal([report["culprit"] for report in matrix["reports"]], ["split_heavy", "split_light"],
                    "the culprits of the replay")


def test_short(config, threshold_ms, length_ms):
    """Thresholds of a frame and below find what is as short, and nothing shorter."""
    length_ns, reports = stall("default", "compute", length_ms, f"{config},spin-turns=0")
    tap.check(all(report["stall"]["duration_ns"] >= threshold_ms * NS_PER_MS for report in reports), "a shorter stall")
    lengths_ns = [report["stall"]["duration_ns"] for report in reports]
    least_ns = threshold_ms * NS_PER_MS if "ping" in config else length_ns
    tap.check(any(found_ns >= least_ns for found_ns in lengths_ns),
              f"a stall of {length_ns} ns was not seen:", lengths_ns)


def switches(program):
    """How often the main thread has slept so far."""
    text = pathlib.Path(f"/proc/{program.popen.pid}/status").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("voluntary_ctxt_switches"))


def test_idle(preset, pings_per_s):
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
        with watched.Program(COMMAND, "run", "--", GTK_WINDOW, "gap", 415, display=display,
                             config="preset=displaylink") as program:
            program.wait()
            figures = json.loads(next((program.store / "sessions").glob("*.json")).read_text())["figures"]
        reports = [report for report in program.reports if report["kind"] == "frame"]
        least = min(report["stall"]["fps"] for report in reports)
    tap.check(figures["count"] >= 2 and figures["least_fps"] <= least, "the figures are", figures)
    for report in reports:
        tap.check(f"{report['stall']['fps']:.1f} frames a second in" in program.errors, program.errors)
    tap.check(f"Only {least:.1f} frames a second in" in program.errors, program.errors)
    tap.check("missing" not in program.errors and "No frame" not in program.errors, program.errors)


tap.add("matrix/change", test_matrix_change)
tap.add("short/4ms", test_short, "threshold=4ms,first-sample=2ms,interval=2ms", 4, 40)
tap.add("short/pings", test_short, "observer=ping,ping-interval=16ms,ping-timeout=16ms", 16, 100)
tap.add("idle/mainwatch", test_idle, "mainwatch", 1)
tap.add("idle/qilag", test_idle, "qilag", 0)
tap.add("frames/displaylink-words", test_displaylink_words)
tap.main("/module/presets", n_at_once=2)
