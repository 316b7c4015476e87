#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the results in Meson's logs of the build folders named, and prints the reason of everything that was skipped,
what failed and why, and the sums; fails unless every folder has some results and none failed. A skipped subtest counts
as skipped, whatever its test's result is."""

import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}
LINES_OF_A_FAILURE = 40


def why(test):
    """Its subtests that failed, and the end of what it said of them: of a long log often the end alone is kept."""
    said = [line for line in test.get("stdout", "").splitlines() if line.startswith(("not ok", "Bail out!"))]
    return ["    " + line for line in said + test.get("stderr", "").splitlines()[-LINES_OF_A_FAILURE:]]


def main(folders):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failed = []
    complete = True
    for folder in folders:
        # Each of Meson's setups has a log of its own.
        logs = sorted(pathlib.Path(folder, "meson-logs").glob("testlog*.json"), key=lambda log: log.stat().st_mtime)
        tests = [json.loads(line) for line in logs[-1].read_text().splitlines()] if logs else []
        if not tests:
            print(f"{folder}: no test ran")
            complete = False
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
                failed += [f"{folder}: {test['name']}: {result}", *why(test)]
    print(*failed, f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped", sep="\n")
    return 0 if complete and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
