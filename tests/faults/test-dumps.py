# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that is asked all the time what it does ends, says and sees the same as unwatched. Where the kernel cannot
wake a parked watcher, the program is left asleep, and the command says so."""

import errno
import pathlib
import subprocess
import sys
import time

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

PROGRAM = watched.BUILD / "tests/faults/faults"
# Cases of the program that last for some seconds.
CASES = {"wait": 250, "spawn": 500, "fork": 300, "coroutines": 12000, "threads": 10000}

IDLE = "from gi.repository import Gio, GLib; Gio.File.new_for_path('/'); GLib.MainLoop().run()"
SYS_FUTEX_WAITV = 449


def ask(program):
    return subprocess.run([watched.COMMAND, "dump", f"{program.popen.pid}"],
                          env=watched.environment(program.home, watched=False), capture_output=True, text=True)


def run(name, is_watched):
    statuses = []
    with watched.Program(PROGRAM, name, CASES[name], watched=is_watched) as program:
        if is_watched:
            program.wait_for("its watcher", lambda: "is not watched" not in ask(program).stderr, 60)
        # At another moment of its rounds each time.
        while is_watched and program.popen.poll() is None:
            statuses.append(ask(program).returncode)
            time.sleep(0.037 * (len(statuses) % 5))
        program.wait(120)
        # The program refuses the last ones while it exits.
        tap.check(not is_watched or statuses[:1] == [0] and statuses == sorted(statuses), "the status of each dump:",
                  statuses)
        return program.status, program.output, program.errors


def check_same(name):
    plain, asked = run(name, False), run(name, True)
    tap.check(name == "wait" or plain[1], "it says nothing:", plain[2])
    tap.check_equal(asked, plain, "status, output and errors")


def test_asleep():
    refused = [watched.BUILD / "tests/module/refuse", errno.ENOSYS, SYS_FUTEX_WAITV]
    with watched.Program("/usr/bin/python3", "-c", IDLE, prefix=refused) as program:
        program.wait_for("its watcher", lambda: "cannot be woken up before Linux 5.16" in ask(program).stderr, 60)
        tap.check_equal(program.errors, "", "its errors")


for name in CASES:
    tap.add(name, check_same, name)
tap.add_all(globals())
tap.main("/faults/dumps", n_at_once=2)
