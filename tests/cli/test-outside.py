# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch dump` of programs that nobody watches: their stacks, waits and locks, read from outside. Who sleeps does
not notice, and who runs goes on, whatever becomes of the reader."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import command
import stuck
import tap
from tap import check, contains, equal

program, staller, dbus_program, refuse_calls, starts_static = map(os.path.abspath, tap.arguments(5))
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
BUBBLEWRAP = ["bwrap", "--unshare-user", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc"]
KILLS = tap.setting("kills", 40)

PYTHON = """
    import os
    import sys
    import threading
    import time

    lock = threading.Lock()

    def holder_sleeps():
        with lock:
            os.write(1, b"ready\\n")
            time.sleep(600)

    def stall_in_read_lock():
        lock.acquire()

    def stall_compute():
        os.write(1, b"ready\\n")
        while True:
            sum(range(1000))

    def sleep_with_many():
        for i in range(200):
            threading.Thread(target=time.sleep, args=[600], daemon=True).start()
        os.write(1, b"ready\\n")
        time.sleep(600)

    if sys.argv[1] == "rwlock-read":
        threading.Thread(target=holder_sleeps, name="holder", daemon=True).start()
        time.sleep(0.05)
        stall_in_read_lock()
    elif sys.argv[1] == "many":
        sleep_with_many()
    elif sys.argv[1] == "run":
        for i in range(3):
            threading.Thread(target=stall_compute, daemon=True).start()
        time.sleep(600)
    stall_compute()
"""

@contextlib.contextmanager
def started(jankwatch, language, what, *prefix):
    """Yields: its process, once it is where it was to be."""
    words = {"c": [staller, what, "600000"], "python": [sys.executable, "program.py", what]}
    pathlib.Path(os.path.join(jankwatch.home, "program.py")).write_text(textwrap.dedent(PYTHON))
    with jankwatch.started(*prefix, *words[language], stdin=subprocess.PIPE, cwd=jankwatch.home, stdout=subprocess.PIPE,
                           stderr=None) as child:
        check(what == "idle" or child.stdout.readline(), "it has ended")
        yield child.pid


def dump(jankwatch, pid, **environment):
    """Returns: the report, and what was said beside it."""
    result = jankwatch.run("dump", "--json", str(pid), **environment)
    equal((result.returncode, result.stdout != ""), (0, True))
    return json.loads(result.stdout), result.stderr


def dump_until(jankwatch, pid, is_found):
    """A thread may be on its way to where it waits, or have no CPU."""
    return command.until(lambda: report if is_found(report := dump(jankwatch, pid)[0]) else None)


def functions_of(report, thread):
    return [report["frames"][frame].get("symbol") or ""
            for frame in report["stacks"][thread["stack"]]] if "stack" in thread else []


def count_turns(pid):
    """How often each of its threads went to sleep, and was sent off its CPU."""
    turns = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        turns[tid] = int(pathlib.Path(f"/proc/{pid}/task/{tid}/schedstat").read_text().split()[2])
    return turns


def states_of(pid):
    states = set()
    for tid in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/task/{tid}/stat") as file:
            states.add(file.read().rsplit(") ", 1)[1][0])
    return states


def read_cpu(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def find_inner(pid):
    """The process that a wrapper became, or the innermost one that it started."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return find_inner(children[0]) if children else pid


def check_lock(jankwatch, language, *prefix):
    with started(jankwatch, language, "rwlock-read", *prefix) as pid:
        pid = find_inner(pid)
        report = dump_until(jankwatch, pid, lambda report: "lock" in report["threads"][0].get("wait", {}) and
                            "holder_sleeps" in f"{report['frames']}")
        first = report["threads"][0]
        equal((report["kind"], report["culprit"]["function"], report["self"]["from_outside"]),
              ("dump", "stall_in_read_lock", True))
        holders = [thread for thread in report["threads"] if thread["tid"] == first["wait"]["lock"]["owner"]]
        check("holder_sleeps" in functions_of(report, *holders), holders)
        check(next(frame for frame in report["frames"] if frame.get("symbol") == "stall_in_read_lock")["line"] > 0)
        turns = count_turns(pid)
        equal((dump(jankwatch, pid)[0]["self"].get("stopped"), count_turns(pid)), (None, turns))


def test_lock_in_c(jankwatch):
    check_lock(jankwatch, "c")


def test_lock_in_python(jankwatch):
    check_lock(jankwatch, "python")


def check_computing(jankwatch, language, function):
    """It goes on."""
    with started(jankwatch, language, "compute") as pid:
        report = dump_until(jankwatch, pid, lambda report: function in functions_of(report, report["threads"][0]))
        equal((report["threads"][0]["state"], report["self"]["stopped"]), ("computing", 1))
        check(not states_of(pid) & set("Tt"), states_of(pid))
        before = read_cpu(pid)
        while read_cpu(pid) == before:
            time.sleep(0.01)


def test_computing_in_c(jankwatch):
    check_computing(jankwatch, "c", "stall_compute")


def test_computing_in_python(jankwatch):
    check_computing(jankwatch, "python", "stall_compute")


def test_idle(jankwatch):
    """As of a watched program: nobody is to blame. The report can be shown again."""
    with started(jankwatch, "c", "idle") as pid:
        # It may still be on its way into its first poll.
        report = dump_until(jankwatch, pid, lambda report: report["threads"][0]["state"] == "blocked")
        equal((report.get("culprit"), report["stall"]["duration_ns"]), (None, 0))
        text = jankwatch.run("dump", str(pid)).stdout
        contains(text, "Dump: the main loop was waiting for events\n")
        contains(text, "Read from outside; no thread was stopped.")
        file = os.path.join(jankwatch.home, "report.json")
        with open(file, "w") as stream:
            json.dump(report, stream)
        contains(jankwatch.run("show", file).stdout, "Read from outside; no thread was stopped.")


def test_dbus(jankwatch):
    """What is called is in the caller's memory."""
    with stuck.service(jankwatch):
        with jankwatch.started(dbus_program, "call") as caller:
            # Before, it has calls of the bus itself.
            dump_until(jankwatch, caller.pid, lambda report:
                       report["threads"][0].get("wait", {}).get("dbus", {}).get("name") == stuck.NAME)
            contains(jankwatch.run("dump", str(caller.pid)).stdout, "was waiting\nfor the D-Bus reply to")


def test_static(jankwatch):
    """A program without a loader, and without a table of its functions: no caller is invented."""
    with jankwatch.started(starts_static, "posix_spawn", "/usr/bin/sleep", "600") as child:
        report = dump_until(jankwatch, child.pid,
                            lambda report: report["threads"][0].get("wait", {}).get("kind") == "child")
        functions = functions_of(report, report["threads"][0])
        # As glibc 2.36 and 2.41 name it.
        check({"wait4", "__internal_syscall_cancel"}.intersection(functions), functions)
        check("wait_for" in functions or "__libc_start_call_main" not in functions, "invented:", functions)


def test_many(jankwatch):
    """Those that are not listed are counted; none of them notices."""
    with started(jankwatch, "python", "many") as pid:
        dump_until(jankwatch, pid, lambda report: "sleep_with_many" in functions_of(report, report["threads"][0]))
        command.until(lambda: (turns := count_turns(pid)) and states_of(pid) == {"S"} and turns == count_turns(pid))
        turns = count_turns(pid)
        report, _ = dump(jankwatch, pid)
        equal((report["process"]["n_threads"], len(report["threads"]) >= 50), (201, True))
        equal(count_turns(pid), turns)
        contains(jankwatch.run("dump", str(pid)).stdout, "more")


def test_killed_reader(jankwatch):
    """Whenever the reader is killed, or stopped from its terminal, the threads that it has stopped go on."""
    with started(jankwatch, "python", "run") as pid:
        for i in range(KILLS):
            reader = subprocess.Popen([jankwatch.program, "dump", str(pid)], env=jankwatch.environment,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.05))
            reader.send_signal([signal.SIGKILL, signal.SIGTERM, signal.SIGTSTP][i % 3])
            if i % 3 == 2:
                time.sleep(0.01)
                check(not states_of(pid) & set("Tt") or reader.poll() is None, states_of(pid))
                reader.kill()
            reader.wait()
            check(not states_of(pid) & set("Tt"), states_of(pid))
        contains(pathlib.Path(f"/proc/{pid}/status").read_text(), "TracerPid:\t0\n")


def test_other_user(jankwatch):
    """What everybody may see."""
    if os.geteuid() != 0:
        raise tap.Skip("only root becomes another user")
    with started(jankwatch, "c", "rwlock-read") as pid:
        reader = jankwatch.home + "/reader"
        shutil.copy(program, reader)
        os.chmod(jankwatch.home, 0o755)
        while states_of(pid) != {"S"}:
            time.sleep(0.01)
        result = subprocess.run([*NOBODY, reader, "dump", "--json", str(pid)], env=jankwatch.environment,
                                capture_output=True, text=True)
        report = json.loads(result.stdout)
        contains(command.unwrapped(result.stderr), "belongs to user 0")
        equal([(thread["name"], thread["state"], thread.get("stack")) for thread in report["threads"]],
              [("staller", "blocked", None), ("holder", "blocked", None)])


def test_refused(jankwatch):
    """As Yama does."""
    library = shutil.copy(refuse_calls, jankwatch.home)
    jankwatch.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
    with started(jankwatch, "c", "rwlock-read") as pid:
        report, said = dump(jankwatch, pid, LD_PRELOAD=library)
        contains(said, "No stacks are shown")
        equal(len(report["threads"]), 2)
        check(all("stack" not in thread for thread in report["threads"]), report["threads"])


def test_stopped(jankwatch):
    """A program that somebody has stopped stays so, and can be read."""
    with started(jankwatch, "c", "compute") as pid:
        functions = []
        # Not before it computes, nor while it reads the clock.
        while "stall_compute" not in functions:
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)
            os.kill(pid, signal.SIGSTOP)
            while states_of(pid) != {"T"}:
                time.sleep(0.01)
            report = dump(jankwatch, pid)[0]
            functions = functions_of(report, report["threads"][0])
        equal((report["self"].get("stopped"), states_of(pid)), (None, {"T"}))
        os.kill(pid, signal.SIGCONT)


