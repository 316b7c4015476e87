# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch run` of programs that use GLib's main loop and never GIO, which would load the module."""

import json
import os
import shutil
import subprocess

import command
import tap
from tap import contains, equal

program, glib_only, sanitized, preload = map(os.path.abspath, tap.arguments(4))

NOTHING = "Nothing was watched: "


def install(jankwatch, *folder):
    """As it was built, at a path of our choice: LD_PRELOAD cannot name one with a blank. Returns the preloaded
    library."""
    root = os.path.join(jankwatch.home, *folder, "src")
    os.makedirs(os.path.join(root, "cli"))
    os.symlink(os.path.dirname(os.path.dirname(preload)), os.path.join(root, "module"))
    jankwatch.program = shutil.copy(program, os.path.join(root, "cli"))
    return os.path.join(root, "module", "preload", os.path.basename(preload))


def watched(jankwatch, *words, **environment):
    path = os.path.join(jankwatch.home, "summary.json")
    result = jankwatch.run("run", "--json", path, "--", *words, **environment)
    with open(path) as file:
        return json.load(file), result


def check_loop(jankwatch, kind):
    install(jankwatch)
    summary, result = watched(jankwatch, glib_only, kind)
    equal(result.returncode, 7)
    equal([process["app"]["exe"] for process in summary["processes"]], [os.path.realpath(glib_only)])
    # A busy machine may have no stack, but none of another function.
    found = [stall.get("culprit") for stall in summary["stalls"]
             if stall["kind"] == "stall" and stall["duration_ns"] > 290e6]
    assert found and set(found) <= {"freeze_by_computing", None}, summary["stalls"]


def test_loop(jankwatch):
    check_loop(jankwatch, "loop")


def test_iterate(jankwatch):
    check_loop(jankwatch, "iterate")


def test_environment(jankwatch):
    """Neither the program nor its child sees the variable, and one that was there stays as it was."""
    other = install(jankwatch).replace("preload.so", "another.so")
    for before in (None, other, f"{other}:/nowhere/x.so"):
        environment = {} if before is None else {"LD_PRELOAD": before}
        lines = jankwatch.run("run", "--", glib_only, "none", **environment).stdout.splitlines()
        # A shell counts how deep it is.
        found = [line for line in lines if line.startswith("LD_PRELOAD=")]
        equal((before, found), (before, [f"LD_PRELOAD={before}"] * 2 if before else []))


def test_asked_not_to(jankwatch):
    environment = {**jankwatch.environment, "LD_PRELOAD": install(jankwatch), "JANKWATCH_SESSION": ""}
    for asked in ("0", None):
        environment.pop("JANKWATCH", None)
        if asked is not None:
            environment["JANKWATCH"] = asked
        result = subprocess.run([glib_only, "loop"], env=environment, capture_output=True, text=True)
        equal((result.returncode, result.stdout, result.stderr), (7, "", ""))
        assert not os.path.exists(jankwatch.store), jankwatch.store


def test_sanitized(jankwatch):
    """Its runtime refuses to start behind any other library."""
    install(jankwatch)
    _, result = watched(jankwatch, sanitized, "loop")
    equal(result.returncode, 7)
    contains(command.unwrapped(result.stderr), NOTHING)
    contains(command.unwrapped(result.stderr), "built with a sanitizer")


def test_blank_in_path(jankwatch):
    install(jankwatch, "a folder")
    _, result = watched(jankwatch, glib_only, "loop")
    equal(result.returncode, 7)
    contains(command.unwrapped(result.stderr), "a blank or a colon")


command.add_all(globals(), program)
tap.main("/cli/glib-only")
