# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Frames that do not come though each turn of the loop is short: whoever is dispatched before GTK draws is named; work that
lets the frames through is not, nor is one that no window waits for."""

import pathlib

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

FOLDER = pathlib.Path(__file__).parent


def run(*words):
    with watched.display() as display:
        with watched.Program(COMMAND, "run", "--", *words, watched=False, display=display) as program:
            program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    frames = [report for report in program.reports if report["kind"] == "frame"]
    return program, sorted(frames, key=lambda report: report["stall"]["duration_ns"])


def check(*words):
    program, frames = run(*words)
    tap.check(frames, "nothing is told:", program.errors)
    stall, culprit = frames[-1]["stall"], frames[-1].get("culprit", {}).get("function", "")
    # A stall that the machine makes cuts it in two.
    tap.check(stall["duration_ns"] >= 1200 * NS_PER_MS or program.stalls, "the length:", stall)
    tap.check(stall["turns"] >= 50 or program.stalls, "the turns:", stall)
    tap.check_equal(culprit.lower().replace("_", ""), "workhere", "the culprit")
    tap.check_equal(frames[-1]["source"]["priority"], 0, "the priority of the source")
    tap.check("report of missing frames" in program.errors and "No frame for" in program.errors, "the summary:", program.errors)


def check_none(*words):
    """The machine may keep the program from its CPU; the program's work is nobody's fault."""
    program, frames = run(*words)
    named = [report["culprit"]["function"] for report in frames
             if watched.starved(report) < 0.2 and report.get("culprit", {}).get("function") == "work_here"]
    tap.check_equal(named, [], "what is named")


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    program = BUILD / "tests/module/starved"
    for kind in ("idle", "timeout", "pipe"):
        tap.add(f"c/gtk{version}/{kind}", check, program, library, kind)
    for kind in ("low", "hidden"):
        tap.add(f"c/gtk{version}/{kind}", check_none, program, library, kind)
    tap.add(f"python/gtk{version}", check, "/usr/bin/python3", FOLDER / "starved.py", f"{version}.0")
    tap.add(f"javascript/gtk{version}", check, "gjs", FOLDER / "starved.js", f"{version}.0")
tap.main("/module/starved", n_at_once=2)
