# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Tests of the command: what runs it, and what prints their results for Meson."""

import os
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager


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


@contextmanager
def command(program):
    with tempfile.TemporaryDirectory() as home:
        yield Command(program, home)


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def contains(text, part):
    assert part in text, f"no {part!r} in {text!r}"


def main(prefix, tests):
    """Runs each function test_some_name() as prefix/some-name."""
    print(f"1..{len(tests)}")
    failed = False
    for number, test in enumerate(tests, 1):
        name = prefix + "/" + test.__name__.removeprefix("test_").replace("_", "-")
        try:
            test()
            print("ok", number, name)
        except Exception:
            failed = True
            print("not ok", number, name)
            print("#", traceback.format_exc().replace("\n", "\n# "))
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
