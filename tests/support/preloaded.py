# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Runs a test with a library preloaded, by a path of our choice since LD_PRELOAD cannot name one with a blank:
preloaded.py LIBRARY COMMAND…; without a name, the test runs without a library."""

import os
import pathlib
import subprocess
import sys
import tempfile

library, *command = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="jankwatch-test-") as folder:
    preload = ""
    if library:
        preload = f"{folder}/{pathlib.Path(library).name}"
        os.symlink(os.path.abspath(library), preload)
    status = subprocess.run(command, env={**os.environ, "LD_PRELOAD": preload, "JANKWATCH": "1"}).returncode
sys.exit(status if status >= 0 else 128 - status)
