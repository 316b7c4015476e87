# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Spins name the program's function, in C and in Python: the callback that the loop kept dispatching, or the one that
turned the loop itself. Sentence, culprit, and list agree."""

import pathlib
import subprocess

import tap
import watched

# A machine without a free CPU lets few samples meet the callback.
ENOUGH, TRIES = 6, 4

FOLDER = pathlib.Path(__file__).parent
PYTHON = ["/usr/bin/python3", FOLDER / "spin.py"]


def ask(program, *words):
    return subprocess.run([watched.COMMAND, *words], env=watched.environment(program.home), check=True,
                          capture_output=True,
                          text=True).stdout


def run_spin(words):
    """The spin with the most samples, its sentence, its row of the list."""
    with watched.Program(*words, config="spin-time=500ms") as program:
        program.wait()
        spins = [report for report in program.reports if report["kind"] == "spin"]
        spin = max(spins, key=lambda report: report["self"]["samples"], default=None)
        tap.check(spin is not None, f"no spin: {program.errors}")
        headline = " ".join(ask(program, "show", spin["id"]).split("\n\n")[0].split())
        return spin, headline, next(line for line in ask(program, "list").splitlines() if spin["id"] in line)


def check_spin(words, kind, function):
    for _ in range(TRIES):
        spin, headline, row = run_spin(words)
        if spin["self"]["samples"] >= ENOUGH:
            break
    else:
        raise tap.Skip(f"the machine gave the program no CPU: {spin['self']}")
    tap.check_equal(spin["culprit"]["function"], function, "the culprit")
    tap.check(function in row.split(), function, "is not in", row)
    said = f"it kept dispatching {function}()" if kind == "kept" else f": {function}() ("
    tap.check(said in headline, said, "is not in", headline)
    tap.check(("kept dispatching" in headline) == (kind == "kept"), headline)
    tap.check(headline.endswith("turned it itself") == (kind != "kept"), headline)


tap.add("python-kept", check_spin, [*PYTHON, "kept"], "kept", "poll_queue")
tap.add("c-kept", check_spin, [watched.STALLER, "spin-idle", 2300], "kept", "spin_check_again_cb")
for kind in ("turned", "turned-busy"):
    tap.add(f"python-{kind}", check_spin, [*PYTHON, kind], kind, "wait_for_download")
    tap.add(f"c-{kind}", check_spin, [watched.STALLER, kind, 2300], kind, "turned_waits_cb")
tap.main("/module/spin", n_at_once=2)
