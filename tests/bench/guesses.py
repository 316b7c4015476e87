#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""guesses.py BUILD_FOLDER: how often the sentence on a wait names who has nothing to do with it, in 40 waits in which
that thread seems to be the cause. With five words it is the planted program, as is guesses.c."""

import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

JANKWATCH = pathlib.Path(sys.argv[1]).absolute() / "src/cli/jankwatch"
# How it waits; who wakes it; what is beside, since when.
ROWS = [("c", row) for row in """cond sleeping log before,queue computing disk before,sem process log before
sem process net before,sem process disk before,cond process log before,cond process child before
queue process render before,park late log before,park late timer before,queue late net before,cond timer burst before
cond timer net before,queue timer disk before,condt idle log before,condt idle net before,condt idle timer before
condt nobody log before,condt nobody child before,mutext nobody log before,mutext nobody none before
pool sleeping log before,pool reading render before,cond handed net before,cond reading disk before
cond process none before,sem timer net since,cond timer ends since,condt nobody ends since,queue process log since
sem process log since,sem process disk since""".replace("\n", ",").split(",")]
ROWS += [("py", row) for row in """event sleeping log before,eventt idle net before,eventt nobody timer before
queue sleeping disk before,sem timer net before,future timer timer before,barrier timer log before
eventt idle disk before""".replace("\n", ",").split(",")]


class Make:
    def sleeping():
        time.sleep(1.5)
        wake()


class Beside:
    def log():
        while True:
            time.sleep(0)

    def timer():
        while True:
            time.sleep(0.04)

    def net():
        os.read(os.pipe()[0], 1)

    def disk():
        file = tempfile.TemporaryFile(buffering=0)
        while file.write(b"x"):
            os.fsync(file.fileno())


def start(function):
    threading.Thread(target=function, daemon=True).start()


def wake():
    event.set()
    items.put(1)
    sem.release()
    result.set_result(1)
    barrier.wait()


def stall(wait, waker):
    wakers = {"idle": lambda: GLib.idle_add(wake), "timer": threading.Timer(1.5, wake).start, "nobody": bool}
    wakers.get(waker, lambda: start(getattr(Make, waker)))()
    {"event": event.wait, "eventt": lambda: event.wait(1.5), "queue": items.get, "sem": sem.acquire,
     "future": result.result, "barrier": barrier.wait}[wait]()
    GLib.timeout_add(200, os._exit, 0)


def judge(report, waker):
    guess = report["verdict"].get("waker", {})
    owners = {wait["wait"].get("lock", {}).get("owner", 0) for wait in report["verdict"].get("waits", [])} - {0}
    names = {report["frames"][frame].get("symbol", "")[:4].lower() for thread in report.get("threads", [])
             if thread["tid"] in owners | {guess.get("tid")} for frame in report["stacks"][thread["stack"]]}
    if names & {"make", "besi"} == {"make"} or (guess.get("alone") and waker in ("idle", "nobody")) or \
            (guess.get("tid") and waker == "timer" and "besi" not in names):
        return "right"
    return f"wrong with{'out' if owners else ''} probably" if owners or guess else "no guess"


def run(language, row):
    program = [JANKWATCH.parents[2] / "tests/bench/guesses"] if language == "c" else ["/usr/bin/python3", __file__]
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ, HOME=home, XDG_STATE_HOME=home, XDG_RUNTIME_DIR=home, XDG_CONFIG_HOME=home)
        subprocess.run(["timeout", "10", JANKWATCH, "run", "--", *program, *row.split(), "1500"], env=env,
                       capture_output=True, check=False)
        reports = [json.loads(file.read_text()) for file in pathlib.Path(home).rglob("jankwatch/*.json")]
        report = max((report for report in reports if "verdict" in report), key=lambda r: r["stall"]["duration_ns"])
        text = subprocess.check_output([JANKWATCH, "export", "-f", "brief", report["id"]], env=env)
        return language, row, judge(report, row.split()[1]), text.decode().split("\n", 1)[0].split(": ", 1)[1]


if len(sys.argv) > 2:
    from gi.repository import GLib
    event, items, sem, barrier = threading.Event(), queue.Queue(), threading.Semaphore(0), threading.Barrier(2)
    result = concurrent.futures.Future()
    start(getattr(Beside, sys.argv[3]))
    GLib.timeout_add(2000, stall, *sys.argv[1:3])
    GLib.MainLoop().run()
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(run, *zip(*ROWS)))
print(*("{}: {}: {}\n    {}".format(*result) for result in results), sep="\n")
print(dict(collections.Counter(found for _, _, found, _ in results)))
