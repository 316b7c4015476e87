#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs one example in each language: it stalls for 300 ms, and prints length and culprit as the signal tells them.

Usage: test-examples.py LANGUAGE CULPRIT COMMAND… [-- LANGUAGE CULPRIT COMMAND…]…

CULPRIT: a regular expression.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

STALL_MS = 300
LATE_MS = 3000  # a busy machine's


def run(culprit: str, command: list[str]) -> str:
    """Returns what is wrong, or nothing."""
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    line = re.fullmatch(r"stalled for (\d+) ms in (.+)\n", result.stdout)
    if result.returncode != 0 or not line:
        return f"status {result.returncode}, output {result.stdout!r}, errors {result.stderr!r}"
    if not STALL_MS <= int(line[1]) <= STALL_MS + LATE_MS:
        return f"a stall of {line[1]} ms"
    return "" if re.fullmatch(culprit, line[2]) else f"the culprit {line[2]!r}, not {culprit!r}"


def main() -> int:
    groups = [list(group) for is_end, group in itertools.groupby(sys.argv[1:], lambda word: word == "--") if not is_end]
    failed = 0
    print(f"1..{len(groups)}")
    for number, (language, culprit, *command) in enumerate(groups, 1):
        wrong = run(culprit, command)
        failed += wrong != ""
        print(f"{'not ok' if wrong else 'ok'} {number} /monitor/examples/{language}")
        if wrong:
            print(f"# {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
