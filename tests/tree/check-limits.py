#!/usr/bin/python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""check-limits.py SOURCE_ROOT READELF LIBRARY [PLUGIN]: no count exceeds its limit in tests/tree/limits.

Lines in a watched program are those of our .c files that the library and the plug-in for GTK 4 were compiled from,
each file once, by the compile units in their debug information.
"""

import pathlib
import re
import subprocess

import tap

ROOT, READELF, *MODULES = tap.rest()
ROOT = pathlib.Path(ROOT)


def count_lines(files):
    return sum(file.read_bytes().count(b"\n") for file in files)


def find(folder, *suffixes):
    return [file for file in (ROOT / folder).rglob("*") if file.suffix in suffixes]


def find_units(module):
    """The source files of our own in the module. A compiler's cache may have them from another folder."""
    text = subprocess.run([READELF, "--debug-dump=info", "--dwarf-depth=1", module], capture_output=True, text=True,
                          check=True).stdout
    names = re.findall(r"DW_AT_name +:(?: \(indirect[^)]*\):)? \S*?\.\./(src/\S+\.c)$", text, re.MULTILINE)
    return {ROOT / name for name in names}


def count_symbols(module):
    text = subprocess.run([READELF, "--dyn-syms", "--wide", module], capture_output=True, text=True,
                          check=True).stdout
    return len(re.findall(r" (?:FUNC|OBJECT) +GLOBAL +DEFAULT +\d+ jank_", text))


def count_text_symbols(modules):
    """Functions of text/, but those of base/ that are called alike."""
    text = "".join(subprocess.run([READELF, "--syms", "--wide", module], capture_output=True, text=True,
                                  check=True).stdout for module in modules)
    return len(re.findall(r" FUNC .* jank_text_(?!clean)", text))


def count_rows(file, heading, row):
    return len(re.findall(row, (ROOT / file).read_text().split(heading, 1)[1].split("\n## ", 1)[0], re.MULTILINE))


def count_watched():
    files = set.union(*map(find_units, MODULES))
    if not files:
        raise tap.Skip("built without debug information")
    return count_lines(files)


COUNTS = {
    "lines-in-src": lambda: count_lines(find("src", ".c", ".h")),
    "lines-in-tests": lambda: count_lines(find("tests", ".c", ".h", ".py", ".js")),
    "lines-in-a-watched-program": count_watched,
    "text-symbols-in-the-library": lambda: count_text_symbols(MODULES[:1]),
    "text-symbols-in-the-plug-in": lambda: count_text_symbols(MODULES[1:]),
    "exported-symbols": lambda: count_symbols(MODULES[0]),
    "settings": lambda: count_rows("src/settings/jank-settings.c", "[] = {", r'^  \{ "[a-z0-9-]+", (?:"|NULL)'),
    "private-layouts": lambda: count_rows("src/DESIGN.md", "## Private layouts", r"^\| (?!what |---).*\|$"),
}


def check(name, limit):
    n = COUNTS[name]()
    tap.check(n <= limit, name, "are", n, "and may be", limit)
    return f"{name}: {n} of {limit}"


lines = (ROOT / "tests/tree/limits").read_text().splitlines()
limits = dict(line.split() for line in lines if not line.startswith("#"))
tap.add("all", lambda: tap.check_equal(sorted(limits), sorted(COUNTS), "what is limited"))
for name, limit in limits.items():
    tap.add(name, check, name, int(limit))
tap.main("/tree/limits")
