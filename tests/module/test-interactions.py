# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A click waits behind a stall, and its own handler is the next: both reports say which interaction waited, for how
long by this test's clock, and for whom."""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import desktop
import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

# Stamps are whole milliseconds.
STAMP_NS = 2 * NS_PER_MS
OWN_NS = 400 * NS_PER_MS  # of load_folder()


def xdotool(display, *words):
    """Returns its output, and from when to when it ran."""
    began_ns = time.monotonic_ns()
    done = subprocess.run(["xdotool", *map(str, words)], env={"PATH": "/usr/bin:/bin", "DISPLAY": display},
                          stdout=subprocess.PIPE, text=True, timeout=60)
    return done.stdout, began_ns, time.monotonic_ns()


class Interactions:
    """The program, with a pointer that has moved over its window, if it is to be near."""

    def __init__(self, words, display, options=(), is_near=True, config=None):
        self.display = display
        self.is_near = is_near
        self.program = watched.Program(COMMAND, "run", *options, "--", *words, watched=False, display=display,
                                       config=config)

    def __enter__(self):
        self.program.__enter__()
        window = self.program.wait_for("the window", lambda: xdotool(self.display, "search", "--onlyvisible", "--name",
                                                                     "^Interactions$")[0].split())[-1]
        self.child = int(xdotool(self.display, "getwindowpid", window)[0])
        # What is not drawn has no place where it could be clicked.
        self.program.wait_for("its first frame", lambda: any(
            "startup" in session for session in self.program.read_sessions()))
        # Nobody manages the windows of this display.
        xdotool(self.display, "windowfocus", window)
        # One of these events gets there at once, also on a busy machine.
        for step in range(5 if self.is_near else 0):
            xdotool(self.display, "mousemove", 100 + 2 * step, 90, "key", "x")
            time.sleep(0.1)
        return self

    def __exit__(self, *exception):
        self.program.__exit__(*exception)

    @contextlib.contextmanager
    def stall(self):
        """For as long as the block that uses it."""
        os.kill(self.child, signal.SIGUSR1)
        self.program.wait_for("the stall", (self.program.home / "reading").exists)
        time.sleep(0.1)
        yield
        time.sleep(0.1)
        (self.program.home / "reading").unlink()

    def count(self, name):
        """Of those in the session's file so far."""
        sessions = self.program.read_sessions()
        return max((session.get("interactions", {}).get(name, 0) for session in sessions), default=0)

    def end(self, *functions, status=0):
        """Once there are reports that know of these."""
        for name in functions:
            self.program.wait_for(f"the report of {name}", lambda: any(
                f"'{name}'" in f"{report['frames']}" and report["stall"]["outcome"] != "ongoing"
                for report in watched.read_reports(self.program.store)))
        os.kill(self.child, signal.SIGTERM)
        self.program.wait()
        tap.check_equal(self.program.status, status, f"the exit status ({self.program.errors})")
        return self.program

    def show(self, report, *words):
        """What the command prints of it, on one line."""
        return " ".join(self.program.command(*words, f"{self.program.store}/{report['id']}.json").split())


def find(program, function):
    """The report that blames it."""
    found = [report for report in program.reports if report.get("culprit", {}).get("function") == function]
    tap.check_equal(len(found), 1, f"the reports that blame {function} ({program.errors})")
    return found[0]


def check_stamp(interaction, began_ns, ended_ns):
    tap.check_between(interaction["began_monotonic_ns"], began_ns - STAMP_NS, ended_ns + STAMP_NS, "when it happened")


def check_waited(report, until_ns=0):
    """To the end of the stall, or so shortly after as the event needs."""
    interaction = report["interaction"]
    expected_ns = watched.ended_ns(report) - interaction["began_monotonic_ns"]
    tap.check_between(interaction["waited_ns"], expected_ns, expected_ns + until_ns, "how long it waited")


