# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames: what jankwatch says of a program that counts its frames itself. Those that its overlay adds to an idle program,
none, are tests/gtk's."""

import json
import pathlib
import subprocess
import tempfile

PHASES = ("animation", "late", "pauses", "timer", "clicks", "idle")
QUICK_PHASES = ("late", "timer", "clicks", "idle")
MIN_ACTIVE_NS = 1_000_000_000


def run(build, phase, seconds, env):
    """Returns (what the program counted, the session that jankwatch wrote)."""
    program = [build / "tests" / "bench" / "frame-counts", phase, str(seconds)]
    with tempfile.TemporaryDirectory() as folder:
        session = pathlib.Path(folder) / "session.json"
        wrap = [build / "src" / "cli" / "jankwatch", "run", "--json", session, "--"]
        out = subprocess.run([*wrap, *program], env=dict(env, XDG_STATE_HOME=folder), check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return json.loads(out), json.loads(session.read_text())


def row(phase, counted, session):
    seconds = (counted["ended_ns"] - counted["began_ns"]) / 1e9
    frames = session.get("frame_clock", {})
    result = {"phase": phase, "drawn_per_s": round(counted["drawn"] / seconds, 1), "true_fps": None, "true_late": counted["late"],
              "planned_late": counted["slept"], "near_late": counted["near"], "fps": None,
              "late": frames.get("late", 0), "late_program": frames.get("late_program", 0)}
    if counted["active_ns"] >= MIN_ACTIVE_NS:
        result["true_fps"] = round(counted["wanted"] / counted["active_ns"] * 1e9, 2)
    if "fps" in frames:
        result["fps"] = round(frames["fps"], 2)
    return result


def measure(build, quick, env, say):
    rows = []
    for phase in QUICK_PHASES if quick else PHASES:
        say(f"frames: {phase}")
        rows.append(row(phase, *run(build, phase, 4 if quick else 8, env)))
    return rows
