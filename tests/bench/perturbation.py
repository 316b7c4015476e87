# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What watching does to a program: the same scene with and without, in turns, so that a slow minute hits both alike.

A figure is the median of the differences of pairs, with the smallest and the largest of them as its spread. What an
animation costs is less than pairs of processes differ: that is alternating.py's.
"""

import json
import statistics
import subprocess

# Setting's name → JANKWATCH_CONFIG
SETTINGS = {
    "default": "",
    "matrix": "preset=matrix",
    "1 ms": "interval=1ms,first-sample=1ms",
    "overlay": "overlay",
}
N_ROUNDS = 3
# Scene → settings
PAIRS = {"idle": ("default",), "animation": ("overlay",), "stall": ("default",), "calls": ("default", "1 ms")}


def run(program, scene, seconds, env, config=None, wrap=()):
    if config is not None:
        env = dict(env, JANKWATCH_CONFIG=config)
    out = subprocess.run([*wrap, program, scene, str(seconds)], env=env, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    return json.loads(out)


def spread(values, digits=3):
    return {"median": round(statistics.median(values), digits), "min": round(min(values), digits),
            "max": round(max(values), digits)}


def compare(off, on):
    """Pairs of runs → what each quantity grew by."""
    return {
        "cpu_added_percent": spread([100 * (b["cpu_ns"] / b["wall_ns"] - a["cpu_ns"] / a["wall_ns"]) for a,
                                     b in zip(off, on)]),
        "watcher_cpu_percent": spread([100 * b["watcher_cpu_ns"] / b["wall_ns"] for b in on]),
        "waits_added_per_s": spread([(b["waits"] / b["wall_ns"] - a["waits"] / a["wall_ns"]) * 1e9 for a,
                                     b in zip(off, on)]),
        "calls": sum(b["calls"] for b in on),
        "interrupted": sum(b["interrupted"] for b in on),
    }


def measure(program, seconds, env_off, env_on, progress=lambda text: None):
    rows = []
    for scene, settings in PAIRS.items():
        runs = {name: [] for name in ("off", *settings)}
        for i in range(N_ROUNDS):
            for name in runs if i % 2 == 0 else reversed(runs):
                progress(f"{scene}, {name}, round {i + 1} of {N_ROUNDS}")
                runs[name].append(run(program, scene, seconds, env_off if name == "off" else env_on,
                                      None if name == "off" else SETTINGS[name]))
        for name in settings:
            rows.append({"scene": scene, "setting": name,
                         "cpu_off_percent": round(100 * statistics.median(a["cpu_ns"] / a["wall_ns"]
                                                                          for a in runs["off"]), 2),
                         **compare(runs["off"], runs[name])})
    return rows
