# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs the `jankwatch` command for its tests."""

import os
import subprocess
import tempfile

import tap


class Command:
    """The `jankwatch` command with a home of its own."""

    def __init__(self, program, home):
        self.program = program
        self.home = home
        self.store = os.path.join(home, "state", "jankwatch")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("JANKWATCH")}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "GTK_MODULES", "GIO_EXTRA_MODULES", "NO_COLOR", "COLUMNS"):
            self.environment.pop(name, None)
        self.environment.update(
            HOME=home,
            LC_ALL="C.UTF-8",
            XDG_STATE_HOME=os.path.join(home, "state"),
            XDG_CONFIG_HOME=os.path.join(home, "config"),
        )

    def run(self, *arguments, input="", **environment):
        return subprocess.run(
            [self.program, *arguments],
            env={**self.environment, **environment},
            input=input,
            capture_output=True,
            text=True,
            timeout=100,
        )


def _run_with_home(test, program, *arguments):
    with tempfile.TemporaryDirectory() as home:
        return test(Command(program, home), *arguments)


def add(name, test, program, *arguments):
    """Adds test(jankwatch, *arguments) as NAME, with a Command of its own."""
    tap.add(name, _run_with_home, test, program, *arguments)


def add(name, test, program):
    """Adds test(Command) as the subtest NAME, with a Command of its own."""
    tap.add(name, _run_with_home, test, program)


def add_all(namespace, program):
    """Adds each test_some_name(jankwatch) of a script's globals() as some-name, with a Command of its own."""
    for name, test in namespace.items():
        if name.startswith("test_"):
            add(name.removeprefix("test_").replace("_", "-"), test, program)


def unwrapped(text):
    """Without the line breaks, which depend on the lengths of paths."""
    return " ".join(text.split())
