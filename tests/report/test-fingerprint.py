# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The same program run twice, and built again with everything at another place: its problems keep their names.

Arguments: the command `jankwatch`, the program, the same program built again."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(command, program, folder):
    """Reports of one run, by culprit."""
    state = pathlib.Path(folder) / "state"
    environment = {**os.environ, "HOME": f"{folder}", "XDG_STATE_HOME": f"{state}", "XDG_CONFIG_HOME": f"{folder}",
                   "XDG_RUNTIME_DIR": f"{folder}", "JANKWATCH": "1"}
    subprocess.run([command, "run", "--", program], env=environment, check=False, capture_output=True, timeout=60)
    reports = [json.loads(path.read_text()) for path in (state / "jankwatch").glob("*.json")]
    shutil.rmtree(state)
    return {report["culprit"]["function"]: report for report in reports if report["kind"] == "stall"}


def base(report):
    """Where the program was loaded."""
    frame = next(frame for frame in report["frames"] if frame.get("symbol") == report["culprit"]["function"])
    return report["modules"][frame["module"]]["base"], frame["offset"] - frame["symbol_offset"]


def main():
    command, first, second = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "again").mkdir()
        again = pathlib.Path(folder) / "again" / first.name
        shutil.copy(second, again)
        one, two, built_again = (run(command, program, folder) for program in (first, first, again))

    names = {"first_culprit", "second_culprit"}
    found = names <= one.keys() and names <= two.keys() and names <= built_again.keys()
    results["both-found"] = found
    if found:
        prints = [{name: reports[name].get("fingerprint") for name in names} for reports in (one, two, built_again)]
        results["two-problems"] = prints[0]["first_culprit"] != prints[0]["second_culprit"]
        results["loaded-elsewhere"] = base(one["second_culprit"])[0] != base(two["second_culprit"])[0]
        results["same-in-the-next-run"] = prints[0] == prints[1]
        results["moved-in-the-next-build"] = base(one["second_culprit"])[1] != base(built_again["second_culprit"])[1]
        results["same-in-the-next-build"] = prints[0] == prints[2]
        print("#", prints)
    else:
        print("#", sorted(one), sorted(two), sorted(built_again))
    print(f"1..{len(results)}")
    for number, (name, holds) in enumerate(results.items(), 1):
        print("ok" if holds else "not ok", number, "/report/fingerprint/" + name)
    return 0 if all(results.values()) else 1


sys.exit(main())
