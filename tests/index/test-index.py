# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The index says what the reports say: when they change, when it is damaged, and when several processes use it."""

import glob
import json
import os
import pathlib
import pty
import re
import signal
import sqlite3
import subprocess
import time

import command
import tap
from tap import equal

program, make_many, n_large = tap.arguments(3)
FOREVER = 600


def fill(jankwatch, n):
    subprocess.run([make_many, jankwatch.store, str(n)], check=True)


def names(jankwatch):
    return {name.removesuffix(".json") for name in os.listdir(jankwatch.store) if name.endswith(".json")}


def path(jankwatch, name):
    return os.path.join(jankwatch.store, name + ".json")


def listed(jankwatch, **environment):
    result = jankwatch.run("list", "--json", **environment)
    equal((result.returncode, result.stderr), (0, ""))
    return json.loads(result.stdout)


def ids(jankwatch, **environment):
    return {row["id"] for row in listed(jankwatch, **environment)}


def indexes(jankwatch):
    return glob.glob(os.path.join(jankwatch.store, "index", "*"))


def replace(jankwatch, name, change):
    """As jankwatch itself does: under another name, and renamed."""
    report = json.loads(pathlib.Path(path(jankwatch, name)).read_text())
    change(report)
    pathlib.Path(path(jankwatch, name) + ".new").write_text(json.dumps(report))
    os.rename(path(jankwatch, name) + ".new", path(jankwatch, name))


def test_changes(jankwatch):
    """New, changed, gone: each shows at once, and the order stays newest first."""
    fill(jankwatch, 60)
    before = listed(jankwatch)
    equal({row["id"] for row in before}, names(jankwatch))
    equal(len(indexes(jankwatch)), 1)
    begins = [row["began"] for row in before]
    equal(begins, sorted(begins, reverse=True))
    os.remove(path(jankwatch, before[3]["id"]))
    replace(jankwatch, before[5]["id"], lambda report: report["culprit"].update(function="somebody_else"))
    copy = json.loads(pathlib.Path(path(jankwatch, before[7]["id"])).read_text()) | {"id": "20270101-000000-1-10"}
    pathlib.Path(path(jankwatch, "20270101-000000-1-10")).write_text(json.dumps(copy))
    after = listed(jankwatch)
    expected = [row["id"] for row in before]
    equal([row["id"] for row in after], ["20270101-000000-1-10"] + expected[:3] + expected[4:])
    equal([row["culprit"] for row in after if row["id"] == before[5]["id"]], ["somebody_else"])


def test_large(jankwatch):
    """From 2,000 files on an unchanged folder is not looked through; a change is noticed all the same."""
    fill(jankwatch, int(n_large))
    equal(ids(jankwatch), names(jankwatch))
    old = os.stat(jankwatch.store).st_mtime - 1000
    os.utime(jankwatch.store, (old, old))
    for attempt in range(2):
        equal(ids(jankwatch), names(jankwatch))
    with open(glob.glob(os.path.join(jankwatch.store, "index", "*"))[0], "rb") as file:
        equal(file.read(15), b"SQLite format 3")
    one, other = sorted(names(jankwatch))[:2]
    os.remove(path(jankwatch, one))
    replace(jankwatch, other, lambda report: report["culprit"].update(function="somebody_else"))
    rows = listed(jankwatch)
    equal({row["id"] for row in rows}, names(jankwatch))
    equal([row["culprit"] for row in rows if row["id"] == other], ["somebody_else"])


def read_on_terminal(jankwatch, **environment):
    """What a first `list` prints on a terminal, when reading takes more than a second: it is stopped for that long."""
    ours, its = pty.openpty()
    child = subprocess.Popen([program, "list"], env={**jankwatch.environment, **environment}, stdout=subprocess.DEVNULL,
                             stderr=its)
    os.close(its)
    while not indexes(jankwatch):
        time.sleep(0.001)
    child.send_signal(signal.SIGSTOP)
    time.sleep(1.1)
    child.send_signal(signal.SIGCONT)
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError: # its end has been closed
        pass
    os.close(ours)
    equal(child.wait(), 0)
    return text.decode()


def test_progress(jankwatch):
    """A terminal is told how far it is, in a line that is gone afterwards."""
    fill(jankwatch, int(n_large))
    text = read_on_terminal(jankwatch, TERM="xterm")
    lines = re.findall(r"\r\x1b\[KReading new reports: ([0-9]+) / ([0-9]+)", text)
    assert lines and {int(n) for _, n in lines} == {int(n_large)}, text
    assert "\r\x1b[K" + f"jankwatch: {int(n_large) - 20} more reports" in text, text
    for path in indexes(jankwatch):
        os.remove(path)
    equal(read_on_terminal(jankwatch, TERM="dumb").split(":")[0], "jankwatch")


