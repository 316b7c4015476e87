# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a developer would use instead, on the same programs: perf, and gdb in a loop. Each is given what it needs to
look good: those that do not know when the loop stalled are told, from the truth, and asked only for the function. What
they cost is not compared: that is less than two runs of a program differ."""

import bisect
import collections
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import accuracy

PERIOD_S = 0.05
SCORED_SHARE = accuracy.SCORED_SHARE


class Tool:
    """How to run a program under a tool, and what the tool then says."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def missing(self):
        return None

    def environment(self, env):
        return env

    def wrap(self):
        return ()

    def stacks(self):
        """[(time in ns, [function, innermost first])] of the main thread."""
        return []

    def sample_times(self, pid):
        """When it looked at the main thread, CLOCK_MONOTONIC, ns; None: it does not tell."""
        return None


class Perf(Tool):
    def __init__(self, folder, frequency):
        super().__init__(folder)
        self.frequency = frequency
        self.name = f"perf record -g, {frequency} Hz"
        self.data = self.folder / "perf.data"

    def missing(self):
        if shutil.which("perf") is None:
            return "perf is not installed"
        run = subprocess.run([*self.wrap(), "true"], capture_output=True, text=True)
        return None if run.returncode == 0 else run.stderr.strip().splitlines()[-1]

    def wrap(self):
        return ("perf", "record", "-q", "-k", "mono", "-e", "cpu-clock", "-g", "-F", str(self.frequency), "-o",
                str(self.data), "--")

    def stacks(self):
        text = subprocess.run(["perf", "script", "-i", self.data, "-F", "tid,time,ip,sym"], capture_output=True,
                              text=True, check=True).stdout
        found = []
        for block in text.split("\n\n"):
            lines = block.strip().splitlines()
            head = re.match(r"\s*(\d+)\s+([\d.]+):", lines[0]) if lines else None
            if head:
                found.append((int(float(head[2]) * 1e9), [line.split(None, 1)[-1].strip() for line in lines[1:]]))
        return found

    def sample_times(self, pid):
        return [at for at, _ in self.stacks()]


class Gdb(Tool):
    name = "gdb, every 50 ms"

    def __init__(self, folder):
        super().__init__(folder)
        self.found = []

    def missing(self):
        return None if shutil.which("gdb") else "gdb is not installed"

    def beside(self, pid, stop):
        self.found = []
        while not stop():
            began = time.monotonic()
            out = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "bt"], capture_output=True, text=True,
                                 env=dict(os.environ, DEBUGINFOD_URLS="")).stdout
            names = re.findall(r"^#\d+\s+(?:0x[0-9a-f]+ in )?([^ (]+)", out, re.M)
            # The program stood still from somewhere in between.
            self.found.append((int((began + time.monotonic()) / 2 * 1e9), names))
            time.sleep(max(0.0, PERIOD_S - (time.monotonic() - began)))

    def stacks(self):
        return self.found


class Jankwatch(Tool):
    name = "jankwatch"

    def __init__(self, folder, env):
        super().__init__(folder)
        self.watched = env

    def environment(self, env):
        return dict(env, **self.watched, JANKWATCH_CONFIG="annealing=no")

    def sample_times(self, pid):
        reports = [json.loads(path.read_text()) for path in self.folder.rglob(f"*-{pid}-*.json")]
        return [report["stall"]["began_monotonic_ns"] + sample["at_ns"] for report in reports
                if report["kind"] == "stall"
                for sample in report["samples"] if sample.get("method") == "signal"]


def run(tool, command, env):
    """What the program says under the tool; gdb runs beside it. Into a file, since nobody would empty a pipe
    meanwhile."""
    command = [*tool.wrap(), *map(str, command)]
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen(command, env=tool.environment(env), stdout=out, stderr=subprocess.DEVNULL) as process:
            if isinstance(tool, Gdb):
                time.sleep(1)
                tool.beside(process.pid, lambda: process.poll() is not None)
        out.seek(0)
        return [json.loads(line) for line in out if line.startswith("{")]


def name_from_samples(stacks, stall, own):
    """The program's own function, innermost, in most samples of the stall."""
    names = collections.Counter()
    for at, stack in stacks:
        if stall["began_ns"] <= at < stall["ended_ns"]:
            inner = next((name for name in stack if name in own), None)
            if inner is not None:
                names[inner] += 1
    return names.most_common(1)[0][0] if names else None


