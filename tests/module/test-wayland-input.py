# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Clicks that mutter's RemoteDesktop interface makes at some moment of a stall: reports say how old each was when it
was handled, and for whom it waited. With clicks=75 as many of them."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

from gi.repository import Gio, GLib

import tap
import watched
from watched import BUILD, COMMAND, NS_PER_MS

DISPLAY = "jankwatch-input"
N_CLICKS = tap.setting("clicks", 3)
SECONDS = 30
STALL_S = 0.7
BUTTON_LEFT = 0x110
KEY_SPACE = 57
# Stamps are whole milliseconds.
STAMP_NS = 1 * NS_PER_MS
START = """export DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS
echo "$DBUS_SESSION_BUS_ADDRESS" >"$HOME/bus.new"
mv "$HOME/bus.new" "$HOME/bus"
exec mutter --headless --wayland --no-x11 --virtual-monitor 1024x768@60 --wayland-display=%s""" % DISPLAY


class Mutter:
    """With a pointer in the middle of its one monitor."""

    SERVICE = "org.gnome.Mutter.RemoteDesktop"

    def __enter__(self):
        if shutil.which("mutter") is None:
            raise tap.Skip("mutter is not installed")
        self.program = watched.Program("dbus-run-session", "--", "sh", "-c", START, watched=False,
                                       extra={"DBUS_SESSION_BUS_ADDRESS": None, "DISPLAY": None, "GDK_BACKEND": None})
        self.home = self.program.home
        self.program.wait_for("mutter", (self.home / DISPLAY).exists, SECONDS)
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync((self.home / "bus").read_text().strip(), flags, None, None)
        self.session = None
        self.program.wait_for("its RemoteDesktop", self.begin, SECONDS)
        self.move(-3000, -3000)
        return self

    def __exit__(self, *exception):
        self.program.__exit__(*exception)

    def call(self, path, interface, method, values=None):
        return self.bus.call_sync(self.SERVICE, path, interface, method, values, None, Gio.DBusCallFlags.NONE, 10000,
                                  None)

    def begin(self):
        with contextlib.suppress(GLib.Error):
            path = "/" + self.SERVICE.replace(".", "/")
            self.session = self.call(path, self.SERVICE, "CreateSession").unpack()[0]
            self.notify("Start")
        return self.session

    def notify(self, method, values=None):
        self.call(self.session, f"{self.SERVICE}.Session", method, values)

    def move(self, x, y):
        self.notify("NotifyPointerMotionRelative", GLib.Variant("(dd)", (x, y)))

    def press(self, is_down):
        """Returns from when to when that took."""
        began_ns = time.monotonic_ns()
        self.notify("NotifyPointerButton", GLib.Variant("(ib)", (BUTTON_LEFT, is_down)))
        return began_ns, time.monotonic_ns()


class Click:
    """Somewhen in a stall, and the reports of that stall and of the next one, which the click itself begins."""

    def __init__(self, pressed, released):
        self.pressed, self.released = pressed, released
        self.behind = self.own = None

    def find(self, reports):
        def named(name):
            return [report for report in reports if report.get("culprit", {}).get("function") == name]

        self.behind = next((report for report in named("read_mail")
                            if report["stall"]["began_monotonic_ns"] < self.pressed[0]
                            < watched.ended_ns(report)), None)
        self.own = next((report for report in named("load_folder")
                         if 0 <= report["stall"]["began_monotonic_ns"] - self.pressed[0] < 2 * STALL_S * 1e9), None)
        return self.behind is not None and self.own is not None

    def error_ns(self):
        """Of the age that is told, from what it may have been: nobody knows when within its call mutter made the event,
        nor when between the two stalls the program handled it."""
        told_ns = self.behind["interaction"]["delay_ns"]
        least_ns = watched.ended_ns(self.behind) - self.pressed[1]
        most_ns = self.own["stall"]["began_monotonic_ns"] - self.pressed[0]
        return max(least_ns - told_ns, told_ns - most_ns, 0), most_ns - least_ns


def click(mutter, child, chance):
    os.kill(child, signal.SIGUSR1)
    time.sleep(0.01 + chance.random() * (STALL_S - 0.06))
    made = Click(mutter.press(True), mutter.press(False))
    time.sleep(1.4)
    return made


def find_child(program):
    """That the command has started, once its loop runs."""
    children = pathlib.Path(f"/proc/{program.popen.pid}/task/{program.popen.pid}/children").read_text().split()
    return next((int(child) for child in children
                 if pathlib.Path(f"/proc/{child}/comm").read_text() == "interactions\n"), None)


def plant(library):
    """Returns: the program, which has ended, and the clicks"""
    chance = random.Random(library)
    with Mutter() as mutter:
        extra = {"GDK_BACKEND": "wayland", "WAYLAND_DISPLAY": mutter.home / DISPLAY}
        with watched.Program(COMMAND, "run", "--", BUILD / "tests/module/interactions", library, watched=False,
                             extra=extra) as program:
            child = program.wait_for("the program", lambda: find_child(program), SECONDS)
            # Until there is a window below the pointer, clicks are nobody's.
            for step in range(30):
                time.sleep(0.1)
                mutter.move(20, 12)
            clicks = [click(mutter, child, chance) for _ in range(N_CLICKS)]
            os.kill(child, signal.SIGTERM)
            program.wait()
            texts = [subprocess.run([COMMAND, "show", f"{program.store}/{report['id']}.json"], stdout=subprocess.PIPE,
                                    check=True, env=watched.environment(program.home, watched=False)).stdout.decode()
                     for report in program.reports if report.get("culprit", {}).get("function") == "load_folder"]
    return program, clicks, texts


def check_clicks(library):
    program, clicks, texts = plant(library)
    found = [made for made in clicks if made.find(program.reports)]
    if not found:
        raise tap.Skip(f"the machine left no click behind a stall of {N_CLICKS} ({program.errors})")
    told = [made for made in found if made.behind.get("interaction", {}).get("widget")]
    errors = sorted(made.error_ns()[0] for made in told)
    spans = sorted(made.error_ns()[1] for made in told)
    named = [text for text in texts if re.search(r"Your click on “Open” waited [0-9.]+ m?s for load_folder\(\)",
                                                 " ".join(text.split()))]
    print("# " + f"{len(clicks)} clicks, {len(found)} behind a stall, {len(told)} of them told")
    tap.check_equal(len(told), len(found), f"the clicks that are told ({program.errors})")
    print("# " + f"error p95 {errors[int(0.95 * (len(errors) - 1))] / NS_PER_MS:.2f} ms, worst "
                 f"{errors[-1] / NS_PER_MS:.2f} ms; truth known to {spans[len(spans) // 2] / NS_PER_MS:.2f} ms "
                 f"(median); sentences {len(named)} of {len(texts)}")
    tap.check_equal({(made.behind["interaction"]["kind"], made.behind["interaction"]["widget"],
                      made.behind["interaction"].get("label")) for made in told}, {("press", "GtkButton",
                                                                                    "Open")}, "what waited")
    tap.check(errors[int(0.95 * (len(errors) - 1))] <= STAMP_NS, "how old the clicks were:", errors)
    tap.check_equal(len(named), len(texts), f"the sentences ({texts[:1]})")


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    tap.add(f"gtk{version}", check_clicks, library)
tap.main("/module/wayland-input")
