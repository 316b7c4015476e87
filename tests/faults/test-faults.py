# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that does something to itself ends, says and sees the same with and without a watcher.

rounds=N does each case N times; times=N multiplies what a case does."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import tap

sys.path.insert(0, f"{pathlib.Path(__file__).parent.parent}/module")
import watched  # noqa: E402
from watched import BUILD, COMMAND  # noqa: E402

FAULTS = BUILD / "tests/faults/faults"
SANITIZED = BUILD / "tests/faults/faults-asan"

# Everything at once: a stall of 30 ms is sampled, told, and written.
CONFIG = "threshold=20ms,first-sample=4ms,interval=4ms,spin-turns=2"

ROUNDS = tap.setting("rounds", 1)
TIMES = tap.setting("times", 1)

# How often, in one round.
CASES = {
    "abort": 1, "chroot": 20, "close-all": 1, "coroutines": 800, "daemon": 1, "descriptors": 300, "_exit": 1,
    "exec": 8,
    "exit": 1, "fault": 1, "fork": 25, "kill": 1, "limits": 20, "load": 200, "outlive": 1,
    "own-stack": 20, "quick-exit": 1, "reopen": 20000, "signals": 50,
    "filter-all": 1, "filter-thread": 1, "overflow": 10, "privileges": 1, "throw": 800,
    "urgent-none": 40, "urgent-ignored": 40, "urgent-own": 40, "urgent-info": 40, "urgent-late": 40,
    "urgent-blocked": 40,
    "urgent-waited": 40, "urgent-file": 40,
    "environment": 800, "limit-addresses": 20, "limit-data": 20, "lock-all": 20,
    "small-stacks": 100, "alternate-minimum": 20, "mappings": 20,
    "spawn": 20, "stop": 20, "subreaper": 20, "term": 1, "threads": 200, "wait": 20, "write-closed": 20000,
}


def run(name, n, watched_too, program=FAULTS, prefix=()):
    with watched.Program(program, name, n, watched=watched_too, config=CONFIG, prefix=prefix) as program:
        program.wait(120 + 10 * TIMES)
        if name == "daemon":
            program.wait_for("the daemon", lambda: program.wait().output)
        # GLib's warnings have a process ID and a time, and a loop that cannot wait has any number of them.
        errors = {re.sub("[0-9]+", "", line) for line in program.errors.splitlines()
                  if not line.startswith(("jankwatch: ", "strace: "))}
        return program.status, program.output, errors


def test_same(name, n, *others):
    for _ in range(ROUNDS):
        tap.check_equal(run(name, n * TIMES, True, *others), run(name, n * TIMES, False, *others),
                        "status, output and errors")


