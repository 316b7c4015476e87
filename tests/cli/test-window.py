# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch why --window`: of the window that the window manager calls the active one, whose process it is, or why
that cannot be known. The test is the window manager."""

import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import time

import command
import desktop
import stuck
import tap
from tap import check, contains, equal

program = os.path.abspath(tap.arguments(1)[0])
WAIT_S = tap.setting("wait", 90)

PYTHON = """
import time
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk
window = Gtk.Window(title="the window")
window.show()
GLib.timeout_add(500, lambda: time.sleep(600))
Gtk.main()
"""
GJS = """
imports.gi.versions.Gtk = "4.0";
const {GLib, Gtk} = imports.gi;
Gtk.init();
new Gtk.Window({title: "the window"}).present();
GLib.timeout_add(0, 500, () => { GLib.usleep(600000000); return true; });
new GLib.MainLoop(null, false).run();
"""
PROGRAMS = {"python": [stuck.PYTHON, "-c", PYTHON], "javascript": [shutil.which("gjs"), "-c", GJS]}


class Display:
    """An X11 display without a window manager."""

    def __init__(self, jankwatch):
        self.stack = contextlib.ExitStack()
        name = self.stack.enter_context(desktop.display())
        self.environment = jankwatch.environment
        self.environment.update(DISPLAY=name, GSK_RENDERER="cairo", GDK_BACKEND="x11", **desktop.NO_BUS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def tool(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False).stdout

    def activate(self, window):
        self.tool("xprop", "-root", "-f", "_NET_ACTIVE_WINDOW", "32x", "-set", "_NET_ACTIVE_WINDOW", str(window))

    def find(self, title):
        """The number of a window, once it is there."""
        end = time.monotonic() + WAIT_S
        while not (words := self.tool("xwininfo", "-name", title).partition("Window id: ")[2].split()):
            check(time.monotonic() < end, "no window came")
            time.sleep(0.05)
        return int(words[0], 16)


def why(jankwatch):
    return jankwatch.run("why", "--window")


def test_found(jankwatch, language):
    with Display(jankwatch) as display:
        child = subprocess.Popen(PROGRAMS[language], env=display.environment)
        try:
            display.activate(display.find("the window"))
            result = why(jankwatch)
            equal((result.returncode, result.stderr), (0, ""))
            contains(result.stdout, f" [{child.pid}] ")
        finally:
            child.kill()
            child.wait()


def test_from_a_terminal(jankwatch):
    """The active window is the terminal's: the next one counts."""
    with Display(jankwatch) as display:
        display.activate(int(display.tool("xwininfo", "-root").partition("Window id: ")[2].split()[0], 16))
        child = subprocess.Popen(PROGRAMS["python"], env=display.environment)
        ours, its = pty.openpty()
        asked = subprocess.Popen([program, "why", "--window"], env=display.environment, stdin=its,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        try:
            window = display.find("the window")
            contains(asked.stderr.readline(), "Click on the window")
            time.sleep(0.3)
            equal(asked.poll(), None)
            display.activate(window)
            contains(asked.communicate(timeout=WAIT_S)[0], f" [{child.pid}] ")
        finally:
            for process in child, asked:
                process.kill()
                process.wait()
            os.close(ours)
            os.close(its)


def test_by_a_sandboxed_number(jankwatch):
    """Of all processes that have the number that the program knows itself by, the one with the display."""
    namespaces = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*namespaces, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("no user namespaces")
    with Display(jankwatch) as display:
        child = subprocess.Popen([*namespaces, *PROGRAMS["python"]], env=display.environment)
        try:
            display.activate(display.find("the window"))
            with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
                pid, = file.read().split()
            contains(why(jankwatch).stdout, f" [{pid}] ")
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()


def test_sway(jankwatch):
    """It says itself which process's window has the keyboard, floating or not."""
    tree = {"focused": False, "nodes": [{"focused": False, "nodes": [{"focused": False, "pid": 1}], "floating_nodes": [
        {"focused": True, "pid": os.getpid()}]}], "floating_nodes": []}
    folder = os.path.join(jankwatch.home, "bin")
    os.mkdir(folder)
    with open(os.path.join(folder, "swaymsg"), "w", encoding="ascii") as file:
        os.chmod(file.fileno(), 0o755)
        file.write('#!/bin/sh\n[ "$*" = "--raw --type get_tree" ] && cat "$TREE"\n')
    jankwatch.environment.update(PATH=f"{folder}:{os.environ['PATH']}", SWAYSOCK="/x",
                                 TREE=os.path.join(folder, "tree"))
    contains(why(jankwatch).stderr, "Sway names no window")
    with open(jankwatch.environment["TREE"], "w", encoding="ascii") as file:
        json.dump(tree, file)
    result = why(jankwatch)
    equal((result.returncode, result.stderr), (0, ""))
    contains(result.stdout, f"[{os.getpid()}]")


def test_not_found(jankwatch):
    """It says what was tried."""
    def check_fails(words):
        result = why(jankwatch)
        equal((result.returncode, result.stdout), (1, ""))
        contains(result.stderr, words)

    check_fails("There is no X11 display")
    equal(jankwatch.run("why", "--window", "1").returncode, 2)
    with Display(jankwatch) as display:
        check_fails("No window of X11 is the active one")
        display.activate(12345678)
        check_fails("does not tell whose it is")
        root = int(display.tool("xwininfo", "-root").partition("Window id: ")[2].split()[0], 16)
        display.tool("xprop", "-root", "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", str(os.getpid()))
        display.activate(root)
        check_fails("no process here has that number and the display open")
    check_fails("it does not let us in")


for language in PROGRAMS:
    command.add(f"found-{language}", test_found, program, language)
command.add("from-a-terminal", test_from_a_terminal, program)
command.add("by-a-sandboxed-number", test_by_a_sandboxed_number, program)
command.add("sway", test_sway, program)
command.add("not-found", test_not_found, program)
tap.main("/cli/window")
