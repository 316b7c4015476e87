# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A click waits behind a stall, and its own handler is the next: both reports say which interaction waited, for how long by
this test's clock, and for whom."""

import os
import pathlib
import re
import signal
import subprocess
import time

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

FOLDER = pathlib.Path(__file__).parent
# Stamps are whole milliseconds.
STAMP_NS = 2 * NS_PER_MS


def xdotool(display, *words):
    """Returns its output, and from when to when it ran."""
    began_ns = time.monotonic_ns()
    done = subprocess.run(["xdotool", *map(str, words)], env={"PATH": "/usr/bin:/bin", "DISPLAY": display},
                          stdout=subprocess.PIPE, text=True, timeout=60)
    return done.stdout, began_ns, time.monotonic_ns()


def display_for_xdotool():
    """Else the server begins anew whenever xdotool, its only client so far, leaves, and refuses the program just then."""
    return watched.display("-noreset")


class Interactions:
    """The program, with a pointer that has moved over its window."""

    def __init__(self, words, display):
        self.display = display
        self.program = watched.Program(COMMAND, "run", "--", *words, watched=False, display=display)

    def __enter__(self):
        self.program.__enter__()
        window = self.program.wait_for("the window", lambda: xdotool(self.display, "search", "--onlyvisible", "--name",
                                                                     "^Interactions$")[0].split(), 60)[-1]
        self.child = int(xdotool(self.display, "getwindowpid", window)[0])
        # Nobody manages the windows of this display.
        xdotool(self.display, "windowfocus", window)
        # One of these events gets there at once, also on a busy machine.
        for step in range(5):
            xdotool(self.display, "mousemove", 100 + 2 * step, 90, "key", "x")
            time.sleep(0.1)
        return self

    def __exit__(self, *exception):
        self.program.__exit__(*exception)

    def stall(self):
        os.kill(self.child, signal.SIGUSR1)
        time.sleep(0.2)

    def end(self):
        os.kill(self.child, signal.SIGTERM)
        self.program.wait()
        tap.check_equal(self.program.status, 0, f"the exit status ({self.program.errors})")
        return self.program

    def show(self, report, *words):
        """What the command prints of it, on one line."""
        output = subprocess.run([COMMAND, *words, f"{self.program.store}/{report['id']}.json"], stdout=subprocess.PIPE,
                                env=watched.environment(self.program.home, watched=False), check=True).stdout
        return " ".join(output.decode().split())


def plain(name):
    return name.lower().replace("_", "")


def find(program, function):
    """The report that blames it."""
    found = [report for report in program.reports if plain(report.get("culprit", {}).get("function", "")) == function]
    tap.check_equal(len(found), 1, f"the reports that blame {function} ({program.errors})")
    return found[0]


def check_stamp(interaction, began_ns, ended_ns):
    tap.check_between(interaction["began_monotonic_ns"], began_ns - STAMP_NS, ended_ns + STAMP_NS, "when it happened")


def check_waited(report, until_ns=0):
    """To the end of the stall, or so shortly after as the event needs."""
    interaction = report["interaction"]
    expected_ns = watched.ended_ns(report) - interaction["began_monotonic_ns"]
    tap.check_between(interaction["waited_ns"], expected_ns, expected_ns + until_ns, "how long it waited")


def check_in_time(behind, own):
    """jankwatch waits for 60 ms for an event to be handled, and for less where a turn takes long; own: what the event began."""
    late_ns = own["stall"]["began_monotonic_ns"] - watched.ended_ns(behind)
    if late_ns > 25 * NS_PER_MS:
        raise tap.Skip(f"the machine kept the event from the program for {late_ns / NS_PER_MS:.0f} ms")


def check_click(*words):
    with display_for_xdotool() as display, Interactions(words, display) as interactions:
        interactions.stall()
        _, began_ns, ended_ns = xdotool(display, "click", 1)
        time.sleep(2)
        program = interactions.end()
        behind, own = find(program, "readmail"), find(program, "loadfolder")
        if ended_ns >= watched.ended_ns(behind):
            raise tap.Skip("the machine kept xdotool from its CPU until the stall was over")
        check_in_time(behind, own)
        tap.check("widget" in behind.get("interaction", {}), "nobody, or nobody knows who, waited for", behind["stall"])
        tap.check_equal([behind["interaction"].get(key) for key in ("kind", "widget", "label")],
                        ["press", "GtkButton", "Open"], "what waited behind the stall")
        check_stamp(behind["interaction"], began_ns, ended_ns)
        check_waited(behind, 100 * NS_PER_MS)
        tap.check_equal(behind["interaction"]["delay_ns"], behind["interaction"]["waited_ns"], "the delay behind a stall")
        tap.check("interaction" in own, "nobody waited for", own["stall"])
        tap.check_equal([own["interaction"].get(key) for key in ("kind", "widget", "label")],
                        ["release", "GtkButton", "Open"], "what began the stall")
        check_stamp(own["interaction"], began_ns, ended_ns)
        check_waited(own)
        check_words(interactions, own)


def check_words(interactions, report):
    sentence = rf"Your click on “Open” waited [0-9.]+ m?s for {report['culprit']['function']}\(\)"
    for words in ["show"], ["export", "--format", "html"]:
        text = interactions.show(report, *words)
        tap.check(re.search(sentence, text), f"what {words} says:", text)
    for words in ["show", "--redact"], ["export", "--format", "markdown"]:
        text = interactions.show(report, *words)
        tap.check("“Open”" not in text and "Your click on GtkButton waited " in text, f"what {words} says:", text)


def check_key(*words):
    """No key, no label. A click behind it tells when it was handled at the latest."""
    with display_for_xdotool() as display, Interactions(words, display) as interactions:
        interactions.stall()
        _, began_ns, ended_ns = xdotool(display, "key", "x", "click", 1)
        time.sleep(2)
        program = interactions.end()
        report = find(program, "readmail")
        check_in_time(report, find(program, "loadfolder"))
        tap.check("interaction" in report, "nobody waited for", report["stall"])
        tap.check_equal(sorted(report["interaction"]),
                        ["began_monotonic_ns", "delay_ns", "kind", "waited_ns", "widget"], "what is told")
        tap.check_equal([report["interaction"]["kind"], report["interaction"]["widget"]], ["key", "GtkButton"], "the key press")
        check_stamp(report["interaction"], began_ns, ended_ns)
        check_waited(report, 100 * NS_PER_MS)


def check_nobody(*words):
    with display_for_xdotool() as display, Interactions(words, display) as interactions:
        interactions.stall()
        time.sleep(1)
        program = interactions.end()
        tap.check("interaction" not in find(program, "readmail"), "nobody touched it:", find(program, "readmail"))


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    program = BUILD / "tests/module/interactions"
    tap.add(f"c/gtk{version}", check_click, program, library)
    tap.add(f"c/gtk{version}/key", check_key, program, library)
    tap.add(f"c/gtk{version}/nobody", check_nobody, program, library)
    tap.add(f"python/gtk{version}", check_click, "/usr/bin/python3", FOLDER / "interactions.py", f"{version}.0")
tap.add("javascript/gtk4", check_click, "gjs", FOLDER / "interactions.js", "4.0")
tap.main("/module/interactions", n_at_once=3)