def test_sandbox(jankwatch):
    """It knows its threads by other numbers than the reader."""
    tried = subprocess.run([*BUBBLEWRAP, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise tap.Skip(f"this machine allows no namespaces: {tried.stderr.strip()}")
    for language in ("c", "python"):
        check_lock(jankwatch, language, *BUBBLEWRAP)


def test_none(jankwatch):
    """It has ended, also while it is read."""
    child = subprocess.Popen(["true"])
    child.wait()
    result = jankwatch.run("dump", str(child.pid))
    equal(result.returncode, 1)
    contains(result.stderr, f"Process {child.pid} does not exist, or it has ended")
    for _ in range(20):
        child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        reader = subprocess.Popen([jankwatch.program, "dump", str(child.pid)], env=jankwatch.environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.05))
        child.kill()
        child.wait()
        check(reader.wait() in (0, 1), reader.returncode)


def test_zombie(jankwatch):
    """It has ended, though its parent has not asked how."""
    with subprocess.Popen(["/bin/true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        result = jankwatch.run("dump", str(child.pid))
        equal((result.returncode, result.stdout, result.stderr),
              (1, "", f"jankwatch: Process {child.pid} does not exist, or it has ended\n"))


command.add_all(globals(), program)
tap.main("/cli/outside")
