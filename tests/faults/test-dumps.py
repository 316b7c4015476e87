# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that is asked 20 times what it does ends, says and sees the same as unwatched. Where the kernel cannot wake
a parked watcher, the program is left asleep, and the command says so.

dumps=N: as many."""

import errno
import pathlib
import subprocess
import sys
import time

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402

DUMPS = tap.setting("dumps", 20)
PROGRAM = watched.BUILD / "tests/faults/dumped"

IDLE = "from gi.repository import Gio, GLib; Gio.File.new_for_path('/'); GLib.MainLoop().run()"
SYS_FUTEX_WAITV = 449


def run(is_watched):
    with watched.Program(PROGRAM, watched=is_watched) as program:
        if is_watched:
            dumps = [dump(program, n) for n in range(DUMPS)]
            tap.check_equal(dumps, [0] * DUMPS, f"the status of each dump ({program.errors})")
        else:
            time.sleep(2)
        (program.home / "stop").touch()
        program.wait(120)
        return program.status, program.output, program.errors


def ask(program):
    return subprocess.run([watched.COMMAND, "dump", f"{program.popen.pid}"],
                          env=watched.environment(program.home, watched=False), capture_output=True, text=True)


def dump(program, n):
    """At another moment of its rounds each time."""
    time.sleep(0.037 * n)
    if n == 0:
        program.wait_for("its watcher", lambda: "is not watched" not in ask(program).stderr, 60)
    return ask(program).returncode


def test_dumps():
    plain, asked = run(False), run(True)
    tap.check(plain[1], "it says nothing:", plain[2])
    tap.check_equal(asked, plain, "status, output and errors")


def test_asleep():
    refused = [watched.BUILD / "tests/module/refuse", errno.ENOSYS, SYS_FUTEX_WAITV]
    with watched.Program("/usr/bin/python3", "-c", IDLE, prefix=refused) as program:
        program.wait_for("its watcher", lambda: "cannot be woken: that needs Linux 5.16" in ask(program).stderr, 60)
        tap.check_equal(program.errors, "", "its errors")


tap.add_all(globals())
tap.main("/faults/dumps", n_at_once=4)
