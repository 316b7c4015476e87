# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Whom a program waits for over D-Bus, and which process that is, in all reports."""

import json
import os
import signal
import subprocess

import command
import stuck
import tap
from stuck import INTERFACE, NAME, PATH, bus
from tap import contains, equal

program, c_program = map(os.path.abspath, tap.arguments(2))

OTHERS = os.path.join(stuck.HERE, "dbus-others.py")
GET = "org.freedesktop.DBus.Properties.Get"
# The method, the property, and what a sentence begins with.
KINDS = {
    "call": (f"{INTERFACE}.ListAll", None, f"waiting for the D-Bus reply to {INTERFACE}.ListAll"),
    "property": (GET, f"{INTERFACE}.Level", f"waiting for the D-Bus property {INTERFACE}.Level"),
    "proxy": (None, None, f"waiting to set up the D-Bus proxy {INTERFACE}"),
}


def service(jankwatch, name="session"):
    return stuck.started(jankwatch, stuck.PYTHON, os.path.join(stuck.HERE, "slow-service.py"), NAME, name)


def waits_of(report):
    """Without those for the bus itself, which a busy machine makes long. Of authentication, only the bus is known."""
    waits = [sample["wait"] for sample in report["samples"] if sample.get("wait", {}).get("kind") == "dbus"]
    return [wait for wait in waits if wait["dbus"].keys() != {"bus"} and wait["dbus"]["name"] != "org.freedesktop.DBus"]


def read(jankwatch, name):
    return json.loads(jankwatch.run("show", "--json", name).stdout)


def find(jankwatch):
    """The longest with such waits."""
    rows = json.loads(jankwatch.run("list", "--json", "--sort=length", "--reason=dbus").stdout)
    found = next(filter(waits_of, (read(jankwatch, row["id"]) for row in rows)), None)
    return found or tap.check(False, jankwatch.run("list").stdout)


def show_waits(jankwatch, name=None):
    waits = waits_of(find(jankwatch) if name is None else read(jankwatch, name))
    assert waits, jankwatch.run("list").stdout
    return waits


def check_kind(jankwatch, kind):
    method, asked, sentence = KINDS[kind]
    with bus(jankwatch):
        with service(jankwatch) as server:
            ran = jankwatch.run("run", "--", c_program, kind)
            equal(ran.returncode, 0)
            for wait in show_waits(jankwatch):
                about = wait["dbus"]
                equal((about["name"], about["path"], about.get("method"), about.get("property")),
                      (NAME, PATH, method, asked))
                equal(about["bus"], jankwatch.environment["DBUS_SESSION_BUS_ADDRESS"])
                equal((wait["peer_pid"], wait["peer"]), (server.pid, "python3"))
            whom = f"{NAME} (python3 [{server.pid}])"
            whole = f"{sentence} of {PATH} at {whom}"
            contains(command.unwrapped(ran.stderr), whole)
            # The sentence, and the table.
            ident = find(jankwatch)["id"]
            equal(command.unwrapped(jankwatch.run("show", ident).stdout).count(whole), 2)
            contains(jankwatch.run("export", "--format", "markdown", ident).stdout, f"{sentence} at {whom}")
        # It may be anybody's number by now.
        for wait in show_waits(jankwatch):
            equal(("peer_pid" in wait, "peer" in wait), (False, False))
        # Who came later did not keep the program waiting.
        with service(jankwatch):
            equal(["peer" in wait for wait in show_waits(jankwatch)], [False] * len(show_waits(jankwatch)))


def check_other_library(jankwatch, library, name):
    """What the program has told is the socket that it polls: on which bus the name is to be looked for."""
    with bus(jankwatch), bus(jankwatch, "system"), service(jankwatch) as one, service(jankwatch, "system") as other:
        ran = jankwatch.run("run", "--", stuck.PYTHON, OTHERS, library, name)
        equal(ran.returncode, 0)
        server = {"session": one, "system": other}[name]
        for wait in show_waits(jankwatch):
            equal((wait["dbus"]["name"], wait["dbus"]["method"]), (NAME, f"{INTERFACE}.ListAll"))
            equal((wait["peer_pid"], wait["peer"]), (server.pid, "python3"))
        contains(command.unwrapped(ran.stderr), f"waiting for the D-Bus reply to {INTERFACE}.ListAll of {PATH} at "
                                                f"{NAME} (python3 [{server.pid}])")


def test_link_to_a_bus(jankwatch):
    """A system's bus is at /run/dbus, which the command may have as /var/run/dbus."""
    with bus(jankwatch, "system"), service(jankwatch, "system") as server:
        jankwatch.run("run", "--", stuck.PYTHON, OTHERS, "libdbus", "system")
        path = jankwatch.environment["DBUS_SYSTEM_BUS_ADDRESS"].removeprefix("unix:path=").partition(",")[0]
        link = os.path.join(jankwatch.home, "a link")
        os.symlink(path, link)
        jankwatch.environment["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={link.replace(' ', '%20')}"
        equal({wait.get("peer_pid") for wait in show_waits(jankwatch)}, {server.pid})


def change(jankwatch, change_one):
    """A file of the latest report, changed."""
    report = find(jankwatch)
    for wait in waits_of(report):
        wait.pop("peer", None), wait.pop("peer_pid", None)
    change_one(report)
    path = os.path.join(jankwatch.home, "changed.json")
    with open(path, "w") as file:
        json.dump(report, file)
    return show_waits(jankwatch, path)


def test_foreign_report(jankwatch):
    """A report may come from another machine, and its address from anybody."""
    trap = os.path.join(jankwatch.home, "trap")

    def of_another_boot(report):
        report["stall"]["began_monotonic_ns"] += 3600 * 10**9

    def of_another_bus(report):
        for wait in waits_of(report):
            wait["dbus"]["bus"] = f"unixexec:path=/usr/bin/touch,argv1={trap}"

    with bus(jankwatch), service(jankwatch) as server:
        jankwatch.run("run", "--", c_program, "call")
        equal({wait.get("peer_pid") for wait in change(jankwatch, lambda report: None)}, {server.pid})
        for change_one in (of_another_boot, of_another_bus):
            equal({wait.get("peer_pid") for wait in change(jankwatch, change_one)}, {None})
    assert not os.path.exists(trap), "the command did what a report says"


def test_stopped_bus(jankwatch):
    """It takes connections and never answers."""
    with bus(jankwatch), service(jankwatch):
        jankwatch.run("run", "--", c_program, "call")
        owner = subprocess.run(["gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/", "-m",
                                "org.freedesktop.DBus.GetConnectionUnixProcessID", "org.freedesktop.DBus"],
                               env=jankwatch.environment, capture_output=True, text=True).stdout
        pid = int("".join(filter(str.isdigit, owner.removeprefix("(uint32"))))
        os.kill(pid, signal.SIGSTOP)
        equal({wait.get("peer_pid") for wait in show_waits(jankwatch)}, {None})


for kind in KINDS:
    command.add(kind, check_kind, program, kind)
for library in ("libdbus", "sd-bus"):
    for name in ("session", "system"):
        command.add(f"{library}-{name}", check_other_library, program, library, name)
command.add_all(globals(), program)
tap.main("/cli/bus-names", n_at_once=2)
