# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch presets`: the list. Whether the rules find what they are to find: module/seeds."""

import json

import command
import tap
from tap import contains, equal

[program] = tap.arguments(1)

NAMES = ["default", "qilag", "semaphore", "kartun", "anreye", "mainwatch", "rabbit", "matrix", "displaylink"]

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
    equal((presets[2]["n_waits"], presets[2]["check_interval_ns"]), (5, 50_000_000))
    equal((presets[7]["n_stacks"], presets[7]["pick"]), (20, "last20"))


def test_usage(jankwatch):
    for words in (("qilag",), ("--replay", "x"), ("--what",)):
        result = jankwatch.run("presets", *words)
        equal((result.returncode, result.stdout), (2, ""))


command.add_all(globals(), program)
tap.main("/cli/presets")
