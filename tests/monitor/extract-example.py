#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Writes the example of a page, the text of its only ```c block, to a file.

Usage: extract-example.py PAGE OUTPUT
"""

import re
import sys

MAX_LINES = 30


def main() -> int:
    page, output = sys.argv[1:]
    with open(page, encoding='utf-8') as file:
        blocks = re.findall(r'^```c\n(.*?)^```$', file.read(), re.MULTILINE | re.DOTALL)
    if len(blocks) != 1:
        print(f'{page} has {len(blocks)} ```c blocks, not 1', file=sys.stderr)
        return 1
    lines = blocks[0].count('\n')
    if lines > MAX_LINES:
        print(f'the example of {page} has {lines} lines, more than {MAX_LINES}', file=sys.stderr)
        return 1
    with open(output, 'w', encoding='utf-8') as file:
        file.write(blocks[0])
    return 0


if __name__ == '__main__':
    sys.exit(main())
