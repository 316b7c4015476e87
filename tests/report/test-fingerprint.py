# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The same program run twice, and built again with everything at another place: its problems keep their names.

Arguments: the command `jankwatch`, the program, the same program built again."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import tap

NAMES = {"first_culprit", "second_culprit"}


def run(command, program, folder):
    """Reports of one run, by culprit."""
    state = pathlib.Path(folder) / "state"
    environment = {**os.environ, "HOME": f"{folder}", "XDG_STATE_HOME": f"{state}", "XDG_CONFIG_HOME": f"{folder}",
                   "XDG_RUNTIME_DIR": f"{folder}", "JANKWATCH": "1"}
    subprocess.run([command, "run", "--", program], env=environment, check=False, capture_output=True, timeout=100)
    reports = [json.loads(path.read_text()) for path in (state / "jankwatch").glob("*.json")]
    shutil.rmtree(state)
    return {report["culprit"]["function"]: report for report in reports if "culprit" in report}


def base(report):
    """Where the program was loaded."""
    frame = next(frame for frame in report["frames"] if frame.get("symbol") == report["culprit"]["function"])
    return report["modules"][frame["module"]]["base"], frame["offset"] - frame["symbol_offset"]


command, first, second = (pathlib.Path(path).resolve() for path in tap.arguments(3))
with tempfile.TemporaryDirectory() as folder:
    again = pathlib.Path(folder) / "again" / first.name
    again.parent.mkdir()
    shutil.copy(second, again)
    runs = [run(command, program, folder) for program in (first, first, again)]


def test_both_found():
    tap.check(all(NAMES <= found.keys() for found in runs), "the culprits:", [sorted(found) for found in runs])


def prints(found):
    return {name: found[name].get("fingerprint") for name in NAMES}


def test_two_problems():
    tap.check_equal(len(set(prints(runs[0]).values())), 2, f"different ones of {prints(runs[0])}")


def test_same_in_the_next_run():
    tap.check(base(runs[0]["second_culprit"])[0] != base(runs[1]["second_culprit"])[0], "it was loaded at the same place")
    tap.check_equal(prints(runs[1]), prints(runs[0]), "the fingerprints")


def test_same_in_the_next_build():
    tap.check(base(runs[0]["second_culprit"])[1] != base(runs[2]["second_culprit"])[1], "the function has not moved")
    tap.check_equal(prints(runs[2]), prints(runs[0]), "the fingerprints")


tap.add_all(globals())
tap.main("/report/fingerprint")
