# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A wait for another thread says what that thread is to do, not which futex it takes."""

import pathlib

import tap
import watched

PYTHON = ["/usr/bin/python3", pathlib.Path(__file__).parent / "awaited.py"]
END = "waiting for the end of "


def check_wait(words, kind, said):
    with watched.Program(*words) as program:
        program.wait()
        report = program.longest
        text = program.show(report)
    weights = {}
    for sample in report["samples"]:
        found = sample.get("wait", {}).get("lock", {}).get("kind")
        weights[found] = weights.get(found, 0) + sample["weight_ns"]
    weights.pop(None, None)
    tap.check(max(weights, key=weights.get, default=None) in kind.split(" or "), "the kind of lock:", weights)
    tap.check(said in " ".join(text.split()), said, "is not in", text)
    owners = {sample["wait"]["lock"].get("owner", 0) for sample in report["samples"]
              if sample.get("wait", {}).get("lock", {}).get("kind") == "join"}
    tap.check(0 not in owners and program.popen.pid not in owners, "who is to end:", owners)


for act, kind, said in (
    ("queue", "queue", "waiting for an item of a queue"),
    ("simple-queue", "queue", "waiting for an item of a queue"),
    ("full-queue", "full queue", "waiting for room in a queue"),
    ("queue-done", "pool", "waiting for other threads to finish their tasks"),
    # 3.13's functions jump to what waits: that it is a lock cannot be seen.
    ("queue-locked", "threading.Lock or sem", "waiting for a "),
    ("future", "future", "waiting for a Future’s result"),
    ("futures", "future", "waiting for a Future’s result"),
    ("pool", "future", "waiting for a Future’s result"),
    ("coroutine", "future", "waiting for a Future’s result"),
    ("event", "event", "waiting for an Event"),
    ("condition", "Condition", "waiting for another thread’s signal (Condition)"),
    ("semaphore", "sem", "waiting for a semaphore"),
    ("barrier", "barrier", "waiting for other threads at a barrier"),
    ("join", "join", END),
    ("lock", "threading.Lock", "waiting for a lock (threading.Lock"),
    ("rlock", "threading.RLock", "waiting for a lock (threading.RLock"),
):
    tap.add(f"python-{act}", check_wait, [*PYTHON, act], kind, said)
for act, kind, said in (
    ("queue", "queue", "waiting for an item of a queue"),
    ("cond", "GCond", "waiting for another thread’s signal (GCond)"),
    ("pool", "pool", "waiting for other threads to finish their tasks"),
    ("task", "task", "waiting for a task in another thread"),
):
    tap.add(f"c-{act}", check_wait, [watched.STALLER, f"awaited-{act}", 800], kind, said)
tap.main("/module/awaited", n_at_once=2)
