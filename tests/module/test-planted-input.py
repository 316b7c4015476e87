# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What a person does at some moment of a stall, and what that does: both reports say how old it was when it was
handled, and for whom and for which function it waited. With deeds=20 as many of each."""

import os
import pathlib
import random
import re
import signal
import time

import hands
import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

N_DEEDS = tap.setting("deeds", 2)
STALL_S, OWN_NS = 0.7, 400 * NS_PER_MS
# What waits for less is not told.
FELT_NS = 60 * NS_PER_MS
STAMP_NS = NS_PER_MS  # whole milliseconds

# What the window holds, what a person does, the kinds of what waits behind the stall and of what begins the next, for
# whom it is, and the sentence.
DEEDS = {
    "click": ("button", ("press", "release"), ("press", "release"), ("GtkButton", "Open"), "click on “Open”"),
    "key": ("field", ("key",), ("key", "key"), ("GtkEntry", "Search"), "key press in “Search”"),
    "scroll": ("pages", ("scroll",), ("scroll", "scroll"), (None, "Pages"), "scrolling in “Pages”"),
    "touch": ("button", ("touch", "lift"), ("touch", "touch"), ("GtkButton", "Open"), "touch on “Open”"),
}


class Deed:
    """And the reports of the stall that it happened in and of the next one, which it began itself."""

    def __init__(self, times):
        self.first, self.last = times[0], times[-1]

    def find(self, reports):
        def named(name):
            return [report for report in reports if report.get("culprit", {}).get("function") == name
                    and report["stall"]["duration_ns"] > 300 * NS_PER_MS]

        self.behind = next((report for report in named("read_mail")
                            if report["stall"]["began_monotonic_ns"] < self.first[0]
                            and self.first[1] < watched.ended_ns(report)), None)
        self.own = next((report for report in named("load_folder")
                         if report["stall"]["began_monotonic_ns"] >= self.first[0]), None)
        tap.check(self.behind and self.own, "no report of the stall, or of the next:", self.behind, self.own)
        # jankwatch waits for an event until the loop seems to sleep for 4 ms, or is busy with something else for 30 ms;
        # of later ones the next report knows. A compositor may stamp it late.
        waited_ns = self.behind.get("interaction", {}).get("waited_ns", FELT_NS)
        self.is_told = watched.ended_ns(self.own) - OWN_NS - watched.ended_ns(self.behind) < 4 * NS_PER_MS
        return [(self.behind, "read_mail"), (self.own, "load_folder")][not (self.is_told and waited_ns >= FELT_NS):]

    def told_ns(self):
        return self.own["interaction"]["began_monotonic_ns"]


def find_child(program):
    """That the command has started, once its loop runs."""
    children = pathlib.Path(f"/proc/{program.popen.pid}/task/{program.popen.pid}/children").read_text().split()
    return next((int(child) for child in children
                 if pathlib.Path(f"/proc/{child}/comm").read_text() == "interactions\n"), None)


def do(program, hand, child, actions, chance):
    """The stall lasts until it is done."""
    reading = program.home / "reading"
    os.kill(child, signal.SIGUSR1)
    program.wait_for("the stall", reading.exists)
    time.sleep(chance.random() * (STALL_S - 0.1))
    made = Deed([getattr(hand, action)() for action in actions])
    time.sleep(FELT_NS / watched.NS_PER_S)
    reading.unlink()
    time.sleep(1.4)
    return made


def plant(hand, library, content, actions):
    """Returns: the program, which has ended, what was done behind a stall, and what the command says of each report"""
    chance = random.Random(f"{library} {actions}")
    with watched.Program(COMMAND, "run", "--", BUILD / "tests/module/interactions", content, library, watched=False,
                         extra=hand.extra) as program:
        child = program.wait_for("the program", lambda: find_child(program))
        hand.reach("Interactions")
        time.sleep(1)
        deeds = [do(program, hand, child, actions, chance) for _ in range(N_DEEDS)]
        os.kill(child, signal.SIGTERM)
        program.wait()
        texts = [(report, " ".join(program.show(report).split()), function) for made in deeds
                 for report, function in made.find(program.reports)]
    return program, deeds, texts


def check_told(report, kind, target):
    """Returns: what is wrong; None: nothing is"""
    told = [report.get("interaction", {}).get(key) for key in ("kind", "widget", "label")]
    expected = [kind, target[0] or told[1] or "somebody", target[1]]
    return None if told == expected else f"{told}, not {expected}"


def check_deeds(display, library, name):
    content, actions, kinds, target, words = DEEDS[name]
    with display() as hand:
        if name == "touch" and hand.screen is None:
            raise tap.Skip("this mutter has touches for those alone who cast the screen, by PipeWire")
        program, deeds, texts = plant(hand, library, content, actions)
    told = [made for made in deeds if made.is_told]
    wrong = [text for made in deeds for text in (check_told(made.behind, kinds[0], target) if made.is_told else None,
                                                 check_told(made.own, kinds[1], target)) if text]
    tap.check(not wrong, "what waited:", wrong, program.errors)
    # Of a machine that was overloaded, no function is to blame.
    named = [bool(re.search(rf"Your {words} waited [0-9.]+ m?s" +
                            (report["verdict"]["kind"] != "starved-machine") * rf" for {function}\(\)", text))
             for report, text, function in texts]
    errors = sorted(max(made.first[0] - made.told_ns(), made.told_ns() - made.first[1], 0) for made in deeds)
    error_ns = errors[int(0.95 * (len(errors) - 1))]
    remark = (f"{N_DEEDS} done, {len(told)} told behind a stall, {named.count(True)} sentences, "
              f"error p95 {error_ns / NS_PER_MS:.2f} ms, worst {errors[-1] / NS_PER_MS:.2f} ms")
    tap.check(all(named), "the sentences:", remark, [(it["verdict"], text) for it, text, _ in texts])
    tap.check(all(made.first[0] - made.told_ns() <= STAMP_NS for made in deeds), "some happened too early:", remark)
    if display.is_exact:
        tap.check(error_ns <= STAMP_NS, "how old they were:", errors, remark)
    return remark


for name in DEEDS:
    for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
        for display in hands.X11, hands.Wayland:
            if hasattr(display, DEEDS[name][1][0]):
                tap.add(f"{name}/{display.__name__.lower()}/gtk{version}", check_deeds, display, library, name)
tap.main("/module/planted-input", n_at_once=3)
