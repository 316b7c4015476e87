# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What a stall is called that is no function of the program's. A wait for another thread: what that thread is to do,
not which futex it takes. Garbage collection: the interpreter's own is nobody's fault, one that was asked for is the
asker's, and what a finalizer does is the finalizer's. An interpreter's end: so, unless a function of the
program's takes it."""

import pathlib

import tap
import watched

FOLDER = pathlib.Path(__file__).parent
PYTHON = ["/usr/bin/python3", FOLDER / "planted.py"]
END = "the shutdown of Python (destructors, exit handlers)"
JAVASCRIPTS, PYTHONS = "JavaScript's garbage collector", "Python's garbage collector"


def is_starved(report):
    """Whether it is told as the machine's: of whatever else happened it says less."""
    return report["verdict"]["kind"] == "starved-machine"


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
    tap.check(said in " ".join(text.split()) or is_starved(report), said, "is not in", text)
    owners = {sample["wait"]["lock"].get("owner", 0) for sample in report["samples"]
              if sample.get("wait", {}).get("lock", {}).get("kind") == "join"}
    tap.check(0 not in owners and program.popen.pid not in owners, "who is to end:", owners)


def check_end(act, culprit, said):
    """said: by the first sentence."""
    with watched.Program(*PYTHON, act) as program:
        program.wait()
        report = program.longest
        headline = program.headline(report)
    symbols = [report["frames"][step["frame"]].get("symbol") for step in report["heaviest"]["path"]]
    tap.check_equal(report["culprit"]["function"], culprit, f"the culprit ({symbols})")
    tap.check("file" not in report["culprit"] or culprit != END, "its file:", report["culprit"])
    tap.check(said in headline or is_starved(report), said, "is not in", headline)


def find_longest(program, function):
    """With that function on a stack: an interpreter collects at its end, too."""
    report = max((report for report in program.stalls if function in [call.get("symbol") for call in report["frames"]]),
                 key=lambda report: report["stall"]["duration_ns"], default=None)
    tap.check(report is not None, "no stall:", program.errors, *(report["culprit"] for report in program.stalls))
    return report


def check_collector(words, act, culprit, names, said):
    """said: words of the first sentence. names: on the heaviest path, in order, each "!" one is nowhere."""
    with watched.Program(*words, act) as program:
        program.wait()
        report = find_longest(program, names[0])
        headline = program.headline(report)
    path = [report["frames"][step["frame"]] for step in report["heaviest"]["path"]]
    symbols = [call.get("symbol") for call in path]
    tap.check_equal(report["culprit"]["function"], culprit, f"the culprit ({symbols})")
    wanted = [name for name in names if not name.startswith("!")]
    tap.check_equal([symbol for symbol in symbols if symbol in wanted], wanted, f"calls of {symbols}")
    for name in names:
        tap.check(name[:1] != "!" or name[1:] not in [call.get("symbol") for call in report["frames"]], name, symbols)
    for words in () if is_starved(report) else said:
        tap.check(words in headline, words, "is not in", headline)
    named = {call["symbol"] for call in report["frames"] if call.get("name_from") == "collector"}
    tap.check(named <= {JAVASCRIPTS, PYTHONS}, "the collector's names:", named)


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
    ("join", "join", "waiting for the end of "),
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
tap.add("objects", check_end, "objects", END, f"{END} was computing for ")
tap.add("destructor", check_end, "destructor", "close_database", "close_database() (planted.py:")
tap.add("handler", check_end, "handler", "close_database", "close_database() (planted.py:")
tap.add("thread", check_end, "thread", END, f"{END} was waiting for the end of thread ")
tap.add("python-begun", check_collector, PYTHON, "begun", PYTHONS, ["collect_by_itself", "append_rows", PYTHONS],
        ["Python's garbage collector (", "), begun in append_rows() (planted.py:"])
tap.add("python-asked", check_collector, PYTHON, "asked", "sweep_up", ["sweep_up", "gc.collect", PYTHONS],
        ["Python's garbage collector (", "), asked for by sweep_up() (planted.py:"])
tap.add("python-finalizer", check_collector, PYTHON, "finalizer", "finish_slowly",
        ["append_rows", PYTHONS, "Slow.__del__", "finish_slowly"],
        ["finish_slowly() (planted.py:"])
tap.add("python-none", check_collector, PYTHON, "none", "add_up",
        ["add_up", f"!{PYTHONS}"],
        ["add_up() (planted.py:"])
tap.add("javascript-asked", check_collector, ["gjs", FOLDER / "ledger.js"], "collect", "sweepUp",
        ["sweepUp", JAVASCRIPTS], ["JavaScript's garbage collector (", "), asked for by sweepUp() (ledger.js:"])
tap.main("/module/planted", n_at_once=3)
