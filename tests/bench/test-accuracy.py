# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A short run of the accuracy benchmark, judged so that a busy machine passes it: test-accuracy.py BUILD_FOLDER.

What the machine did to the program is not scored: stalls that hardly had a CPU."""

import pathlib
import tempfile

import accuracy
import desktop
import figures
import tap

SEED, N_STALLS, LENGTHS_MS = 42, 40, (20, 1000)


def is_starved(report):
    return 3 * report["stall"].get("preempted_ns", 0) >= report["stall"]["duration_ns"]


build = pathlib.Path(*tap.arguments(1)).resolve()
with tempfile.TemporaryDirectory() as state, desktop.display() as display:
    env = dict(figures.environment(display, state, build, True), GSK_RENDERER="cairo")
    stalls, reports = accuracy.run(build / "tests" / "bench" / "random-stalls", SEED, N_STALLS, env, LENGTHS_MS)
found, invented = accuracy.match(stalls, reports)
starved = {i for i, (_, report) in found.items() if is_starved(report)}
whole = accuracy.score(stalls, reports)
fair = accuracy.score([stall for i, stall in enumerate(stalls) if i not in starved],
                      [(at, report) for i, (at, report) in found.items() if i not in starved])
wrong = [f"{report['kind']}, {report['stall']}, {report.get('waits')}, beside {accuracy.nearest(stalls, report)}"
         for report in invented if not is_starved(report)]
for name, holds, *what in (
        ("scored", fair["scored"] >= 1 or len(starved) > len(found) / 2,
         f"{len(starved)} of {len(found)} stalls were starved; of the others:", fair),
        ("detected", whole["detected"] == whole["stalls"] >= 10, whole),
        ("invented", not wrong, *wrong),
        ("length", fair["duration_error_p50_ns"] <= 1_000_000, fair),
        ("culprit", fair["culprit_right"] >= 0.9 * fair["scored"], fair),
        ("reason", fair["reason_right"] >= 0.9 * fair["scored"], fair)):
    tap.add(name, tap.check, holds, *what)
tap.main("/bench/accuracy")
