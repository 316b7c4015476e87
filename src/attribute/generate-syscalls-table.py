# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Asks the compiler for the numbers of all system calls: generate-syscalls-table.py OUTPUT COMPILER..."""

import re
import subprocess
import sys

DEFINITION = re.compile(r'^#define __NR_(\w+) (\d+)$', re.MULTILINE)
MOST = 4096


def main():
    macros = subprocess.run(sys.argv[2:] + ['-E', '-dM', '-x', 'c', '-'], check=True, text=True,
                            input='#include <sys/syscall.h>\n', stdout=subprocess.PIPE).stdout
    names = {int(number): name for name, number in sorted(DEFINITION.findall(macros)) if int(number) < MOST}
    if not names:
        sys.exit('<sys/syscall.h> names no system call')
    with open(sys.argv[1], 'w', encoding='utf-8') as output:
        output.write('static const char *const syscall_names[] = {\n')
        output.writelines(f'  [{number}] = "{name}",\n' for number, name in sorted(names.items()))
        output.write('};\n')


main()
