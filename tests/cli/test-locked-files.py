# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The file whose lock a program waits for, and who holds it: flock(), and SQLite, which sleeps and tries again."""

import contextlib
import os
import subprocess

import command
import tap
from tap import equal

program, = map(os.path.abspath, tap.arguments(1))

PYTHON = "/usr/bin/python3"
HOLD_DATABASE = """
import sqlite3, sys
database = sqlite3.connect("a.db")
database.execute("pragma journal_mode=%s")
database.execute("create table if not exists t(a)")
database.commit()
database.execute("begin immediate")
"""
HOLD_FLOCK = "import fcntl, sys; file = open('a.lock', 'w'); fcntl.flock(file, fcntl.LOCK_EX)\n"
SAY_AND_WAIT = "print('ready', flush=True); sys.stdin.read()"
WAIT = """
def wait():
    %s
    GLib.timeout_add(50, loop.quit)
%s
"""
ASK_DATABASE = """
    try:
        sqlite3.connect("a.db", timeout=0.5).execute("insert into t values(1)")
    except sqlite3.OperationalError:
        pass
"""
# Once somebody waits it is given up.
ASK_FLOCK = "fcntl.flock(open('a.lock', 'w'), fcntl.LOCK_EX)"
DATABASE, LOCK = "waiting for the lock of the database ‘{}’", "waiting for a lock on ‘{}’"


@contextlib.contextmanager
def holder(folder, code):
    with subprocess.Popen([PYTHON, "-c", code + SAY_AND_WAIT], cwd=folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        equal(process.stdout.readline(), "ready\n")
        yield process


def check(jankwatch, sentence):
    text = command.unwrapped(jankwatch.run("show", jankwatch.find("--culprit=wait*")["id"]).stdout)
    assert text.count(sentence) >= 2, (sentence, text)


def run(jankwatch, ask, hold=""):
    words = [jankwatch.program, "run", "--", *command.planted(WAIT % (ask, hold), "wait")]
    ran = subprocess.run(words, cwd=jankwatch.home, env=jankwatch.environment, capture_output=True, text=True,
                         timeout=100)
    equal((ran.returncode, ran.stdout), (0, ""))


def test_database(jankwatch, mode):
    with holder(jankwatch.home, HOLD_DATABASE % mode) as process:
        run(jankwatch, ASK_DATABASE)
        path = os.path.join(jankwatch.home, "a.db")
        check(jankwatch, f"{DATABASE.format(path)}, held by python3 [{process.pid}]")


def test_own_database(jankwatch):
    run(jankwatch, ASK_DATABASE, HOLD_DATABASE % "delete")
    check(jankwatch, f"{DATABASE.format(os.path.join(jankwatch.home, 'a.db'))}, held by the program itself")


def test_sleep(jankwatch):
    """A function of the program's that SQLite calls sleeps, and that is no wait for the database."""
    ask = """
    database = sqlite3.connect(":memory:")
    database.create_function("wait", 0, lambda: time.sleep(0.5))
    database.execute("select wait()").fetchall()
"""
    with holder(jankwatch.home, HOLD_DATABASE % "delete"):
        run(jankwatch, ask, "other = sqlite3.connect('a.db'); other.execute('select * from t').fetchall()")
        check(jankwatch, "sleeping")
        equal("database" in f"{jankwatch.find('--culprit=wait*')['samples']}", False)


def test_flock(jankwatch):
    with holder(jankwatch.home, HOLD_FLOCK) as process:
        end = "threading.Timer(0.5, lambda: __import__('os').kill(%d, 9)).start()" % process.pid
        run(jankwatch, end + "; " + ASK_FLOCK)
        path = os.path.join(jankwatch.home, "a.lock")
        check(jankwatch, f"{LOCK.format(path)}, held by python3 [{process.pid}]")


for mode in ("delete", "wal"):
    command.add(f"database-{mode}", test_database, program, mode)
command.add("own-database", test_own_database, program)
command.add("sleep", test_sleep, program)
command.add("flock", test_flock, program)
tap.main("/cli/locked-files")
