# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A table of stalls by compiled language: of programs with symbols, each is blamed by its function's name. Of stripped
ones the culprits are functions of the program, without a name.

Arguments: how many runs of each program; then LANGUAGE=PROGRAM, with -stripped behind the language's name."""

import pathlib
import sys

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

ACTS = ("stall_compute", "stall_sleep", "stall_library", "stall_loop")
RUNS = tap.setting("runs", 1)
SECONDS = 0.8
ADVICE = "Use instead  g_timeout_add() does not block the main loop"


def check_run(path, is_stripped):
    """What the machine makes stall is another's fault. What the program sleeps by has no name where it is stripped: a
    report gives advice all the same."""
    with watched.Program(watched.COMMAND, "run", "--", path, SECONDS, watched=False) as program:
        program.wait(120)
        tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
        own = [report for report in program.stalls if report.get("culprit", {}).get("module") == f"{path}"]
        named = [report["culprit"]["function"] for report in own]
        missed = [act for act in ACTS if not any(act in function for function in named)]
        tap.check(len(own) >= len(ACTS) if is_stripped else not missed, "culprits are", named, program.errors)
        tap.check(any(ADVICE in program.show(report) for report in own), "nothing advises against sleeping")


def test_language(language, path):
    for _ in range(RUNS):
        check_run(path, language.endswith("-stripped"))
    return f"{language}: {RUNS * len(ACTS)} culprits right"


for argument in sys.argv[2:]:
    name, program = argument.split("=", 1)
    tap.add(name, test_language, name, pathlib.Path(program))
tap.main("/languages", n_at_once=2)
