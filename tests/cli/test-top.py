# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch top`: what is stuck is shown while it is, on a terminal that is as before afterwards."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios
import threading

import command
import tap
from command import until
from tap import check, contains, equal

program, loop_program = tap.arguments(2)
WAIT_S = 90

for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGCONT):
    signal.signal(number, signal.SIG_DFL)

def watched(jankwatch, *words):
    """The process of `jankwatch run`, in a group with its command."""
    return jankwatch.started(jankwatch.program, "run", "--quiet", "--", *words)


def once(jankwatch, *options):
    result = jankwatch.run("top", "--once", *options)
    equal(result.returncode, 0)
    return result.stdout


def stuck(jankwatch):
    return next((line for line in jankwatch.top() if line["state"] == "stall" and "function" in line), None)


class Terminal:
    """`jankwatch top` on one, as it is seen there: all that we send is understood, and nothing else comes."""

    def __init__(self, jankwatch, n_rows, n_columns, **environment):
        self.ours, its = pty.openpty()
        self.modes = termios.tcgetattr(its)
        self.its, self.text, self.rows, self.is_other = its, "", {}, False
        self.resize(n_rows, n_columns)
        self.child = subprocess.Popen([jankwatch.program, "top"], stdin=its, stdout=its, stderr=its,
                                      env={**jankwatch.environment, "TERM": "xterm", **environment},
                                      start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(its, termios.TIOCSCTTY, 0))
        os.set_blocking(self.ours, False)

    def resize(self, n_rows, n_columns):
        fcntl.ioctl(self.its, termios.TIOCSWINSZ, struct.pack("HHHH", n_rows, n_columns, 0, 0))

    def read(self):
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.ours, 65536):
                self.text += part.decode(errors="replace")
        # Until a sequence that is whole.
        whole = re.match(r"(?:[^\x1b]|\x1b\[[0-9;?]*[A-Za-z])*", self.text).group(0)
        self.text = self.text[len(whole):]
        for sequence, words in re.findall(r"(\x1b\[[0-9;?]*[A-Za-z])?([^\x1b]*)", whole):
            self.take(sequence, words)
        return "\n".join(self.rows.get(i, "").rstrip() for i in range(1, max(self.rows, default=0) + 1))

    def take(self, sequence, words):
        if sequence == "\x1b[2J":
            self.rows = {}
        elif sequence.endswith(";1H"):
            self.row = int(sequence[2:-3])
            self.rows[self.row] = ""
        elif sequence in ("\x1b[?1049h", "\x1b[?1049l"):
            self.is_other = sequence.endswith("h")
        elif not re.fullmatch(r"|\x1b\[(H|K|[0-9;]*m|\?(25|7)[hl])", sequence):
            raise AssertionError(f"sent {sequence!r}")
        if words:
            self.rows[self.row] += words

    def shows(self, pattern):
        try:
            return until(lambda: re.search(pattern, self.read(), re.MULTILINE))
        except AssertionError:
            raise AssertionError(f"no {pattern!r} in\n{self.read()}") from None

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def is_raw(self):
        return not termios.tcgetattr(self.its)[3] & (termios.ICANON | termios.ECHO)

    def check_restored(self, status):
        equal(self.child.wait(WAIT_S), status)
        self.read()
        check(not self.is_other, "on the other screen")
        equal(termios.tcgetattr(self.its), self.modes)
        os.close(self.ours)
        os.close(self.its)


def test_once(jankwatch):
    """Also without a terminal; a program that was killed is not there. No rate before a minute."""
    contains(jankwatch.run("top").stderr, "No watched program is running")
    with watched(jankwatch, loop_program, "hang"), watched(jankwatch, loop_program, "hang") as other:
        until(lambda: re.fullmatch(r"Program .*Now.*\n(loop-program (?!.*s/h).*\bstuck .* s\b.*\n    "
                                   r"freeze_by_sleeping\(\) "
                                   r"\(loop-program\.c:\d+\), sleeping\n){2}", once(jankwatch)))
        equal(len(jankwatch.run("top").stdout.splitlines()), 5)
        os.killpg(other.pid, signal.SIGKILL)
        until(lambda: len(once(jankwatch).splitlines()) == 3)
        equal(jankwatch.run("top", "--once", "--filter=LOOP-p").stdout.count("stuck"), 1)
        contains(jankwatch.run("top", "--filter=other").stderr, "matches the filter")
    until(lambda: not jankwatch.top())
    equal(jankwatch.run("top", "--sort=size").returncode, 2)


def test_stopped(jankwatch):
    with watched(jankwatch, loop_program, *["exit=0"] * 500):
        pid = until(lambda: jankwatch.top())[0]["pid_here"]
        os.kill(pid, signal.SIGSTOP)
        until(lambda: re.search(r"stopped .*\n    stopped by a signal or a debugger", once(jankwatch)))
        os.kill(pid, signal.SIGCONT)
        until(lambda: "stopped" not in once(jankwatch))


