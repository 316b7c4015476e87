# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""GTK that comes when the main loop has long turned: its frames are watched all the same."""

import json

import tap
import watched
from watched import BUILD, COMMAND


def check(version, *words):
    with watched.display() as display:
        with watched.Program(COMMAND, "run", "--", *words, watched=False, display=display) as program:
            program.wait()
            sessions = [json.loads(path.read_text()) for path in (program.store / "sessions").glob("*.json")]
    tap.check_equal(program.status, 0, f"the exit status ({program.errors})")
    stalls = [report for report in program.stalls if report["stall"]["duration_ns"] >= 300 * watched.NS_PER_MS
              and report["culprit"]["function"] == "stall_here"]
    tap.check_equal(len(stalls), 1, f"the planted stalls of {[report['culprit'] for report in program.stalls]}")
    toolkit = stalls[0].get("toolkit", {})
    tap.check_equal((toolkit.get("name"), toolkit.get("version", "").split(".")[0], toolkit.get("backend")),
                    ("GTK", version, "x11"), "the toolkit")
    frames = [session["frame_clock"]["frames"] for session in sessions if "frame_clock" in session]
    tap.check(len(frames) == 1 and frames[0] > 10, "the frames of the session:", frames, program.errors)


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    for stage in ("absent", "loaded", "displayless"):
        tap.add(f"c/gtk{version}/{stage}", check, version, BUILD / "tests/module/late-toolkit", library, stage)
tap.main("/module/late-toolkit", n_at_once=3)
