#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Strips a program as Fedora does: its symbol table stays inside, compressed.

Usage: make-debugdata.py PROGRAM OUTPUT STRIP OBJCOPY
"""

import lzma
import pathlib
import subprocess
import sys
import tempfile

program, output, strip, objcopy = sys.argv[1:]
with tempfile.TemporaryDirectory() as name:
    symbols = pathlib.Path(name, "symbols")
    packed = pathlib.Path(name, "packed")
    subprocess.run([objcopy, "--only-keep-debug", program, symbols], check=True)
    subprocess.run([strip, "--strip-debug", symbols], check=True)
    packed.write_bytes(lzma.compress(symbols.read_bytes()))
    subprocess.run([strip, "--strip-all", "-o", output, program], check=True)
    subprocess.run([objcopy, "--add-section", f".gnu_debugdata={packed}", output], check=True)
