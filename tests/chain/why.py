# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs `jankwatch why`."""

import json
import subprocess

import tap

program = tap.arguments(1)[0]


def run(*arguments, wrapper=(), program=program):
    return subprocess.run([*wrapper, program, "why", *map(str, arguments)], capture_output=True, text=True, check=False)


def why(pid, **how):
    """The chain of one process, as JSON has it."""
    result = run("--json", pid, **how)
    tap.check(result.returncode == 0 and result.stderr == "", result)
    (chain,) = json.loads(result.stdout)
    return chain
