# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""One process, one answer: `why`, `dump` and `top` say the same of each wait, and that is what was planted, whether the
program is watched or not."""

import contextlib
import json
import os
import signal
import subprocess
import time

import command
import stuck
import tap
from tap import check, equal

program, waits = map(os.path.abspath, tap.arguments(2))

# What the main thread waits for, who it is that could end it, and the cause. The owner of some locks is known only
# where `run` has watched who took them.
WAITS = {
    "idle": ("idle", None, "idle"),
    "mutex": ("lock", "helper", "sleep"),
    "abba": ("lock", "helper", "deadlock"),
    "self": ("lock", "self", "deadlock"),
    "gmutex": ("lock", "recorded", "sleep"),
    "gmutexabba": ("lock", "recorded", "deadlock"),
    "gmutexself": ("lock", "recorded-self", "deadlock"),
    "rwlock": ("lock", "helper", "sleep"),
    "readers": ("lock", "recorded", "sleep"),
    "cond": ("wake", None, "wake"),
    "gcond": ("wake", None, "wake"),
    "sem": ("wake", None, "wake"),
    "barrier": ("wake", None, "wake"),
    "once": ("lock", None, "unknown"),
    "gjoin": ("join", "helper", "sleep"),
    "joinabba": ("join", "helper", "deadlock"),
    "sleep": ("sleep", None, "sleep"),
    "timeout": ("sleep", None, "sleep"),
    "pipe": ("pipe", "other", "sleep"),
    "poll": ("pipe", "other", "sleep"),
    "socket": ("socket", "other", "sleep"),
    "tty": ("person", None, "person"),
    "event": ("eventfd", "other", "sleep"),
    "flock": ("file-lock", "other", "sleep"),
    "range": ("file-lock", "other", "sleep"),
    "child": ("child", "other", "sleep"),
    "shell": ("child", "other", "sleep"),
    "subprocess": ("child", "other", "sleep"),
    "dbus": ("dbus", "other", "sleep"),
    "compute": ("computing", None, "computing"),
}

# The kinds of a report's waits that are a link's of another name.
KINDS = {"wake": {"lock", "wake"}, "join": {"lock"}, "person": {"device"}, "eventfd": {"call"}, "file-lock": {"file"},
         "idle": {"wake"}, "computing": {None}}


@contextlib.contextmanager
def planted(jankwatch, verb, is_watched):
    """Yields: its process."""
    words = [program, "run", "--quiet", "--"] if is_watched else []
    first = subprocess.Popen([*words, waits, verb], env={**jankwatch.environment, "TMPDIR": jankwatch.home},
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        equal(first.stdout.readline(), "ready\n")
        with open(f"/proc/{first.pid}/task/{first.pid}/children", encoding="ascii") as file:
            yield int(file.read().split()[0]) if is_watched else first.pid
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
        first.stdout.close()


def ask(jankwatch, pid, is_watched):
    """Returns: the chains that the commands show, by command, and the report of `dump`"""
    why, dump = (jankwatch.run(name, "--json", str(pid)) for name in ("why", "dump"))
    equal((why.returncode, dump.returncode, why.stderr, dump.stderr), (0, 0, "", ""))
    report = json.loads(dump.stdout)
    chains = {"why": json.loads(why.stdout)[0], "dump": report["chain"]}
    if is_watched:
        line = json.loads(jankwatch.run("top", "--json", "--once").stdout.splitlines()[0])
        if "chain" in line or line["state"] != "calm":
            chains["top"] = line.get("chain")
    return chains, report


def describe(pid, chain):
    """What the table says, of a chain."""
    first = chain["links"][0]
    other = chain["links"][1] if len(chain["links"]) > 1 else None
    who = ("self" if chain.get("closes_at", -1) == 0 and other is None else None if other is None else
           "helper" if other["pid"] == pid else "other")
    return first["kind"], who, chain["cause"] if chain["settled"] else "unsettled"


def expected(verb, is_watched):
    kind, who, cause = WAITS[verb]
    if who is not None and who.startswith("recorded"):
        return (kind, "self" if who.endswith("self") else "helper", cause) if is_watched else (kind, None, "unknown")
    return kind, who, cause


def test_wait(jankwatch, verb, is_watched):
    """Until it is there: a busy machine takes its time."""
    wanted, deadline = expected(verb, is_watched), time.monotonic() + 60
    with contextlib.ExitStack() as stack:
        if verb == "dbus":
            stack.enter_context(stuck.service(jankwatch))
        pid = stack.enter_context(planted(jankwatch, verb, is_watched))
        while True:
            chains, report = ask(jankwatch, pid, is_watched)
            found = {name: describe(pid, chain) if chain else None for name, chain in chains.items()}
            is_there = all(answer == wanted for answer in found.values()) and ("top" in found or not is_watched or
                                                                              verb == "idle")
            if is_there or time.monotonic() > deadline:
                break
        check(is_there, wanted, found)
        wait = report["samples"][-1].get("wait", {}) if report.get("samples") else {}
        check(wait.get("kind") in KINDS.get(wanted[0], {wanted[0]}), wait)
        equal(report.get("locks", {}).get("deadlock", False), wanted[2] == "deadlock")
        owner = wait.get("lock", {}).get("owner")
        if wanted[1] in ("helper", "self"):
            equal(owner, chains["why"]["links"][1 if wanted[1] == "helper" else 0]["tid"])


for verb in WAITS:
    for is_watched in (False, True):
        command.add(f"{verb}-{'watched' if is_watched else 'unwatched'}", test_wait, program, verb, is_watched)
tap.main("/cli/waits")
