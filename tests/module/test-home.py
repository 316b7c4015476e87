# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Whatever HOME and the XDG variables are, the program runs as it does unwatched and the command ends in order; nothing
is made where a relative path would lead."""

import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import subprocess
import tempfile

import tap
import watched
from watched import COMMAND, STALLER

# A user without an entry in passwd.
NOBODY = 123456
SET_USER = ["setpriv", "--reuid", f"{NOBODY}", "--clear-groups"]

VALUES = {"unset": None, "empty": "", "relative": "folder", "absolute": "{home}/folder"}
COMMANDS = ["list"], ["show"], ["summary"], ["export", "--format", "markdown"]


def variables(home, own, xdg, store):
    def fill(value):
        return value if value is None else value.format(home=home)

    names = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
    # Else a user who has a home gets reports there.
    return {"HOME": fill(own), **dict.fromkeys(names, fill(xdg)), "JANKWATCH_CONFIG": f"threshold=60s,store={store}"}


def run(words, home, extra, watched_too=True):
    environment = watched.environment(home, watched_too, extra=extra)
    ran = subprocess.run([f"{word}" for word in words], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=60)
    tap.check_equal(sorted(os.listdir(home)), [], f"what is in the current folder after {words}")
    return ran


def check_values(prefix, home, store, own, xdg):
    extra = variables(home, own, xdg, store)
    found = [run([*prefix, STALLER, "compute", 1], home, extra, watched_too) for watched_too in (True, False)]
    tap.check_equal(*[(program.returncode, program.stderr) for program in found], f"of {extra}: status and errors")
    for words in COMMANDS:
        command = run([*prefix, COMMAND, *words], home, extra)
        tap.check(command.returncode in (0, 1), extra, words, command.returncode, command.stderr)
        tap.check("GLib" not in command.stderr, extra, words, command.stderr)


def test_all(prefix):
    if prefix and os.geteuid() != 0:
        raise tap.Skip("only root can become a user without an entry in passwd")
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="jankwatch-test-"))
        os.chmod(home, 0o755)
        # Without a report most of a command does not run.
        stalled = stack.enter_context(watched.Program(STALLER, "compute", 300, config="threshold=50ms")).wait()
        store = stack.enter_context(tempfile.TemporaryDirectory(prefix="jankwatch-test-"))
        os.chmod(store, 0o777)
        for report in stalled.store.glob("*.json"):
            pathlib.Path(store, report.name).write_bytes(report.read_bytes())
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda values: check_values(prefix, home, store, *values),
                          itertools.product(VALUES.values(), VALUES.values())))


def test_no_store():
    """Without any folder the program is told once, when a report is lost."""
    if os.geteuid() != 0:
        raise tap.Skip("only root can become a user without an entry in passwd")
    extra = {"HOME": None, "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None}
    words = [*SET_USER, STALLER, "compute", 300, 3]
    program = watched.run(*words, config="threshold=50ms", extra=extra)
    tap.check_equal((program.status, len(program.messages)), (0, 1),
                    f"status and number of messages ({program.errors})")
    tap.contains(program.messages[0], "HOME")
    # `run` says it in the place of the program.
    program = watched.run(*SET_USER, COMMAND, "run", "--", *words[len(SET_USER):], watched=False,
                          config="threshold=50ms", extra=extra)
    tap.check_equal((program.status, program.errors.count("HOME")), (0, 1),
                    f"status and number of messages ({program.errors})")
    command = subprocess.run([*SET_USER, f"{COMMAND}", "list"], cwd="/", capture_output=True, text=True, timeout=60,
                             env=watched.environment(pathlib.Path("/"), extra=extra))
    tap.check_equal((command.returncode, command.stderr.count("\n")), (1, 1), f"status and lines ({command.stderr})")


tap.add("passwd", test_all, [])
tap.add("no-passwd", test_all, SET_USER)
tap.add("no-store", test_no_store)
tap.main("/module/home", n_at_once=2)
