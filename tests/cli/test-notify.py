# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch notify` on a bus of its own: the notification has a button, and that opens the report in `jankwatch
view`."""

import json
import os
import pathlib
import shutil
import socket
import subprocess

import command
import tap
from tap import contains, equal

program, make_store, stripped, named = map(os.path.abspath, tap.arguments(4))
SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notifications.py")
REPORT = "20261121-153012-4242-1"

# Starts the server, and the command once it serves.
SESSION = ('coproc "$@"; read -u ${COPROC[0]}; "$JANKWATCH_COMMAND" notify "$JANKWATCH_REPORT"; status=$?; kill '
           '$COPROC_PID; exit $status')
VIEW = '#!/bin/sh\nprintf "%s\\n" "$XDG_ACTIVATION_TOKEN" "$@" >{opened}\n'


def install(jankwatch, opened):
    """A command whose window is a script that writes its arguments."""
    folder = os.path.join(jankwatch.home, "built", "src")
    for name in "cli", "view":
        os.makedirs(os.path.join(folder, name))
    view = os.path.join(folder, "view", "jankwatch-view")
    pathlib.Path(view).write_text(VIEW.format(opened=opened))
    os.chmod(view, 0o755)
    return shutil.copy(program, os.path.join(folder, "cli"))


def notify(jankwatch, *words, report=None):
    """What the server was told, and what was opened."""
    opened, log = (os.path.join(jankwatch.home, name) for name in ("opened", "log"))
    if report is None:
        subprocess.run([make_store, jankwatch.store, "1"], check=True)
        report = os.path.join(jankwatch.store, REPORT + ".json")
    environment = {**jankwatch.environment, "JANKWATCH_COMMAND": install(jankwatch, opened), "JANKWATCH_REPORT": report}
    environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
    result = subprocess.run(["dbus-run-session", "--", "bash", "-c", SESSION, "bash", "/usr/bin/python3", SERVER, log,
                             *words], env=environment, capture_output=True, text=True, timeout=100)
    equal((words, result.returncode), (words, 0))
    told = json.loads(pathlib.Path(log).read_text())
    if not os.path.exists(opened):
        return told, None
    lines = pathlib.Path(opened).read_text().splitlines()
    equal(lines[-1], report)
    return told, lines


def test_press(jankwatch):
    told, lines = notify(jankwatch, "buttons", "press")
    contains(told["summary"], "did not respond for")
    equal(told["actions"], ["default", "Open report", "open", "Open report"])
    equal(lines[0], "a-token")


def test_mute_bus(jankwatch):
    """A bus that takes the connection and never answers."""
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    path = os.path.join(jankwatch.home, "bus")
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(path)
        bus.listen()
        result = jankwatch.run("notify", os.path.join(jankwatch.store, REPORT + ".json"),
                               DBUS_SESSION_BUS_ADDRESS="unix:path=" + path)
    equal(result.returncode, 1)
    contains(result.stderr, "the session bus does not answer")


def test_no_buttons(jankwatch):
    told, lines = notify(jankwatch, "press")
    equal((told["actions"], lines), ([], None))


def test_one_name(jankwatch):
    """Wherever a problem is read, its culprit is called as its program's file is by now, which has been stripped."""
    path = shutil.copy(stripped, jankwatch.home)
    equal(jankwatch.run("run", "--", path).returncode, 0)
    report = next(file for file in map(str, pathlib.Path(jankwatch.store).glob("*.json"))
                  if "[timeout]" in pathlib.Path(file).read_text())
    shutil.copy(named, path)
    told, lines = notify(jankwatch, "buttons", "close", report=report)
    equal((told["actions"][::2], lines), (["default", "open"], None))
    cause = told["body"].split(" for ", 1)[0]
    contains(cause, "hidden_work() ")
    for words, name in ("list", "hidden_work"), ("show", cause), ("send --dry-run --to=http://127.0.0.1/", cause):
        contains(" ".join(jankwatch.run(*words.split()).stdout.split()), name)


command.add_all(globals(), program)
tap.main("/cli/notify")
