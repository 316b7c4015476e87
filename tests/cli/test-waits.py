# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""One process, one answer: `why`, `dump` and `top` say the same of each wait, and that is what was planted, whether the
program is watched or not."""

import contextlib
import json
import os
import subprocess
import time

import command
import tap
from tap import check, equal

program, staller = map(os.path.abspath, tap.arguments(2))
FOR_EVER_MS = "600000"

# By the kind of staller's stall: what the main thread waits for, who it is that could end it, and the cause. The owner
# of some locks is known only where `run` has watched who took them, for which its library's path has to have no blank.
WAITS = {
    "calm-idle": ("idle", None, "idle"),
    "mutex-normal": ("lock", "holder", "computing"),
    "deadlock-2": ("lock", "holder", "deadlock"),
    "deadlock-1": ("lock", "self", "deadlock"),
    "deadlock-3": ("lock", "holder", "deadlock"),
    "deadlock-join": ("join", "holder", "deadlock"),
    "recorded-mutex": ("lock", "recorded", "sleep"),
    "recorded-abba": ("lock", "recorded", "deadlock"),
    "recorded-again": ("lock", "recorded-self", "deadlock"),
    "recorded-reader": ("lock", "recorded", "sleep"),
    "rwlock-read": ("lock", "holder", "sleep"),
    "rwlock-write": ("lock", "recorded", "sleep"),
    "cond": ("wake", None, "wake"),
    "awaited-cond": ("wake", None, "wake"),
    "awaited-queue": ("lock", None, "unknown"),
    "awaited-task": ("lock", None, "unknown"),
    "once": ("lock", None, "unknown"),
    "join": ("join", "holder", "sleep"),
    "sleep": ("sleep", None, "sleep"),
    "poll": ("sleep", None, "sleep"),
    "pipe-read": ("pipe", "other", "sleep"),
    "fifo-read": ("pipe", "other", "sleep"),
    "connect-unix": ("socket", "other", "sleep"),
    "recv-unix": ("socket", "other", "sleep"),
    "send": ("socket", "other", "sleep"),
    "flock": ("file-lock", "other", "sleep"),
    "fcntl-lock": ("file-lock", "other", "sleep"),
    "waitpid": ("child", "other", "sleep"),
    "spawn": ("child", "other", "sleep"),
    "spawn-output": ("pipe", "other", "sleep"),
    "compute": ("computing", None, "computing"),
}

# The kinds of a report's waits that are a link's of another name.
KINDS = {"wake": {"lock", "wake"}, "join": {"lock"}, "file-lock": {"file"}, "idle": {"wake"}, "computing": {None},
         "sleep": {"sleep", "pipe"}}


@contextlib.contextmanager
def planted(jankwatch, kind, is_watched):
    """Yields: its process."""
    words = [program, "run", "--quiet", "--"] if is_watched else []
    children = []
    with jankwatch.started(*words, staller, kind, FOR_EVER_MS, stdout=subprocess.PIPE,
                           env={**jankwatch.environment, "TMPDIR": jankwatch.home}) as first:
        # It says what it is about to wait for.
        check(kind == "calm-idle" or first.stdout.readline(), "it has ended")
        while is_watched and not children:
            with open(f"/proc/{first.pid}/task/{first.pid}/children", encoding="ascii") as file:
                children = file.read().split()
        yield int(children[0]) if is_watched else first.pid


def ask(jankwatch, pid, is_watched):
    """Returns: the chains that the commands show, by command, and the report of `dump`; None: one has no answer yet"""
    why, dump = (jankwatch.run(name, "--json", str(pid)) for name in ("why", "dump"))
    if (why.returncode, dump.returncode) != (0, 0):
        return {}, None
    report = json.loads(dump.stdout)
    chains = {"why": json.loads(why.stdout)[0], "dump": report.get("chain")}
    lines = jankwatch.run("top", "--json", "--once").stdout.splitlines() if is_watched else []
    for line in map(json.loads, lines):
        if "chain" in line or line["state"] != "calm":
            chains["top"] = line.get("chain")
    return chains, report


def describe(pid, chain):
    """What the table says, of a chain."""
    first = chain["links"][0]
    other = chain["links"][1] if len(chain["links"]) > 1 else None
    who = ("self" if chain.get("closes_at", -1) == 0 and other is None else None if other is None else
           "holder" if other["pid"] == pid else "other")
    return first["kind"], who, chain["cause"] if chain["settled"] else "unsettled"


def expected(kind, is_watched):
    link, who, cause = WAITS[kind]
    if who is not None and who.startswith("recorded"):
        is_known = is_watched and " " not in program
        return (link, "self" if who.endswith("self") else "holder", cause) if is_known else (link, None, "unknown")
    return link, who, cause


def test_wait(jankwatch, kind, is_watched):
    """Until it is there: a busy machine takes its time."""
    wanted, deadline = expected(kind, is_watched), time.monotonic() + 60
    with planted(jankwatch, kind, is_watched) as pid:
        while True:
            chains, report = ask(jankwatch, pid, is_watched)
            found = {name: describe(pid, chain) if chain else None for name, chain in chains.items()}
            wait = report["samples"][-1].get("wait", {}) if report and report.get("samples") else {}
            is_there = found and all(answer == wanted for answer in found.values()) and \
                ("top" in found or not is_watched or kind == "calm-idle") and \
                wait.get("kind") in KINDS.get(wanted[0], {wanted[0]})
            if is_there or time.monotonic() > deadline:
                break
        check(is_there, wanted, found, wait)
        equal(report.get("locks", {}).get("deadlock", False), wanted[2] == "deadlock")
        if wanted[1] in ("holder", "self"):
            equal(wait.get("lock", {}).get("owner"), chains["why"]["links"][1 if wanted[1] == "holder" else 0]["tid"])


for kind in WAITS:
    for is_watched in (False, True):
        command.add(f"{kind}-{'watched' if is_watched else 'unwatched'}", test_wait, program, kind, is_watched)
tap.main("/cli/waits", n_at_once=2)
