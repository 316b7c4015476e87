# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""JavaScript calls in reports of a program of gjs."""

import pathlib
import shutil

import tap
import watched

LEDGER = pathlib.Path(__file__).parent / "ledger.js"
LINES = LEDGER.read_text().splitlines()
GJS = shutil.which("gjs")


def line_of(text):
    return next(number for number, line in enumerate(LINES, 1) if text in line)


def find_calls(report, stack):
    """JavaScript calls of a stack, innermost first: name, line. After a call that slept the line is the next."""
    calls = [report["frames"][index] for index in report["stacks"][stack]]
    return [(call["symbol"], call["line"]) for call in calls
            if call.get("language") == "javascript" and call["file"] == f"{LEDGER}"]


def check_stall(act, culprits, outermost, lines):
    with watched.Program(GJS, LEDGER, act) as program:
        program.wait()
    tap.check_equal(program.status, 0, "the exit status")
    report = max(program.stalls, key=lambda report: report["stall"]["duration_ns"], default=None)
    tap.check(report is not None, "no stall:", program.errors)

    tap.check(report["culprit"]["function"] in culprits, "the culprit:", report["culprit"])
    tap.check_equal(report["culprit"]["module"], f"{LEDGER}", "the culprit's module")
    calls = find_calls(report, report["heaviest"]["stack"])
    tap.check(calls[0][0] in culprits, "the innermost call:", calls)
    tap.check_equal([name for name, line in calls[-len(outermost):]], outermost, "the outermost calls")
    if act == "sleep":
        tap.check(line_of("GLib.usleep") <= calls[0][1] <= line_of("GLib.usleep") + 1, "the line that slept:", calls)
    for name, line in lines.items():
        tap.check_equal(dict(calls).get(name), line_of(line), f"the line in {name}")
    stacks = [sample["stack"] for sample in report["samples"] if "stack" in sample]
    named = [stack for stack in stacks if ("onLoad", line_of("this.act()")) in find_calls(report, stack)]
    tap.check(len(named) >= max(1, len(stacks) // 2), "samples with JavaScript calls:", len(named), "of", len(stacks))


tap.check(GJS is not None, "There is no gjs: install the package ‘gjs’")
tap.add("sleep", check_stall, "sleep", ("loadSettingsSlowly",), ["onLoad", "anonymous", "<TOP LEVEL>"],
        {"onLoad": "this.act()", "<TOP LEVEL>": "window.loop.run()"})
tap.add("compute", check_stall, "compute", ("addUp", "computeSlowly"), ["onLoad", "anonymous", "<TOP LEVEL>"],
        {"onLoad": "this.act()", "<TOP LEVEL>": "window.loop.run()"})
tap.main("/module/javascript")