def score_stalls(tool, lines):
    """(stalls, found or None, scored, right, whether functions that wait were ever named)"""
    stalls = [line for line in lines if "began_ns" in line and "functions" in line]
    long = [stall for stall in stalls
            if stall["ended_ns"] - stall["began_ns"] >= accuracy.THRESHOLD_NS + accuracy.MARGIN_NS]
    own = {function["name"] for stall in stalls for function in stall["functions"]}
    named, found = {}, None

    if isinstance(tool, Jankwatch):
        matched, _ = accuracy.match(stalls, [(line["at_ns"], line["report"]) for line in lines if "report" in line])
        named = {stalls[i]["stall"]: report.get("culprit", {}).get("function") for i, (_, report) in matched.items()}
        found = sum(stall["stall"] in named for stall in long)
    else:
        stacks = tool.stacks()
        named = {stall["stall"]: name_from_samples(stacks, stall, own) for stall in long}

    scored = right = right_waiting = 0
    for stall in long:
        heaviest = max(stall["functions"], key=lambda function: function["ns"])
        if heaviest["ns"] < SCORED_SHARE * (stall["ended_ns"] - stall["began_ns"]):
            continue
        scored += 1
        if named.get(stall["stall"]) == heaviest["name"]:
            right += 1
            right_waiting += heaviest["reason"] != "computing"
    return len(long), found, scored, right, right_waiting > 0


def stops_at(gaps, times):
    """For each time at which a tool looked at the thread: (how long that stopped it, what of that came after the look),
    as the thread saw itself; before the look it is the kernel that stops it. gaps: [(end, length)], by end."""
    ends = [end for end, _ in gaps]
    for time_ns in times:
        at = bisect.bisect_left(ends, time_ns)
        if at < len(gaps) and gaps[at][0] - gaps[at][1] <= time_ns:
            yield gaps[at][1], gaps[at][0] - time_ns


CLOCK_MONOTONIC_COARSE = 6


def ticks_without(gaps, times):
    """How long each of the kernel's ticks stopped the thread, but those at which the tool looked at it. A tick comes at
    the same place of each period, which is where most gaps begin; when the host is late with it, soon after."""
    period = round(time.clock_getres(CLOCK_MONOTONIC_COARSE) * 1e9)
    width = period // 200
    begun = [(end - length, end) for end, length in gaps]
    places = collections.Counter(began % period // width for began, _ in begun)
    first = max(places, key=lambda at: places[at] + places[(at + 1) % 200], default=0) * width - width
    times, last = sorted(times), None
    for began, end in begun:
        which, late = divmod(began - first, period)
        if which != last and late < period / 4:
            last = which
            if bisect.bisect_left(times, began) == bisect.bisect_right(times, end):
                yield end - began


def quantiles(name, values):
    if not values:
        return {}
    return {f"{name}_median_ns": round(statistics.median(values)), f"{name}_p99_ns": accuracy.percentile(values, 99)}


def measure_tool(tool, programs, env, seed, n_stalls, seconds):
    if tool.missing():
        return {"tool": tool.name, "missing": tool.missing()}
    stalls, found, scored, right, waiting = score_stalls(tool, run(tool, [programs["random-stalls"], seed, n_stalls, 50,
                                                                          1000], env))
    calls, many = (run(tool, [programs["scenes"], scene, seconds], env)[0] for scene in ("calls", "stalls"))
    row = {"tool": tool.name, "stalls": stalls, "found": found, "scored": scored, "culprit_right": right,
           "sees_waits": waiting, "calls": calls["calls"], "interrupted": calls["interrupted"]}
    times = tool.sample_times(many["pid"])
    if times is not None:
        stops = list(stops_at(many["gaps"], times))
        row |= quantiles("stop", [whole for whole, _ in stops])
        row |= quantiles("handler", [after for _, after in stops])
        row |= quantiles("tick", list(ticks_without(many["gaps"], times)))
    return row


def measure(tools, programs, env, seed, n_stalls, seconds, progress=lambda text: None):
    rows = []
    for tool in tools:
        progress(tool.name)
        rows.append(measure_tool(tool, programs, env, seed, n_stalls, seconds))
    return rows
