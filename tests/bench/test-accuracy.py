# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A short run of the accuracy benchmark, judged so that a busy machine passes it: test-accuracy.py BUILD_FOLDER.

What the machine did to the program is not scored: stalls that hardly had a CPU, or whose watcher had none."""

import pathlib
import tempfile

import accuracy
import desktop
import figures
import tap

SEED, N_STALLS, LENGTHS_MS = 42, 40, (20, 1000)


SLACK_NS = 1_000_000


def is_starved(report):
    waited_ns = sum(sample["weight_ns"] for sample in report["samples"] if sample.get("state") == "preempted")
    waited_ns = max(waited_ns, report["stall"].get("preempted_ns", 0))
    return not report["samples"] or 3 * waited_ns >= report["stall"]["duration_ns"]


def misses(stall, report, turns):
    """Whether it, and what was left out, is shorter than what stalled, or longer than its turn by the program."""
    longest = max((turn["ended_ns"] - turn["began_ns"] for turn in turns
                   if turn["began_ns"] <= stall["began_ns"] and stall["ended_ns"] <= turn["ended_ns"]), default=0)
    length_ns = report["stall"]["duration_ns"] + sum(report["stall"].get("excluded_ns", {}).values())
    return not stall["ended_ns"] - stall["began_ns"] - SLACK_NS <= length_ns <= longest + SLACK_NS


build = pathlib.Path(*tap.arguments(1)).resolve()
with tempfile.TemporaryDirectory() as state, desktop.display() as display:
    env = dict(figures.environment(display, state, build, True), GSK_RENDERER="cairo")
    program = build / "tests" / "bench" / "random-stalls"
    lines, reports = accuracy.run(program, SEED, N_STALLS, env, LENGTHS_MS, "began_ns")
stalls, turns = ([line for line in lines if kind in line] for kind in ("stall", "turn"))
found, invented = accuracy.match(stalls, reports)
starved = {i for i, (_, report) in found.items() if is_starved(report)}
whole = accuracy.score(stalls, reports)
fair = accuracy.score([stall for i, stall in enumerate(stalls) if i not in starved],
                      [(at, report) for i, (at, report) in found.items() if i not in starved])
lengths = [f"{stalls[i]}, {report['stall']}" for i, (_, report) in found.items() if misses(stalls[i], report, turns)]
wrong = [f"{report['kind']}, {report['stall']}, {report.get('waits')}, beside {accuracy.nearest(stalls, report)}"
         for report in invented if not is_starved(report)]
for name, holds, *what in (
        ("scored", fair["scored"] >= 1 or len(starved) > len(found) / 2,
         f"{len(starved)} of {len(found)} stalls were starved; of the others:", fair),
        ("detected", whole["detected"] == whole["stalls"] >= 10, whole),
        ("invented", not wrong, *wrong),
        ("length", not lengths, *lengths),
        ("culprit", fair["culprit_right"] >= 0.9 * fair["scored"], fair),
        ("reason", fair["reason_right"] >= 0.9 * fair["scored"], fair)):
    tap.add(name, tap.check, holds, *what)
tap.main("/bench/accuracy")
