# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Connects to every signal of a monitor, in each language, in a GTK program that stalls and draws; C's also has the
function that is called while a stall lasts. What is called writes its name to both standard streams and to a file that
was opened before. The handler of `stall` stalls the loop itself, which must not call it again.

Usage: test-signals.py LANGUAGE COMMAND… [-- LANGUAGE COMMAND…]…

JANK_TEST_RUNS: how many times each; 1.
"""

import itertools
import os
import pathlib
import subprocess
import tempfile

import tap

NAMES = {"stall", "report", "report::stall", "notify::running", "notify::paused", "notify::threshold-ms",
         "end"}
OWN = "own stall"  # told of a stall in a handler's source
MAX_OWN = 3  # of a busy machine, which stops the loop beside a handler; told of itself, a handler is called 12 times
CANNOT = 77  # the status of a program that finds no GTK for its language


def run_once(names: set[str], command: list[str]) -> None:
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        file = pathlib.Path(home, "file")
        result = subprocess.run([*command, file], env=env, capture_output=True, text=True, timeout=120)
        if result.returncode == CANNOT:
            raise tap.Skip("there is no GTK 4 for this language")
        tap.check(result.returncode == 0, f"status {result.returncode}, errors {result.stderr[-2000:]!r}")
        for where, text in ("output", result.stdout), ("errors", result.stderr), ("the file", file.read_text()):
            lines = set(text.splitlines())
            tap.check(names <= lines, f"{sorted(names - lines)} not in {where}: {text[-2000:]!r}")
            tap.check(text.splitlines().count(OWN) <= MAX_OWN, f"{where}: {text[-2000:]!r}")
            # Others may write to the errors, too.
            if where != "errors":
                tap.check(lines <= names | {OWN}, f"{sorted(lines - names)} in {where}")


def run(names: set[str], command: list[str]) -> None:
    for _ in range(int(os.environ.get("JANK_TEST_RUNS", "1"))):
        run_once(names, command)


for is_end, group in itertools.groupby(tap.rest(), lambda word: word == "--"):
    if not is_end:
        language, *command = group
        tap.add(language, run, NAMES | {"ongoing"} if language == "c" else NAMES, command)
tap.main("/monitor/signals", n_at_once=2)