def test_damaged(jankwatch):
    """Whatever happens to the index, the answer is that of the reports."""
    fill(jankwatch, 40)
    expected = listed(jankwatch)

    def cut(name):
        os.truncate(name, 5000)

    def empty(name):
        os.truncate(name, 0)

    def scribble(name):
        with open(name, "r+b") as file:
            for at in range(0, os.path.getsize(name) - 64, 512):
                file.seek(at + 20)
                file.write(os.urandom(64))

    def scribble_later(name):
        """The first pages are fine."""
        with open(name, "r+b") as file:
            file.seek(2 * 4096)
            file.write(b"\xff" * (os.path.getsize(name) - 2 * 4096))

    def other_version(name):
        with sqlite3.connect(name) as db:
            db.execute("CREATE TABLE more (x)")

    def wrong_values(name):
        with sqlite3.connect(name) as db:
            db.execute("UPDATE report SET kind = 77, severity = -4")

    def half(name):
        """As of a process that was killed while it filled the index."""
        with sqlite3.connect(name) as db:
            db.execute("DELETE FROM report WHERE at % 2")

    def folder(name):
        os.remove(name)
        os.mkdir(name)

    def link(name):
        os.rename(name, os.path.join(jankwatch.home, "moved"))
        os.symlink(os.path.join(jankwatch.home, "moved"), name)

    for damage in (os.remove, cut, empty, scribble, scribble_later, other_version, wrong_values, half, folder, link):
        damage(max(indexes(jankwatch)))
        for attempt in range(2):
            equal((damage.__name__, attempt, listed(jankwatch) == expected), (damage.__name__, attempt, True))


def test_locked(jankwatch):
    """A process that keeps the index to itself, for as long as it likes."""
    fill(jankwatch, 30)
    expected = listed(jankwatch)
    db = sqlite3.connect(indexes(jankwatch)[0])
    db.execute("BEGIN EXCLUSIVE")
    equal(listed(jankwatch), expected)
    db.close()


def test_no_place(jankwatch):
    """No index can be kept: a file is in its place."""
    fill(jankwatch, 30)
    with open(os.path.join(jankwatch.store, "index"), "w"):
        pass
    equal(ids(jankwatch), names(jankwatch))


def test_together(jankwatch):
    """Several processes at once, while reports come and go."""
    fill(jankwatch, 400)
    always = sorted(names(jankwatch))[:300]
    readers = [subprocess.Popen([jankwatch.program, "list", "--json"], env=jankwatch.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    for name in sorted(names(jankwatch))[300:]:
        os.rename(path(jankwatch, name), os.path.join(jankwatch.home, name))
    for reader in readers:
        output, errors = reader.communicate(timeout=FOREVER)
        found = {row["id"] for row in json.loads(output)}
        equal((reader.returncode, errors), (0, ""))
        assert found.issuperset(always), sorted(set(always) - found)
    equal(ids(jankwatch), names(jankwatch))


def test_bad_files(jankwatch):
    """One line each, which names the file and the reason; every other report is there."""
    fill(jankwatch, 20)
    good = names(jankwatch)
    text = pathlib.Path(path(jankwatch, min(good))).read_text()
    bad = {
        "20270101-000000-1-1": ("", "not JSON|JSON object"),
        "20270101-000000-1-2": (text[:5000], ""),
        "20270101-000000-1-3": ("[" * 100000, ""),
        "20270101-000000-1-4": ('{"a":' * 1000, "nested deeper"),
        "20270101-000000-1-5": (text.replace("jankwatch-report-1", "jankwatch-report-2"), "its version is"),
        "20270101-000000-1-6": (text, "its ID is"),
        "20270101-000000-1-7": (" " * (17 << 20), "larger than 16 MiB"),
        "20270101-000000-1-8": (text.replace("id", "\x1b[31m"), ""),
        "strange": ("{}", "its name"),
    }
    for name, (content, _) in bad.items():
        pathlib.Path(path(jankwatch, name)).write_text(content)
    os.mkfifo(path(jankwatch, "20270101-000000-1-9"))
    for attempt in range(2):
        result = jankwatch.run("list", "--json")
        equal((result.returncode, {row["id"] for row in json.loads(result.stdout)}), (0, good))
        lines = {name: [line for line in result.stderr.splitlines() if name in line] for name in bad}
        equal({name: len(found) for name, found in lines.items()}, dict.fromkeys(bad, 1))
        for name, (_, reason) in bad.items():
            assert any(part in lines[name][0] for part in reason.split("|")), lines[name]
        equal(len(result.stderr.splitlines()), len(bad) + 1)
        assert "\x1b" not in result.stderr


command.add_all(globals(), program)
tap.main("/index")
