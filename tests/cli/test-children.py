# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The child that a program waits for, each way to run one, in Python. In C: spawn, spawn-output and waitpid of
module/kinds."""

import collections
import os

import command
import tap
from tap import equal

program, = map(os.path.abspath, tap.arguments(1))

# Once the loop runs, for the shell is another child while a program starts.
WAIT = """
libc = ctypes.CDLL(None)
libc.popen.restype = ctypes.c_void_p
def wait():
    %s
    GLib.timeout_add(50, loop.quit)
"""
SHELL = "['sh', '-c', 'sleep 1; echo']"
POPEN = 'libc.fgets(ctypes.create_string_buffer(9), 9, ctypes.c_void_p(libc.popen(b"sleep 1; echo", b"r")))'
# Without DO_NOT_REAP_CHILD it is no child: the one between has ended.
SPAWN = f"os.read(GLib.spawn_async({SHELL}, flags=GLib.SpawnFlags.SEARCH_PATH, standard_output=True)[2], 1)"
BOTH = "Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE"
OUTPUT, END = ("pipe", "waiting for output of the child ‘sh’"), ("child", "waiting for the process sh to end")


def python(line):
    return command.planted(WAIT % line, "wait")


CASES = {
    "popen": (python(POPEN), OUTPUT),
    "python-run": (python(f"subprocess.run({SHELL}, capture_output=True)"), OUTPUT),
    "python-call": (python(f"subprocess.call({SHELL})"), END),
    "python-communicate": (python(f"Gio.Subprocess.new({SHELL}, {BOTH}).communicate(None, None)"), OUTPUT),
    "python-wait": (python(f"Gio.Subprocess.new({SHELL}, 0).wait(None)"), END),
    "python-orphan": (python(SPAWN), OUTPUT),
}


def planted(jankwatch, *words):
    ran = jankwatch.run("run", "--", *words)
    equal((ran.returncode, ran.stdout.strip()), (0, ""))
    return jankwatch.find("--culprit=wait")


def heaviest_wait(report):
    """Before it runs the shell, the child has the program's name, and may have a parent of its own."""
    weights = collections.Counter()
    for sample in report["samples"]:
        wait = sample.get("wait", {})
        weights[wait.get("kind"), wait.get("target"), wait.get("peer_pid", 0) != 0] += sample["weight_ns"]
    return max(weights, key=weights.get)


def test_case(jankwatch, words, expected):
    kind, sentence = expected
    report = planted(jankwatch, *words)
    equal(heaviest_wait(report), (kind, "sh", True))
    for option in ((), ("--redact",)):
        text = command.unwrapped(jankwatch.run("show", report["id"], *option).stdout)
        # In the first sentence and in the table.
        assert text.count(sentence) >= 2, (option, text)


def test_others_pipe(jankwatch):
    """What was there before the program is nothing that it started."""
    words = python("os.read(5, 1)")
    report = planted(jankwatch, "bash", "-c", 'exec 5< <(sleep 8; echo); sleep 0.1; "$@"; :', "bash", *words)
    equal(heaviest_wait(report)[:2], ("pipe", None))


for name, (words, expected) in CASES.items():
    command.add(name, test_case, program, words, expected)
command.add("others-pipe", test_others_pipe, program)
tap.main("/cli/children", n_at_once=3)
