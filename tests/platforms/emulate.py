#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs an aarch64 program under QEMU's user mode: emulate.py ROOT PROGRAM [ARGUMENTS…].

Of a test program, skips what aarch64-skipped.txt names, each with the reason that stands there.
"""

import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("aarch64-skipped.txt")
# The generic signing of return addresses takes QEMU a hundred times as long as the call.
PROCESSOR = "max,pauth-impdef=on"


def skipped_of(program):
    """The paths of tests, each with the reason; '' is the whole program."""
    skipped, reason = {}, ""
    for line in LIST.read_text().splitlines():
        if line.startswith("# "):
            continue
        words = line.split()
        if words and not line.startswith(" "):
            reason = line.strip()
        elif len(words) > 0 and words[0] == program:
            skipped.update((path, reason) for path in words[1:] or [""])
    return skipped


def main(root, program, *arguments):
    skipped = skipped_of(pathlib.Path(program).name)
    if "" in skipped:
        print(f"1..0 # SKIP {skipped['']}")
        return 0
    emulator = ["qemu-aarch64", "-cpu", PROCESSOR, "-L", root, "-E", "LD_PRELOAD=libemulated-reads.so"]
    if not skipped:
        return subprocess.call([*emulator, program, *arguments])
    options = [word for path in skipped for word in ("-s", path)]
    with subprocess.Popen([*emulator, program, *arguments, *options], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            match = re.match(r"(ok \d+ (\S+) # SKIP)", line)
            if match and match[2] in skipped:
                line = f"{match[1]} {skipped[match[2]]}\n"
            print(line, end="", flush=True)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
