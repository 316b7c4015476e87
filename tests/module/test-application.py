# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A GtkApplication starts up inside g_application_run(), which owns the main context before the loop turns: its
start-up is watched, and the session tells how long its first frame took. A session has a bus, without which GIO loads
its modules earlier and makes no synchronous calls."""

import signal
import subprocess
import pathlib
import shlex

import desktop
import tap
import watched
from watched import BUILD, COMMAND, NS_PER_S

APPLICATION = "tests/module/application"
FOLDER = pathlib.Path(__file__).parent


def check_stall(program, status=0, kinds=("startup",)):
    tap.check_equal(program.status, status, f"the exit status ({program.errors})")
    # Reports of whatever else is slow on a busy machine do not name the function; where the rest of the start-up may
    # have taken nearly the second, it is one part of several.
    reports = [report for report in program.reports if "'stallhere'" in
               f"{watched.names(report)}".lower().replace("_", "")]
    tap.check(len(reports) == 1 and reports[0]["kind"] in kinds, "the kind:", [report["kind"] for report in reports])
    stall = reports[0]["stall"]
    if stall["duration_ns"] + stall.get("preempted_ns", 0) + stall.get("watcher_late_ns", 0) < 1.8 * NS_PER_S:
        tap.check_equal(reports[0]["culprit"]["function"].lower().replace("_", ""), "stallhere", "the culprit")


def check_modules(*words):
    """GTK_MODULES alone."""
    check_stall(watched.run(*words, display=True, extra={"JANKWATCH": None}))


def check_forked():
    """A fork of a program that has run no loop yet is a program. Its parent runs none, so it has no start-up."""
    check_stall(watched.run(COMMAND, "run", "--", BUILD / APPLICATION, "forked", "libgtk-4.so.1", watched=False,
                            display=True))


def check_second():
    """A second instance waits for the first, which freezes over its command line."""
    words = [BUILD / APPLICATION, "second", "libgtk-4.so.1"]
    wait = ["gdbus", "wait", "--session", "--timeout", "30", "org.example.Startup"]
    with desktop.session() as display, \
         watched.Program(words[0], "first", words[2], watched=False, display=display) as first:
        subprocess.run(wait, env=watched.environment(first.home, display=display), check=True)
        second = watched.run(COMMAND, "run", "--fail-if", "longest>60s", "--", *words, watched=False, display=display)
    tap.check_equal((second.status, "another instance was already running" in second.errors), (4, True), second.errors)
    calls = {(sample["wait"]["dbus"].get("method"), sample["wait"]["dbus"].get("name"))
             for report in second.reports for sample in report["samples"] if "dbus" in sample.get("wait", {})}
    tap.check(("org.gtk.Application.CommandLine", "org.example.Startup") in calls, "the calls:", calls)


def find_startup(program):
    """What the session says of it once that has been written, with all that was slow before the loop."""
    before = [report["stall"]["duration_ns"] for report in watched.read_reports(program.store)
              if report["kind"] == "startup"]
    return next((session["startup"] for session in program.read_sessions()
                 if session.get("startup", {}).get("loop_ns") == sum(before)), None)


def check(*words, display=True):
    with watched.Program(COMMAND, "run", "--", *words, watched=False, display=display, extra={"STAY": 1}) as program:
        startup = program.wait_for("the first frame", lambda: find_startup(program), 120)
        program.popen.terminate()
        program.wait()
    # What turned the loop once may be found in the loop.
    check_stall(program, 128 + signal.SIGTERM, ("startup", "stall") if "iterated" in words else ("startup",))
    parts_ns = startup["loading_ns"] + startup["loop_ns"]
    tap.check(parts_ns < startup["frame_ns"] <= program.ended_ns - program.began_ns, "the first frame:", startup)
    tap.check("First frame after " in program.errors, "what is told:", program.errors)


def check_without_bus(*words):
    with desktop.display() as display:
        check(*words, display=display)


def check_services(*before):
    """What a bus starts for the command is not the command's, also where the command has started the bus."""
    ask = ["dbus-send", "--session", "--print-reply", *desktop.PORTAL]
    words = [*before, "sh", "-c", f"{shlex.join(ask)} >/dev/null && exec \"$@\"", "sh", BUILD / APPLICATION,
             "libgtk-4.so.1"]
    program = watched.run(COMMAND, "run", "--", *words, watched=False, display=True)
    tap.check_equal((program.status, [session["app"]["name"] for session in program.sessions]), (0, ["application"]),
                    f"what is watched ({program.errors})")


# Its loop draws, and never waits.
ENDS = """
import time, gi
gi.require_version("Gtk", "4.0"); from gi.repository import GLib, Gtk
def stall_here():
    time.sleep(1)
Gtk.init()
window, loop, ticks = Gtk.Window(), GLib.MainLoop(), []
GLib.idle_add(lambda: time.sleep(0.005) or True)
window.add_tick_callback(lambda *_: ticks.append(1) or len(ticks) < 3 or loop.quit() or True)
window.present()
loop.run()
stall_here()
"""


def check_ends(*words):
    """It has started up all the same."""
    check_stall(watched.run(COMMAND, "run", "--", *words, watched=False, display=True), kinds=("stall",))


for version, library in (("3", "libgtk-3.so.0"), ("4", "libgtk-4.so.1")):
    for name, *words in (
            ("c", BUILD / APPLICATION, library),
            ("c-iterated", BUILD / APPLICATION, "iterated", library),
            # gjs turns the loop before it runs a program's main file.
            ("javascript", "gjs", FOLDER / "application.js", f"{version}.0")):
        tap.add(f"{name}/gtk{version}", check, *words)
    tap.add(f"c-modules/gtk{version}", check_modules, BUILD / APPLICATION, library)
tap.add("javascript-modules/gtk4", check_modules, "gjs", FOLDER / "application.js", "4.0")
for place in ("initialized", "startup", "presented"):
    tap.add(f"c-{place}/gtk4", check, BUILD / APPLICATION, place, "libgtk-4.so.1")
tap.add("c-without-bus/gtk4", check_without_bus, BUILD / APPLICATION, "libgtk-4.so.1")
tap.add("c-forked/gtk4", check_forked)
tap.add("python-ends/gtk4", check_ends, "/usr/bin/python3", "-c", ENDS)
tap.add("c-second/gtk4", check_second)
tap.add("services", check_services)
tap.add("services/own-bus", check_services, "dbus-run-session", "--")
tap.add("services/bus-of-display", check_services, "env", "-u", "DBUS_SESSION_BUS_ADDRESS")
tap.main("/module/application", n_at_once=3)
