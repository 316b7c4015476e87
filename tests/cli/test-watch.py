# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch watch`: commands and notifications for reports of programs that nobody runs by `jankwatch run`."""

import contextlib
import json
import os
import subprocess
import time

import command
import stuck
import tap
from tap import check, contains, equal

program, loop_program = map(os.path.abspath, tap.arguments(2))
SETTLE_S = 2
SCRIPT = """#!/bin/sh
{{ echo "$# $1 $2"; env; }} >>'{log}.new'
grep -c '' "$2" >>'{log}.new'
cp '{log}.new' '{log}.whole' && mv '{log}.whole' '{log}'
"""


@contextlib.contextmanager
def watching(jankwatch, config, **environment):
    """Yields: a function that ends it and returns what else it said."""
    def end():
        child.terminate()
        equal(child.wait(), 0)
        return child.stderr.read()

    with jankwatch.started(program, "watch", stderr=subprocess.PIPE, text=True,
                           env={**jankwatch.environment, "JANKWATCH_CONFIG": config, **environment}) as child:
        contains(child.stderr.readline(), "Waiting for reports")
        yield end


def freeze(jankwatch, *ways):
    """Returns: all reports, oldest first: of a busy machine one may come first, and is told in place of the planted"""
    equal(jankwatch.watched(loop_program, *ways).returncode, 7)
    return json.loads(jankwatch.run("list", "--json").stdout)[::-1]


def await_file(path):
    command.until(lambda: os.path.exists(path))
    with open(path) as file:
        return file.read()


def write_script(jankwatch):
    """Returns: the path of a script that appends its arguments, its environment and the report's lines to a log, and
    the log's"""
    script, log = os.path.join(jankwatch.home, "tell"), os.path.join(jankwatch.home, "log")
    with open(script, "w") as file:
        file.write(SCRIPT.format(log=log))
    os.chmod(script, 0o700)
    return script, log


def test_command(jankwatch):
    """Its own words, then the file, which is there by then; and nothing that has it watched."""
    script, log = write_script(jankwatch)
    with watching(jankwatch, f"on-report={script} 'two words'", GTK_MODULES="jankwatch:other") as end:
        report = freeze(jankwatch, "sleep")[0]
        text = await_file(log)
        check(text.startswith(f"2 two words {jankwatch.store}/{report['id']}.json\n"), text)
        check(text.endswith("\n1\n") and "JANKWATCH" not in text, text)
        contains(text, "GTK_MODULES=other\n")
        equal(end(), "")


def test_rate(jankwatch):
    """Two problems in one second: the second is only counted, and that is said. Where the machine took longer it is
    told."""
    script, log = write_script(jankwatch)
    with watching(jankwatch, f"on-report={script}") as end:
        first, second = freeze(jankwatch, "sleep", "compute")[:2]
        await_file(log)
        time.sleep(SETTLE_S)
        said, text = end(), await_file(log)
    reports = [json.loads(jankwatch.run("show", "--json", row["id"]).stdout)["stall"] for row in (first, second)]
    ended = [stall["began_monotonic_ns"] + stall["duration_ns"] for stall in reports]
    contains(text, first["id"])
    check((script in said) != (second["id"] in text), said, text)
    check(script in said or ended[1] - ended[0] > 0.9e9, said, text)


def test_missing_command(jankwatch):
    """Said once; reports are kept all the same."""
    with watching(jankwatch, "on-report=no-such-command-anywhere") as end:
        freeze(jankwatch, "sleep")
        time.sleep(SETTLE_S)
        (line,) = end().splitlines()
        contains(line, "no-such-command-anywhere")


def test_notify(jankwatch):
    """One for the first problem, none for the second in the same minute."""
    server, log = os.path.join(stuck.HERE, "notifications.py"), os.path.join(jankwatch.home, "log")
    with stuck.bus(jankwatch), stuck.started(jankwatch, stuck.PYTHON, server, log), \
            watching(jankwatch, "notify=yes") as end:
        first = freeze(jankwatch, "sleep")[0]
        await_file(log)
        contains([row.get("culprit") for row in freeze(jankwatch, "compute")], "freeze_by_computing")
        time.sleep(SETTLE_S)
        told = json.loads(await_file(log))
        end()
    equal(told["n"], 1)
    contains(told["summary"], "loop-program")
    contains(told["body"], first["id"])


command.add_all(globals(), program)
tap.main("/cli/watch", n_at_once=2)
