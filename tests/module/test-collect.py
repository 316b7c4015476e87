# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Garbage collection has a name: the interpreter's own is nobody's fault, one that was asked for is the asker's, and
what a finalizer does is the finalizer's."""

import pathlib

import tap
import watched

PYTHON = ["/usr/bin/python3", pathlib.Path(__file__).parent / "collect.py"]
JAVASCRIPT = ["gjs", pathlib.Path(__file__).parent / "collect.js"]


def find_longest(program, function):
    """With that function on a stack: an interpreter collects at its end, too."""
    if any(report["heaviest"].get("unanswered") for report in program.stalls):
        raise tap.Skip("the machine kept the engine from its answer")
    report = max((report for report in program.stalls if function in [call.get("symbol") for call in report["frames"]]),
                 key=lambda report: report["stall"]["duration_ns"], default=None)
    tap.check(report is not None, "no stall:", program.errors, *(report["culprit"] for report in program.stalls))
    return report


def check_collector(words, act, culprit, names, said):
    """said: words of the first sentence. names: on the heaviest path, in order, each "!" one is nowhere."""
    with watched.Program(*words, act) as program:
        program.wait()
        report = find_longest(program, names[0])
        headline = program.headline(report)
    path = [report["frames"][step["frame"]] for step in report["heaviest"]["path"]]
    symbols = [call.get("symbol") for call in path]
    tap.check_equal(report["culprit"]["function"], culprit, f"the culprit ({symbols})")
    wanted = [name for name in names if not name.startswith("!")]
    tap.check_equal([symbol for symbol in symbols if symbol in wanted], wanted, f"calls of {symbols}")
    for name in names:
        tap.check(name[:1] != "!" or name[1:] not in [call.get("symbol") for call in report["frames"]], name, symbols)
    for words in said if watched.starved(report) < 0.4 else ():
        tap.check(words in headline, words, "is not in", headline)
    named = {call["symbol"] for call in report["frames"] if call.get("name_from") == "collector"}
    tap.check(named <= {JAVASCRIPTS, PYTHONS}, "the collector's names:", named)


JAVASCRIPTS = "JavaScript's garbage collector"
PYTHONS = "Python's garbage collector"
tap.add("python-begun", check_collector, PYTHON, "begun", PYTHONS, ["collect_by_itself", "append_rows", PYTHONS],
        ["Python's garbage collector (", "), begun in append_rows() (collect.py:"])
tap.add("python-asked", check_collector, PYTHON, "asked", "sweep_up", ["sweep_up", "gc.collect", PYTHONS],
        ["Python's garbage collector (", "), asked for by sweep_up() (collect.py:"])
tap.add("python-finalizer", check_collector, PYTHON, "finalizer", "finish_slowly",
        ["append_rows", PYTHONS, "Slow.__del__", "finish_slowly"],
        ["finish_slowly() (collect.py:"])
tap.add("python-none", check_collector, PYTHON, "none", "add_up",
        ["add_up", f"!{PYTHONS}"],
        ["add_up() (collect.py:"])
tap.add("javascript-asked", check_collector, JAVASCRIPT, "asked", "sweepUp", ["sweepUp", JAVASCRIPTS],
        ["JavaScript's garbage collector (", "), asked for by sweepUp() (collect.js:"])
tap.main("/module/collect", n_at_once=2)
