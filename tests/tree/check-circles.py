# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Finds files of one room that need each other: a reader could only understand them together.

Usage: check-circles.py NM ARCHIVE…

Reads the symbols of each static library's objects and follows them from the object that uses a symbol to the object
that defines it.
"""

import collections
import pathlib
import re
import subprocess

import tap

SYMBOL = re.compile(r'^\s*[0-9a-f]*\s+([A-Za-z])\s+(\S+)$')


def read_arrows(nm, archive):
    """Which object of the archive uses which other."""
    text = subprocess.run([nm, archive], capture_output=True, text=True, check=True).stdout
    defined, used, current = {}, collections.defaultdict(set), None
    for line in text.splitlines():
        if line.endswith('.o:'):
            current = pathlib.Path(line[:-1]).stem.removesuffix('.c')
        elif match := SYMBOL.match(line):
            kind, symbol = match.groups()
            if kind == 'U':
                used[current].add(symbol)
            elif kind.isupper():
                defined[symbol] = current
    return {user: {defined[symbol] for symbol in symbols if symbol in defined} - {user} for user,
            symbols in used.items()}


def find_circles(arrows):
    reach = {}
    for start in arrows:
        seen, todo = set(), list(arrows[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += arrows.get(node, ())
        reach[start] = seen
    return sorted({tuple(sorted(other for other in reach[node] if node in reach.get(other, ())))
                   for node in arrows if node in reach[node]})


def check_finds():
    tap.check_equal(find_circles({'a': {'b'}, 'b': {'c'}, 'c': {'b', 'd'}, 'd': set()}), [('b', 'c')], 'the circles')


def check_archive(archive):
    arrows = read_arrows(nm, archive)
    tap.check(len(arrows) > 0, 'no object was read of', archive)
    tap.check_equal(find_circles(arrows), [], 'the circles of files')


nm, *archives = tap.rest()
tap.add('finds', check_finds)
for path in archives:
    tap.add(pathlib.Path(path).stem.removeprefix('libjank-'), check_archive, path)
tap.main('/tree/circles')
