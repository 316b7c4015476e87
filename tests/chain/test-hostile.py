# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Processes that end meanwhile, bear names that are commands to a terminal, or belong to somebody else."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile

import planted
import tap
import why
from tap import check, equal

NOBODY = 65534
EVIL = b"a\x1b[31m\n\xff|"


def why_as_nobody(pid):
    """The folder of the build may be its user's alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        return why.why(pid, wrapper=why.NOBODY, program=shutil.copy(why.program, folder))


def need_root():
    if os.getuid() != 0:
        raise tap.Skip("only root can be another user")


def test_names_that_are_commands():
    with planted.Planted(["Flock", "Pipe"], "sleep", name=EVIL) as chain:
        for arguments in [str(chain.pids[0])], ["--json", str(chain.pids[0])]:
            text = why.run(*arguments).stdout
            check(all(c.isprintable() or c == "\n" for c in text), repr(text))
        equal(len(why.run(chain.pids[0]).stdout.splitlines()), 4)


def test_paths_that_are_commands():
    hop = planted.HOPS["Flock"]
    opened = hop.opened
    hop.opened = lambda self: os.open(self.path + "\x1b[2J\n\u202e.db", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with planted.Planted(["Flock"], "sleep") as chain:
            text = why.run(chain.pids[0]).stdout
            check(all(c.isprintable() or c == "\n" for c in text), repr(text))
            equal(len(text.splitlines()), 3)
            equal(why.why(chain.pids[0])["cause"], "sleep")
    finally:
        hop.opened = opened


def test_processes_that_are_gone():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    equal(why.why(child.pid)["cause"], "ended")
    child.wait()
    result = why.run(child.pid)
    equal(result.returncode, 1)
    check("None of your processes" in result.stderr, result)
    for number in "0", "-1", "99999999999", "", "no such program", "\x1b[31m":
        result = why.run(number)
        check(result.returncode == (2 if number == "-1" else 1) and "\x1b" not in result.stderr, result)


def test_processes_that_come_and_go():
    """A chain may change under the reader's eyes; it says what it has seen, and ends."""
    shell = subprocess.Popen(["sh", "-c", "while :; do sh -c 'sleep 0.001 | cat'; done"])
    try:
        for _ in range(12):
            found = why.why(shell.pid)
            check(found["links"][0]["pid"] == shell.pid, found)
            check(found["cause"] != "deadlock", found)
    finally:
        shell.kill()
        shell.wait()


def test_another_users_process():
    """Its lock is the kernel's to tell; what it does, and which sockets it has, is its own."""
    need_root()
    for hops, kinds in (["Flock"], ["file-lock", "hidden"]), (["Pair"], ["socket"]), ([], ["hidden"]):
        with planted.Planted(hops, "sleep", uid=NOBODY if hops else None) as chain:
            found = why_as_nobody(chain.pids[0])
            equal([(link["pid"], link["kind"]) for link in found["links"]], list(zip(chain.pids, kinds)))
            equal((found["cause"], found["links"][-1].get("user")),
                  ("hidden", "root") if kinds[-1] == "hidden" else ("unknown", None))


INSIDE = """
import ctypes, os, sys, threading, time
lock, libc = ctypes.create_string_buffer(64), ctypes.CDLL(None)
child = os.fork()
if child:
    os.waitpid(child, 0)
locked = threading.Event()
def holds():
    libc.pthread_mutex_lock(lock)
    locked.set()
    time.sleep(600)
threading.Thread(target=holds, daemon=True).start()
locked.wait()
libc.pthread_mutex_lock(lock)
"""


def test_a_namespace_of_its_own():
    """Processes and threads have other numbers there, which may be others' here."""
    need_root()
    outside = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c", INSIDE])
    try:
        pids = [outside.pid]
        while len(pids) < 3:
            pids = pids[:1] + planted.children_of(pids[0])
            pids += planted.children_of(pids[-1]) if len(pids) == 2 else []
        while len(os.listdir(f"/proc/{pids[2]}/task")) < 2:
            pass
        planted.settle(pids)
        found = why.why(pids[0])
        equal([link["kind"] for link in found["links"]], ["child", "child", "lock", "sleep"])
        equal([link["pid"] for link in found["links"]], [*pids, pids[2]])
    finally:
        outside.kill()
        outside.wait()


def test_a_shell_that_waits():
    """dash waits for a signal, bash for a child."""
    for shell in "dash", "bash":
        with subprocess.Popen([shell, "-c", "sleep 600 & wait"]) as process:
            while not (children := planted.children_of(process.pid)):
                pass
            planted.settle([process.pid, *children])
            found = why.why(process.pid)
            os.kill(children[0], 9)
            equal([link["pid"] for link in found["links"]], [process.pid, *children])
            equal(found["cause"], "sleep")


def test_another_host():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as question:
        try:
            question.connect(("192.0.2.1", 53))
        except OSError as error:
            raise tap.Skip(f"this machine has no network: {error}") from None
        with subprocess.Popen([sys.executable, "-c", "import os; os.read(0, 1)"], stdin=question) as process:
            while why.why(process.pid)["links"][0]["kind"] != "host":
                pass
            link = why.why(process.pid)["links"][0]
            process.kill()
        equal(link["target"], "192.0.2.1:53")


def test_a_name():
    with planted.Planted(["Pipe"], "sleep", name=b"planted-by-name") as chain:
        lines = why.run("planted-by-name").stdout.splitlines()
        check(any(line.startswith(f"planted-by-name [{chain.pids[0]}] waits for") for line in lines), lines)
        check(any(line.startswith(f"planted-by-name [{chain.pids[1]}] sleeps") for line in lines), lines)


tap.add_all(globals())
tap.main("/chain/hostile")
