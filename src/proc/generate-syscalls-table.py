# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Asks the compiler for the numbers of all system calls: generate-syscalls-table.py OUTPUT HEADER COMPILER...

HEADER is <sys/syscall.h> for the host; with <asm-generic/unistd.h>, the numbers of arm64 come from any machine.
"""

import re
import subprocess
import sys

DEFINITION = re.compile(r'^#define __NR_(\w+) (\d+)$', re.MULTILINE)
ALIAS = re.compile(r'^#define __NR_(\w+) __NR3264_(\w+)$', re.MULTILINE)
MOST = 4096

# What arm64's own <asm/unistd.h> says before it includes the generic one.
ARM64 = '''
#define __BITS_PER_LONG 64
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_TIME32_SYSCALLS
#define __ARCH_WANT_SYS_CLONE3
'''


def main():
    header = sys.argv[2]
    source = f'#include {header}\n'
    if 'asm-generic' in header:
        source = '#include <asm/bitsperlong.h>\n#undef __BITS_PER_LONG\n' + ARM64 + source
    macros = subprocess.run(sys.argv[3:] + ['-E', '-dM', '-x', 'c', '-'], check=True, text=True,
                            input=source, stdout=subprocess.PIPE).stdout
    numbers = {name: int(number) for name, number in DEFINITION.findall(macros)}
    shared = {name: int(number) for name, number in re.findall(r'^#define __NR3264_(\w+) (\d+)$', macros, re.MULTILINE)}
    numbers.update((name, shared[alias]) for name, alias in ALIAS.findall(macros) if alias in shared)
    names = {number: name for name, number in sorted(numbers.items())
             if number < MOST and name not in ('syscalls', 'arch_specific_syscall')}
    if not names:
        sys.exit(f'{header} names no system call')
    with open(sys.argv[1], 'w', encoding='utf-8') as output:
        output.write('static const char *const syscall_names[] = {\n')
        output.writelines(f'  [{number}] = "{name}",\n' for number, name in sorted(names.items()))
        output.write('};\n')


main()
