# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that links the library finds the monitor that its user has asked for."""

import tap
import watched
from watched import BUILD

TAGGED = BUILD / "tests/module/tagged"


def test_watched():
    program = watched.run(TAGGED, extra={"GIO_USE_VFS": None, "LD_LIBRARY_PATH": BUILD / "src"})

    tap.check_equal(program.truth, {"monitor": True, "running": True}, f"what the program found ({program.errors})")
    # A busy machine may add stalls of its own.
    n_tagged = sum({"name": "task", "value": "exporting"} in report.get("tags", []) for report in program.stalls)
    tap.check_equal(n_tagged, 1, f"the number of stalls with the tag ({program.stalls}; {program.errors})")


def test_unwatched():
    program = watched.run(TAGGED, watched=False, extra={"GIO_USE_VFS": None, "LD_LIBRARY_PATH": BUILD / "src"})

    tap.check_equal(program.status, 0, "the exit status")
    tap.check_equal(program.truth, {"monitor": False, "running": False}, "what the program found")
    tap.check_equal(program.reports, [], "the reports")


tap.add_all(globals())
tap.main("/module/default", n_at_once=2)
