# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A Python program that does something to itself ends, says and sees the same with and without a watcher."""

import pathlib
import sys

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

PROGRAM = pathlib.Path(__file__).parent / "faults.py"
CONFIG = "threshold=20ms,first-sample=1ms,interval=1ms"
CASES = ("traced", "timed", "forked", "ended")


def run(name, is_watched):
    with watched.Program("/usr/bin/python3", PROGRAM, name, watched=is_watched, config=CONFIG) as program:
        program.wait(120)
        return program.status, program.truth, program


def test_case(name):
    plain, with_us = run(name, False), run(name, True)
    tap.check(plain[1], "it says nothing:", plain[2].errors)
    tap.check_equal(with_us[:2], plain[:2], f"status and truth ({with_us[2].errors})")
    tap.check(with_us[2].reports, "no report, so nothing was watched:", with_us[2].errors)


for case in CASES:
    tap.add(case, test_case, case)
tap.main("/faults/python", n_at_once=2)
