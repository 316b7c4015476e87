# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A GTK program is used for minutes=N while it stalls at random: it lives, every stall is reported once, and it grows
no more than the same program does unwatched."""

import contextlib
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

MINUTES = tap.setting("minutes", 60.0)
STALLS = watched.BUILD / "tests/faults/libdesktop-stalls.so"
CONFIG = "max-reports=100000,max-bytes=100G,max-per-session=1000000"

# Pages, tabs, menus and pickers; none closes the window.
KEYS = ("Tab", "Down", "Up", "Left", "Right", "space", "Page_Down", "Page_Up", "a", "1", "Escape")


# Of malloc()'s heaps for threads.
ARENA_BYTES = 64 << 20
# The program has a block of 64 to 118 MB at times, watched or not: it would hide all else.
BLOCK_BYTES = 32 << 20


def read_anonymous(pid):
    """In MB, without the program's largest block."""
    n_kilobytes = 0
    counts = False
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        first, second = line.split()[:2]
        if "-" in first and not first.endswith(":"):
            start, end = (int(address, 16) for address in first.split("-"))
            counts = end - start < BLOCK_BYTES or start % ARENA_BYTES == 0
        elif first == "Anonymous:" and counts:
            n_kilobytes += int(second)
    return n_kilobytes / 1024


def read_status(pid):
    n_threads, n_files = (len(list(pathlib.Path(f"/proc/{pid}/{folder}").iterdir())) for folder in ("task", "fd"))
    return read_anonymous(pid), n_threads, n_files


def use(displays):
    """The same on each."""
    x, y = random.randrange(1280), random.randrange(800)
    words = random.choice((["mousemove", x, y], ["mousemove", x, y, "click", random.choice((1, 4, 5))],
                           ["key", random.choice(KEYS)]))
    for display in displays:
        subprocess.run(["xdotool", *map(str, words)], env={"PATH": "/usr/bin", "DISPLAY": display}, check=True,
                       timeout=60)
    time.sleep(random.uniform(0, 0.2))


def test_used():
    with contextlib.ExitStack() as stack:
        displays = [stack.enter_context(watched.display()) for _ in range(2)]
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="jankwatch-test-"))
        truth = pathlib.Path(folder) / "truth"
        program, other = [stack.enter_context(watched.Program(
            "gtk4-widget-factory", display=display, watched=is_watched, config=CONFIG,
            extra={"LD_PRELOAD": STALLS, "DESKTOP_STALLS": truth if is_watched else pathlib.Path(folder) / "other"}))
            for display, is_watched in zip(displays, (True, False))]
        until = time.monotonic() + 60 * MINUTES
        early = None
        while time.monotonic() < until:
            use(displays)
            for each in (program, other):
                tap.check(each.popen.poll() is None, each.popen.args, "has ended:", each.popen.returncode, each.errors)
            if early is None and until - time.monotonic() < 45 * MINUTES:
                early = [read_status(each.popen.pid) for each in (program, other)]
        late = [read_status(each.popen.pid) for each in (program, other)]
        for each in (program, other):
            each.popen.terminate()
            each.wait()
        stalls = [tuple(map(int, line.split())) for line in truth.read_text().splitlines()]
        # The last one may still be in the making.
        counts = [sum(report["stall"]["began_monotonic_ns"] <= began_ns and watched.ended_ns(report) >= ended_ns
                      for report in program.reports if report["kind"] == "stall") for began_ns, ended_ns in stalls[:-1]]
    tap.check(counts, "it never stalled:", program.errors)
    figures = f"{MINUTES:g} minutes, {len(counts)} stalls, {counts.count(1)} reported once, {counts.count(0)} never"
    for name, first, last in zip(("watched", "unwatched"), early, late):
        figures += "; {}: {:.0f} MB, {} threads, {} files after a quarter, {:.0f} MB, {}, {} at the end".format(
            name, *first, *last)
    tap.check_equal((program.status, other.status), (-15, -15), f"the exit status ({figures}; {program.errors})")
    tap.check(set(counts) == {1}, figures)
    tap.check(late[0][2] <= early[0][2] + 10, figures)
    tap.check(late[0][0] - early[0][0] <= 1.2 * (late[1][0] - early[1][0]) + 20, figures)
    return figures


tap.add("used", test_used)
tap.main("/desktop")
