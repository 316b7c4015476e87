# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that does something to itself ends, says and sees the same with and without a watcher.

rounds=N does each case N times; times=N multiplies what a case does."""

import pathlib
import sys
import tempfile
import time

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402
from watched import BUILD, COMMAND  # noqa: E402

FAULTS = BUILD / "tests/faults/faults"

# Everything at once: a stall of 30 ms is sampled, told, and written.
CONFIG = "threshold=20ms,first-sample=4ms,interval=4ms,spin-turns=2"

ROUNDS = tap.setting("rounds", 1)
TIMES = tap.setting("times", 1)

# How often, in one round.
CASES = {
    "abort": 1, "chroot": 20, "close-all": 1, "coroutines": 2000, "daemon": 1, "descriptors": 300, "_exit": 1, "exec": 20,
    "exit": 1, "fault": 1, "fork": 200, "kill": 1, "limits": 20, "quick-exit": 1, "reopen": 20000, "signals": 100,
    "spawn": 20, "subreaper": 40, "term": 1, "wait": 20, "write-closed": 20000,
}


def run(name, n, watched_too):
    program = watched.run(FAULTS, name, n, watched=watched_too, config=CONFIG, timeout_s=120 + 10 * TIMES)
    errors = [line for line in program.errors.splitlines() if not line.startswith("jankwatch-Message: ")]
    return program.status, program.output, errors


def test_same(name, n):
    for _ in range(ROUNDS):
        tap.check_equal(run(name, n * TIMES, True), run(name, n * TIMES, False), "status, output and errors")


def test_told():
    """The command for a report is no child that a subreaper sees."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        config = f"{CONFIG},on-report=cp -t {folder}"
        program = watched.run(COMMAND, "run", "--", FAULTS, "subreaper", 60, watched=False, config=config)
        tap.check_equal((program.status, program.output), run("subreaper", 60, False)[:2], "status and output")
        until = time.monotonic() + 10
        while not list(pathlib.Path(folder).glob("*.json")):
            tap.check(time.monotonic() < until, "the command did not run")
            time.sleep(0.01)


tap.add("told", test_told)
for name, n in CASES.items():
    tap.add(name, test_same, name, n)
tap.main("/faults", n_at_once=2)
