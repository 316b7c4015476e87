# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch dump`: a program that is idle, computes or waits for a lock says what it does when it is asked, and is the
same as before for all who count its stalls."""

import concurrent.futures
import contextlib
import ctypes
import json
import mmap
import os
import pathlib
import re
import signal
import subprocess
import time

import command
import tap
from command import until
from tap import check, contains, equal

program, staller = map(os.path.abspath, tap.arguments(2))
MAX_DUMPS = 8
FUTEX, FUTEX_WAKE = (202 if os.uname().machine == "x86_64" else 98), 1

for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)

class Watched:
    """A program under watch, once it is where it was to be."""

    def __init__(self, jankwatch, kind, *prefix, n="600000", **environment):
        self.stack = contextlib.ExitStack()
        self.child = self.stack.enter_context(jankwatch.started(
            jankwatch.program, "run", "--quiet", "--", *prefix, staller, kind, n, cwd=jankwatch.home,
            env={**jankwatch.environment, **environment}))
        self.jankwatch = jankwatch
        is_there = lambda line: line["state"] == ("calm" if kind == "idle" else "stall")
        self.pid = int(until(lambda: [line for line in jankwatch.top() if is_there(line)])[0]["pid_here"])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stack.close()

    def dump(self):
        result = self.jankwatch.run("dump", "--json", str(self.pid))
        equal((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def count_switches(self):
        """Of all its threads."""
        counts = {}
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{tid}/status") as file:
                counts[tid] = sum(map(int, re.findall(r"ctxt_switches:\s(\d+)", file.read())))
        return counts


def functions_of(report, stack):
    return [report["frames"][frame].get("symbol") or "" for frame in report["stacks"][stack]]


def own_thread(report):
    return next(thread for thread in report["threads"] if thread.get("observed"))


def check_busy(report, function):
    equal((report["kind"], report["culprit"]["function"]), ("dump", function))
    check(report["stall"]["duration_ns"] > 0, report["stall"])
    check(any(function in name for name in functions_of(report, report["heaviest"]["stack"])), report["frames"])


def check_idle(report):
    equal((report["kind"], report["stall"]["duration_ns"], report.get("culprit")), ("dump", 0, None))
    equal(own_thread(report)["state"], "blocked")
    check(own_thread(report)["stack"] is not None, report["threads"])


def test_report(jankwatch):
    with Watched(jankwatch, "rwlock-read") as watched:
        report = watched.dump()
        check_busy(report, "stall_in_read_lock")
        equal(own_thread(report)["wait"]["kind"], "lock")
        holder = next(thread for thread in report["threads"]
                      if thread["tid"] == own_thread(report)["wait"]["lock"]["owner"])
        check("holder_sleeps" in functions_of(report, holder["stack"]), functions_of(report, holder["stack"]))
    with Watched(jankwatch, "compute") as watched:
        check_busy(watched.dump(), "stall_compute")
    with Watched(jankwatch, "idle") as watched:
        check_idle(watched.dump())


def test_text(jankwatch):
    with Watched(jankwatch, "rwlock-read") as watched:
        text = command.unwrapped(jankwatch.run("dump", os.path.basename(staller)).stdout)
        check(re.match(r"Dump: the main loop had been busy for .*: stall_in_read_lock\(\) .* waiting for a lock", text),
              text)
        contains(text, "holder")
    with Watched(jankwatch, "idle") as watched:
        contains(jankwatch.run("dump", str(watched.pid)).stdout, "Dump: the main loop was waiting for events\n")


def test_not_a_stall(jankwatch):
    """Neither where stalls are counted, nor where they are listed; but it can be shown, and it is listed for who asks
    for dumps. A slow start-up would be one."""
    with Watched(jankwatch, "idle", n="20", JANKWATCH_CONFIG="threshold=60s") as watched:
        ident = watched.dump()["id"]
        line = jankwatch.top()[0]
        equal((line["n_ended"], line["n_stalls"], line["n_hangs"], line["n_dumps"], line["dump"]), (0, 0, 0, 1, ident))
        equal(watched.child.wait(), 0)
    for name in "list", "summary":
        contains(jankwatch.run(name).stderr, "o report in ‘")
    equal([row["id"] for row in json.loads(jankwatch.run("list", "--json", "--kind=dump").stdout)], [ident])
    contains(jankwatch.run("show", ident).stdout, "waiting for events")
    for name in re.findall(r"^  ([a-z]+) ", jankwatch.run("export", "--help").stdout.split("Formats:")[1],
                           re.MULTILINE):
        exported = jankwatch.run("export", f"--format={name}", f"--output={jankwatch.home}/exported", ident)
        equal((name, exported.returncode), (name, 0))
    session = next(entry for entry in os.scandir(os.path.join(jankwatch.store, "sessions")))
    session = json.loads(pathlib.Path(session.path).read_text())
    equal((session["n_stalls"], session["stalls"], sum(session["n_reports"].values())), (0, [], 0))


def test_unasked(jankwatch):
    """Whoever reads wakes nobody, before a dump and after it; a dump wakes nobody of the program's own."""
    with Watched(jankwatch, "idle") as watched:
        def is_calm():
            before = watched.count_switches()
            for _ in range(3):
                time.sleep(0.4)
                jankwatch.top()
            return watched.count_switches() == before

        until(is_calm)
        before = watched.count_switches()
        watched.dump()
        after = watched.count_switches()
        equal([tid for tid in before if after[tid] != before[tid]],
              [tid for tid in before if is_ours(watched.pid, tid)][:1])
        until(is_calm)


