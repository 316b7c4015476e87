# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch why` of watched programs, which know more of their wait than the kernel tells: D-Bus calls, functions."""

import contextlib
import json
import os
import re
import shutil
import subprocess

import command
import stuck
import tap
from tap import check, contains, equal

program, dbus_program, loop_program, refuse_calls = map(os.path.abspath, tap.arguments(4))

STARTING = """
def start_service():
    bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
                  GLib.Variant("(su)", ("org.jankwatch.Late", 0)), None, Gio.DBusCallFlags.NONE, -1, None)

bus = Gio.bus_get_sync(Gio.BusType.SESSION)
"""


@contextlib.contextmanager
def watched(jankwatch, *arguments):
    """Returns: its process, once it has been seen to hang."""
    with jankwatch.started(jankwatch.program, "run", "--", *arguments, stderr=subprocess.PIPE, text=True) as run:
        contains(run.stderr.readline(), "jankwatch")
        with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
            yield int(file.read().split()[0])


def why(jankwatch, pid, **environment):
    result = jankwatch.run("why", "--json", str(pid), **environment)
    equal((result.returncode, result.stderr), (0, ""))
    (chain,) = json.loads(result.stdout)
    return chain


def why_once(jankwatch, pid, is_there, **environment):
    """The chain as soon as the program has told of the hang; on a busy machine its start is a stall before that."""
    return command.until(lambda: found if is_there(found := why(jankwatch, pid, **environment)) else None)


def test_dbus(jankwatch):
    """Caller, service, and who has the lock that the service waits for; the bus is between two and is no link."""
    with stuck.service(jankwatch) as (service, holder), watched(jankwatch, dbus_program, "call") as caller:
        found = why_once(jankwatch, caller, lambda chain: len(chain["links"]) > 2)
        equal([link["pid"] for link in found["links"]], [caller, service.pid, holder.pid])
        equal([link["kind"] for link in found["links"]], ["dbus", "file-lock", "sleep"])
        equal(found["links"][0]["target"], f"{stuck.INTERFACE}.ListAll")
        equal(found["cause"], "sleep")


def test_dbus_under_yama(jankwatch):
    """Calls cannot be read; what the caller told, and the kernel's list of locks, can."""
    jankwatch.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
    library = shutil.copy(refuse_calls, jankwatch.home)
    with stuck.service(jankwatch) as (service, holder), watched(jankwatch, dbus_program, "call") as caller:
        found = why_once(jankwatch, caller, lambda chain: len(chain["links"]) > 2, LD_PRELOAD=library)
        equal([link["pid"] for link in found["links"]], [caller, service.pid, holder.pid])
        equal([link["kind"] for link in found["links"]], ["dbus", "file-lock", "sleep"])


def test_dbus_of_the_bus(jankwatch):
    """A bus that starts a service for the caller is in the chain no more than one that passes on a call."""
    folder, end = os.path.join(jankwatch.home, "dbus-1", "services"), os.path.join(jankwatch.home, "end")
    os.makedirs(folder)
    os.mkfifo(end)
    with open(os.path.join(folder, "late.service"), "w", encoding="ascii") as file:
        file.write(f"[D-BUS Service]\nName=org.jankwatch.Late\nExec=/bin/cat {end}\n")
    jankwatch.environment["XDG_DATA_HOME"] = jankwatch.home
    with stuck.bus(jankwatch):
        try:
            with watched(jankwatch, *command.planted(STARTING, "start_service")) as caller:
                found = why_once(jankwatch, caller, lambda chain: chain["links"][0]["kind"] == "dbus")
                equal([(link["pid"], link["kind"]) for link in found["links"]], [(caller, "dbus")])
                contains(found["sentence"], "waits for the D-Bus reply to org.freedesktop.DBus.StartServiceByName")
        finally:
            os.close(os.open(end, os.O_RDWR))


def test_function(jankwatch):
    """Of a watched program the function that computes, and its line."""
    with watched(jankwatch, loop_program, "compute-on") as pid:
        found = why_once(jankwatch, pid, lambda chain: "line" in chain["links"][0])
        equal((found["cause"], found["links"][0]["function"]), ("computing", "freeze_by_computing"))
        check(re.search(r"computes in freeze_by_computing\(\) \(loop-program\.c:\d+\)$", found["sentence"]), found)


command.add_all(globals(), program)
tap.main("/cli/why")
