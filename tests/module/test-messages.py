# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""What jankwatch has to say inside a program: a person at the terminal reads it, and the program never hears of it."""

import contextlib
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile

import tap
import watched
from watched import BUILD

MESSAGES = BUILD / "tests/module/messages"

# Two lines when it starts, and one when the first report cannot be kept.
CONFIG = "nonsense=1,interval=never,store=/dev/null/store,threshold=20ms,first-sample=4ms"
N_LINES = 3

def run(words, watched_too, folder):
    """A sanitizer, too, may write to standard error."""
    with watched.Program(*words, watched=watched_too, config=CONFIG, prefix=["env", "-C", folder]) as program:
        program.wait()
        said = [line for line in program.errors.splitlines() if line.startswith("jankwatch: ")]
        return program, said


def test_same(words, n_said=N_LINES):
    if shutil.which(words[0]) is None:
        raise AssertionError(f"There is no {words[0]}")
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        found, said = run(words, True, folder)
        alone, nothing = run(words, False, folder)
        tap.check_equal((found.status, found.output), (0, alone.output), f"status and output ({found.errors})")
        tap.check_equal((len(said), nothing), (n_said, []), f"what is said ({found.errors})")
        others = [line for line in found.errors.splitlines() if line not in said]
        tap.check_equal(others, alone.errors.splitlines(), "the other errors")


def run_with(*words, **streams):
    """Runs the program with a standard error of its own."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as home:
        subprocess.run([*words], env=watched.environment(home, config=CONFIG), check=True, stdin=subprocess.DEVNULL,
                       **streams)


def test_terminal():
    master, terminal = pty.openpty()
    run_with(MESSAGES, "run", stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    text = b""
    with contextlib.suppress(OSError):  # it has ended
        while part := os.read(master, 65536):
            text += part
    os.close(master)
    tap.check_equal(len(text.splitlines()), N_LINES, f"the number of lines ({text!r})")
    tap.contains(text.decode(), "jankwatch: There is no setting “nonsense”")


def test_both():
    """A file that is standard output, too, is a log."""
    with tempfile.TemporaryFile() as file:
        run_with(MESSAGES, "run", stdout=file, stderr=file)
        file.seek(0)
        tap.check_equal(file.read().count(b"jankwatch: "), N_LINES, "the number of lines")


def test_limited():
    """A file that may not grow ends nobody."""
    with tempfile.TemporaryFile() as file:
        run_with("sh", "-c", 'ulimit -f 0; exec "$0" silent', MESSAGES, stdout=file, stderr=file)


# Neither uses GLib: jankwatch watches what they start.
INHERITS = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
READS = """
import subprocess, sys
ran = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE)
print("read", ran.stderr)
sys.exit(ran.returncode)
"""


def test_between():
    """A program that reads the errors of another one does not find ours there."""
    with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
        check_between(installed(pathlib.Path(folder)))


def installed(folder):
    """The command as it was built, at a path without blanks: LD_PRELOAD cannot name others."""
    (folder / "src/cli").mkdir(parents=True)
    (folder / "src/module").symlink_to(watched.MODULE_FOLDER)
    return shutil.copy(watched.COMMAND, folder / "src/cli")


def check_between(command):
    for code, n_said in (INHERITS, 2), (READS, 0):
        words = [command, "run", "--quiet", "--", "/usr/bin/python3", "-c", code, MESSAGES, "run"]
        with watched.Program(*words, watched=False, extra={"JANKWATCH_CONFIG": CONFIG}) as program:
            program.wait()
        said = [line for line in program.errors.splitlines() if "etting" in line]
        tap.check_equal((program.status, len(said)), (0, n_said), f"status and number of lines ({program.errors})")
        tap.check(code is INHERITS or "read b''" in program.output, program.output)


def test_unclean():
    """A setting is no way to a terminal's commands."""
    escape = "\x1b]0;title\x07"
    program = watched.run(MESSAGES, "run", config=f"{escape}=1,threshold=\x9b2J{'x' * 9000}")
    tap.check_equal(len(program.messages), 2, f"the number of lines ({program.errors!r})")
    tap.check(all(character.isprintable() for line in program.messages for character in line), repr(program.errors))
    tap.check(max(len(line.encode()) for line in program.messages) < 4096, "a line is too long to be written at once")


for case in ("run", "expect", "fatal", "handler", "writer"):
    tap.add(case, test_same, [f"{MESSAGES}", case])
for case in ("file", "full-pipe"):
    tap.add(case, test_same, [f"{MESSAGES}", case], 0)
tap.add("errors", test_same, [f"{MESSAGES}", "errors"], N_LINES - 1)
tap.add_all(globals())
tap.main("/module/messages", n_at_once=2)
