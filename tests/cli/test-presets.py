# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch presets`: the list, and the comparison of all rules on one record; of real runs: module/seeds."""

import json
import os

import command
import tap
from tap import contains, equal

[program] = tap.arguments(1)

NAMES = ["default", "qilag", "semaphore", "kartun", "anreye", "mainwatch", "rabbit", "matrix", "displaylink"]
MS = 1_000_000

# A run as it could have been: stalls of 120 ms, 600 ms and 3 s, in whose last second another function runs.
BUSY = [(1000, 1120), (3000, 3600), (10000, 13000)]


def make_events(path):
    lines = ["jankwatch-events-1", f"from {500 * MS}", "name 1 slow", "name 2 last"]
    for began, ended in BUSY:
        for at in range(began + 5, ended, 5):
            function = 2 if at >= 12000 else 1
            lines.append(f"sample {at * MS} {function} {function} {function}")
        lines.append(f"busy {began * MS} {ended * MS} loop 1")
    lines.append(f"to {20000 * MS}")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def test_list(jankwatch):
    result = jankwatch.run("presets")
    equal((result.returncode, result.stderr), (0, ""))
    equal([line.split()[0] for line in result.stdout.splitlines() if line and not line.startswith(" ")], NAMES)
    assert all(len(line) <= 80 for line in result.stdout.splitlines()), result.stdout
    for words in ("PMainThreadWatcher", "WeChat Matrix", "88 ms", "rule=last20"):
        contains(result.stdout, words)


def test_list_json(jankwatch):
    presets = json.loads(jankwatch.run("presets", "--json").stdout)
    equal([preset["preset"] for preset in presets], NAMES)
    equal((presets[2]["n_waits"], presets[2]["check_interval_ns"]), (5, 50 * MS))
    equal((presets[7]["n_stacks"], presets[7]["pick"]), (20, "last20"))


def test_table(jankwatch):
    path = os.path.join(jankwatch.home, "events")
    make_events(path)
    result = jankwatch.run("presets", "--replay", path)
    equal((result.returncode, result.stderr), (0, ""))
    lines = result.stdout.splitlines()
    contains(lines[0], "3 stalls of 100 ms or longer in 19.5 s: 120 ms, 600 ms, 3.00 s.")
    assert all(len(line) <= 80 for line in lines), result.stdout
    row = next(line for line in lines if line.startswith("semaphore"))
    equal(row.split()[-6:], ["2", "1", "0", "2/2", "250", "ms"])


def test_bad_events(jankwatch):
    path = os.path.join(jankwatch.home, "events")
    for text in ("", "{}", "jankwatch-events-2\n"):
        with open(path, "w") as file:
            file.write(text)
        result = jankwatch.run("presets", "--replay", path)
        equal((result.returncode, result.stdout), (1, ""))
        contains(result.stderr, path)
    result = jankwatch.run("presets", "--replay", "/nowhere/events")
    equal((result.returncode, result.stdout), (1, ""))


def test_usage(jankwatch):
    for words in (("qilag",), ("--replay",), ("--replay", "x", "y"), ("--what",)):
        result = jankwatch.run("presets", *words)
        equal((result.returncode, result.stdout), (2, ""))


command.add_all(globals(), program)
tap.main("/cli/presets")
