# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Where the kernel tells less: under Yama, with hidepid, in namespaces of their own, in bubblewrap as Flatpak calls it.
What is not known is said, and nothing fails. The rows of the manual's table."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

import planted
import tap
import why
from tap import check, equal

refuse_calls, = tap.arguments(1)
PROGRAM = os.path.abspath(why.program)
HIDEPID = ["unshare", "--mount", "sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "sh", *why.NOBODY]
NAMESPACES = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]
BUBBLEWRAP = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", "/tmp", "/tmp", "--proc", "/proc",
              "--unshare-pid", "--unshare-user", "--die-with-parent"]
HOPS = ["Listening", "Flock", "Pipe"]
PLANT = """
import subprocess, sys
sys.path[:0] = sys.argv[1].split(":")
import planted
chain = planted.Planted(sys.argv[3:], "sleep")
print(*chain.pids, flush=True)
for pid in sys.stdin:
    subprocess.run([sys.argv[2], "why", "--json", pid.strip()], check=True)
chain.close()
"""


def need(works, *what):
    if subprocess.run([*what, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip(works)


@contextlib.contextmanager
def copied(file):
    """In a folder that everybody may read, and whose name has no blanks."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy(file, folder)


@contextlib.contextmanager
def planted_by(*wrapper):
    """A chain of processes that wrapper's process starts. Yields: their numbers outside, and inside, and a function
    that asks once, inside, for the chain of the first: who comes later may not enter each sandbox."""
    path = ":".join([os.path.dirname(os.path.abspath(__file__)), *sys.path])
    words = [*wrapper, sys.executable, "-c", PLANT, path, PROGRAM, *HOPS]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=why.ENVIRON) as child:
        inside = list(map(int, child.stdout.readline().split()))
        yield ([find_outside(child.pid, pid) for pid in inside], inside,
               lambda: json.loads(child.communicate(f"{inside[0]}\n")[0])[0])


def find_outside(ancestor, number):
    """Among the descendants of a process the one that has that number in its own namespace."""
    found, before = [ancestor], []
    while found != before:
        before = found
        found = sorted({ancestor, *(pid for parent in before for pid in planted.children_of(parent))})
    return next(pid for pid in found if read_status(pid, "NSpid:").split()[-1] == str(number))


def read_status(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(line for line in file if line.startswith(field)).partition(":")[2]


def check_whole(found, pids):
    equal([link["pid"] for link in found["links"]], pids)
    equal([link["kind"] for link in found["links"]], ["socket", "file-lock", "pipe", "sleep"])


def test_yama():
    """Calls are not known; what the kernel's lists and the function that a thread sleeps in tell is. To a namespace of
    processes it lists no lock whose taker is gone."""
    known = {"Flock": "file-lock", "Posix": "file-lock", "Lease": "lease", "Child": "child", "AnyChild": "child"}
    with copied(refuse_calls) as library:
        yama = ["env", f"LD_PRELOAD={library}", "ASAN_OPTIONS=verify_asan_link_order=0"]
        for hop in *known, "Inherited", "Pair", "Pipe", "Event", "Ofd", "Mutex":
            with planted.Planted([hop], "sleep") as chain, open("/proc/locks", encoding="ascii") as locks:
                found = why.why(chain.pids[0], wrapper=yama)
                if hop == "Inherited" and f" {chain.pids[0]} " in locks.read():
                    known[hop] = "file-lock"
                if hop in known:
                    equal((hop, [link["pid"] for link in found["links"]]), (hop, chain.pids))
                    equal((found["links"][0]["kind"], found["cause"]), (known[hop], "sleep"))
                else:
                    equal((hop, len(found["links"]), found["cause"]), (hop, 1, "hidden"))
        for end, cause in {"sleep": "sleep", "computing": "computing", "stopped": "stopped",
                           "person": "hidden"}.items():
            with planted.Planted([], end) as chain:
                equal((end, why.why(chain.pids[0], wrapper=yama)["cause"]), (end, cause))


def test_hidepid():
    """One's own processes are seen, others' are as if they were not there."""
    need("only root can mount another /proc", *HIDEPID)
    with copied(PROGRAM) as program:
        with planted_by(*why.NOBODY) as (pids, *_):
            check_whole(why.why(pids[0], wrapper=HIDEPID, program=program), pids)
        with planted.Planted(["Listening", "Flock"], "sleep", uid=65534) as chain:
            found = why.why(chain.pids[0], wrapper=HIDEPID, program=program)
            equal((len(found["links"]), found["cause"], found["links"][0]["kind"]), (1, "unknown", "socket"))
            check("process unknown" in found["sentence"], found)
            result = why.run(chain.pids[1], wrapper=HIDEPID, program=program)
            equal((result.returncode, "None of your processes" in result.stderr), (1, True))


def test_namespaces():
    """By the numbers of whoever looks, from outside and inside."""
    need("no user namespaces", *NAMESPACES)
    with planted_by(*NAMESPACES) as (outside, inside, ask):
        check_whole(why.why(outside[0]), outside)
        check_whole(ask(), inside)


def test_network_namespace():
    """From outside its sockets are in no list."""
    need("no network namespaces", *NAMESPACES, "--net")
    with planted_by(*NAMESPACES, "--net") as (outside, inside, ask):
        found = why.why(outside[0])
        equal((len(found["links"]), found["links"][0]["kind"], found["cause"]), (1, "socket", "unknown"))
        check("process unknown" in found["sentence"], found)
        check_whole(ask(), inside)


def test_bubblewrap():
    need("no bubblewrap, or it cannot", *BUBBLEWRAP)
    with planted_by(*BUBBLEWRAP) as (outside, inside, ask):
        check_whole(why.why(outside[0]), outside)
        check_whole(ask(), inside)


tap.add_all(globals())
tap.main("/chain/sandboxes")
