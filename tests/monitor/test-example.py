# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The reference's example: it stalls for 300 ms, and prints length and culprit as the signal tells them. Its signals in
other languages: test-signals.py."""

import os
import re
import subprocess
import tempfile

import tap

# The thread sanitizer's nanosleep() is part of the program.
CULPRITS = r"load_document|nanosleep"
STOPPED_MS = 150

[program] = tap.arguments(1)


def test_example():
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        result = subprocess.run([program], env=env, capture_output=True, text=True, timeout=60)
    # A busy machine makes other stalls, and stops this one for a while.
    lines = re.findall(rf"^stalled for (\d+) ms in (?:{CULPRITS})$", result.stdout, re.MULTILINE)
    tap.check(result.returncode == 0 and len(lines) == 1,
              f"status {result.returncode}, output {result.stdout!r}, errors {result.stderr!r}")
    tap.check(int(lines[0]) >= 300 - STOPPED_MS, "the length in ms:", lines[0])


tap.add_all(globals())
tap.main("/monitor/example")
