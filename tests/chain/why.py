# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs `jankwatch why`."""

import json
import os
import subprocess

import tap

program = tap.arguments(1)[0]

# No settings: it warns of those that it cannot use, and another user may not read those of whoever runs the tests.
ENVIRON = {**os.environ, "XDG_CONFIG_HOME": "/nonexistent"}
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def run(*arguments, wrapper=(), program=program):
    return subprocess.run([*wrapper, program, "why", *map(str, arguments)], env=ENVIRON, capture_output=True, text=True)


def why(pid, **how):
    """The chain of one process, as JSON has it."""
    result = run("--json", pid, **how)
    tap.check(result.returncode == 0 and result.stderr == "", result)
    (chain,) = json.loads(result.stdout)
    return chain
