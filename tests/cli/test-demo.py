# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch demo` without a display: it brings one, shows the report, and leaves nothing behind."""

import json
import os
import pathlib
import re
import shutil

import command
import tap
from tap import contains, equal

program, demo_program = tap.arguments(2)


def recording_xvfb(jankwatch):
    """An Xvfb before the real one in PATH, which notes its process."""
    folder = os.path.join(jankwatch.home, "bin")
    note = os.path.join(jankwatch.home, "xvfb-pid")
    os.mkdir(folder)
    path = os.path.join(folder, "Xvfb")
    pathlib.Path(path).write_text(f"#!/bin/sh\necho $$ > {note}\nexec {shutil.which('Xvfb')} \"$@\"\n")
    os.chmod(path, 0o755)
    return folder, note


def own_errors(result):
    """Without those of Mesa, which 26 prints on a display like Xvfb."""
    return "".join(line for line in result.stderr.splitlines(True) if not line.startswith("libEGL warning: "))


def test_list(jankwatch):
    result = jankwatch.run("demo", "--list")
    equal(result.returncode, 0)
    for kind in ("compute", "sleep", "file", "lock", "deadlock", "dbus", "list", "nested", "spin", "split"):
        assert re.search(rf"^{kind} +\w+ \w+", result.stdout, re.MULTILINE), (kind, result.stdout)


def test_no_display_no_kind(jankwatch):
    result = jankwatch.run("demo")
    equal((result.returncode, result.stdout), (2, ""))
    contains(result.stderr, "--auto")


def test_no_xvfb(jankwatch):
    result = jankwatch.run("demo", "--auto", "compute", PATH="/nowhere")
    equal((result.returncode, result.stdout), (1, ""))
    contains(result.stderr, "xvfb")


def shown_of(jankwatch, culprit):
    """The worst is another stall where the machine kept the demo from its CPU."""
    rows = json.loads(jankwatch.run("list", "--json", f"--culprit={culprit}").stdout)
    return command.unwrapped(jankwatch.run("show", rows[0]["id"]).stdout)


def test_compute(jankwatch):
    folder, note = recording_xvfb(jankwatch)
    result = jankwatch.run("demo", "--auto", "compute", PATH=folder + ":" + os.environ["PATH"])
    equal((result.returncode, own_errors(result)), (0, ""))
    shown = shown_of(jankwatch, "stall_compute")
    contains(result.stdout, "Where the time went")
    assert re.search(r" Culprit stall_compute, .*demo-stall-compute\.c:[0-9]+ ", shown), shown
    pid = pathlib.Path(note).read_text().strip()
    assert not os.path.exists(f"/proc/{pid}"), "Xvfb still runs"


def test_spin(jankwatch):
    result = jankwatch.run("demo", "spin")
    equal((result.returncode, own_errors(result)), (0, ""))
    spins = [row for row in json.loads(jankwatch.run("list", "--json").stdout) if row["kind"] == "spin"]
    assert spins, result.stdout
    shown = jankwatch.run("show", spins[0]["id"]).stdout
    contains(command.unwrapped(shown), "it dispatched spin_check_again_cb()")


def test_list_kind(jankwatch):
    """Each slow row is a stall of its own, in the function that binds it."""
    result = jankwatch.run("demo", "--auto", "list", "--", "--seconds", "1.5")
    equal((result.returncode, own_errors(result)), (0, ""))
    rows = json.loads(jankwatch.run("list", "--json", "--culprit=list_bind_row_cb").stdout)
    # A machine that stops makes one shorter.
    assert any(row["duration_ns"] >= 500e6 for row in rows), rows
    shown = shown_of(jankwatch, "list_bind_row_cb")
    assert re.search(r" Culprit list_bind_row_cb, .*demo-stall-list\.c:[0-9]+ ", shown), shown
    report = json.loads(pathlib.Path(jankwatch.store, rows[0]["id"] + ".json").read_text())
    repeats = report.get("repeats", {"count": 1})["count"]
    assert len(rows) > 1 or repeats > 1, (rows, repeats)


def test_unknown_kind(jankwatch):
    result = jankwatch.run("demo", "--auto", "fly")
    assert result.returncode != 0
    equal(result.stdout, "")
    contains(result.stderr, "fly")
    contains(jankwatch.run("demo", "--auto", "comput").stderr, "Did you mean “compute”?")


command.add_all(globals(), program)
tap.main("/cli/demo", n_at_once=2)
