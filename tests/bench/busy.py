# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Busy use without stalls: what is reported all the same was invented.

Several programs run at once, each on a display of its own, as many as leave some CPU free; the sum of their times counts.
Where the machine made a turn of the loop as long as a stall, the program itself says so, and a report of it is right.
"""

import collections
import contextlib
import json
import os
import subprocess
import threading

import accuracy
import figures

SEED = 7
FULL_S, QUICK_S = 1830, 60
PROGRAMS_PER_CPU = 2


def run(program, seed, seconds, env):
    """Returns (true stalls, [(time it was delivered, report)], what the program counted)."""
    out = subprocess.run([program, str(seed), f"{seconds:.1f}"], env=env, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    if not any(line.get("watched") for line in lines):
        raise RuntimeError(f"{program} was not watched")
    return ([line for line in lines if "stall" in line and "began_ns" in line],
            [(line["at_ns"], line["report"]) for line in lines if "report" in line],
            next(line for line in lines if "turns" in line))


def run_together(program, n_programs, seconds, env):
    results, errors = [None] * n_programs, []

    def run_one(i, display):
        try:
            results[i] = run(program, SEED + 100 * i, seconds, dict(env, DISPLAY=display))
        except Exception as error:
            errors.append(error)

    with contextlib.ExitStack() as stack:
        threads = [threading.Thread(target=run_one, args=(i, stack.enter_context(figures.Display()).name))
                   for i in range(n_programs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    return results


def judge(stalls, reports):
    """Returns (indices of stalls that no report may miss, {index of stall: its report}, reports without a stall)."""
    if not stalls:
        return set(), {}, [report for _, report in reports if report["kind"] != "startup"]
    found, invented = accuracy.match(stalls, reports)
    certain = {i for i, stall in enumerate(stalls)
               if stall["ended_ns"] - stall["began_ns"] >= accuracy.THRESHOLD_NS + accuracy.MARGIN_NS}
    return certain, {i: report for i, (_, report) in found.items()}, invented


def state_of(report):
    """What the thread did for most of the stall: without a CPU, it is the machine's."""
    times = collections.Counter()
    for sample in report["samples"]:
        times[sample.get("state", "unknown")] += sample["weight_ns"]
    return times.most_common(1)[0][0] if times else "unknown"


def describe(report):
    stall = report["stall"]
    return {"kind": report["kind"], "began_ns": stall["began_monotonic_ns"], "duration_ns": stall["duration_ns"],
            "culprit": report.get("culprit", {}).get("function")}


def measure(build, quick, env_off, env_on, say):
    n_programs = PROGRAMS_PER_CPU * os.cpu_count()
    seconds = (QUICK_S if quick else FULL_S) / n_programs
    say(f"busy use: {n_programs} programs for {seconds:.0f} s")
    results = run_together(build / "tests" / "bench" / "busy-use", n_programs, seconds, env_on)
    judged = [judge(stalls, reports) for stalls, reports, _ in results]
    counts = [counted for _, _, counted in results]
    watched_ns = sum(counted["watched_ns"] for counted in counts)
    return {
        "programs": n_programs,
        "seconds": round(watched_ns / 1e9, 1),
        "turns": sum(counted["turns"] for counted in counts),
        "busy_share": round(sum(counted["busy_ns"] for counted in counts) / watched_ns, 3),
        "cpu_share": round(sum(counted["cpu_ns"] for counted in counts) / watched_ns * n_programs / os.cpu_count(), 3),
        "long_turns": sum(counted["long_turns"] for counted in counts),
        "longest_ns": max(counted["longest_ns"] for counted in counts),
        "acts": {act: sum(counted["acts"][act] for counted in counts) for act in counts[0]["acts"]},
        "stalls": sum(len(certain) for certain, _, _ in judged),
        "detected": sum(len(certain & found.keys()) for certain, found, _ in judged),
        "missed": [stalls[i] for (stalls, _, _), (certain, found, _) in zip(results, judged)
                   for i in sorted(certain - found.keys())],
        "stall_states": collections.Counter(state_of(report) for _, found, _ in judged for report in found.values()),
        "reports": sum(report["kind"] != "startup" for _, reports, _ in results for _, report in reports),
        "invented": sum(len(invented) for _, _, invented in judged),
        "inventions": [describe(report) for _, _, invented in judged for report in invented],
    }