def is_ours(pid, tid):
    return pathlib.Path(f"/proc/{pid}/task/{tid}/comm").read_text() == "jankwatch\n"


def test_at_once(jankwatch):
    """Readers at once, and one after the other, are answered; who asks for ever gets one a second, of which the last
    are kept."""
    with Watched(jankwatch, "idle") as watched:
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            reports = [report.result() for report in [pool.submit(watched.dump) for _ in range(6)]]
        equal({report["kind"] for report in reports}, {"dump"})
        for _ in range(MAX_DUMPS):
            watched.dump()
        n_dumps = jankwatch.top()[0]["n_dumps"]
        check(MAX_DUMPS < n_dumps <= time.monotonic() - began + 1, n_dumps)
        kept = json.loads(jankwatch.run("list", "--json", "--kind=dump").stdout)
        equal(len(kept), MAX_DUMPS)
        ring_for(jankwatch, 3)
        more = jankwatch.top()[0]
        check(n_dumps < more["n_dumps"] <= time.monotonic() - began + 1, more)


def ring_for(jankwatch, seconds):
    folder = os.path.join(jankwatch.home, "jankwatch")
    libc = ctypes.CDLL(None)
    fd = os.open(os.path.join(folder, os.listdir(folder)[0]), os.O_RDWR)
    with mmap.mmap(fd, mmap.PAGESIZE) as page:
        word = ctypes.byref(ctypes.c_uint32.from_buffer(page))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            until_ns = time.time_ns() + 10**9
            os.utime(fd, ns=(until_ns, until_ns))
            libc.syscall(FUTEX, word, FUTEX_WAKE, 99, None, None, 0)
        del word
    os.close(fd)


def test_sandbox(jankwatch):
    """With processes, users and a network of its own, as in Flatpak."""
    words = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--cap-drop", "ALL", "--dev-bind", "/", "/",
             "--proc", "/proc"]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise tap.Skip(f"this machine allows no namespaces: {tried.stderr.strip()}")
    with Watched(jankwatch, "rwlock-read", *words) as watched:
        check_busy(watched.dump(), "stall_in_read_lock")
    with Watched(jankwatch, "idle", *words) as watched:
        check_idle(watched.dump())


def test_none(jankwatch):
    contains(jankwatch.run("dump", "no-such-program").stderr, "has the name or number ‘no-such-program’")
    equal(jankwatch.run("dump").returncode, 2)
    with Watched(jankwatch, "idle", JANKWATCH_CONFIG="store=/proc/no/store") as watched:
        equal(jankwatch.run("dump", str(watched.pid)).returncode, 1)


def test_gone(jankwatch):
    """A program that is stopped does not answer; one that is killed meanwhile has ended."""
    with Watched(jankwatch, "idle") as watched:
        os.kill(watched.pid, signal.SIGSTOP)
        contains(jankwatch.run("dump", str(watched.pid)).stderr, "does not answer")
        child = subprocess.Popen([jankwatch.program, "dump", str(watched.pid)], env=jankwatch.environment,
                                 stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        os.kill(watched.pid, signal.SIGKILL)
        contains(child.communicate()[1], "it has ended")
        equal(child.returncode, 1)


command.add_all(globals(), program)
tap.main("/cli/dump", n_at_once=4)
