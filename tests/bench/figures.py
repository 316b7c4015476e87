#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures what watching costs and how exact it is; prints figures beside what they must reach.

figures.py BUILD_FOLDER. Needs Xvfb and gtk4-widget-factory. Nothing else should run meanwhile.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

N_MEMORY_RUNS = 5


class Display:
    """An X server of its own."""

    def __enter__(self):
        read_end, write_end = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
                                       pass_fds=[write_end], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write_end)
        number = b""
        while not number.endswith(b"\n"):
            number += os.read(read_end, 16)
        os.close(read_end)
        self.name = ":" + number.decode().strip()
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def environment(display, state, build, watched):
    env = dict(os.environ, DISPLAY=display, XDG_STATE_HOME=state, GTK_A11Y="none", GSETTINGS_BACKEND="memory",
               GIO_USE_VFS="local", DBUS_SESSION_BUS_ADDRESS="disabled:")
    for name in ("GTK_MODULES", "GIO_EXTRA_MODULES", "JANKWATCH", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    if watched:
        env.update(GTK_MODULES="jankwatch", JANKWATCH="1", GIO_EXTRA_MODULES=str(build / "src" / "module"))
    return env


def run_json(build, name, *args, env=None):
    out = subprocess.run([build / "tests" / "bench" / name, *args], env=env, check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def show(what, value, goal, reached):
    print(f"{what:58} {value:>26}   must reach {goal:20} {'yes' if reached else 'NO'}", flush=True)
    return reached


def bench_loop(build):
    result = run_json(build, "bench-loop")
    added = result["added_ns"]
    return show(f"added to an idle-source turn of {result['turn_off_ns']:.0f} ns, median (min–max)",
                f"{added['median']:.0f} ns ({added['min']:.0f}–{added['max']:.0f})", "≤ 100 ns", added["median"] <= 100)


def watcher_switches(pid):
    """Context switches of the watcher thread so far, looked at from outside."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == "jankwatch":
            return sum(int(n) for n in re.findall(r"ctxt_switches:\t(\d+)", (task / "status").read_text()))
    raise RuntimeError("there is no watcher thread")


def bench_idle(build, state):
    env = environment("", state, build, True)
    program = subprocess.Popen([build / "tests" / "programs" / "staller", "idle", "14"], env=env, stdout=subprocess.DEVNULL)
    time.sleep(2.5)
    before = watcher_switches(program.pid)
    time.sleep(10)
    switches = watcher_switches(program.pid) - before
    program.wait()
    return show("context switches of the watcher, idle program, 10 s", str(switches), "0", switches == 0)


def bench_sampler(build, display, state):
    result = run_json(build, "bench-sampler", "10", env=environment(display, state, build, False))
    handler, unwind, whole = result["handler_ns"], result["unwind_ns"], result["sample_ns"]
    complete = result["complete"] / result["samples"]
    print(f"live GTK 4 program: {result['samples']} samples of {result['frames_per_stack']:.0f} frames on average, "
          f"{result['lost']} lost, {result['blocked']} of a blocked thread; a running one's costs the watcher "
          f"{whole['median'] / 1000:.0f} µs")
    return all([
        show("handler, median", f"{handler['median']} ns", "≤ 1 µs", handler["median"] <= 1000),
        show("handler, 99th percentile", f"{handler['p99']} ns", "≤ 15 µs", handler["p99"] <= 15000),
        show("unwinding, median", f"{unwind['median'] / 1000:.1f} µs", "≤ 20 µs", unwind["median"] <= 20000),
        show("samples that reach the thread's base", f"{100 * complete:.2f} %", "≥ 99 %", complete >= 0.99),
    ])


def bench_overlay(build, display, state):
    results = []
    for renderer in "gl", "cairo":
        env = dict(environment(display, state, build, False), GSK_RENDERER=renderer)
        result = run_json(build, "bench-overlay", "32", env=env)
        base, watched, overlay, hook = (result[name] for name in ("animation", "watched", "overlay", "hook_ns"))
        drawn = f"{result['renderer']}, {result['fps']} FPS, {base['median']:.1f} % CPU"
        print(f"an animation ({drawn}); a pair's figures vary by ±{(overlay['max'] - overlay['min']) / 2:.1f}")
        results += [
            show("CPU added to it, overlay off, median of 32 pairs", f"{watched['median']:.2f} %", "≤ 0.3 %", watched["median"] <= 0.3),
            show("CPU added to it, overlay on, median of 32 pairs", f"{overlay['median']:.2f} %", "≤ 2 %", overlay["median"] <= 2),
            show("frame hook, per frame, median", f"{hook['median']:.0f} ns", "≤ 2 µs", hook["median"] <= 2000),
            show("frames in 10 s of an idle program, overlay on", str(result["idle_frames"]), "0", result["idle_frames"] == 0),
        ]
    return all(results)


def bench_stall(build):
    stalls = run_json(build, "bench-stall")
    worst = max(stalls, key=lambda stall: abs(stall["error_ms"]))
    disk = sorted(stall["on_disk_after_ms"] for stall in stalls if 990 < stall["truth_ms"] < 1100)
    return all([
        show(f"error of the length, worst of {len(stalls)} stalls of 0.1–5 s", f"{worst['error_ms']:.3f} ms", "≤ 1 ms",
             abs(worst["error_ms"]) <= 1),
        show("report on disk after a 1 s stall, median (max)", f"{statistics.median(disk):.1f} ms ({disk[-1]:.1f})", "≤ 20 ms",
             disk[-1] <= 20),
    ])


def private_kb(pid):
    """Memory that is the process's alone, and clean pages of files that no other process happens to map."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return [int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M)[1]) for name in ("Private_Dirty", "Private_Clean")]


def factory_memory(build, display, state, watched):
    program = subprocess.Popen(["gtk4-widget-factory"], env=environment(display, state, build, watched),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(4)
        if watched and "libjankwatch" not in pathlib.Path(f"/proc/{program.pid}/maps").read_text():
            raise RuntimeError("gtk4-widget-factory is not watched")
        return private_kb(program.pid)
    finally:
        program.kill()
        program.wait()


def bench_memory(build, display, state):
    off, on = [], []
    for _ in range(N_MEMORY_RUNS):
        off.append(factory_memory(build, display, state, False))
        on.append(factory_memory(build, display, state, True))
    base, added, clean = (statistics.median(values) for values in (
        [dirty for dirty, _ in off], [a - b for (a, _), (b, _) in zip(on, off)], [a - b for (_, a), (_, b) in zip(on, off)]))
    print(f"beside it {clean / 1024:.1f} MB of clean pages of files: tables of GTK's libraries, shared with other GTK programs")
    return show(f"private memory added to gtk4-widget-factory ({base / 1024:.0f} MB)", f"{added / 1024:.1f} MB", "≤ 4 MB",
                added <= 4096)


def main(build):
    with tempfile.TemporaryDirectory() as state, Display() as display:
        results = [
            bench_loop(build),
            bench_idle(build, state),
            bench_sampler(build, display.name, state),
            bench_overlay(build, display.name, state),
            bench_stall(build),
            bench_memory(build, display.name, state),
        ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
