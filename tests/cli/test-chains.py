# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Whom a program waits for beyond its own border, where people look: the lines of `jankwatch run`, `jankwatch top`,
reports."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios

import command
import stuck
import tap
from tap import check, contains, equal

program, dbus_program, loop_program = map(os.path.abspath, tap.arguments(3))

# Has a lock for which its child waits, and waits for that child's end.
CIRCLE = """
def wait_for_child():
    lock = open(sys.argv[1], "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    subprocess.call(["flock", sys.argv[1], "true"])
"""

# Waits for two children, one after the other.
TWO = """
def wait_for_children():
    subprocess.call(["sleep", "1.6"])
    subprocess.call(["sleep", "6"])
    loop.quit()
"""

# Stalls three times for a lock that another process holds meanwhile, the second time the longest.
AGAIN = """
def wait_for_lock():
    with open(sys.argv[1], "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    GLib.timeout_add(50, prepare)

def prepare():
    if not lengths:
        loop.quit()
        return
    command = f"exec 9<>{sys.argv[1]}; flock 9; echo; exec sleep {lengths.pop(0)}"
    holder = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE)
    holder.stdout.readline()
    GLib.timeout_add(50, wait_for_lock)

lengths = ["2.5", "4", "0.8"]
"""

# Waits for a child, until somebody has seen that, and then computes, in another function and for most of the stall.
BOTH = """
def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

def work():
    began = time.monotonic()
    wait()
    compute(2.5 * (time.monotonic() - began))
    loop.quit()

def wait():
    child = subprocess.Popen(["sleep", "600"])
    threading.Thread(target=end_once_seen, args=[child]).start()
    child.wait()

def end_once_seen(child):
    time.sleep(1)
    while not (os.path.isdir(sys.argv[1]) and os.listdir(sys.argv[1])):
        time.sleep(0.05)
    child.kill()
action = Gio.SimpleAction.new("work")
action.connect("activate", lambda *_: work())
"""

# Computes, for most of the stall, and then waits for a child that waits for a lock, all in one function.
AFTER = """
def work():
    end = time.monotonic() + 5
    while time.monotonic() < end:
        pass
    subprocess.call(["flock", sys.argv[1], "true"])
    loop.quit()
"""


def until_said(read, pattern):
    command.until(lambda: re.search(pattern, read(), re.MULTILINE), what=lambda: f"no {pattern!r} in {read()!r}")


@contextlib.contextmanager
def running(jankwatch, *words, columns=None):
    """`jankwatch run` of words. Yields: what it has said, all in all; columns: on a terminal of that many."""
    ours, its = os.pipe() if columns is None else pty.openpty()
    if columns is not None:
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    said = []

    def read():
        while select.select([ours], [], [], 0)[0] and (part := os.read(ours, 65536)):
            said.append(part)
        return b"".join(said).decode(errors="replace")

    with jankwatch.started(jankwatch.program, "run", "--", *words, env={**jankwatch.environment, "TERM": "xterm"},
                           stderr=its):
        os.close(its)
        yield read
    os.close(ours)


def test_told(jankwatch):
    """In whole where a line is read later; on 80 columns by its end; in top below the row, and in its JSON."""
    with stuck.service(jankwatch) as (service, holder):
        lock = os.path.join(jankwatch.home, "locked")
        end = rf"\S+ \[{holder.pid}\] sleeps, \d+ min"
        chain = (rf"D-Bus reply to {stuck.INTERFACE}\.ListAll .* → \S+ \[{service.pid}\] waits for a lock on ‘{lock}’ "
                 rf"→ {end}")
        with running(jankwatch, dbus_program, "call") as read:
            until_said(read, rf"^jankwatch: .* so far: .*{chain}")
            text = command.unwrapped(jankwatch.run("top", "--once").stdout)
            check(re.search(chain, text), text)
            lines = jankwatch.top()
            equal([link["kind"] for link in lines[0]["chain"]["links"]], ["dbus", "file-lock", "sleep"])
            equal(lines[0]["chain"]["cause"], "sleep")
            check(re.search(chain, lines[0]["says"]), lines[0]["says"])


def test_on_a_terminal(jankwatch):
    """The cause is not what is cut off."""
    with stuck.service(jankwatch) as (_, holder), running(jankwatch, dbus_program, "call", columns=80) as read:
        end = rf"so far: \w+\(\) \(dbus-program\.c:\d+\) → … → \S+ \[{holder.pid}\] sl"
        until_said(read, end)
        rows = read().split("\r\x1b[K")[1:]
        check(all(len(row) < 80 for row in rows), rows)


def test_circle(jankwatch):
    lock = os.path.join(jankwatch.home, "locked")
    with running(jankwatch, *command.planted(CIRCLE, "wait_for_child", lock)) as read:
        circle = r", deadlock: (\S+ \[\d+\]) → flock \[\d+\] → \1"
        until_said(read, rf"so far: wait_for_child\(\) .*{circle}$")
        until_said(lambda: command.unwrapped(jankwatch.run("top", "--once").stdout), circle)


def test_its_own_wait(jankwatch):
    """Nobody else: the program knows all."""
    with running(jankwatch, loop_program, "hang") as read:
        until_said(read, r"so far(.|\n)*so far")
        text = jankwatch.run("top", "--once").stdout
        contains(text, "stuck")
        check("→" not in text + read(), text, read())


def reports(jankwatch):
    ids = [row["id"] for row in json.loads(jankwatch.run("list", "--json").stdout)]
    return [json.loads(jankwatch.run("show", "--json", name).stdout) for name in ids]


