# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How often jankwatch is right: random stalls whose truth the stalling program itself writes down.

Every figure is taken from the truth's side: a stall is detected when a report covers at least half of it, a report is
invented when no stall does as much for it. The heaviest function is scored where it truly has 60 % of the stall.
"""

import collections
import concurrent.futures
import json
import os
import statistics
import subprocess
import time

THRESHOLD_NS = 100_000_000
MARGIN_NS = 2_000_000
SCORED_SHARE = 0.6
MIN_SAMPLES = 10
PROGRAMS_PER_CPU, BUSY_MS, BUSY_PERIOD_S = 2, (1, 60), 0.15


def run(program, seed, n_stalls, env, lengths_ms, kind="stall"):
    """Returns (stalls or whole turns, by their kind; [(time it was delivered, report)])."""
    out = subprocess.run([program, str(seed), str(n_stalls), *map(str, lengths_ms)], env=env, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    lines = [json.loads(line) for line in out.splitlines()]
    if not any(line.get("watched") for line in lines):
        raise RuntimeError(f"{program} was not watched")
    return ([line for line in lines if kind in line and "began_ns" in line],
            [(line["at_ns"], line["report"]) for line in lines if "report" in line])


def ended(report):
    return report["stall"]["began_monotonic_ns"] + report["stall"]["duration_ns"]


def overlap(stall, report):
    return min(stall["ended_ns"], ended(report)) - max(stall["began_ns"], report["stall"]["began_monotonic_ns"])


def nearest(stalls, report):
    """The stall that a report is most of, or that ended last before it."""
    return max(stalls, key=lambda stall: (overlap(stall, report), stall["ended_ns"] <= ended(report),
                                          stall["ended_ns"]))


def match(stalls, reports):
    """Returns ({index of stall: (time, report)}, reports without a stall)."""
    found, invented = {}, []
    for at, report in reports:
        if report["kind"] == "startup":
            continue
        best = max(range(len(stalls)), key=lambda i: overlap(stalls[i], report), default=None)
        if best is None:
            invented.append(report)
            continue
        length = stalls[best]["ended_ns"] - stalls[best]["began_ns"]
        if 2 * overlap(stalls[best], report) < max(length, report["stall"]["duration_ns"]) \
                or length < THRESHOLD_NS - MARGIN_NS:
            invented.append(report)
        else:
            found[best] = (at, report)
    return found, invented


def samples_of(report, function):
    """Samples with the function on their stack."""
    frames = {i for i, frame in enumerate(report["frames"]) if frame.get("symbol") == function}
    return [sample for sample in report["samples"]
            if "stack" in sample and frames & set(report["stacks"][sample["stack"]])]


def share_of(report, function):
    for step in report["heaviest"].get("path", []):
        if report["frames"][step["frame"]].get("symbol") == function:
            return step["share"]
    total = sum(sample["weight_ns"] for sample in report["samples"])
    return sum(sample["weight_ns"] for sample in samples_of(report, function)) / total if total else 0.0


def reason_of(report, function):
    """What the function did for the longest time, as the report has it."""
    times = collections.Counter()
    for sample in samples_of(report, function):
        state = sample.get("state", "unknown")
        times[sample.get("wait", {}).get("kind", state) if state == "blocked" else state] += sample["weight_ns"]
    return times.most_common(1)[0][0] if times else "unknown"


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * percent / 100))] if values else 0


def score(stalls, reports):
    found, invented = match(stalls, reports)
    certain = [i for i, stall in enumerate(stalls) if stall["ended_ns"] - stall["began_ns"] >= THRESHOLD_NS + MARGIN_NS]
    errors, shares, wrong = [], [], []
    scored = culprit_right = reason_right = 0

    for i, (_, report) in sorted(found.items()):
        stall = stalls[i]
        length = stall["ended_ns"] - stall["began_ns"]
        errors.append(abs(report["stall"]["duration_ns"] - length))
        heaviest = max(stall["functions"], key=lambda function: function["ns"])
        share = heaviest["ns"] / length
        if share < SCORED_SHARE:
            continue
        scored += 1
        culprit = report.get("culprit", {}).get("function")
        reason = reason_of(report, heaviest["name"])
        culprit_right += culprit == heaviest["name"]
        reason_right += reason == heaviest["reason"]
        if len(report["samples"]) >= MIN_SAMPLES:
            shares.append(abs(share_of(report, heaviest["name"]) - share))
        if culprit != heaviest["name"] or reason != heaviest["reason"]:
            wrong.append({"stall": stall["stall"], "way": stall["way"], "length_ms": length / 1e6, "truth": heaviest,
                          "share": share, "culprit": culprit, "reason": reason, "samples": len(report["samples"])})

    return {
        "stalls": len(certain),
        "detected": sum(1 for i in certain if i in found),
        "invented": len(invented),
        "duration_error_p50_ns": round(statistics.median(errors)) if errors else 0,
        "duration_error_p95_ns": percentile(errors, 95),
        "scored": scored,
        "culprit_right": culprit_right,
        "reason_right": reason_right,
        "share_error_p95": round(percentile(shares, 95), 4),
        "wrong": wrong,
    }


def measure_busy(program, seed, seconds, env):
    """Several programs at once, as busy as programs are, in callbacks that are too short for a stall. Where the machine
    made a turn as long as one, the program says so, and a report of it is right."""
    n_programs = PROGRAMS_PER_CPU * os.cpu_count()
    n_callbacks = round(seconds / n_programs / BUSY_PERIOD_S)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(n_programs) as pool:
        results = list(pool.map(lambda i: run(program, seed + i, n_callbacks, env, BUSY_MS, "turn"), range(n_programs)))
    return {"seconds": round((time.monotonic() - began) * n_programs), "callbacks": n_callbacks * n_programs,
            "long_turns": sum(len(turns) for turns, _ in results),
            "invented": sum(len(match(turns, reports)[1]) for turns, reports in results)}
