# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A table of stalls by compiled language: of programs with symbols, each is blamed by its function's name. Of stripped
ones the culprit is a function of the program, without a name.

Arguments: how many runs of each program; then LANGUAGE=PROGRAM, with -stripped behind the language's name."""

import json
import pathlib
import subprocess
import sys
import tempfile

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

ACTS = ("stall_compute", "stall_sleep", "stall_library", "stall_loop")
RUNS = tap.setting("runs", 1)
SECONDS = 0.4


def count(program, path, stripped):
    """The planted stalls that were found; of those, how many culprits are right."""
    stalls = [report for report in program.stalls
              if report["stall"]["duration_ns"] >= 0.95e9 * SECONDS and watched.starved(report) < 0.8
              and sum("stack" in sample for sample in report["samples"]) >= 5]
    right = 0
    for report in stalls:
        function, module = report["culprit"]["function"], report["culprit"].get("module")
        is_right = module == f"{path}" and (stripped or any(act in function for act in ACTS))
        right += is_right
        if not is_right:
            print(f"{path.name}: {function} ({module})", file=sys.stderr)
            continue
        if "stall_sleep" in function:
            check_advice(report)
    return len(stalls), right


def check_advice(report):
    """What the program slept by has no name where it is stripped: its report gives advice all the same."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(report, file)
        file.flush()
        text = subprocess.run([watched.COMMAND, "show", file.name], check=True, capture_output=True, text=True).stdout
    tap.check("Instead      g_timeout_add() does not block the main loop" in text, text)


def test_language(language, path):
    found = right = 0
    for _ in range(RUNS):
        program = watched.run(watched.COMMAND, "run", "--", path, SECONDS, timeout_s=120, watched=False)
        tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
        counted = count(program, path, language.endswith("-stripped"))
        found, right = found + counted[0], right + counted[1]
    # A machine without a free CPU for long makes stalls that say nothing of us.
    tap.check(right == found, language, right, "culprits right of", found)
    if found == 0:
        raise tap.Skip("the machine kept the program from its CPU in each stall: no report has five stacks")
    return f"{language}: {found} of {RUNS * len(ACTS)} found, {right} culprits right"


for argument in sys.argv[2:]:
    name, program = argument.split("=", 1)
    tap.add(name, test_language, name, pathlib.Path(program))
tap.main("/languages", n_at_once=2)
