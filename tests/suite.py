#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""suite.py build FOLDER [--promises]: builds what is not of the tests, and what the tests need.
suite.py run FOLDER [--promises] [MESON OPTION…]: runs the tests, and prints a line for each room as its last test ends.
suite.py sum FOLDER…: prints what was skipped and why, what failed, why and how to run it again, and the sums; fails
if any failed, as a folder without results does. A skipped subtest counts as skipped, whatever its test's result.

--promises: of the rooms in which whole programs are run, only the tests that tests/promises names."""

import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}
LINES_OF_A_FAILURE = 40

# Whose tests run whole programs.
WHOLE = {"cli", "faults", "gtk", "gtk3", "inspector", "languages", "module", "monitor", "send", "view"}

# Suites that run only when they are asked for.
LONG = {"bench", "peers", "soak"}

PROMISES = pathlib.Path(__file__).parent / "promises"

# A test's line, as Meson prints it; later ones say “suite - project:”, not “project:suite / ”.
PREFIX = r"(?:\S+ / |\S+ - [^:]+:)?"
ENDED = re.compile(rf" *\d+/\d+ {PREFIX}(?P<room>[^/ ]+)/\S+ +(?P<result>[A-Z]+) +(?P<seconds>[\d.]+)s")


def read_promises():
    """Pairs of a part of a sentence and the tests that hold it."""
    lines = [line for line in PROMISES.read_text().splitlines() if line and not line.startswith("#")]
    return [(part.strip(), tests.split()) for part, tests in (line.rsplit("|", 1) for line in lines)]


def introspect(folder, what):
    return json.loads(pathlib.Path(folder, f"meson-info/intro-{what}.json").read_text())


def choose(folder):
    promised = {test for _, tests in read_promises() for test in tests}
    return [test for test in introspect(folder, "tests")
            if not LONG.intersection(suite.split(":")[-1] for suite in test["suite"])
            and (test["name"].split("/")[0] not in WHOLE or test["name"] in promised)]


def build(folder, promises):
    wanted = ["all", "meson-test-prereq"]
    if promises:
        chosen = {target for test in choose(folder) for target in test["depends"]}
        root = pathlib.Path(folder).resolve()
        tests = str(pathlib.Path(__file__).parent.resolve())
        wanted = [os.path.relpath(name, root) for target in introspect(folder, "targets") for name in target["filename"]
                  if target["id"] in chosen or target["name"] == "alone" or
                  target["build_by_default"] and not target["defined_in"].startswith(f"{tests}/")]
    log = pathlib.Path(folder, "build.log")
    with log.open("w") as output:
        if subprocess.run(["ninja", "-C", folder, *wanted], stdout=output, stderr=output).returncode != 0:
            print(*log.read_text().splitlines()[-30:], sep="\n")
            return 1
    return 0


def run(folder, promises, options):
    command = ["meson", "test", "-C", folder, "--no-rebuild", *options]
    if promises:
        command += [test["name"] for test in choose(folder)]
    listed = subprocess.run([*command, "--list"], capture_output=True, text=True).stdout.splitlines()
    left = collections.Counter(re.sub(f"^{PREFIX}", "", name).split("/")[0] for name in listed)
    rooms = {room: [n, 0, 0.0] for room, n in left.items()}
    began, alone = time.monotonic(), pathlib.Path(folder, "tests/support/alone").resolve()
    meson = subprocess.Popen([*command, "--wrapper", shlex.quote(f"{alone}")], stdout=subprocess.PIPE, text=True,
                             env=os.environ | {"PYTHONUNBUFFERED": "1"})
    for line in meson.stdout:
        ended = ENDED.match(line)
        if ended is None or ended["room"] not in rooms:
            continue
        room = rooms[ended["room"]]
        room[1] += ended["result"] not in PASSED | SKIPPED
        room[2] += float(ended["seconds"])
        left[ended["room"]] -= 1
        if left[ended["room"]] == 0:
            failed = f"  {room[1]} failed" if room[1] else ""
            print(f"{ended['room']:<12} {room[0]:3} tests {room[2]:6.1f} s{failed}", flush=True)
    print(f"{len(listed)} tests in {time.monotonic() - began:.0f} s")
    return meson.wait()


def why(test):
    """Its subtests that failed, or the end of what it printed; and the end of what it said of them: of a long log often
    the end alone is kept."""
    printed = test.get("stdout", "").splitlines()
    said = [line for line in printed if line.startswith(("not ok", "Bail out!"))] or printed[-LINES_OF_A_FAILURE:]
    return ["    " + line for line in said + test.get("stderr", "").splitlines()[-LINES_OF_A_FAILURE:]]


def add_up(folders):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failed = []
    for folder in folders:
        # Each of Meson's setups has a log of its own.
        logs = sorted(pathlib.Path(folder, "meson-logs").glob("testlog*.json"), key=lambda log: log.stat().st_mtime)
        tests = [json.loads(line) for line in logs[-1].read_text().splitlines()] if logs else []
        if not tests:
            print(f"{folder}: no test ran")
            counts["failed"] += 1
        for test in tests:
            result = test["result"]
            outcome = "passed" if result in PASSED else "skipped" if result in SKIPPED else "failed"
            reasons = [line for line in test.get("stdout", "").splitlines() if "# SKIP" in line]
            for line in reasons:
                print(f"{folder}: {test['name']}: {line}")
            if outcome == "skipped" and not reasons:
                print(f"{folder}: {test['name']}: no reason")
            counts["skipped"] += len(reasons)
            if outcome != "skipped" or not reasons:
                counts[outcome] += 1
            if outcome == "failed":
                name = re.sub(f"^{PREFIX}", "", test["name"])
                failed += [f"{folder}: {test['name']}: {result}", *why(test),
                           f"    again: meson test -C {folder} --print-errorlogs {name}"]
    print(*failed, f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped", sep="\n")
    return 0 if counts["failed"] == 0 else 1


def main(verb, folder, *rest):
    promises = "--promises" in rest
    rest = [word for word in rest if word != "--promises"]
    if verb == "build":
        return build(folder, promises)
    return run(folder, promises, rest) if verb == "run" else add_up([folder, *rest])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
