# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs the `jankwatch` command for its tests."""

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import tempfile
import termios
import time

import tap


# What a program of Python's has around its functions, of which it calls one when its loop runs.
_PLANTED = """
import ctypes, fcntl, os, sqlite3, subprocess, sys, threading, time
from gi.repository import Gio, GLib
{}
Gio.File.new_for_path("/")  # loads GIO's modules
loop = GLib.MainLoop()
GLib.timeout_add(200, {})
loop.run()
"""


def planted(functions, first, *arguments):
    """Words that run a program with a loop, which calls the function named first."""
    return ["/usr/bin/python3", "-c", _PLANTED.format(functions, first), *arguments]


def _copy(program, home):
    """The command as it was built, at a path without blanks: LD_PRELOAD cannot name others. By cp, as we fork."""
    folder = os.path.join(home, "copy", "src")
    os.makedirs(os.path.join(folder, "cli"))
    built = os.path.dirname(os.path.dirname(os.path.abspath(program)))
    for name in set(os.listdir(built)) - {"cli"}:
        os.symlink(os.path.join(built, name), os.path.join(folder, name))
    subprocess.run(["cp", program, os.path.join(folder, "cli")], check=True)
    return os.path.join(folder, "cli", os.path.basename(program))


class Command:
    """The `jankwatch` command with a home of its own."""

    def __init__(self, program, home):
        self.program = program if " " not in os.path.abspath(program) else _copy(program, home)
        self.home = home
        self.store = os.path.join(home, "state", "jankwatch")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("JANKWATCH")}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "GTK_MODULES", "GIO_EXTRA_MODULES", "NO_COLOR", "COLUMNS"):
            self.environment.pop(name, None)
        self.environment.update(
            HOME=home,
            LC_ALL="C.UTF-8",
            XDG_STATE_HOME=os.path.join(home, "state"),
            XDG_CONFIG_HOME=os.path.join(home, "config"),
            XDG_RUNTIME_DIR=home,
        )

    def run(self, *arguments, input="", **environment):
        return subprocess.run(
            [self.program, *arguments],
            env={**self.environment, **environment},
            input=input,
            capture_output=True,
            text=True,
            timeout=100,
        )

    @contextlib.contextmanager
    def started(self, *words, **options):
        """Yields: a process in a session of its own, which is killed with all of that in the end."""
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": self.environment} | options
        with subprocess.Popen(words, start_new_session=True, **options) as child:
            try:
                yield child
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)

    def top(self, *options):
        """The lines of `jankwatch top` as JSON."""
        return [json.loads(line) for line in self.run("top", "--once", "--json", *options).stdout.splitlines()]

    def watched(self, *words):
        """Runs a program that is watched without `jankwatch run`, as those of a session are."""
        modules = self.run("run", "--quiet", "--", "sh", "-c", 'printf %s "$GIO_EXTRA_MODULES"').stdout
        return subprocess.run(words, env={**self.environment, "GIO_EXTRA_MODULES": modules, "JANKWATCH": "1"},
                              capture_output=True, text=True, timeout=100)

    def find(self, *filters):
        """The longest stall that filters let through, as JSON: a busy machine makes others than were planted."""
        rows = json.loads(self.run("list", "--json", "--sort=length", *filters).stdout)
        tap.check(rows, "no report passes", filters, self.run("list").stdout)
        return json.loads(self.run("show", "--json", rows[0]["id"]).stdout)

    def on_terminal(self, *arguments, rows=24, columns=80, **environment):
        """Output of the command on a terminal of its own, which is to end well."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        child = subprocess.Popen([self.program, *arguments], env={**self.environment, "TERM": "xterm", **environment},
                                 stdin=follower, stdout=follower, stderr=follower)
        os.close(follower)
        output = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(leader, 65536):
                output += part
        os.close(leader)
        tap.check_equal(child.wait(), 0)
        return output.decode()


class Store:
    """A folder of reports after the pattern of a handmade one."""

    def __init__(self, make_store, folder):
        subprocess.run([make_store, folder, "1"], check=True)
        self.folder, self.n = folder, 0
        os.makedirs(os.path.join(folder, "sessions"), exist_ok=True)
        with open(self.path("20261121-153012-4242-1")) as file:
            self.pattern = json.load(file)
        for name in os.listdir(folder):
            if name.endswith(".json"):
                os.remove(os.path.join(folder, name))

    def path(self, name):
        return os.path.join(self.folder, name + ".json")

    def save(self, name, content):
        with open(self.path(name), "w") as file:
            json.dump(content, file)

    def new(self, **changes):
        """A copy of the pattern."""
        self.n += 1
        return json.loads(json.dumps(self.pattern)) | changes


def _run_with_home(test, program, *arguments):
    with tempfile.TemporaryDirectory() as home:
        return test(Command(program, home), *arguments)


def add(name, test, program, *arguments):
    """Adds test(jankwatch, *arguments) as NAME, with a Command of its own."""
    tap.add(name, _run_with_home, test, program, *arguments)


def add_all(namespace, program):
    """Adds each test_some_name(jankwatch) of a script's globals() as some-name, with a Command of its own."""
    for name, test in namespace.items():
        if name.startswith("test_"):
            add(name.removeprefix("test_").replace("_", "-"), test, program)


def until(look, seconds=90, what=lambda: "nothing came"):
    """What look() returns, once that is something."""
    end = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > end:
            raise AssertionError(what())
        time.sleep(0.05)
    return found


def unwrapped(text):
    """Without the line breaks, which depend on the lengths of paths."""
    return " ".join(text.split())
