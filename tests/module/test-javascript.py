# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""JavaScript calls in reports of a program of gjs."""

import functools
import pathlib
import shutil

import tap
import watched

LEDGER = pathlib.Path(__file__).parent / "ledger.js"
LINES = LEDGER.read_text().splitlines()
GJS = shutil.which("gjs")


line_of = functools.partial(watched.line_of, LINES)
find_calls = functools.partial(watched.find_calls, language="javascript", file=f"{LEDGER}")


def check_stall(act, culprits, outermost, lines):
    with watched.Program(GJS, LEDGER, act) as program:
        program.wait()
    tap.check_equal(program.status, 0, "the exit status")
    report = program.longest

    tap.check(report["culprit"]["function"] in culprits, "the culprit:", report["culprit"])
    tap.check_equal(report["culprit"]["module"], f"{LEDGER}", "the culprit's module")
    calls = find_calls(report, report["heaviest"]["stack"])
    tap.check("unanswered" not in report["heaviest"], "the engine has answered:", report["heaviest"])
    tap.check(calls[0][0] in culprits, "the innermost call:", calls)
    tap.check_equal([name for name, line in calls[-len(outermost):]], outermost, "the outermost calls")
    if act == "sleep":
        tap.check(line_of("GLib.usleep") <= calls[0][1] <= line_of("GLib.usleep") + 1, "the line that slept:", calls)
    names = watched.functions(report, report["heaviest"]["stack"])
    tap.check("g_main_loop_run" in names, "the stack ends in compiled code:", names)
    for name, line in lines.items():
        tap.check_equal(dict(calls).get(name), line_of(line), f"the line in {name}")
    stacks = [sample["stack"] for sample in report["samples"] if "stack" in sample]
    named = [stack for stack in stacks if ("onLoad", line_of("this.act()")) in find_calls(report, stack)]
    tap.check(len(named) >= max(1, len(stacks) // 2), "samples with JavaScript calls:", len(named), "of", len(stacks))


def run_unharmed(act, status, first_sample=4, **options):
    with watched.Program(GJS, LEDGER, act, config=f"interval=1,first-sample={first_sample}", **options) as program:
        program.wait()
    tap.check_equal(program.status, status, f"the exit status ({program.errors})")
    tap.check("JS ERROR" not in program.errors and "CRITICAL" not in program.errors, "what gjs says:", program.errors)
    return program


def check_counts(act):
    """What the program tried and what came of it."""
    truth = run_unharmed(act, 0).truth
    tap.check(len(set(truth.values())) == 1 and 0 not in truth.values(), "counts differ:", truth)


def check_recursion():
    """An answer that takes so long is not asked for often: once, when it has come to the bottom."""
    reports = run_unharmed("recurse", 0, first_sample=50).reports
    tap.check(any(call.get("symbol") == "recurse" for report in reports for call in report.get("frames", [])),
              "no JavaScript call in", len(reports), "reports")


def check_contexts():
    """Destroyed in mid stall and made anew, also by a program that forks."""
    with watched.Program(watched.BUILD / "tests/module/contexts", config="first-sample=4") as program:
        program.wait()
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    tap.check_equal(program.truth["right"], program.truth["contexts"], "contexts that ended as they should")


def check_other_engine():
    """One line says why there are no calls."""
    program = watched.run(watched.BUILD / "tests/module/other-engine")
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    said = [line for line in program.messages if "JavaScript" in line]
    tap.check(len(said) == 1 and "gjs_context_get_native_context" in said[0], program.errors)
    tap.check(len(program.stalls) > 0, "no stall")


def check_exit():
    run_unharmed("exit", 7)


def check_asked_for():
    """JANKWATCH may name the program. GTK_MODULES asks for programs of gjs, which may load GTK after GIO's modules."""
    for value, modules, is_watched in (("0", "jankwatch", False), ("gjs-console", None, False), ("gjs", None, True),
                                       (None, None, False), (None, "jankwatch", True)):
        reports = run_unharmed("compute", 0, extra={"JANKWATCH": value, "GTK_MODULES": modules}).reports
        tap.check_equal(len(reports) > 0, is_watched, f"watched with JANKWATCH={value}, GTK_MODULES={modules}")


tap.check(GJS is not None, "There is no gjs: install the package ‘gjs’")
tap.add("sleep", check_stall, "sleep", ("loadSettingsSlowly",), ["onLoad", "anonymous", "<TOP LEVEL>"],
        {"onLoad": "this.act()", "<TOP LEVEL>": "window.loop.run()"})
tap.add("compute", check_stall, "compute", ("addUp", "computeSlowly"), ["onLoad", "anonymous", "<TOP LEVEL>"],
        {"onLoad": "this.act()", "<TOP LEVEL>": "window.loop.run()"})
tap.add("recursion", check_recursion)
tap.add("exceptions", check_counts, "throw")
tap.add("children", check_counts, "spawn")
tap.add("contexts", check_contexts)
tap.add("other-engine", check_other_engine)
tap.add("exit", check_exit)
tap.add("asked-for", check_asked_for)
tap.main("/module/javascript", n_at_once=2)
