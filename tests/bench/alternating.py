# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What watching costs an animation, within one process that is watched for a while, then not, and so on.

Runs of a program differ by several times what watching costs: in where its memory lies, for one. Here nothing changes
but that somebody watches. The CPU time of the program's thread is read at the end of each frame; of a window's frames
the tenth that took longest and the tenth that took shortest are left out, and what remains is averaged. A watched
window is compared with the mean of the two beside it, so that a drift of the machine cancels out. What the watcher's
thread took, which is known exactly, is added. A figure is the median of these differences, with its confidence interval
of 95 % by order statistics. The program must ask for its monitor to switch it, which adds 400 instructions to each
watched frame.

Processes of the kernel's idle class, which give way to everything, keep the CPUs at work: those of a virtual machine
that are given back to the host after each frame come back at another pace, which differs by a third from second to
second.
"""

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys

import perturbation
import figures

# Of perturbation.SETTINGS
SETTINGS = ("default", "matrix")
KEEP_BUSY = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nwhile True: pass"


def interval(values):
    """Between which two values the median of all that could be measured lies, at 95 %; all of them if they are few."""
    ordered, n = sorted(values), len(values)
    below, rank = 0.0, 0
    while rank < n // 2:
        below += math.comb(n, rank) / 2 ** n
        if below > 0.025:
            break
        rank += 1
    rank = max(rank - 1, 0)
    return ordered[rank], ordered[n - 1 - rank]


def percent(window):
    """Of a CPU, for the program's own thread."""
    frames = sorted(window["frames_ns"])
    left_out = len(frames) // 10
    middle = frames[left_out:len(frames) - left_out]
    return 100 * sum(middle) / len(middle) * len(frames) / window["wall_ns"]


def compare(windows):
    watched = [i for i in range(1, len(windows) - 1) if windows[i]["watched"]]
    watcher = 100 * sum(windows[i]["watcher_cpu_ns"] for i in watched) / sum(windows[i]["wall_ns"] for i in watched)
    added = [percent(windows[i]) - (percent(windows[i - 1]) + percent(windows[i + 1])) / 2 + watcher for i in watched]
    low, high = interval(added)
    return {
        "windows": len(added),
        "cpu_off_percent": round(statistics.median(percent(window) for window in windows if not window["watched"]), 2),
        "cpu_added_percent": {"median": round(statistics.median(added), 3), "low": round(low, 3),
                              "high": round(high, 3)},
        "watcher_cpu_percent": round(watcher, 3),
    }


def text(cpu):
    return "{} % ({} … {})".format(*(figures.signed(cpu[key]) for key in ("median", "low", "high")))


@contextlib.contextmanager
def busy_cpus():
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", KEEP_BUSY]))
            stack.callback(process.kill)
        yield


def run(build, command, seconds, env):
    env = dict(env, LD_PRELOAD=str(build / "tests" / "bench" / "alternating.so"), ALTERNATING_SECONDS=str(seconds))
    with busy_cpus():
        out = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True).stdout
    return compare(json.loads(out))


def measure(build, quick, env, say):
    seconds, settings = (20, ("default",)) if quick else (360, SETTINGS)
    scene = [build / "tests" / "bench" / "scenes", "animation", str(seconds + 60)]
    rows = []
    for name in settings:
        say(f"watched and not in turns: {name}, {seconds} s")
        config = dict(env, JANKWATCH_CONFIG=perturbation.SETTINGS[name])
        rows.append({"setting": name, **run(build, scene, seconds, config)})
    return rows
