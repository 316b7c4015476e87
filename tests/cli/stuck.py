# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Programs that hang on others: a caller on the session's bus, whose service waits for a lock that a third process
holds and sleeps on."""

import contextlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
NAME, PATH, INTERFACE = "org.jankwatch.Slow", "/org/jankwatch/Slow", "org.jankwatch.Slow.Printers"
HOLDER = ("import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
          "print(flush=True); time.sleep(600)")


@contextlib.contextmanager
def started(jankwatch, *arguments):
    """A process that has told that it is there."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=jankwatch.environment)
    try:
        process.line = process.stdout.readline().strip()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def bus(jankwatch, name="session"):
    """A bus of the test's own, which the command and its programs take for their session's, or the system's."""
    with started(jankwatch, "dbus-daemon", "--session", "--nofork", "--print-address") as daemon:
        jankwatch.environment[f"DBUS_{name.upper()}_BUS_ADDRESS"] = daemon.line
        yield


@contextlib.contextmanager
def service(jankwatch, file=None):
    """The service, and who holds the lock that it waits for."""
    file = file or os.path.join(jankwatch.home, "locked")
    with bus(jankwatch), started(jankwatch, sys.executable, "-c", HOLDER, file) as holder, \
            started(jankwatch, PYTHON, os.path.join(HERE, "stuck-service.py"), NAME, PATH, INTERFACE, file) as server:
        yield server, holder
