# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""When the desktop hangs, jankwatch must not: no command connects to the bus or loads GIO's modules, as GVfs is one,
and a watched program does so no more often than unwatched."""

import os
import shutil
import signal
import socket
import subprocess
import threading

import command
import tap
from tap import contains, equal

program, glib_only, probe = map(os.path.abspath, tap.arguments(3))
HERE = os.path.dirname(os.path.abspath(__file__))

PROGRAMS = {
    "c": [glib_only, "loop"],
    "python": ["/usr/bin/python3", os.path.join(HERE, "glib-only.py")],
}

# {id} and {path}: of a report.
COMMANDS = [
    ["--version"], ["--help"], ["list"], ["show", "{id}"], ["show", "--json", "{id}"], ["summary"], ["presets"],
    ["export", "-f", "firefox", "-o", "/dev/null", "{id}"], ["export", "-f", "markdown", "-o", "/dev/null", "{path}"],
    ["diff", "{path}", "{path}"], ["run", "--", "true"], ["run", "--", "sh", "-c", "true"],
    ["run", "--report", "--sources", "--", glib_only, "loop"],
]


class Desktop:
    """A bus that answers nobody, for the environment; counts who comes."""

    def __init__(self, jankwatch):
        folder = os.path.join(jankwatch.home, "runtime")
        modules = os.path.join(jankwatch.home, "modules")
        os.makedirs(folder, 0o700)
        os.makedirs(modules)
        shutil.copy(probe, os.path.join(modules, "libgioprobe.so"))
        path = os.path.join(folder, "bus")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        self.n_connections = 0
        self.loaded = os.path.join(jankwatch.home, "loaded")
        threading.Thread(target=self._count, daemon=True).start()
        for name in ("GIO_USE_VFS", "GSETTINGS_BACKEND", "DBUS_STARTER_ADDRESS"):
            jankwatch.environment.pop(name, None)
        jankwatch.environment.update(
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={path}", DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={path}",
            XDG_RUNTIME_DIR=folder, GIO_EXTRA_MODULES=modules, GIO_PROBE=self.loaded)

    def _count(self):
        while True:
            connection, _ = self.socket.accept()
            self.n_connections += 1
            connection.close()

    def take(self):
        """What happened since the last time: connections, and the programs that loaded the modules."""
        # Whoever connected first is counted first.
        own = socket.socket(socket.AF_UNIX)
        own.connect(self.socket.getsockname())
        own.recv(1)
        n, self.n_connections = self.n_connections - 1, 0
        programs = []
        if os.path.exists(self.loaded):
            with open(self.loaded) as file:
                programs = file.read().split()
            os.unlink(self.loaded)
        return n, programs


def make_report(jankwatch):
    jankwatch.run("run", "--", glib_only, "loop")
    name = next(name for name in os.listdir(jankwatch.store) if name.endswith(".json"))
    return {"id": name.removesuffix(".json"), "path": os.path.join(jankwatch.store, name)}


def test_commands(jankwatch):
    report = make_report(jankwatch)
    desktop = Desktop(jankwatch)
    for words in COMMANDS:
        result = jankwatch.run(*(word.format(**report) for word in words))
        equal((words, desktop.take(), "Usage" in result.stderr), (words, (0, []), False))


def test_watch(jankwatch):
    desktop = Desktop(jankwatch)
    child = subprocess.Popen([program, "watch"], env=jankwatch.environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    contains(child.stderr.readline(), "Waiting for reports")
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=100)
    equal(desktop.take(), (0, []))


def test_probe(jankwatch):
    """It finds what it is for."""
    desktop = Desktop(jankwatch)
    code = "from gi.repository import Gio\nGio.NetworkMonitor.get_default()\n" \
           "try:\n    Gio.bus_get_sync(Gio.BusType.SESSION)\nexcept Exception:\n    pass"
    subprocess.run(["/usr/bin/python3", "-c", code], env=jankwatch.environment, timeout=100)
    n, programs = desktop.take()
    assert n > 0 and "python3" in programs[0], (n, programs)


def check_program(jankwatch, kind):
    words = PROGRAMS[kind]
    if shutil.which(words[0]) is None:
        raise tap.Skip(f"{words[0]} is not installed")
    desktop = Desktop(jankwatch)
    equal(subprocess.run(words, env=jankwatch.environment, timeout=100).returncode, 7)
    unwatched = desktop.take()
    result = jankwatch.run("run", "--", *words)
    equal(result.returncode, 7)
    contains(result.stderr, "stall")
    equal(desktop.take(), unwatched)


command.add_all(globals(), program)
for kind in PROGRAMS:
    command.add(f"program/{kind}", check_program, program, kind)
tap.main("/cli/desktop")
