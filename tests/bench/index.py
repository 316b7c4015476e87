# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long the command takes over 100,000 reports of 10 KB: to read them the first time, and to answer afterwards."""

import os
import statistics
import subprocess
import tempfile
import time

N_RUNS = 7


def run(program, command, folder):
    """(nanoseconds, kB at most) of one command, as somebody who pipes its output sees them."""
    began = time.monotonic_ns()
    child = subprocess.Popen([program, command, "--store", folder], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise RuntimeError(f"jankwatch {command} failed: {status}")
    return time.monotonic_ns() - began, usage.ru_maxrss


def measure(build, quick, say):
    n = 10000 if quick else 100000
    program = build / "src" / "cli" / "jankwatch"
    with tempfile.TemporaryDirectory(dir=build) as folder:
        say(f"index: {n:,} reports")
        subprocess.run([build / "tests" / "index" / "make-many", folder, str(n)], check=True)
        first_ns, most_kb = run(program, "list", folder)
        time.sleep(2.5)  # until the folder's time is past doubt
        result = {"n": n, "first_ns": first_ns}
        run(program, "list", folder)
        for command in ("list", "summary"):
            taken = [run(program, command, folder) for _ in range(N_RUNS)]
            result[f"{command}_ns"] = int(statistics.median(ns for ns, _ in taken))
            most_kb = max(most_kb, *(kb for _, kb in taken))
        result["most_kb"] = most_kb
    return result