def check_behind(behind, own, began_ns, ended_ns):
    """own: what the event began. jankwatch waits for an event until the loop seems to sleep for 4 ms, or is busy with
    something else for 30 ms. Of one that comes later nothing is known behind the stall, but by what it began. On a busy
    machine a key from before the stall may wait, too."""
    if (watched.ended_ns(own) - OWN_NS - watched.ended_ns(behind) > 4 * NS_PER_MS
            or behind.get("interaction", {}).get("kind") == "key"):
        return tap.check_equal(own.get("interaction", {}).get("label"), "Open", "what waited for its own stall")
    tap.check("widget" in behind.get("interaction", {}), "nobody, or nobody knows who, waited for", behind["stall"])
    tap.check_equal([behind["interaction"].get(key) for key in ("kind", "widget", "label")],
                    ["press", "GtkButton", "Open"], "what waited behind the stall")
    check_stamp(behind["interaction"], began_ns, ended_ns)
    check_waited(behind, 100 * NS_PER_MS)
    tap.check_equal(behind["interaction"]["delay_ns"], behind["interaction"]["waited_ns"], "the delay behind a stall")


def check_click(*words):
    with desktop.new_session(is_managed=False) as display, Interactions(words, display) as interactions:
        with interactions.stall():
            _, began_ns, ended_ns = xdotool(display, "click", 1)
        program = interactions.end("read_mail", "load_folder")
        behind, own = find(program, "read_mail"), find(program, "load_folder")
        check_behind(behind, own, began_ns, ended_ns)
        tap.check("interaction" in own, "nobody waited for", own["stall"])
        tap.check_equal([own["interaction"].get(key) for key in ("kind", "widget", "label")],
                        ["release", "GtkButton", "Open"], "what began the stall")
        check_stamp(own["interaction"], began_ns, ended_ns)
        check_waited(own)
        tap.check(any(turn["duration_ns"] >= behind["stall"]["duration_ns"] - STAMP_NS and abs(
                          turn["began_monotonic_ns"] - behind["stall"]["began_monotonic_ns"]) <= STAMP_NS
                      for turn in own.get("before", [])),
                  "the stall before it:", own.get("before"), behind["stall"])
        check_words(interactions, own)


def check_words(interactions, report):
    sentence = r"Your click on “Open” waited [0-9.]+ m?s" + (
        report["verdict"]["kind"] != "starved-machine") * r" for load_folder\(\)"
    text = interactions.show(report, "show")
    tap.check(re.search(sentence, text), "what show says:", text)
    for words in ["show", "--redact"], ["export", "--format", "markdown"]:
        text = interactions.show(report, *words)
        tap.check("“Open”" not in text and "Your click on GtkButton waited " in text, f"what {words} says:", text)


def check_entering(*words):
    """Nothing of the pointer and no key has reached the program before it hangs."""
    with desktop.new_session(is_managed=False) as display:
        xdotool(display, "mousemove", 1200, 700)
        with Interactions(words, display, is_near=False) as interactions:
            with interactions.stall():
                xdotool(display, "mousemove", 110, 90)
                _, began_ns, ended_ns = xdotool(display, "click", 1)
            program = interactions.end("read_mail", "load_folder")
    check_behind(find(program, "read_mail"), find(program, "load_folder"), began_ns, ended_ns)


def check_figures(*words):
    """Of all that was done, as the session, the command and its limits have it."""
    with tempfile.TemporaryDirectory() as folder, desktop.new_session(is_managed=False) as display, \
            Interactions(words, display,
                         ["--json", f"{folder}/run.json", "--fail-if", "input-p98>200ms"]) as interactions:
        began_ns = time.monotonic_ns()
        for _ in range(3):
            xdotool(display, "click", 1)
            time.sleep(0.6)
        xdotool(display, "click", 5)
        interactions.program.wait_for("the answers", lambda: interactions.count("releases") == 3)
        program = interactions.end(status=3)
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            found = json.load(file)["interactions"]
        tap.check_equal([found[name] for name in ("presses", "releases", "touches")], [3, 3, 0], "what was done")
        # GTK 3 has no step for a button, and the keys before the first that can be timed are none.
        tap.check(found["keys"] >= 1 and found["scrolls"] <= 1, "keys and steps", found)
        tap.check_equal(found["count"], 3 + found["keys"] + found["scrolls"], "all of it, each click once")
        tap.check(0 < found["p50_ns"] <= found["p75_ns"] <= found["p98_ns"] <= found["longest_ns"], "in order", found)
        # Each release begins a stall of 400 ms; on a busy machine its press is answered by the same frame.
        tap.check(found["p98_ns"] >= 390 * NS_PER_MS and found["band"] in ("fair", "poor"), "how long it took", found)
        longest = found["longest"]
        tap.check_equal([longest["widget"], longest["label"]], ["GtkButton", "Open"], "the longest")
        tap.check(longest["kind"] in ("press", "release"), "the longest", longest)
        tap.check(longest["began_monotonic_ns"] >= began_ns and longest["waited_ns"] == found["longest_ns"],
                  "the longest", found)
        sentence = r"[0-9]+ clicks and keys(, 1 step of scrolling)?: worst [0-9.]+ m?s \((fair|poor)\) on "
        for text in program.errors, program.command("summary", "--store", program.store):
            tap.check(re.search(sentence + "“Open”", text), "what is said:", text)
        text = program.command("summary", "--redact", "--store", program.store)
        tap.check(re.search(sentence + "GtkButton", text) and "“Open”" not in text, "what others may read:", text)
        check_marks(interactions, [report for report in program.stalls
                                   if report.get("culprit", {}).get("function") == "load_folder"][-1])