def test_hostile(jankwatch):
    """A file that is not believed is said once, whatever is in it; a name has no escape sequences."""
    folder = os.path.join(jankwatch.home, "jankwatch")
    copy = shutil.copy(loop_program, os.path.join(jankwatch.home, "lo\x1b]2;op\x07"))
    os.mkdir(folder, 0o700)
    with open(os.path.join(folder, "1-1.live"), "w") as file:
        file.write("jankwatch-live-1 \x1b[31m")
        fcntl.lockf(file, fcntl.LOCK_EX)
        file.flush()
        os.mkfifo(os.path.join(folder, "2-2.live"))
        with watched(jankwatch, copy, "hang"):
            until(lambda: stuck(jankwatch))
            result = jankwatch.run("top", "--once")
            equal(sorted(re.findall(r"Ignoring ‘.*/(.*)’: .*", result.stderr)), ["1-1.live", "2-2.live"])
            contains(result.stdout, "op")
            check("\x1b" not in result.stdout + result.stderr, result)
            terminal = Terminal(jankwatch, 24, 80)
            terminal.shows("2;op.* stuck ")
            terminal.shows("^Ignoring ‘")
            terminal.type("q")
            terminal.check_restored(0)


def test_full_folder(jankwatch):
    """Of a sandbox that fills its folder 64 files are looked at, and one line says so; others are shown."""
    folder = os.path.join(jankwatch.home, "app", "org.example.Flood", "jankwatch")
    os.makedirs(folder, mode=0o700)
    for i in range(300):
        pathlib.Path(folder, f"{i}-1.live").write_bytes(b"jankwatch-live-2 garbage" * 20)
    with watched(jankwatch, loop_program, "hang"):
        until(lambda: stuck(jankwatch))
        result = jankwatch.run("top", "--once")
        contains(result.stdout, "loop-program")
        ignored = re.findall(r"Ignoring ‘(.*)’: (.*)", result.stderr)
        equal([why[:23] for path, why in ignored if path == folder], ["only part of it is read"])
        check(len(ignored) <= 65, len(ignored))
    equal(jankwatch.run("run", "--quiet", "--", "/bin/true").returncode, 0)


def test_keys(jankwatch):
    other = shutil.copy(loop_program, os.path.join(jankwatch.home, "other"))
    with watched(jankwatch, loop_program, "hang"), watched(jankwatch, other, *["exit=0"] * 500):
        until(lambda: stuck(jankwatch))
        terminal = Terminal(jankwatch, 24, 80, PAGER=f"cat >{jankwatch.home}/read; kill -SEGV $$; true")
        terminal.shows(r"\A2 watched programs, 1 stuck\nProgram .* Overhead\nloop-program .* stuck .*\n    freeze_by")
        check(terminal.is_raw(), "not raw")
        terminal.type("s")
        terminal.shows("1 stuck, by program$")
        terminal.type("/nobody\n")
        terminal.shows("^0 watched programs, with ‘nobody’, by program$")
        terminal.type("/\x7f\x1b")
        terminal.shows("^2 watched programs, 1 stuck, by")
        terminal.type("\n")
        read = pathlib.Path(jankwatch.home, "read")
        contains(until(lambda: read.exists() and read.read_text()), "freeze_by_sleeping")
        until(terminal.is_raw)
        terminal.shows("^Enter report")
        terminal.type("q")
        terminal.check_restored(0)


def test_sizes(jankwatch):
    with watched(jankwatch, loop_program, "hang"):
        until(lambda: stuck(jankwatch))
        terminal = Terminal(jankwatch, 24, 80, NO_COLOR="1")
        for n_rows, n_columns in ((24, 80), (24, 40), (50, 200), (5, 40), (3, 40), (2, 40), (1, 40), (24, 80)):
            terminal.resize(n_rows, n_columns)
            until(lambda: [len(row) <= n_columns for row in terminal.read().split("\n")] == [True] * n_rows)
            terminal.shows("loop-program .*stuck")
        terminal.type("\x03")
        terminal.check_restored(128 + signal.SIGINT)


def test_signals(jankwatch):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT):
        terminal = Terminal(jankwatch, 24, 80)
        terminal.shows("^0 watched")
        terminal.child.send_signal(number)
        terminal.check_restored(-number if number == signal.SIGABRT else 128 + number)
    terminal = Terminal(jankwatch, 24, 80)
    terminal.shows("^0 watched")
    terminal.child.send_signal(signal.SIGTSTP)
    os.waitpid(terminal.child.pid, os.WUNTRACED)
    terminal.read()
    check(not terminal.is_raw() and not terminal.is_other, "stopped with the terminal")
    terminal.child.send_signal(signal.SIGCONT)
    until(terminal.is_raw)
    terminal.shows("^0 watched")
    terminal.type("q")
    terminal.check_restored(0)


def test_nobody_reads(jankwatch):
    """Whether a write kills or, as GIO's sockets have it, fails; and without another line to write."""
    with watched(jankwatch, loop_program, "hang"):
        for restore_signals in True, False:
            top = subprocess.Popen([jankwatch.program, "top", "--json"], env=jankwatch.environment,
                                   stdout=subprocess.PIPE, restore_signals=restore_signals)
            check(top.stdout.readline(), "no line")
            top.stdout.close()
            check(top.wait(WAIT_S) in (0, 1, -signal.SIGPIPE), top.returncode)


def test_refreshed(jankwatch):
    """A reader that asks is told while a stall lasts, also when no report of it is due: from 8 s to 13 s."""
    with subprocess.Popen([jankwatch.program, "top", "--json"], env=jankwatch.environment, stdout=subprocess.PIPE,
                          text=True) as top, watched(jankwatch, loop_program, "compute-on"):
        timer = threading.Timer(WAIT_S, top.terminate)
        timer.start()
        told = next((line for line in map(json.loads, top.stdout) if line.get("duration_ns", 0) > 11e9), {})
        timer.cancel()
        top.terminate()
    equal((told.get("state"), told.get("function")), ("stall", "freeze_by_computing"))


command.add_all(globals(), program)
tap.main("/cli/top", n_at_once=3)
