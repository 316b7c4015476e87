# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The closing lines of a run: the sums, and a reason for each test or subtest that was skipped."""

import json
import pathlib
import subprocess
import sys
import tempfile

import tap

PROGRAM = pathlib.Path(__file__).parent.parent / "count-results.py"


def count(*results):
    """results: of each test, Meson's word, what the test printed and, of some, its errors. Returns the exit status and
    the lines."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "meson-logs", "testlog.json")
        log.parent.mkdir()
        log.write_text("".join(json.dumps({"name": "stage/test", **dict(zip(("result", "stdout", "stderr"), result))}) +
                               "\n" for result in results))
        done = subprocess.run([sys.executable, PROGRAM, folder], capture_output=True, text=True)
    return done.returncode, [line.replace(f"{folder}: ", "") for line in done.stdout.splitlines()]


def test_subtests():
    tap.check_equal(count(("OK", "1..3\nok 1 a # SKIP no bus\nok 2 b\nok 3 c # SKIP slow\n"), ("OK", "ok 1 d\n")),
                    (0, ["stage/test: ok 1 a # SKIP no bus", "stage/test: ok 3 c # SKIP slow",
                         "2 passed, 0 failed, 2 skipped"]),
                    "the lines of a run with two skipped subtests")


def test_tests():
    tap.check_equal(count(("SKIP", "1..0 # SKIP no display\n"), ("SKIP", ""),
                          ("FAIL", "ok 1 b\nnot ok 2 a\n", "# why\n")),
                    (1, ["stage/test: 1..0 # SKIP no display", "stage/test: no reason", "stage/test: FAIL",
                         "    not ok 2 a", "    # why", "0 passed, 1 failed, 2 skipped"]),
                    "the lines of a run with two skipped tests and a failed one")


def test_nothing():
    tap.check_equal(count()[0], 1, "the exit status of a run without tests")


tap.add_all(globals())
tap.main("/tree/count-results")