def check_said(jankwatch, report, chain):
    """All that people read has it, in the same words; what is made to be shared has no folder."""
    file = os.path.join(jankwatch.store, report["id"] + ".json")
    for *words, name in (["show", report["id"]], ["show", file], ["export", "--format=markdown", report["id"]],
                         ["export", "--format=brief", report["id"]]):
        text = jankwatch.run(*words, name).stdout
        text = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)
        check(re.search(chain, command.unwrapped(text)), words, chain, text[:4000])


def test_reported(jankwatch):
    with stuck.service(jankwatch) as (service, holder):
        with running(jankwatch, dbus_program, "call") as read:
            until_said(read, r"so far: .* → ")
            holder.kill()
            until_said(read, r"^jankwatch: (?!.* so far).* → ")
            until_said(read, "Details: ")
        report, = [report for report in reports(jankwatch) if "chain" in report]
        equal([link["pid"] for link in report["chain"]["links"]], [report["app"]["pid"], service.pid, holder.pid])
        equal(report["chain"]["began_monotonic_ns"], report["stall"]["began_monotonic_ns"])
        excluded_ns = sum(report["stall"].get("excluded_ns", {}).values())
        check(report["chain"]["at_ns"] < report["stall"]["duration_ns"] + excluded_ns, report["chain"])
        check_said(jankwatch, report,
                   rf"waits for the D-Bus reply to \S+ → \S+ \[{service.pid}\] waits for a lock on ‘\S*locked’ → "
                                      rf"\S+ \[{holder.pid}\] sleeps, [^(]+ left \(seen after [^)]+\)")


def test_killed(jankwatch):
    """Whoever kills a program that hangs wants to know it most."""
    with stuck.service(jankwatch), running(jankwatch, dbus_program, "call") as read:
        until_said(read, r"so far: .* → ")
        pid = jankwatch.top()[0]["pid_here"]
        os.kill(pid, signal.SIGKILL)
        until_said(read, "Details: ")
        report, = [report for report in reports(jankwatch) if "chain" in report]
        equal((report["stall"]["outcome"], report["chain"]["cause"]), ("killed", "sleep"))


def test_of_another(jankwatch):
    """The stall's last line names who computed, and not for whom another function waited; its report has that."""
    chains = os.path.join(jankwatch.store, "chains")
    result = jankwatch.run("run", "--", *command.planted(BOTH, "action.activate", chains))
    last, = re.findall(r"^jankwatch: \d[^:]* s: .*compute\(\).*", result.stderr, re.MULTILINE)
    check("→" not in last, last)
    report, = [report for report in reports(jankwatch) if "chain" in report]
    equal(report["chain"]["cause"], "sleep")
    # What a binding has made is in no file.
    text = jankwatch.run("show", report["id"]).stdout
    contains(text, "[timeout], priority 0")
    check("0x" not in text.partition("Heaviest")[0], text)


def test_after_computing(jankwatch):
    """A chain goes on from a wait: none is told where the line says that the function computed."""
    path, chains = os.path.join(jankwatch.home, "locked"), os.path.join(jankwatch.store, "chains")
    with open(path, "w") as lock, running(jankwatch, *command.planted(AFTER, "work", path)) as read:
        fcntl.flock(lock, fcntl.LOCK_EX)
        until_said(lambda: str(os.path.isdir(chains) and os.listdir(chains)), "json")
        text = command.unwrapped(jankwatch.run("top", "--once").stdout)
        contains(text, "work()")
        fcntl.flock(lock, fcntl.LOCK_UN)
        until_said(read, "Details: ")
        text += read()
        check(not re.search(r"work\(\) \S+ from ‘\[timeout\]’ →", text), text)


def check_counted(jankwatch):
    """The stalls share a report, which has the chain of the longest."""
    report, = [report for report in reports(jankwatch) if report.get("culprit", {}).get("function") == "wait_for_lock"]
    equal(report["repeats"]["count"], 3)
    equal([link["kind"] for link in report["chain"]["links"]], ["file-lock", "sleep"])
    equal(report["chain"]["began_monotonic_ns"], report["stall"]["began_monotonic_ns"])
    return report


def test_counted(jankwatch):
    """No file is left of the stalls that had one of their own while they lasted."""
    result = jankwatch.run("run", "--", *command.planted(AGAIN, "prepare", os.path.join(jankwatch.home, "locked")))
    # Of two, whatever the machine does for a second.
    check(result.stderr.count(" → sleep [") >= 2, result.stderr)
    check_counted(jankwatch)
    equal(set(os.listdir(os.path.join(jankwatch.store, "chains"))) - set(os.listdir(jankwatch.store)), set())


def test_ended(jankwatch):
    """What has ended while the stall went on was not its cause."""
    jankwatch.run("run", "--", *command.planted(TWO, "wait_for_children"))
    report = jankwatch.find("--culprit=wait_for_children")
    check(report["chain"]["at_ns"] > 1_600_000_000 and report["chain"]["links"][1]["name"] == "sleep", report["chain"])


def test_watch(jankwatch):
    """The same of a program that nobody runs by `jankwatch run`."""
    with jankwatch.started(program, "watch", stderr=subprocess.PIPE, text=True) as child:
        contains(child.stderr.readline(), "Waiting for reports")
        words = command.planted(AGAIN, "prepare", os.path.join(jankwatch.home, "locked"))
        equal(jankwatch.watched(*words).returncode, 0)
        child.terminate()
        child.wait()
    check_counted(jankwatch)


command.add_all(globals(), program)
tap.main("/cli/chains", n_at_once=3)
