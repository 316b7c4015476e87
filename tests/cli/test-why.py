# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch why` of watched programs, which know more of their wait than the kernel tells: D-Bus calls, functions."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time

import command
import tap
from tap import contains, equal

program, c_program = map(os.path.abspath, tap.arguments(2))

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
LANGUAGES = {"c": [c_program], "python": [PYTHON, os.path.join(HERE, "dbus-program.py")],
             "javascript": [shutil.which("gjs"), os.path.join(HERE, "dbus-program.js")]}
NAME, PATH, INTERFACE = "org.jankwatch.Slow", "/org/jankwatch/Slow", "org.jankwatch.Slow.Printers"
HOLDER = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); time.sleep(600)"


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
def watched(jankwatch, *arguments):
    """Returns: its process, once it has been seen to hang."""
    run = subprocess.Popen([jankwatch.program, "run", "--", *arguments], env=jankwatch.environment,
                           stderr=subprocess.PIPE, text=True)
    try:
        line = run.stderr.readline()
        contains(line, "jankwatch")
        with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
            pid = int(file.read().split()[0])
        yield pid
        os.kill(pid, 9)
    finally:
        run.kill()
        run.wait()
        run.stderr.close()


def why(jankwatch, pid):
    result = jankwatch.run("why", "--json", str(pid))
    equal((result.returncode, result.stderr), (0, ""))
    (chain,) = json.loads(result.stdout)
    return chain


def why_once(jankwatch, pid, is_there):
    """The chain as soon as the program has told of the hang; on a busy machine its start is a stall before that."""
    deadline = time.monotonic() + 60
    while not is_there(found := why(jankwatch, pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def test_dbus(jankwatch, language):
    """Caller, service, and who has the lock that the service waits for; the bus is between two and is no link."""
    file = os.path.join(jankwatch.home, "locked")
    with started(jankwatch, "dbus-daemon", "--session", "--nofork", "--print-address") as bus:
        jankwatch.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.line
        with started(jankwatch, sys.executable, "-c", HOLDER, file) as holder, \
                started(jankwatch, PYTHON, os.path.join(HERE, "stuck-service.py"), NAME, PATH, INTERFACE, file) as service, \
                watched(jankwatch, *LANGUAGES[language], "call") as caller:
            found = why_once(jankwatch, caller, lambda chain: len(chain["links"]) > 2)
            equal([link["pid"] for link in found["links"]], [caller, service.pid, holder.pid])
            equal([link["kind"] for link in found["links"]], ["dbus", "file-lock", "sleep"])
            equal(found["links"][0]["target"], f"{INTERFACE}.ListAll")
            equal(found["cause"], "sleep")


def test_dbus_unwatched(jankwatch):
    """The kernel does not tell whom the bus has been asked for."""
    file = os.path.join(jankwatch.home, "locked")
    with started(jankwatch, "dbus-daemon", "--session", "--nofork", "--print-address") as bus:
        jankwatch.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.line
        with started(jankwatch, sys.executable, "-c", HOLDER, file), \
                started(jankwatch, PYTHON, os.path.join(HERE, "stuck-service.py"), NAME, PATH, INTERFACE, file) as service:
            caller = subprocess.Popen([*LANGUAGES["c"], "call"], env=jankwatch.environment)
            try:
                while why(jankwatch, service.pid)["links"][0]["kind"] != "file-lock":
                    time.sleep(0.05)
                found = why(jankwatch, caller.pid)
                equal(len(found["links"]), 1)
                equal(found["cause"], "bus")
            finally:
                caller.kill()
                caller.wait()


def test_idle_service(jankwatch):
    """GDBus is in the process, but not on the stack of its loop."""
    with started(jankwatch, "dbus-daemon", "--session", "--nofork", "--print-address") as bus:
        jankwatch.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.line
        with started(jankwatch, PYTHON, os.path.join(HERE, "stuck-service.py"), NAME, PATH, INTERFACE, "none") as service:
            while why(jankwatch, service.pid)["links"][0].get("syscall") not in ("poll", "ppoll"):
                time.sleep(0.05)
            equal(why(jankwatch, service.pid)["cause"], "idle")


def test_function(jankwatch):
    with watched(jankwatch, PYTHON, os.path.join(HERE, "computing-program.py")) as pid:
        found = why_once(jankwatch, pid, lambda chain: "function" in chain["links"][0])
        equal((found["cause"], found["links"][0]["function"]), ("computing", "parse_ledger"))
        contains(found["sentence"], "computes in parse_ledger")


for language in LANGUAGES:
    command.add(f"dbus-{language}", test_dbus, program, language)
command.add("dbus-unwatched", test_dbus_unwatched, program)
command.add("idle-service", test_idle_service, program)
command.add("function", test_function, program)
tap.main("/cli/why")