def check_marks(interactions, report):
    """The stall of the click before is a turn now."""
    profile = json.loads(interactions.show(report, "export", "--format", "firefox"))
    turns = [data["text"] for data in profile["threads"][0]["markers"]["data"] if data["type"] == "turn"]
    tap.check(any(re.fullmatch("a turn of [0-9.]+ m?s", turn) for turn in turns), "turns:", turns)
    marks = [data["text"] for data in profile["threads"][0]["markers"]["data"] if data["type"] == "interaction"]
    tap.check(any(re.fullmatch("Your click on “Open” waited [0-9.]+ m?s", mark) for mark in marks), "marks:", marks)


def check_rows(*words):
    """No part of the work is a stall: what the user waits for is the sum of them, 360 ms."""
    with desktop.new_session(is_managed=False) as display, \
            Interactions(words, display, config="threshold=320ms") as interactions:
        _, began_ns, ended_ns = xdotool(display, "click", 1)
        program = interactions.end("on_row_cb")
        reports = [report for report in program.reports if report["kind"] == "input"]
        # On a busy machine a key may be answered late, too, or one part of the work is a stall.
        report = next((report for report in reports if report["interaction"].get("label") == "Open"), None)
        if program.stalls and report is None:
            return
        tap.check(report is not None, "the reports of late answers:", program.errors)
        check_stamp(report["interaction"], began_ns, ended_ns)
        tap.check(report["interaction"]["waited_ns"] >= 330 * NS_PER_MS, "how long it waited", report["interaction"])
        check_contributors(report)
        text = interactions.show(report, "show")
        sentence = (r"Your click on “Open” waited [0-9.]+ m?s: 6 × on_row_cb\(\) \([a-z]+\.[a-z]+(:[0-9]+)?\) "
                    r"[0-9.]+ m?s")
        tap.check(re.match(sentence, text), "what is said:", text)
        tap.check(f"Reports of late answers: {len(reports)}" in program.errors, "the summary:", program.errors)


def check_contributors(report):
    first = report["contributors"][0]
    tap.check_equal([report["frames"][first["callback"]]["symbol"], first["count"]], ["on_row_cb", 6],
                    "who was dispatched")
    tap.check_between(first["total_ns"], 330 * NS_PER_MS, report["interaction"]["waited_ns"], "for how long")
    tap.check(len(report["contributors"]) <= 8, "not more", report["contributors"])


def check_nobody(*words):
    with desktop.new_session(is_managed=False) as display, Interactions(words, display, is_near=False) as interactions:
        with interactions.stall():
            xdotool(display, "mousemove", 110, 90)
        program = interactions.end("read_mail")
        tap.check("interaction" not in find(program, "read_mail"), "nobody touched it:", find(program, "read_mail"))


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    program = BUILD / "tests/module/interactions"
    tap.add(f"c/gtk{version}", check_click, program, library)
    tap.add(f"c/gtk{version}/entering", check_entering, program, library)
    tap.add(f"c/gtk{version}/nobody", check_nobody, program, library)
    tap.add(f"c/gtk{version}/figures", check_figures, program, library)
    tap.add(f"c/gtk{version}/rows", check_rows, program, "rows", library)
tap.main("/module/interactions", n_at_once=3)
