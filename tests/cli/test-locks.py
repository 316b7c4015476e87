# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A wait for a lock names its holder's own function: on the line, in the report and wherever that
goes."""

import json
import os
import re

import command
import tap
from tap import contains

program, locks = map(os.path.abspath, tap.arguments(2))
HERE = os.path.dirname(os.path.abspath(__file__))


def run(jankwatch, *words, **environment):
    """Returns: the lines of `run`, the report as text, as Markdown and as JSON"""
    result = jankwatch.run("run", "--", *words, **environment)
    tap.equal(result.returncode, 0)
    texts = [jankwatch.run("show").stdout, jankwatch.run("export", "--format", "markdown").stdout]
    return result.stderr, *map(command.unwrapped, texts), json.loads(jankwatch.run("show", "--json").stdout)


def check(jankwatch, lock, holder, *words):
    *texts, report = run(jankwatch, *words)
    # Markdown is redacted: no names of threads.
    expected = (rf"(refresh_list|lock)\(\).* waiting for a lock \({lock}\) that thread \d+( “\S+”)? holds in "
                + re.escape(holder))
    for text in texts:
        assert re.search(expected, text), text
    owners = {sample["wait"]["lock"]["owner"] for sample in report["samples"] if "lock" in sample.get("wait", {})}
    threads = [thread for thread in report["threads"] if thread["tid"] in owners]
    tap.equal([thread["function"] for thread in threads], ["save_database"])
    assert holder.endswith(f"({os.path.basename(threads[0]['file'])}:{threads[0]['line']})"), threads


def find_line(name, text):
    with open(os.path.join(HERE, name)) as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


def check_c(jankwatch, kind):
    check(jankwatch, kind, f"save_database() (locks.c:{find_line('locks.c', 'g_usleep (HOLD_US)')})", locks, kind)


def test_mutex(jankwatch):
    check_c(jankwatch, "GMutex")


def test_reader(jankwatch):
    check_c(jankwatch, "GRWLock")


def test_semaphore(jankwatch):
    check_c(jankwatch, "sem")


def test_counter(jankwatch):
    """Who takes what another thread gives back holds nothing: nobody is named without proof, nor once there is none."""
    said, *texts, report = run(jankwatch, locks, "counter")
    texts.append(said)
    _, *others, other = run(jankwatch, locks, "counter-once-a-lock")
    for text in (*texts, *others):
        assert "holds" not in text, text
    for wait in (sample["wait"] for report in (report, other) for sample in report["samples"] if "wait" in sample):
        assert "owner" not in wait.get("lock", {}) and "held" not in wait.get("detail", ""), wait
    contains(texts[0], "was waiting for a semaphore")


def test_again(jankwatch):
    """A lock that the very thread holds that waits for it."""
    _, text, _, report = run(jankwatch, locks, "again")
    contains(text, f"Deadlock: thread {report['app']['pid']} “locks” is waiting for a lock that it holds itself.")
    tap.equal(report["samples"][-1]["wait"]["lock"]["owner"], report["app"]["pid"])


def test_later(jankwatch):
    """A deadlock that forms when the threads have been read once."""
    _, text, _, report = run(jankwatch, locks, "later")
    assert re.match(r"Deadlock: \d+ “locks” → \d+ “db-writer” → ", text), text
    tap.equal(report["locks"]["deadlock"], True)


def test_off(jankwatch):
    """Neither by the environment nor by a file: nobody is named."""
    def check_unknown(**environment):
        _, text, _, report = run(jankwatch, locks, "GMutex", **environment)
        contains(text, "waiting for a lock (GMutex, owner unknown)")
        assert not any("owner" in sample.get("wait", {}).get("lock", {}) for sample in report["samples"]), report

    check_unknown(JANKWATCH_CONFIG="locks=no")
    folder = os.path.join(jankwatch.home, "config", "jankwatch")
    os.makedirs(folder)
    with open(os.path.join(folder, "settings.conf"), "w") as file:
        file.write("[default]\nlocks=no\n")
    check_unknown()


command.add_all(globals(), program)
tap.main("/cli/locks")
