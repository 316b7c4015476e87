# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A wait for a lock names its holder's own function: on the line, in the report and wherever that goes."""

import os
import pathlib
import re

import command
import tap
from tap import contains

program, staller = map(os.path.abspath, tap.arguments(2))
SOURCE = pathlib.Path(__file__).parent.parent / "programs/kinds-holder.c"
LINE = next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if "while (clock_nanosleep" in line)
HOLDER = rf"holder_sleeps\(\) \(kinds-holder\.c:{LINE}\)"


def run(jankwatch, kind, **environment):
    """Returns: the lines of `run`, the report as text, as Markdown and as JSON"""
    result = jankwatch.run("run", "--", staller, kind, "700", **environment)
    tap.check_equal(result.returncode, 0)
    report = jankwatch.find("--culprit=stall_in_*")
    texts = [jankwatch.run("show", report["id"]).stdout,
             jankwatch.run("export", "--format", "markdown", report["id"]).stdout]
    return result.stderr, *map(command.unwrapped, texts), report


def check_named(jankwatch, kind, lock):
    *texts, report = run(jankwatch, kind)
    # Markdown is redacted: no names of threads.
    expected = rf"stall_in_\w+\(\).* waiting for a lock \({lock}\) that thread \d+( “\S+”)? holds in {HOLDER}"
    for text in texts:
        assert re.search(expected, text), text
    owners = {sample["wait"]["lock"]["owner"] for sample in report["samples"] if "lock" in sample.get("wait", {})}
    tap.check_equal([thread["function"] for thread in report["threads"] if thread["tid"] in owners], ["holder_sleeps"])


def test_counter(jankwatch):
    """Who takes what another thread gives back holds nothing: nobody is named without proof, nor once there is none."""
    said, *texts, report = run(jankwatch, "recorded-counter")
    _, *others, other = run(jankwatch, "recorded-counter-once-a-lock")
    for text in (said, *texts, *others):
        assert "holds" not in text, text
    for wait in (sample["wait"] for report in (report, other) for sample in report["samples"] if "wait" in sample):
        assert "owner" not in wait.get("lock", {}) and "held" not in wait.get("detail", ""), wait
    contains(texts[0], "was waiting for a semaphore")


def test_again(jankwatch):
    """A lock that the very thread holds that waits for it."""
    _, text, _, report = run(jankwatch, "recorded-again")
    contains(text, f"Deadlock: thread {report['app']['pid']} “staller” is waiting for a lock that it holds itself, "
                   "probably since kind_cb() ")
    tap.check_equal(report["samples"][-1]["wait"]["lock"]["owner"], report["app"]["pid"])


def test_later(jankwatch):
    """A deadlock that forms when the threads have been read once."""
    _, text, _, report = run(jankwatch, "recorded-later")
    assert re.match(r"Deadlock: \d+ “staller” → \d+ “holder” → ", text), text
    tap.check_equal(report["locks"]["deadlock"], True)


def test_off(jankwatch):
    """Neither by the environment nor by a file: nobody is named."""
    def check_unknown(**environment):
        _, text, _, report = run(jankwatch, "recorded-mutex", **environment)
        contains(text, "waiting for a lock (GMutex, owner unknown)")
        assert not any("owner" in sample.get("wait", {}).get("lock", {}) for sample in report["samples"]), report

    check_unknown(JANKWATCH_CONFIG="locks=no")
    folder = os.path.join(jankwatch.home, "config", "jankwatch")
    os.makedirs(folder)
    pathlib.Path(folder, "settings.conf").write_text("[default]\nlocks=no\n")
    check_unknown()


for kind, lock in ("recorded-mutex", "GMutex"), ("recorded-reader", "GRWLock"), ("recorded-semaphore", "sem"):
    command.add(lock, check_named, program, kind, lock)
command.add_all(globals(), program)
tap.main("/cli/locks", n_at_once=2)
