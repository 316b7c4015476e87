# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""JavaScript calls that are read from the engine's memory while it sleeps in native code: an answer comes when that
ends, and with other calls, or not at all, where it throws."""

import pathlib
import shutil

import tap
import watched

FOLDER = pathlib.Path(__file__).parent
PROGRAM = FOLDER / "blocked.js"
MODULE = FOLDER / "blocked-module.js"
PLAIN = FOLDER / "blocked-plain.js"
GJS = shutil.which("gjs")


def line_of(path, text):
    return watched.line_of(path.read_text().splitlines(), text)


def find_calls(report):
    """Of the heaviest stack, innermost first: JavaScript's as name, line; names of others."""
    calls = [report["frames"][index] for index in report["stacks"][report["heaviest"]["stack"]]]
    return [(call["symbol"], call.get("line")) if call.get("language") == "javascript" else call.get("symbol")
            for call in calls]


def has_call(report, name):
    heaviest = report.get("heaviest", {})
    return "stack" in heaviest and name in watched.functions(report, heaviest["stack"])


def check_blocked(path, words, expected):
    """expected: the innermost calls, each name and a part of its line."""
    with watched.Program(GJS, *words) as program:
        program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    # A machine at work lets a program stall elsewhere, too.
    report = next((report for report in program.stalls if has_call(report, "g_subprocess_wait_check")), None)
    tap.check(report is not None, "no stall in the call:", program.errors)
    calls = [call for call in find_calls(report) if isinstance(call, tuple)]
    tap.check_equal(calls[:len(expected)], [(name, line_of(path, text)) for name, text in expected],
                    "the innermost calls")
    tap.check_equal(report["culprit"]["function"], expected[0][0], "the culprit")
    tap.check(("<TOP LEVEL>", line_of(path, "loop.run()")) in calls, "who runs the loop:", calls)
    tap.check("unanswered" not in report["heaviest"], report["heaviest"])
    return report


def check_act(act, expected):
    check_blocked(PROGRAM, [PROGRAM, act], expected)


def check_nested():
    """What lies between two calls stays between them."""
    report = check_blocked(PROGRAM, [PROGRAM, "nested"], [BATTERY, UPDATE])
    names = [call[0] if isinstance(call, tuple) else call for call in find_calls(report)]
    places = [names.index(name)
              for name in ("update", "emit/<", "g_signal_emit", "emit", "forEach", "nested", "g_main_loop_run")]
    tap.check(places == sorted(places), names)


def check_loop():
    """A function that becomes compiled code as it runs is one call."""
    report = check_blocked(PROGRAM, [PROGRAM, "loop"], [BATTERY, UPDATE, ("repeatAndUpdate", "now.update(); // after")])
    names = [call[0] for call in find_calls(report) if isinstance(call, tuple)]
    tap.check_equal(names[2:], ["repeatAndUpdate", "loop", "anonymous", "<TOP LEVEL>"], "the calls")


def check_module():
    check_blocked(MODULE, ["-m", MODULE], [BATTERY, ("anonymous", "    readBattery();")])


def check_plain():
    """The engine answers where JavaScript begins a loop: without one, nothing is read from its memory unless the main
    loop's turns have checked that."""
    with watched.Program(GJS, PLAIN) as program:
        program.wait()
    report = next((report for report in program.stalls if has_call(report, "g_usleep")), None)
    tap.check(report is not None, "no stall in the call:", program.errors)
    calls = [call for call in find_calls(report) if isinstance(call, tuple)]
    tap.check_equal(calls[:1], [("readSensor", line_of(PLAIN, "GLib.usleep"))], "the innermost call")
    tap.check(("<TOP LEVEL>", line_of(PLAIN, "loop.run()")) in calls, "who runs the loop:", calls)
    tap.check("unanswered" not in report["heaviest"], report["heaviest"])


def check_optimized():
    """Optimized code does not say which functions it runs: no name is given then, and a line says why. Before the
    engine has optimized it, the names are right."""
    with watched.Program(GJS, PROGRAM, "optimized") as program:
        report = program.wait_for("a report of the call", lambda: next(
            (report for report in watched.read_reports(program.store) if has_call(report, "g_usleep") and
             report["stall"]["duration_ns"] > 2_000_000_000), None), 120)
        shown = program.show(report)
    names = [call[0] for call in find_calls(report) if isinstance(call, tuple)]
    if names:
        tap.check_equal(names[:3], ["sleepOnce", "sleepOften", "optimized/<"], "the calls")
        return "not optimized yet"
    tap.check_equal(report["heaviest"].get("unanswered"), "javascript", "whose calls are missing")
    tap.check("(JavaScript: no answer since the call into native code began)" in shown, shown)
    return "optimized"


BATTERY = ("readBattery", "child.wait_check")
UPDATE = ("update", "        return readBattery(this.isNow); // update")
tap.check(GJS is not None, "There is no gjs: install the package ‘gjs’")
tap.add("uncaught", check_act, "uncaught", [BATTERY, UPDATE, ("uncaught", "uncaught:")])
tap.add("nested", check_nested)
tap.add("accessor", check_act, "accessor", [BATTERY, ("get level", "return readBattery(this.isNow); // level"),
                                            ("accessor", "accessor:")])
tap.add("compiled", check_act, "compiled", [BATTERY, UPDATE, ("compiled", "compiled:")])
tap.add("loop", check_loop)
tap.add("module", check_module)
tap.add("plain", check_plain)
tap.add("optimized", check_optimized)
tap.main("/module/blocked-javascript", n_at_once=2)
