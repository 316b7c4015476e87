#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compiles every public header alone, in C and in C++, as a program would use it: side by side in one folder.

Usage: check-headers.py SRC WORK CC CXX GLIB-FLAGS… -- INSTALLED-HEADER…

<jankwatch.h> must do; every other header must do behind the macro by which <jankwatch.h> brings it in, and
must refuse to be included without.
"""

import pathlib
import shlex
import shutil
import subprocess
import sys

FOLDERS = ('base', 'frames', 'monitor', 'report')  # that have public headers
GENERATED = {'jank-enums.h', 'jank-version.h'}
C, CPP = ('c', '-std=gnu11'), ('cpp', '-std=c++11')
STANDARDS = (C, CPP, ('c', '-std=c99'), ('cpp', '-std=c++20'))
OLDER = '#define JANK_VERSION_MAX_ALLOWED (0)\n'
TWICE = '#include <glib-object.h>\n#include <jankwatch.h>\n#include <jankwatch.h>\n'
USE = (TWICE + '#if !JANK_CHECK_VERSION (0, 1, 0) || JANK_CHECK_VERSION (99, 0, 0)\n#error\n#endif\n'
       'JankMonitor *use (void);\nJankMonitor *use (void) { return jank_monitor_new (); }\n')


def main() -> int:
    source, work, cc, cxx = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    separator = sys.argv.index('--')
    headers = [pathlib.Path(name) for name in sys.argv[separator + 1:]]
    flags = ['-fsyntax-only', '-Wall', '-Wextra', '-Werror', f'-I{work}', *sys.argv[5:separator]]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for header in headers:
        shutil.copy(header, work)
    names = {header.name for header in headers}
    cases = [('jankwatch.h', '#include <jankwatch.h>\n', True, C), ('what is newer than allowed', OLDER + USE, False, C)]
    cases += [('jankwatch.h twice, and used', USE, True, standard) for standard in STANDARDS]
    for name in sorted(names - {'jankwatch.h'}):
        alone = f'#define JANKWATCH_INSIDE\n#include "{name}"\n#undef JANKWATCH_INSIDE\n'
        cases += [(f'{name} alone', alone, True, standard) for standard in (C, CPP)]
        if name != 'jank-enums.h':
            cases.append((f'{name} refuses', f'#include "{name}"\n', False, C))
    failures = 0
    print(f'1..{len(cases) + 1}')
    for number, (name, text, expected, (language, standard)) in enumerate(cases, 1):
        file = work / f'header.{language}'
        file.write_text(text, encoding='utf-8')
        result = subprocess.run([*shlex.split(cc if language == 'c' else cxx), standard, *flags, str(file)],
                                capture_output=True, text=True)
        passed = (result.returncode == 0) == expected
        failures += not passed
        print(f'{"ok" if passed else "not ok"} {number} {name} {standard}')
        if not passed:
            print(''.join(f'# {line}\n' for line in result.stderr.splitlines()[:20]), end='')

    there = {path.name for folder in FOLDERS for path in (source / folder).glob('*.h') if '-private' not in path.name}
    complete = there | GENERATED | {'jankwatch.h'} == names
    print(f'{"ok" if complete else "not ok"} {len(cases) + 1} every public header is installed')
    if not complete:
        print(f'# differ: {sorted(names ^ (there | GENERATED | {"jankwatch.h"}))}')
    return 1 if failures or not complete else 0


if __name__ == '__main__':
    sys.exit(main())
