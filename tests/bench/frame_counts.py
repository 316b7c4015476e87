# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames: what jankwatch and the overlay of GTK's inspector say of a program that counts its frames itself.

Each tool has a run of its own, and is compared with the truth of its own run. An overlay's figure is the median of what
stood on the screen, by time; jankwatch without its overlay speaks once, after the run. GTK's overlay counts the frames of
the window, which it keeps drawing while it is shown: for a second and a half after the program last drew something new.
"""

import itertools
import json
import pathlib
import re
import subprocess
import tempfile

PHASES = ("animation", "late", "pauses", "timer", "clicks", "idle")
QUICK_PHASES = ("late", "timer", "clicks", "idle")
NOTHING, JANKWATCH, JANKWATCH_OVERLAY, GTK_OVERLAY = "nothing", "jankwatch", "jankwatch, overlay", "GTK's FPS overlay"
MIN_ACTIVE_NS = 1_000_000_000


def run(build, phase, seconds, tool, env):
    """Returns (what the program counted, the session that jankwatch wrote or None)."""
    program = [build / "tests" / "bench" / "frame-counts", phase, str(seconds)]
    with tempfile.TemporaryDirectory() as folder:
        session = pathlib.Path(folder) / "session.json"
        wrap = [build / "src" / "cli" / "jankwatch", "run", "--json", session]
        command = {NOTHING: program, GTK_OVERLAY: [*program, "gtk"], JANKWATCH: [*wrap, "--", *program],
                   JANKWATCH_OVERLAY: [*wrap, "--overlay", "--", *program]}[tool]
        # The texts of the overlays are looked for in English.
        out = subprocess.run(command, env=dict(env, LC_ALL="C.UTF-8", LANGUAGE="", XDG_STATE_HOME=folder), check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        return json.loads(out), json.loads(session.read_text()) if session.exists() else None


def on_screen(counted):
    """Of what stood on the screen while the phase lasted: (median of the rates, by time; share of the time with one)."""
    began, ended = counted["began_ns"], counted["ended_ns"]
    shown = [(max(at, began), text) for at, text in counted["shown"]]
    ends = [at for at, _ in shown[1:]] + [ended]
    rates = sorted((float(text), until - at) for (at, text), until in zip(shown, ends)
                   if until > at and re.fullmatch(r"[\d.]+", text))
    total_ns = sum(time_ns for _, time_ns in rates)
    so_far = itertools.accumulate(time_ns for _, time_ns in rates)
    median = next((rate for (rate, _), time_ns in zip(rates, so_far) if 2 * time_ns >= total_ns), None)
    return median, round(total_ns / (ended - began), 2)


def row(phase, tool, counted, session):
    seconds = (counted["ended_ns"] - counted["began_ns"]) / 1e9
    result = {"phase": phase, "tool": tool, "seconds": round(seconds, 2),
              "drawn_per_s": round(counted["drawn"] / seconds, 1), "true_fps": None, "true_late": counted["late"],
              "planned_late": counted["slept"], "near_late": counted["near"], "fps": None, "late": None,
              "late_program": None}
    if counted["active_ns"] >= MIN_ACTIVE_NS:
        result["true_fps"] = round(counted["wanted"] / counted["active_ns"] * 1e9, 2)
    if tool in (JANKWATCH_OVERLAY, GTK_OVERLAY):
        if not counted["shown"]:
            raise RuntimeError(f"{tool} was not drawn")
        result["texts_shown"] = sum(at >= counted["began_ns"] for at, _ in counted["shown"])
        result["fps"], result["shown_share"] = on_screen(counted)
    if session is not None:
        frames = session.get("frame_clock", {})
        result["late"], result["late_program"] = frames.get("late", 0), frames.get("late_program", 0)
        if tool == JANKWATCH:
            result["fps"] = round(frames["fps"], 2) if "fps" in frames else None
    return result


def measure(build, quick, env_off, env_on, say):
    rows = []
    for phase in QUICK_PHASES if quick else PHASES:
        for tool in (NOTHING, JANKWATCH, JANKWATCH_OVERLAY, GTK_OVERLAY):
            say(f"frames: {phase}, {tool}")
            rows.append(row(phase, tool, *run(build, phase, 4 if quick else 8, tool, env_off)))
    for this in rows:
        base = next(other for other in rows if other["phase"] == this["phase"] and other["tool"] == NOTHING)
        this["drawn_added_per_s"] = round(this["drawn_per_s"] - base["drawn_per_s"], 1)
    return rows
