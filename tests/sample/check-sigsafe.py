#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Holds what a signal handler's object calls against what signal-safety(7) allows.

Usage: check-sigsafe.py NM SANITIZERS OBJECT…
"""

import subprocess
import sys

ALLOWED = {
    # signal-safety(7)
    'clock_gettime',
    'raise',
    'sigaction',
    '_GLOBAL_OFFSET_TABLE_',  # the linker's
}

# Atomic operations of the compiler's own library, which call nothing, where the processor may lack them (aarch64).
ATOMIC = '__aarch64_'

# One of the objects calls the other's, which is looked at, too.
BETWEEN = {'jank_python_walk', 'jank_engine_ask', 'jank_engine_asked'}

# Calls that a sanitizer's compiler adds; such builds are for tests alone.
SANITIZERS = {
    'address': ('__asan_',),
    'undefined': ('__ubsan_',),
    'thread': ('__tsan_',),
}


def main() -> int:
    nm, sanitizers, *objects = sys.argv[1:]
    prefixes = tuple(prefix for name in sanitizers.split(',') for prefix in SANITIZERS.get(name, ()))
    output = subprocess.run([nm, '-u', *objects], check=True, capture_output=True, text=True).stdout
    undefined = {line.split()[-1] for line in output.splitlines() if line.split()[:1] in (['U'], ['w'])}
    undefined -= BETWEEN

    # Not the wrong file: the handler takes the time.
    if 'clock_gettime' not in undefined:
        print(f'no clock_gettime among the undefined symbols of {" ".join(objects)}: {sorted(undefined)}')
        return 1

    added = {symbol for symbol in undefined if prefixes and symbol.startswith(prefixes)}
    if added:
        print(f'a build with -Db_sanitize={sanitizers}, which adds: {", ".join(sorted(added))}')
    forbidden = {symbol for symbol in undefined - ALLOWED - added if not symbol.startswith(ATOMIC)}
    for symbol in sorted(forbidden):
        print(f'the signal handler’s object needs {symbol}, which signal-safety(7) does not allow there')
    return 1 if forbidden else 0


if __name__ == '__main__':
    sys.exit(main())
