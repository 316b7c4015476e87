# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The closing lines of a run: the sums, and a reason for each test or subtest that was skipped. And what README.md and
the manual promise: each sentence and command has a test that `sh tests/run` runs."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

ROOT = pathlib.Path(__file__).parent.parent.parent
PROGRAM = ROOT / "tests/suite.py"
sys.path.insert(0, f"{PROGRAM.parent}")
import suite  # noqa: E402


def count(*results):
    """results: of each test, Meson's word, what the test printed and, of some, its errors. Returns the exit status and
    the lines."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "meson-logs", "testlog.json")
        log.parent.mkdir()
        tests = [dict(zip(("result", "stdout", "stderr"), result)) for result in results]
        log.write_text("".join(json.dumps({"name": "a+b - own:stage/test", **test}) + "\n" for test in tests))
        done = subprocess.run([sys.executable, PROGRAM, "sum", folder], capture_output=True, text=True)
    return done.returncode, done.stdout.replace(f"{folder}: a+b - own:", "").replace(folder, "FOLDER").splitlines()


def test_subtests():
    tap.check_equal(count(("OK", "1..3\nok 1 a # SKIP no bus\nok 2 b\nok 3 c # SKIP slow\n"), ("OK", "ok 1 d\n")),
                    (0, ["stage/test: ok 1 a # SKIP no bus", "stage/test: ok 3 c # SKIP slow",
                         "2 passed, 0 failed, 2 skipped"]),
                    "the lines of a run with two skipped subtests")


def test_tests():
    tap.check_equal(count(("SKIP", "1..0 # SKIP no display\n"), ("SKIP", ""),
                          ("FAIL", "ok 1 b\nnot ok 2 a\n", "# why\n")),
                    (1, ["stage/test: 1..0 # SKIP no display", "stage/test: no reason", "stage/test: FAIL",
                         "    not ok 2 a", "    # why",
                         "    again: meson test -C FOLDER --print-errorlogs stage/test",
                         "0 passed, 1 failed, 2 skipped"]),
                    "the lines of a run with two skipped tests and a failed one")


def test_nothing():
    tap.check_equal((count()[0], count()[1][-1]), (1, "0 passed, 1 failed, 0 skipped"), "a run without tests")


def find_sentences():
    """Of README.md's parts Use and Figures, up to the figures' end: each sentence, line of code and row of a table."""
    parts = re.findall(r"^## (?:Use|Figures)$\n(.*?)(?=^## |^<!-- end)", (ROOT / "README.md").read_text(), re.M | re.S)
    text = re.sub(r"<!--.*?-->|^\| (?:language|when|---).*$", "", "\n\n".join(parts), flags=re.M)
    blocks = re.split(r"\n\n+|\n(?=[-|] |    )", text)
    return [" ".join(sentence.split()) for block in blocks for sentence in re.split(r"(?<=\.)\s+(?=[A-Z`])", block)
            if sentence.strip()]


def test_promises():
    promises = dict(suite.read_promises())
    sentences = find_sentences()
    tap.check(len(sentences) > 20, "README.md's sentences:", *sentences)
    manual = (ROOT / "data/jankwatch.1").read_text().replace("\\-", "-")
    commands = re.findall(r"^\.B (\S+)$", manual.split(".SH SYNOPSIS", 1)[1].split(".SH ", 1)[0], re.M)
    tap.check_equal([sentence for sentence in sentences if not any(part in sentence for part in promises)], [],
                    "the sentences without a test")
    tap.check_equal([command for command in commands if command[0] != "-" and
                     not any(re.search(rf"\b{command}\b", part) for part in promises)], [],
                    "the commands without a test")
    build = pathlib.Path(os.environ["G_TEST_BUILDDIR"]).parent
    names = {test["name"] for test in suite.introspect(build, "tests")}
    rooms = {name.split("/")[0] for name in names}
    tap.check_equal([test for tests in promises.values() for test in tests
                     if test not in names and test.split("/")[0] in rooms], [], "the tests that are not there")
    text = " ".join(((ROOT / "README.md").read_text() + manual).split())
    tap.check_equal([part for part in promises if part not in text], [], "the parts of no sentence")


tap.add_all(globals())
tap.main("/tree/suite")
