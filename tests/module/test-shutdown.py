# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What an interpreter does at its end is called that, unless a function of the program's does it."""

import pathlib

import tap
import watched

SHUTDOWN = pathlib.Path(__file__).parent / "shutdown.py"
END = "the shutdown of Python (destructors, exit handlers)"


def test_end(act, culprit, said):
    """said: by the first sentence, unless the machine took the time."""
    with watched.Program("/usr/bin/python3", SHUTDOWN, act) as program:
        program.wait()
        report = program.longest
        headline = program.headline(report)
    symbols = [report["frames"][step["frame"]].get("symbol") for step in report["heaviest"]["path"]]
    tap.check_equal(report["culprit"]["function"], culprit, f"the culprit ({symbols})")
    tap.check("file" not in report["culprit"] or culprit != END, "its file:", report["culprit"])
    tap.check(said in headline or watched.starved(report) >= 0.4, said, "is not in", headline)


tap.add("objects", test_end, "objects", END, f"{END} was computing for ")
tap.add("destructor", test_end, "destructor", "close_database", "close_database() (shutdown.py:")
tap.add("handler", test_end, "handler", "close_database", "close_database() (shutdown.py:")
tap.add("thread", test_end, "thread", END, f"{END} was waiting for the end of thread ")
tap.main("/module/shutdown", n_at_once=2)
