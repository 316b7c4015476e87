# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Turns data/platform-libraries.list into a C array: generate-platform-table.py LIST OUTPUT"""

import re
import sys

ENTRY = re.compile(r'([A-Za-z0-9_.+\[\]-]+\*?)(?: (interpreter|driver|waits))?')


def read_entries(path):
    entries = {}
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            entry = line.split('#')[0].strip()
            if not entry:
                continue
            match = ENTRY.fullmatch(entry)
            if not match:
                sys.exit(f'{path}:{number}: ‘{entry}’ is neither a name nor the beginning of one followed by *')
            if match[1] in entries:
                sys.exit(f'{path}:{number}: ‘{entry}’ stands twice')
            entries[match[1]] = match[2]
    return entries


def main():
    entries = read_entries(sys.argv[1])
    with open(sys.argv[2], 'w', encoding='utf-8') as output:
        output.write('static const PlatformLibrary platform_libraries[] = {\n')
        output.writelines(f'  {{ "{name}", JANK_PLATFORM_{(kind or "other").upper()} }},\n' for name,
                          kind in entries.items())
        output.write('};\n')


main()
