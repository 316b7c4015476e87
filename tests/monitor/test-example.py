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
import tempfile

import tap

STALL_MS = 300


def run(culprit: str, command: list[str]) -> None:
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    line = re.fullmatch(r"stalled for (\d+) ms in (.+)\n", result.stdout)
    tap.check(result.returncode == 0 and line, f"status {result.returncode}, output {result.stdout!r}, errors {result.stderr!r}")
    tap.check(int(line[1]) >= STALL_MS, "the length in ms:", line[1])
    tap.check(re.fullmatch(culprit, line[2]), f"the culprit {line[2]!r}, not {culprit!r}")


for is_end, group in itertools.groupby(tap.rest(), lambda word: word == "--"):
    if not is_end:
        language, culprit, *command = group
        tap.add(language, run, culprit, command)
tap.main("/monitor/examples")
