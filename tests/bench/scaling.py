# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the cost grows with the program: one quantity at a time, the others small."""

import json
import shutil
import statistics
import subprocess

QUICK = {"sources": (10, 1000), "rate": (1000,), "depth": (10, 200), "threads": (1, 64), "modules": (50,),
         "stalls": (60,),
         "turns": (1_000_000,)}
FULL = {"sources": (1, 10_000), "rate": (100, 10_000), "depth": (10, 2000), "threads": (1, 500), "modules": (50, 1000),
        "stalls": (30, 480), "turns": (10_000_000,)}
NAMES = {"sources": "sources", "rate": "turns a second", "depth": "calls deep", "threads": "threads",
         "modules": "modules",
         "stalls": "stalls a minute", "turns": "turns"}
# Of those that take one stall's length each; the median counts.
N_STALLS = 5


def run(build, what, n):
    tests = build / "tests"
    out = subprocess.run([tests / "bench" / "bench-scaling", what, str(n), tests / "unwind" / "plugin-a.so"],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    text, place = out.rstrip().rsplit("\n", 1)
    shutil.rmtree(place)
    return json.loads(text)


def of_report(report):
    me = report["self"]
    return {"sample_ns": me["cost_ns"] / max(me["samples"], 1), "snapshot_ns": me.get("snapshot_ns", 0),
            "threads": len(report.get("threads", []))}


def run_stalls(build, what, n):
    found = [of_report(run(build, what, n)) for _ in range(N_STALLS)]
    return {name: round(statistics.median(one[name] for one in found)) for name in found[0]}


def measure(build, quick, say):
    rows = []
    for what, sizes in (QUICK if quick else FULL).items():
        for n in sizes:
            say(f"scaling: {what}, {n}")
            measure_one = run_stalls if what in ("depth", "threads", "modules") else run
            rows.append({"what": what, "n": n, **measure_one(build, what, n)})
    return rows
