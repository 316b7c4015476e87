# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that iterates the default context by itself sees each iteration dispatch what it dispatches unwatched:
nothing of ours is ever dispatched there.

turns=N: iterations of each program."""

import functools
import pathlib
import sys

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

TURNS = tap.setting("turns", 10_000)

SETTINGS = {
    "default": "spin-time=500ms",
    "all": "threshold=4ms,first-sample=1ms,interval=4ms,spin-turns=2,spin-time=100ms,sources=yes,turns=yes,"
           "cpu-threshold=20,cpu-time=200ms",
}
PROGRAMS = {how: (watched.BUILD / "tests/faults/turns", how, TURNS)
            for how in ("one", "nested", "by-turns", "one-after-other", "spins")}


@functools.cache
def run(name, config):
    with watched.Program(*PROGRAMS[name], watched=config is not None, config=config) as program:
        program.wait(300)
        return program.status, program.output, program.errors, len(program.reports)


def test_turns(name, setting):
    unwatched, with_us = run(name, None), run(name, SETTINGS[setting])
    tap.check_equal(with_us[:3], unwatched[:3], "status, output and errors")
    tap.check_equal(unwatched[0], 0, "the status")
    # The default threshold is longer than the stalls; a spin lasts longer than that.
    if setting == "all" or name == "spins":
        tap.check(with_us[3] > 0, "no report, so nothing was watched")


for name in PROGRAMS:
    for setting in SETTINGS:
        tap.add(f"{name}/{setting}", test_turns, name, setting)
tap.main("/faults/turns", n_at_once=2)
