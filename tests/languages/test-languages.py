# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A table of stalls by language: of programs with symbols and of scripts, each is blamed by its function's name. Of
stripped ones the culprit is a function of the program, without a name.

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
INTERPRETERS = {".py": ["/usr/bin/python3"], ".js": ["gjs"]}


def count(program, words, stripped):
    """The planted stalls that were found; of those, how many culprits are right."""
    stalls = [report for report in program.stalls
              if report["stall"]["duration_ns"] >= 0.95e9 * SECONDS and watched.starved(report) < 0.8
              and sum("stack" in sample for sample in report["samples"]) >= 5]
    right = 0
    for report in stalls:
        function, module = report["culprit"]["function"], report["culprit"].get("module")
        is_right = module == f"{words[-1]}" and (stripped or any(act in function for act in ACTS))
        right += is_right
        if not is_right:
            print(f"# {words[-1].name}: {function} ({module})")
            continue
        if "stall_sleep" in function:
            check_advice(report, words[-1].suffix)
    return len(stalls), right


def check_advice(report, suffix):
    """What the program slept by has no name where it is stripped: its report gives advice all the same."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(report, file)
        file.flush()
        text = subprocess.run([watched.COMMAND, "show", file.name], check=True, capture_output=True, text=True).stdout
    name = "GLib.timeout_add()" if suffix in INTERPRETERS else "g_timeout_add()"
    tap.check(f"Instead      {name} does not block the main loop" in text, text)


def test_language(language, path):
    words = [*INTERPRETERS.get(path.suffix, []), path]
    found = right = 0
    for _ in range(RUNS):
        program = watched.run(watched.COMMAND, "run", "--", *words, SECONDS, timeout_s=120, watched=False)
        tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
        counted = count(program, words, language.endswith("-stripped"))
        found, right = found + counted[0], right + counted[1]
    print(f"# {language}: {found} of {RUNS * len(ACTS)} found, {right} culprits right")
    # A machine without a free CPU for long makes stalls that say nothing of us.
    tap.check(right == found, language, right, "culprits right of", found)
    if found == 0:
        raise tap.Skip("the machine kept the program from its CPU in each stall: no report has five stacks")


for argument in sys.argv[2:]:
    name, program = argument.split("=", 1)
    tap.add(name, test_language, name, pathlib.Path(program))
tap.main("/languages", n_at_once=2)