def test_attached():
    """A debugger comes and goes: it is not told of our signals, and its stop is no stall."""
    with watched.Program(watched.STALLER, "compute", 5000) as program:
        program.wait_for_stall()
        began_ns = time.monotonic_ns()
        gdb = subprocess.run(["gdb", "-nx", "-batch", "-p", str(program.popen.pid), "-ex", "shell sleep 2", "-ex",
                              "detach"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        took_ns = time.monotonic_ns() - began_ns
        program.wait()
    excluded = watched.find_stall(program)["stall"]["excluded_ns"]
    tap.check(gdb.returncode == 0 and "SIG" not in gdb.stdout, gdb.stdout, gdb.stderr)
    tap.check_equal(program.status, 0, "the exit status")
    tap.check_between(excluded["stopped"] + excluded["traced"], watched.NS_PER_S, took_ns, "the time excluded")


def test_slow(calls, name, n):
    """Each of the calls takes 0.3 s. Only our threads make any."""
    test_same(name, n, FAULTS, ["strace", "-f", "-o", "/dev/null", "-e", f"trace={calls}",
                                "-e", f"inject={calls}:delay_enter=300000"])


def test_told():
    """The command for a report is no child that a subreaper sees."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        config = f"{CONFIG},on-report=cp -t {folder}"
        program = watched.run(COMMAND, "run", "--", FAULTS, "subreaper", 60, watched=False, config=config)
        tap.check_equal((program.status, program.output), run("subreaper", 60, False)[:2], "status and output")
        until = time.monotonic() + 60
        while not list(pathlib.Path(folder).glob("*.json")):
            tap.check(time.monotonic() < until, "the command did not run")
            time.sleep(0.01)


def test_listed(name, n):
    """The library that sees calls that may block stands in front of them unnoticed."""
    found = [watched.run(COMMAND, "run", "--quiet", *option, "--", FAULTS, name, n * TIMES, watched=False,
                         config=CONFIG)
             for option in (["--strict"], [])]
    tap.check_equal(*[(program.status, program.output) for program in found], "status and output")


def test_killed_writing():
    """Whenever a program is killed, no half of a report is left under a report's name, and the next one runs as
    ever."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as store:
        for i in range(20 * ROUNDS):
            with watched.Program(FAULTS, "wait", 1000, config=f"{CONFIG},store={store}") as program:
                if i == 0:
                    program.wait_for("a report", lambda: list(pathlib.Path(store).glob("*.json")))
                time.sleep(0.08 + 0.013 * (i % 7))
                program.popen.kill()
        for path in pathlib.Path(store).glob("*.json"):
            json.loads(path.read_text())


def test_one_store():
    """Fifty programs that share a store: each ends as ever, and the store keeps its bound once they are gone."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as store, contextlib.ExitStack() as stack:
        config = f"{CONFIG},store={store},max-reports=30"
        programs = [stack.enter_context(watched.Program(FAULTS, "wait", 10, config=config)) for _ in range(50)]
        tap.check_equal({(program.wait().status, program.output) for program in programs}, {(0, "")},
                        "status and output")
        reports = list(pathlib.Path(store).glob("*.json"))
        for path in reports:
            json.loads(path.read_text())
        # Each of the last ones counts before it adds its own.
        tap.check_between(len(reports), 1, 80, "the number of reports")


def test_no_proc():
    """Without /proc nothing is known of threads, and the program is as ever."""
    script = 'umount -l /proc; exec "$@"'
    found = [watched.run(FAULTS, "wait", 20, watched=watched_too, config=CONFIG,
                         prefix=[*watched.unshare(), "sh", "-ec", script, "sh"]) for watched_too in (True, False)]
    tap.check_equal(*[(program.status, program.output) for program in found], "status and output")


def test_closed_at_start():
    """A program that is started without standard streams writes into nobody's report."""
    found = [watched.run(FAULTS, "reopen", 20000, watched=watched_too, config=CONFIG,
                         prefix=["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]) for watched_too in (True, False)]
    tap.check_equal(*[(program.status, program.output, program.errors) for program in found],
                    "status, output and errors")


def test_runtime_folder(script, in_store):
    """Wherever the live file could not be, or not be whole, the program is as ever. in_store: there it is instead."""
    # The store is beside the folder that the script spoils.
    words = ["sh", "-ec", f'cd "$HOME"; mkdir run; chmod 700 run; {script}; exec "$@"', "sh"]
    extra = {"XDG_RUNTIME_DIR": None} if "unset" in script else {}
    found = []
    for watched_too in (True, False):
        with watched.Program(FAULTS, "wait", 20, watched=watched_too, config=CONFIG,
                             prefix=[*watched.unshare(), *words], extra=extra) as program:
            files = set()
            while program.popen.poll() is None:
                files |= {path.parent.name for path in program.home.rglob("*.live")}
                time.sleep(0.001)
            program.wait()
            found.append((program.status, program.output))
            if watched_too:
                tap.check_equal("live" in files, in_store, f"whether it was in the store ({files})")
    tap.check_equal(*found, "status and output")


SET = "export XDG_RUNTIME_DIR=$HOME/run"
RUNTIME_FOLDERS = {
    "usable": (SET, False),
    "unset": ("unset XDG_RUNTIME_DIR", True),
    "missing": (f"{SET}/missing", True),
    "file": (f"touch run/jankwatch; {SET}", True),
    "link": (f"ln -s /tmp run/jankwatch; {SET}", True),
    "read-only": (f"mount -t tmpfs none run; mount -o remount,ro run; {SET}", True),
    # Room for the folder and the file, and none for what is in it.
    "full": (f"mount -t tmpfs -o size=4k,mode=0700 none run; echo > run/full; {SET}", False),
    "no-inodes": (f"mount -t tmpfs -o nr_inodes=2,mode=0700 none run; {SET}", True),
    "no-bytes": (f"ulimit -f 1; {SET}", False),
}

for name, (script, in_store) in RUNTIME_FOLDERS.items():
    tap.add(f"runtime-{name}", test_runtime_folder, script, in_store)
tap.add_all(globals())
for name, n in CASES.items():
    tap.add(name, test_same, name, n)
# Calls that the library stands in front of, are left by a jump or an exception, or have next to no stack.
for name in ("fork", "spawn", "signals", "reopen", "write-closed", "throw", "overflow", "small-stacks", "threads"):
    tap.add(f"strict-{name}", test_listed, name, min(CASES[name], 50))
for name in ("signals", "wait", "spawn"):
    tap.add(f"strace-{name}", test_same, name, CASES[name], FAULTS, ["strace", "-f", "-o", "/dev/null"])
# Each file of the store gets its name.
tap.add("slow-store", test_slow, "rename,renameat,renameat2", "wait", 20)
# Our threads name themselves first: the limit is there before they have asked for any memory.
tap.add("limit-first", test_slow, "prctl", "limit-data", 30)
tap.add("little-stack", test_same, "wait", 20, FAULTS, ["sh", "-c", 'ulimit -s 24; exec "$@"', "sh"])
tap.add("valgrind", test_same, "wait", 10, FAULTS, ["valgrind", "-q", "--error-exitcode=9"])
# Its malloc() has locks of its own, which fork() does not know how to treat.
for name in ("fork", "load", "signals", "spawn", "threads", "throw") if SANITIZED.exists() else ():
    tap.add(f"asan-{name}", test_same, name, CASES[name], SANITIZED)
tap.main("/faults", n_at_once=2)
