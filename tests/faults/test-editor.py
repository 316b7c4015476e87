# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A text editor starts and is closed starts=N times: each ends by itself, as unwatched, and leaves a whole store."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

STARTS = tap.setting("starts", 1000)


def run_once(display, is_watched, config):
    """Returns its exit status, what it said, and how long its start and its end took."""
    variables = {"PATH": "/usr/bin", "DISPLAY": display}
    with watched.Program("gnome-text-editor", "--standalone", display=display, watched=is_watched,
                         config=config) as program:
        began = time.monotonic()
        find = ["xdotool", "search", "--onlyvisible", "--pid", f"{program.popen.pid}", "--name", "."]
        window = program.wait_for("its window", lambda: program.popen.poll() is not None or subprocess.run(
            find, env=variables, capture_output=True, text=True).stdout.split(), 60)
        tap.check(window is not True, f"it has ended with {program.popen.returncode}: {program.errors}")
        shown = time.monotonic()
        subprocess.run(["xdotool", "windowfocus", window[-1], "key", "ctrl+q"], env=variables, timeout=60)
        program.wait(60)
        errors = [line for line in program.errors.splitlines() if not line.startswith("jankwatch: ")]
        return program.status, len(errors), shown - began, time.monotonic() - shown


def median(values):
    return sorted(values)[len(values) // 2]


def test_starts():
    plain, runs = [], []
    with watched.display() as display, tempfile.TemporaryDirectory(prefix="jankwatch-test-") as store:
        for i in range(STARTS):
            if i % 10 == 0:
                plain.append(run_once(display, False, None))
            runs.append(run_once(display, True, f"store={store}"))
        reports = [json.loads(path.read_text()) for path in pathlib.Path(store).glob("*.json")]
    figures = (f"{len(runs)} starts, {sum(run[0] != 0 for run in runs)} failed; start "
               f"{median([run[2] for run in runs]):.2f} s, end {median([run[3] for run in runs]):.2f} s; {len(plain)} "
               f"unwatched: start {median([run[2] for run in plain]):.2f} s, end "
               f"{median([run[3] for run in plain]):.2f} s; {len(reports)} reports")
    tap.check_equal({run[:2] for run in runs}, {run[:2] for run in plain},
                    f"exit statuses and numbers of errors ({figures})")
    tap.check(reports, figures)
    return figures


tap.add("starts", test_starts)
tap.main("/editor")
