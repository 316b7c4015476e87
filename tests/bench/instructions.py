# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many instructions watching adds to a frame, on the program's own thread, by callgrind, which counts every one.

A short and a long run of the same scene differ by nothing but frames: start-up, where most of what callgrind counts is
spent, falls out of their difference. Only the animation does the same in every frame: what a character costs in typing
varies from run to run by more than watching adds, and what the overlay draws depends on how late frames are, which
under callgrind many are.
"""

import pathlib
import re
import shutil
import tempfile

import perturbation

SCENE = "animation"
# Of perturbation.SETTINGS
SETTINGS = ("default", "matrix")


def run(program, seconds, env, config):
    """(frames, instructions of the main thread)"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind"
        line = perturbation.run(program, SCENE, seconds, env, config, wrap=(
            "valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}"))
        text = out.with_name("callgrind-01").read_text()
    return line["frames_since_start"], int(re.search(r"^totals: (\d+)", text, re.M)[1])


def per_frame(program, lengths, env, config=None):
    (frames, spent), (frames_long, spent_long) = (run(program, seconds, env, config) for seconds in lengths)
    return round((spent_long - spent) / (frames_long - frames))


def measure(program, quick, env_off, env_on, say):
    if shutil.which("valgrind") is None:
        return {"missing": "valgrind is not installed"}
    lengths, settings = ((2, 6), ("default",)) if quick else ((4, 14), SETTINGS)
    say(f"instructions: {SCENE}, without jankwatch")
    # The first run of a program fills caches, which once made a frame 52,000 instructions cheaper.
    run(program, lengths[0], env_off, None)
    off = per_frame(program, lengths, env_off)
    rows = []
    for setting in settings:
        say(f"instructions: {SCENE}, {setting}")
        on = per_frame(program, lengths, env_on, perturbation.SETTINGS[setting])
        rows.append({"scene": SCENE, "setting": setting, "per_frame_off": off, "per_frame_on": on, "added": on - off})
    return rows
