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

import tap

FOLDERS = ('base', 'frames', 'monitor', 'report')  # that have public headers
GENERATED = {'jank-enums.h', 'jank-version.h'}
C, CPP = ('c', '-std=gnu11'), ('cpp', '-std=c++11')
STANDARDS = (C, CPP, ('c', '-std=c99'), ('cpp', '-std=c++20'))
OLDER = '#define JANK_VERSION_MAX_ALLOWED (0)\n'
TWICE = '#include <glib-object.h>\n#include <jankwatch.h>\n#include <jankwatch.h>\n'
USE = (TWICE + '#if !JANK_CHECK_VERSION (0, 1, 0) || JANK_CHECK_VERSION (99, 0, 0)\n#error\n#endif\n'
       'JankMonitor *use (void);\nJankMonitor *use (void) { return jank_monitor_new (); }\n')


def check(work: pathlib.Path, compiler: str, flags: list[str], text: str, expected: bool, suffix: str) -> None:
    file = work / f'header.{suffix}'
    file.write_text(text, encoding='utf-8')
    result = subprocess.run([*shlex.split(compiler), *flags, str(file)], capture_output=True, text=True)
    tap.check((result.returncode == 0) == expected, '\n'.join(result.stderr.splitlines()[:20]))


def main() -> None:
    source, work, cc, cxx = tap.arguments(4)
    words = tap.rest()
    separator = words.index('--')
    headers = [pathlib.Path(name) for name in words[separator + 1:]]
    work = pathlib.Path(work)
    flags = ['-fsyntax-only', '-Wall', '-Wextra', '-Werror', f'-I{work}', *words[:separator]]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for header in headers:
        shutil.copy(header, work)
    names = {header.name for header in headers}
    cases = [('jankwatch.h', '#include <jankwatch.h>\n', True, C),
             ('what is newer than allowed', OLDER + USE, False, C)]
    cases += [('jankwatch.h twice, and used', USE, True, standard) for standard in STANDARDS]
    for name in sorted(names - {'jankwatch.h'}):
        alone = f'#define JANKWATCH_INSIDE\n#include "{name}"\n#undef JANKWATCH_INSIDE\n'
        cases += [(f'{name} alone', alone, True, standard) for standard in (C, CPP)]
        if name != 'jank-enums.h':
            cases.append((f'{name} refuses', f'#include "{name}"\n', False, C))
    for name, text, expected, (language, standard) in cases:
        tap.add(f'{name} {standard}', check, work, cc if language == 'c' else cxx, [standard, *flags], text, expected,
                language)
    there = {path.name for folder in FOLDERS for path in (pathlib.Path(source) / folder).glob('*.h')
             if '-private' not in path.name}
    tap.add('every public header is installed', tap.check_equal, names, there | GENERATED | {'jankwatch.h'},
            'what is installed')
    tap.main('/monitor/headers')


main()
